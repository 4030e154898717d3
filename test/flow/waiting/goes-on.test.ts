import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Turn } from '../../fakes/model-script.ts';
import { someOf } from '../../size.ts';
import { OWNER } from '../governance-rig.ts';
import { ANSWER, authorOf, idOf, MAILS, NUMBERS, openWaiting, SENDERS, SHORT, SOON, type Waiting } from './rig.ts';

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

const inference = (more: object = {}) => ({
  'configs/inference.json': { provider: 'steady', model: 'm', retry: SHORT, ...more },
});

/** A stage before the answer, with limits of its own; what its model says. */
const framing = (frame: object, said: Turn): Options => ({
  files: inference({ stages: { frame: { provider: 'steady', model: 'm', ...frame } } }),
  says: (_, asked) => (asked.startsWith('{"received"') ? said : { text: ANSWER }),
});
const INTENT = { kind: 'question', wanted_effects: [], time_range: null, people: [] };

/** Work is handed on once in so many parts, and each part is handed on again. */
const delegating = (delegation: object, parts: number): Options => ({
  files: inference(),
  persona: { delegation: { enabled: true, ...delegation } },
  says: (turn) =>
    turn > 0
      ? { text: ANSWER }
      : {
          calls: Array.from({ length: parts }, (_, at) => ({
            name: 'delegate',
            arguments: { task: `Part ${at}`, tools: ['delegate'] },
          })),
        },
});

interface Bound {
  readonly limit: string;
  readonly options: Options;
  readonly mail?: object;
  /** What is on record of the run of each mail that met the limit; absent: the model says whether it was told. */
  readonly met?: RegExp;
}

const BOUNDS: readonly Bound[] = [
  {
    limit: 'stages.frame.timeout_s',
    options: framing({ timeout_s: 0.2 }, { text: JSON.stringify({ ...INTENT, done: true }), delayMs: 2000 }),
    met: /framed .*"code":"timeout"/,
  },
  {
    limit: 'stages.frame.max_output_tokens',
    options: framing({ max_output_tokens: 10 }, { text: '{"kind":', length: true }),
    met: /framed .*"intent":null/,
  },
  {
    limit: 'stages.frame.max_iterations',
    options: framing({ max_iterations: 2 }, { text: JSON.stringify({ ...INTENT, done: false }) }),
    met: /framed .*"kind":"question".*"iterations":2/,
  },
  {
    limit: 'delegation.max_children',
    options: delegating({ max_children: 1 }, 3),
    met: /a run has 1 child runs at most/,
  },
  {
    limit: 'delegation.max_depth',
    options: delegating({ max_depth: 1 }, 1),
    met: /delegate is not among the tools of this request/,
  },
  {
    limit: 'max_attachment_bytes',
    options: {
      files: {
        ...inference(),
        'configs/gateway.json': { smtp_listener: { port: 0 }, limits: { max_attachment_bytes: 10 } },
      },
      says: (_, asked) => ({ text: asked.includes('larger than 10 bytes') ? ANSWER : 'Nothing is missing.' }),
    },
    mail: { attachments: [{ filename: 'plan.txt', content: 'The plan is long.' }] },
  },
];

describe('fifty mails whose work goes on below a limit', () => {
  it.each(someOf(BOUNDS, 3).map((bound) => [bound.limit, bound] as const))(
    'are each answered once, and nobody is told anything else: %s',
    async (_, { options, mail: more = {}, met = /^run_queued/ }) => {
      const rig = await open(options);
      for (const number of NUMBERS) await rig.mail(number, { from: authorOf(number), ...more });
      await vi.waitFor(async () => expect(await rig.office.left('reply')).toHaveLength(MAILS), SOON);
      const replies = await rig.office.left('reply');
      for (const { mail } of replies) expect(mail.text).toContain(ANSWER);
      expect(replies.map(({ mail }) => mail.inReplyTo).toSorted()).toEqual(NUMBERS.map(idOf).toSorted());
      for (const run of rig.runs()) expect(run).toMatchObject({ status: 'done', outcome: 'final' });
      const records = rig.runs().map(({ id }) =>
        rig
          .events(id)
          .map(({ type, data }) => `${type} ${JSON.stringify(data)}`)
          .join('\n'),
      );
      expect(records.filter((record) => met.test(record))).toHaveLength(MAILS);
      expect(await rig.office.left('wait')).toEqual([]);
      expect(await rig.office.left('notice')).toEqual([]);
    },
  );
});

describe('fifty mails that the model answers too late', () => {
  it('wait, with one note to each sender and a notice, and are each answered once it has the time: model_timeout_s', async () => {
    const retry = { ...SHORT, late_note_min: 0.05 };
    const rig = await open({ files: inference({ model_timeout_s: 0.3, retry }) });
    const { office } = rig;
    rig.mood.failing = { text: ANSWER, delayMs: 1500 };
    for (const number of NUMBERS) await rig.mail(number, { from: authorOf(number) });
    await vi.waitFor(async () => expect(await office.left('wait')).toHaveLength(SENDERS), SOON);
    expect((await office.cli('status')).json.deferred).toMatchObject([{ code: 'provider_unavailable' }]);
    expect(await office.left('reply')).toEqual([]);
    for (const [path, content] of Object.entries(inference({ retry }))) office.workspace.write(path, content);
    await vi.waitFor(async () => expect(await office.left('reply')).toHaveLength(MAILS), SOON);
    const replies = await office.left('reply');
    for (const { mail } of replies) expect(mail.text).toContain(ANSWER);
    expect(replies.map(({ mail }) => mail.inReplyTo).toSorted()).toEqual(NUMBERS.map(idOf).toSorted());
    expect(await office.left('wait')).toHaveLength(SENDERS);
    expect(await office.left('notice', OWNER)).toHaveLength(1);
  });
});
