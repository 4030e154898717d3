import { afterEach, describe, expect, it, vi } from 'vitest';
import { OWNER } from '../governance-rig.ts';
import { ANSWER, openWaiting, type Waiting } from './rig.ts';

const MAILS = 50;
const opened: Waiting[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((rig) => rig.close()));
});

const persona = (more: object = {}) => ({
  name: 'Ada',
  address: 'ada@agents.localhost',
  access: { allow: ['*@member.example'] },
  ...more,
});
const guard = (loop_guard: object) => ({
  'configs/security.json': { owners: [OWNER], approvals: { batch_window_s: 0 }, loop_guard },
});

async function open(options: Parameters<typeof openWaiting>[0]): Promise<Waiting> {
  const rig = await openWaiting(options);
  opened.push(rig);
  return rig;
}

const MIA = 'm1@member.example';
const idOf = (number: number) => `<q-${number}@member.example>`;
const soon = { timeout: 90_000, interval: 100 };
const doneOf = (rig: Waiting) => rig.runs().filter(({ status }) => status === 'done').length;

/** Fifty mails of one proven sender. */
async function fifty(rig: Waiting, more: object = {}): Promise<void> {
  for (let number = 1; number <= MAILS; number += 1) await rig.mail(number, { from: MIA, ...more });
}

describe('fifty mails of one proven sender, above the runs of an hour', () => {
  it('wait for their turn with one note, and a raised limit takes them all up', async () => {
    const rig = await open({ persona: persona({ budget: { runs_per_sender_per_hour: 3 } }) });
    const { office } = rig;
    await fifty(rig);
    await vi.waitFor(() => expect(doneOf(rig)).toBe(3), soon);
    expect(rig.runs()).toHaveLength(MAILS);
    expect((await office.cli('status')).json.deferred).toMatchObject([{ code: 'sender_rate_limited', count: 47 }]);
    expect((await office.cli('why', idOf(50))).json.entries).toMatchObject([
      { decision: 'deferred', code: 'sender_rate_limited' },
    ]);
    await vi.waitFor(async () => expect(await office.left('wait')).toHaveLength(1), soon);
    office.workspace.write('personas/ada/persona.json', persona({ budget: { runs_per_sender_per_hour: 10 } }));
    await vi.waitFor(() => expect(doneOf(rig)).toBe(10), soon);
    // What has no turn yet keeps the order in which it came, also in a process that knows nothing of the limit before.
    await office.launch();
    office.workspace.write('personas/ada/persona.json', persona());
    await vi.waitFor(() => expect(doneOf(rig)).toBe(MAILS), soon);
    await vi.waitFor(async () => expect(await office.left('reply')).toHaveLength(MAILS), soon);
    expect(await office.left('wait')).toHaveLength(1);
  });

  it('hold up nobody else in their thread', async () => {
    const rig = await open({ persona: persona({ budget: { runs_per_sender_per_hour: 1 } }) });
    const { office } = rig;
    await rig.mail(1, { from: MIA });
    await office.arrival('reply', MIA);
    await rig.mail(2, { from: MIA, inReplyTo: idOf(1), references: [idOf(1)] });
    await rig.mail(3, { from: OWNER, inReplyTo: idOf(1), references: [idOf(1)] });
    await office.arrival('reply', OWNER);
  });
});

