import { readFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { startHttpServer } from '../fakes/http-server.ts';
import type { Turn } from '../fakes/model-script.ts';
import { startFakeModel } from '../fakes/model-server.ts';
import { OWNER, openOffice } from './governance-rig.ts';
import { STEADY } from './workspace.ts';

const open: { closing: (() => Promise<unknown>)[] } = { closing: [] };
afterAll(async () => {
  for (const close of open.closing.splice(0).toReversed()) await close();
});

const LEASE = readFileSync(new URL('../engine/documents/files/lease.pdf', import.meta.url));

const call = (name: string, args: { readonly [key: string]: string | number }): Turn => ({
  calls: [{ name, arguments: args }],
});

it('a mail sets off a search, whose results may be opened as they stand and not in another way', async () => {
  const asked: string[] = [];
  const site = await startHttpServer(({ path, headers }) => {
    asked.push(path);
    if (!path.startsWith('/res/'))
      return { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: LEASE };
    expect(headers['x-subscription-token']).toBe('brave-key-of-the-test');
    const results = [{ title: 'The lease', url: `${site.baseUrl}/lease?v=2`, description: 'What it costs' }];
    return { status: 200, body: JSON.stringify({ web: { results } }) };
  });
  open.closing.push(() => site.stop());
  const turns = [
    call('web_search', { query: 'lease of the office' }),
    call('web_fetch', { url: `${site.baseUrl}/lease?v=2` }),
    call('web_fetch', { url: `${site.baseUrl}/lease?v=secret` }),
  ];
  const model = await startFakeModel('openai', ({ view }) => turns[view.turn] ?? { text: 'It is 900 EUR.' });
  open.closing.push(() => model.stop());
  const office = await openOffice({
    '.env': 'BRAVE_API_KEY=brave-key-of-the-test\n',
    'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0 } },
    'configs/inference.json': { provider: 'steady', model: 'm' },
    'extensions/extensions.json': {
      providers: [{ name: 'steady', config: { base_url: model.baseUrl } }],
      tools: [
        { name: 'web_fetch', config: { allow_hosts: ['127.0.0.1'] } },
        { name: 'web_search', config: { vendor: 'brave', base_url: site.baseUrl, allow_hosts: ['127.0.0.1'] } },
      ],
    },
    ...STEADY,
  });
  open.closing.push(() => office.close());
  await office.post({ text: 'What does the lease of the office cost?', subject: 'Lease' });
  const { mail } = await office.arrival('approval');
  expect(mail.text).toContain('/lease?v=secret');
  expect(asked.map((path) => path.split('?')[0])).toEqual(['/res/v1/web/search', '/lease']);
  const schema = model.requests[0]?.view.tools ?? [];
  expect(schema).toContain('web_search');
  for (const { raw } of model.requests) expect(raw.toString()).not.toContain('brave-key-of-the-test');
  const read = model.requests.at(-1)?.raw.toString() ?? '';
  expect(read).toContain('The lease');
  expect(read).toContain('Signed on the second page, Maria Lind.');
  expect(read).toContain('1-2 of 2');
});
