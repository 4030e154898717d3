import { afterEach, describe, expect, it, vi } from 'vitest';
import { someOf } from '../../size.ts';
import { OWNER } from '../governance-rig.ts';
import { STEADY } from '../workspace.ts';
import { ANSWER, openWaiting, type Waiting } from './rig.ts';

const MAILS = 50;
const opened: Waiting[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((rig) => rig.close()));
});

type Options = NonNullable<Parameters<typeof openWaiting>[0]>;
async function open(options: Options): Promise<Waiting> {
  const rig = await openWaiting(options);
  opened.push(rig);
  return rig;
}

const persona = (more: object = {}) => ({
  name: 'Ada',
  address: 'ada@agents.localhost',
  access: { allow: ['*@member.example'] },
  ...more,
});
const soon = { timeout: 120_000, interval: 100 };
/** Ten people, five mails each. */
const SENDERS = 10;
const senderOf = (number: number) => `m${number % SENDERS}@member.example`;
const idOf = (number: number) => `<q-${number}@member.example>`;

async function fifty(rig: Waiting): Promise<void> {
  for (let number = 1; number <= MAILS; number += 1) await rig.mail(number, { from: senderOf(number) });
}
/** All are either done or wait for the budget. */
async function settled(rig: Waiting) {
  await vi.waitFor(() => {
    const runs = rig.runs();
    expect(runs).toHaveLength(MAILS);
    expect(runs.every(({ status, deferred_code: code }) => status === 'done' || code === 'budget')).toBe(true);
  }, soon);
  return rig.runs();
}
const repliesOf = async (rig: Waiting) => (await rig.office.left('reply')).length;

const PRICED = {
  'extensions/providers/steady/manifest.json': {
    ...STEADY['extensions/providers/steady/manifest.json'],
    models: {
      m: { context_tokens: 100_000, max_output_tokens: 1000, usd_per_million_tokens: { input: 1, output: 10 } },
    },
  },
};

describe('fifty mails, and a budget of the day that is spent', () => {
  const DAYS: readonly [string, object, Options][] = [
    ['runs', { runs_per_day: 10 }, {}],
    ['money', { usd_per_day: 0.1 }, { files: PRICED }],
    ['nothing at all', { runs_per_day: 0 }, {}],
    ['no money at all', { usd_per_day: 0 }, { files: PRICED }],
  ];
  it.each(someOf(DAYS, 2))(
    'wait, with one note to each sender and a notice, and a raised budget has each answered: %s',
    async (_, budget, more) => {
      const rig = await open({ persona: persona({ budget }), ...more });
      const { office } = rig;
      await fifty(rig);
      const before = await settled(rig);
      const waiting = before.filter(({ deferred_code: code }) => code === 'budget');
      expect(waiting.length).toBeGreaterThan(10);
      const waits = new Set(waiting.map(({ message_id: id }) => senderOf(Number(/\d+/.exec(id)?.[0]))));
      await vi.waitFor(async () => expect(await office.left('wait')).toHaveLength(waits.size), soon);
      for (const sender of waits) expect(await office.left('wait', sender)).toHaveLength(1);
      const notices = (await office.left('notice', OWNER)).map(({ mail }) => mail.subject ?? '');
      expect(notices.filter((subject) => /Ada has (?:answered|spent) /.test(subject))).toHaveLength(1);
      expect((await office.cli('status')).json.deferred).toMatchObject([{ code: 'budget', count: waiting.length }]);
      const last = waiting.at(-1)?.message_id ?? '';
      expect((await office.cli('why', last)).json.entries).toMatchObject([{ decision: 'deferred', code: 'budget' }]);
      await office.restart();
      office.workspace.write('personas/ada/persona.json', persona());
      await vi.waitFor(async () => expect(await repliesOf(rig)).toBe(MAILS), soon);
      expect(await office.left('wait')).toHaveLength(waits.size);
      for (const { mail } of await office.left('reply')) expect(mail.text).toContain(ANSWER);
    },
  );

  it.each([
    ['tokens', { tokens_per_run: 0 }],
    ['money', { usd_per_run: 0 }],
  ])('of a run: each has an answer that says so: %s', async (_, budget) => {
    const rig = await open({ persona: persona({ budget }), files: PRICED });
    await fifty(rig);
    await vi.waitFor(async () => expect(await repliesOf(rig)).toBe(MAILS), soon);
    for (const { mail } of await rig.office.left('reply')) expect(mail.text).toMatch(/budget/);
    for (const run of rig.runs()) expect(run).toMatchObject({ outcome: 'partial', code: 'budget' });
    // And each can be worked once more.
    rig.office.workspace.write('personas/ada/persona.json', persona());
    await vi.waitFor(async () => {
      const { results } = (await rig.office.ask('And now?', senderOf(1))).json;
      expect(results).toMatchObject([{ outcome: 'final' }]);
    }, soon);
    for (const number of [1, 50]) {
      const again = await rig.office.cli('mail', 'retry', idOf(number));
      expect(again.json, JSON.stringify(again.json)).toMatchObject({ ok: true });
    }
    await vi.waitFor(() => {
      const answered = rig.runs().filter(({ outcome }) => outcome === 'final');
      for (const number of [1, 50]) expect(answered.map(({ message_id: id }) => id)).toContain(idOf(number));
    }, soon);
  });
});

