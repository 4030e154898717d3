import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { sha256 } from '../../engine/lib/ids.ts';
import type { HeardRequest, Turn } from '../fakes/model-script.ts';
import { startFakeModel } from '../fakes/model-server.ts';
import { ADA, MEMBER, OWNER, openOffice } from './governance-rig.ts';
import { STEADY } from './workspace.ts';

const HOOKS = fileURLToPath(new URL('./without-learning.mjs', import.meta.url));

function answer({ view }: HeardRequest): Turn {
  if (view.results.length > 0) return { text: 'There is nothing.' };
  return view.lastUser.includes('Look') ? { calls: [{ name: 'list_files', arguments: {} }] } : { text: 'Noted.' };
}

const letter = (n: number, from: string, text: string, reply = ''): string =>
  [
    ...[
      `From: ${from}`,
      `To: ${ADA}`,
      `Subject: ${reply === '' ? '' : 'Re: '}Hours`,
      `Message-ID: <off-${n}@x.example>`,
    ],
    ...[
      'Date: Mon, 23 Nov 2026 10:00:00 +0000',
      ...(reply === '' ? [] : [`In-Reply-To: ${reply}`, `References: ${reply}`]),
    ],
    ...['', text, ''],
  ].join('\r\n');

/** One that would be a verdict among them: where nothing is learned it is a mail like any other. */
const MAILS = [
  [OWNER, 'Look for the hours.', ''],
  [MEMBER, 'When do you open?', ''],
  [OWNER, 'bad', '<off-0@x.example>'],
  [MEMBER, 'good\n\nAnd on Sundays?', '<off-1@x.example>'],
] as const;

/** What the same mails make a gateway ask, one after the other. */
async function asked(environment: (root: string) => Readonly<Record<string, string>>) {
  const model = await startFakeModel('openai', answer);
  const files = {
    'configs/security.json': { owners: [OWNER], loop_guard: { fast_reply_s: 0 } },
    'configs/inference.json': { provider: 'steady', model: 'm', stages: {} },
    'extensions/extensions.json': { providers: [{ name: 'steady', config: { base_url: model.baseUrl } }] },
    'personas/ada/persona.json': { name: 'Ada', address: ADA, access: { allow: ['*@member.example'] } },
    ...STEADY,
  };
  const now = { NODE_ENV: 'test', EPISTLE_TEST_NOW: '2026-11-23T10:00:00Z' };
  const office = await openOffice(files, now);
  try {
    const more = environment(office.root);
    if (Object.keys(more).length > 0) await office.launch({ ...now, ...more });
    for (const [n, [from, text, reply]] of MAILS.entries()) {
      await office.post({ from, to: ADA, raw: letter(n, from, text, reply) });
      await office.arrival('reply', undefined, n + 1);
    }
    // The time, and the random mark around words of others.
    const bodies = model.requests.map(({ raw }) =>
      raw.toString().replace(/\d\d:\d\d(?::\d\d)?|(?<=new_text_)[0-9a-f]{8}/g, '*'),
    );
    return { bodies, replaced: more.EPISTLE_REPLACED ? readFileSync(more.EPISTLE_REPLACED, 'utf8') : '' };
  } finally {
    await office.close();
    await model.stop();
  }
}

it('H-2: where nothing is learned a model is asked what an engine without the room `learning` asks', async () => {
  const off = await asked(() => ({}));
  const without = await asked((root) => ({
    NODE_OPTIONS: `--import=${HOOKS}`,
    EPISTLE_REPLACED: join(root, 'replaced'),
  }));
  // Not a line of the room was loaded there: neither what chooses a playbook nor what makes its steps.
  expect(off.replaced).toBe('');
  for (const file of ['select', 'steps', 'places', 'verdict'])
    expect(without.replaced).toContain(`engine/learning/${file}.ts`);
  expect(off.bodies).toHaveLength(MAILS.length + 1);
  expect(without.bodies).toEqual(off.bodies);
  expect(without.bodies.map(sha256)).toEqual(off.bodies.map(sha256));
});