describe('fifty mails that a limit stops', () => {
  it.each<[string, string, Parameters<typeof openWaiting>[0], object, number]>([
    ['no run at all', 'sender_rate_limited', { persona: persona({ budget: { runs_per_sender_per_hour: 0 } }) }, {}, 0],
    ['the answers of a sender', 'loop_limit', { files: guard({ max_replies_per_sender_per_hour: 5 }) }, {}, 5],
    [
      'the answers of a thread',
      'loop_limit',
      { files: guard({ max_replies_per_thread_per_hour: 5, max_fast_replies: 0 }) },
      { inReplyTo: idOf(1), references: [idOf(1)] },
      5,
    ],
    [
      'the same words again and again',
      'loop_limit',
      { files: guard({ fast_reply_s: 600, max_fast_replies: 1 }) },
      { text: 'And what do you say now?', subject: 'A question' },
      2,
    ],
  ])(
    'are each kept with one note, and `mail retry` has them answered: %s',
    async (_, code, options, more, answered) => {
      const rig = await open({ persona: persona(), ...options });
      const { office } = rig;
      await fifty(rig, more);
      await vi.waitFor(() => expect(doneOf(rig)).toBe(answered), soon);
      const listed = (await office.cli('mail', 'list', '--status', 'recorded', '--limit', '100')).json.mails;
      expect(listed).toHaveLength(MAILS - answered);
      for (const mail of listed) expect(mail).toMatchObject({ code, cure: expect.stringContaining('mail retry') });
      await vi.waitFor(async () => expect(await office.left('wait', MIA)).toHaveLength(1), soon);
      expect(await office.left('wait')).toHaveLength(1);
      const notice = await office.arrival('notice', OWNER);
      expect(notice.mail.text).toContain('Reply "again"');
      expect((await office.cli('mail', 'show', idOf(20))).json.mail.kept).toBe(true);
      for (const number of [20, 50]) {
        expect((await office.cli('mail', 'retry', idOf(number))).json).toMatchObject({
          results: [{ decision: 'accepted', code: null }],
        });
      }
      await vi.waitFor(() => expect(doneOf(rig)).toBe(answered + 2), soon);
      const reply = (await office.left('reply', MIA)).at(-1);
      expect(reply?.mail.text).toContain(ANSWER);
      // Once, and no more.
      expect((await office.cli('mail', 'retry', idOf(20))).code).toBe(1);
      expect(doneOf(rig)).toBe(answered + 2);
    },
  );
});

interface Listed {
  readonly id: string;
  readonly persona: string;
}

describe('a mail to two personas that a limit stops at both', () => {
  it('is taken in by the one that was asked; at the other the limit holds, and it is kept for that', async () => {
    const none = { access: { allow: ['*@member.example'] }, budget: { runs_per_sender_per_hour: 0 } };
    const rig = await open({
      persona: persona(none),
      files: { 'personas/ben/persona.json': { name: 'Ben', address: 'ben@agents.localhost', ...none } },
    });
    const { office } = rig;
    await rig.mail(1, { from: MIA, to: ['ada@agents.localhost', 'ben@agents.localhost'] });
    const listed = async () => {
      const { mails }: { mails: readonly Listed[] } = (await office.cli('mail', 'list')).json;
      const newest = Map.groupBy(mails, ({ persona: whose }) => whose);
      return ['ada', 'ben'].map((whose) => newest.get(whose)?.[0]);
    };
    const stopped = { decision: 'recorded', code: 'sender_rate_limited' };
    const [ofAda, ofBen] = await vi.waitFor(async () => {
      const found = await listed();
      expect(found).toMatchObject([stopped, stopped]);
      return found;
    }, soon);
    expect(await office.cli('mail', 'retry', ofAda?.id ?? '')).toMatchObject({
      code: 0,
      json: {
        results: [
          { persona: 'ada', decision: 'accepted' },
          { persona: 'ben', ...stopped },
        ],
      },
    });
    const [, after] = await listed();
    for (const id of [ofBen?.id, after?.id]) {
      expect((await office.cli('mail', 'show', id ?? '')).json.mail).toMatchObject({ ...stopped, kept: true });
    }
    expect(await office.cli('mail', 'retry', after?.id ?? '')).toMatchObject({
      code: 0,
      json: {
        results: [
          { persona: 'ada', decision: 'duplicate' },
          { persona: 'ben', decision: 'accepted' },
        ],
      },
    });
    expect((await office.cli('mail', 'show', ofBen?.id ?? '')).json.mail.kept).toBe(false);
  });
});
