import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { HeardRequest } from '../../fakes/model-script.ts';
import { startFakeModel } from '../../fakes/model-server.ts';
import { OWNER, openOffice } from '../governance-rig.ts';
import { STEADY } from '../workspace.ts';

// F14: what an earlier mail of the thread had read came back as a row of it and a hash of 64 digits, for which nobody had a use.

const open: { closing: (() => Promise<unknown>)[] } = { closing: [] };
afterAll(async () => {
  for (const close of open.closing.splice(0).toReversed()) await close();
});

const ROWS = Array.from({ length: 60 }, (_, n) => `P-${n},Customer ${n},${n}.50`).join('\n');
/** All that was sent but for the tools, as text. */
const saidIn = ({ body }: HeardRequest): string =>
  JSON.stringify((body as { messages: unknown }).messages).replaceAll(/\\+"/g, '"');

it('what an earlier mail of the thread has read stands there by a short id that opens all of it', async () => {
  const model = await startFakeModel('openai', (request) => {
    const { results, lastUser } = request.view;
    if (results.length > 0)
      return { text: `It says ${results.at(-1)?.content.includes('Customer 59') ? 'all' : 'nothing'}.` };
    if (lastUser.includes('Look')) return { calls: [{ name: 'read_file', arguments: { path: 'orders.csv' } }] };
    const [, ref = 'none'] = /read_file: \{[^}]*"ref":"([0-9a-f]+)"/.exec(saidIn(request)) ?? [];
    return { calls: [{ name: 'resolve_ref', arguments: { ref } }] };
  });
  open.closing.push(() => model.stop());
  const office = await openOffice({
    'configs/inference.json': { provider: 'steady', model: 'm' },
    'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] },
    ...STEADY,
  });
  open.closing.push(() => office.close());
  const folder = join(office.root, 'data/personas/ada/files');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'orders.csv'), ROWS);

  await office.post({ subject: 'Orders', text: 'Look into the orders.', messageId: '<one@office.example>' });
  const first = await office.arrival('reply', OWNER);
  const id = first.mail.messageId ?? '';
  const answers = { inReplyTo: id, references: ['<one@office.example>', id] };
  await office.post({ subject: 'Re: Orders', text: 'And who comes last?', ...answers });
  const second = await office.arrival('reply', OWNER, 2);
  const above = model.requests.map(saidIn).find((text) => text.includes('And who comes last?')) ?? '';
  expect(above).toMatch(
    /read_file: \{"ok":true,"characters":\d+,"observed_at":"[^"]+","ref":"[0-9a-f]{16}","more":"resolve_ref opens it"\}/,
  );
  expect(above).not.toContain('Customer 3');
  expect(second.mail.text).toContain('It says all.');
});