const look = (turn: number) => ({ calls: [{ name: 'list_files', arguments: { path: `x${turn}` } }] });
const inference = (more: object) => ({
  'configs/inference.json': { provider: 'steady', model: 'm', ...more },
});
const security = (more: object) => ({
  'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0 }, ...more },
});

describe('fifty mails whose work meets a limit of the steps', () => {
  const STEPS: readonly [string, Options][] = [
    ['max_tool_turns', { files: inference({ max_tool_turns: 2 }), says: look }],
    ['max_tool_calls', { files: inference({ max_tool_calls: 2 }), says: look }],
    [
      'max_calls_per_turn',
      {
        files: inference({ max_calls_per_turn: 2 }),
        says: (turn) =>
          turn > 0
            ? { text: ANSWER }
            : { calls: [1, 2, 3, 4, 5].map((n) => ({ name: 'list_files', arguments: { path: `x${n}` } })) },
      },
    ],
    [
      'max_consecutive_failures',
      {
        files: inference({ max_consecutive_failures: 1 }),
        says: (turn) => ({ calls: [{ name: 'read_file', arguments: { path: `none${turn}.md` } }] }),
      },
    ],
    [
      'step_caps',
      {
        files: inference({ step_caps: { read: 1, mutate: 1 } }),
        says: (turn) => (turn < 4 ? look(turn) : { text: ANSWER }),
      },
    ],
    [
      'quotas of a run',
      {
        files: security({ tool_policy: { quotas: { list_files: { max_per_run: 1 } } } }),
        says: (turn) => (turn < 4 ? look(turn) : { text: ANSWER }),
      },
    ],
    [
      'quotas of a day',
      {
        files: security({ tool_policy: { quotas: { list_files: { max_per_day: 5 } } } }),
        says: (turn) => (turn < 2 ? look(turn) : { text: ANSWER }),
      },
    ],
    [
      'calls_per_sender_per_hour',
      { files: security({ calls_per_sender_per_hour: 1 }), says: (turn) => (turn < 2 ? look(turn) : { text: ANSWER }) },
    ],
  ];
  it.each(someOf(STEPS, 3))('are each answered, and `mail retry` works what was cut short: %s', async (_, options) => {
    const rig = await open({ persona: persona(), ...options });
    await fifty(rig);
    await vi.waitFor(async () => expect(await repliesOf(rig)).toBe(MAILS), soon);
    const runs = rig.runs();
    for (const run of runs) expect(run.status).toBe('done');
    rig.mood.failing = { text: ANSWER };
    const cut = runs.filter(({ outcome }) => outcome === 'partial').map(({ message_id: id }) => id);
    for (const number of [1, MAILS]) {
      const { json } = await rig.office.cli('mail', 'retry', idOf(number));
      expect([json.ok, JSON.stringify(json)]).toEqual([cut.includes(idOf(number)), expect.any(String)]);
    }
    const again = cut.filter((id) => [idOf(1), idOf(MAILS)].includes(id));
    await vi.waitFor(async () => expect(await repliesOf(rig)).toBe(MAILS + again.length), soon);
    for (const id of again) expect(rig.runs().findLast((run) => run.message_id === id)?.outcome).toBe('final');
  });
});

describe('fifty mails of people whom no rule names', () => {
  it('are each kept, and answered without being sent again when an owner lets them in', async () => {
    const rig = await open({ persona: persona({ access: { allow: [] } }) });
    const { office } = rig;
    for (let number = 1; number <= MAILS; number += 1)
      await expect(rig.mail(number, { from: senderOf(number) })).rejects.toThrow('5.7.1');
    const listed = (await office.cli('mail', 'list', '--refused', '--limit', '100')).json.mails;
    expect(listed).toHaveLength(MAILS);
    for (const mail of listed)
      expect(mail).toMatchObject({ code: 'sender_not_allowed', cure: expect.stringContaining('senders allow') });
    expect((await office.cli('mail', 'show', idOf(1))).json.mail.kept).toBe(true);
    office.workspace.write('personas/ada/persona.json', persona());
    await vi.waitFor(async () => expect(await repliesOf(rig)).toBe(MAILS), soon);
  });
});
