import { afterEach, describe, expect, it, vi } from 'vitest';
import { OWNER } from '../governance-rig.ts';
import { ANSWER, openWaiting, type Waiting } from './rig.ts';

const opened: Waiting[] = [];
const open = async (...options: Parameters<typeof openWaiting>): Promise<Waiting> => {
  const rig = await openWaiting(...options);
  opened.push(rig);
  return rig;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map((rig) => rig.close()));
});

const soon = { timeout: 90_000, interval: 50 };
const codes = (rig: Waiting) => rig.runs().map((run) => run.deferred_code);

describe('mail that comes while its persona is stopped', () => {
  it('is taken in, outlives a crash and a second STOP, and is answered in order after RESUME', async () => {
    const rig = await open();
    const { office } = rig;
    const ofTheFirst = { inReplyTo: '<q-1@member.example>', references: ['<q-1@member.example>'] };
    await office.post({ subject: 'STOP' });
    const stopped = await office.arrival('notice', OWNER);
    expect(stopped.mail.text).toContain('I have stopped. New mail will wait, too.');
    for (const number of [1, 2, 3]) await rig.mail(number);
    await rig.mail(4, { from: rig.senderOf(1), ...ofTheFirst });
    await expect(rig.mail(5, { from: 'eve@stranger.example' })).rejects.toThrow('5.7.1');
    // Behind them in the same thread, and read by somebody else as well: it has an answer of its own.
    await rig.mail(7, { from: rig.senderOf(1), cc: [rig.senderOf(2)], ...ofTheFirst });
    expect(codes(rig)).toEqual(Array.from({ length: 5 }, () => 'persona_stopped'));
    expect((await office.cli('why', '<q-2@member.example>')).json.entries).toMatchObject([
      { decision: 'deferred', code: 'persona_stopped', run: { status: 'deferred' } },
    ]);
    const sent = await office.ask('And this?', rig.senderOf(6), 'Question 6');
    expect(sent.code).toBe(3);
    expect(sent.json.results).toMatchObject([{ decision: 'deferred', code: 'persona_stopped', status: 'deferred' }]);
    await office.restart();
    await office.post({ subject: 'Stop', messageId: '<again@example.com>' });
    const again = await office.arrival('notice', OWNER, 2);
    expect(again.mail.text).toMatch(/I have stopped\. 6 mails wait for an answer\./);
    // It answers the mail that said so.
    expect(again.mail.inReplyTo).toBe('<again@example.com>');
    expect(await office.left('reply')).toEqual([]);
    await office.post({ subject: 'RESUME' });
    expect((await office.arrival('notice', OWNER, 3)).mail.text).toContain('6 mails waited; I answer them now.');
    await vi.waitFor(async () => expect(await office.left('reply')).toHaveLength(5), soon);
    const runOf = (number: number) => rig.runs().find(({ message_id: id }) => id === `<q-${number}@member.example>`);
    const [first, fourth, seventh] = [1, 4, 7].map(runOf);
    expect([fourth, seventh].map((run) => run?.thread_id)).toEqual([first?.thread_id, first?.thread_id]);
    // Two mails of one sender in one thread have one answer; each of the others has its own.
    expect(fourth).toMatchObject({ outcome: 'silent:answered_together', reply_message_id: null });
    expect(rig.events(fourth?.id ?? '').at(-1)).toMatchObject({ type: 'run_ended', data: { by: first?.id } });
    expect(
      rig
        .runs()
        .filter(({ id }) => id !== fourth?.id)
        .map(({ outcome }) => outcome),
    ).toEqual(Array.from({ length: 5 }, () => 'final'));
    expect(first?.ended_at ?? 0).toBeLessThanOrEqual(seventh?.started_at ?? 0);
    expect(await office.left('wait')).toEqual([]);
  });

  it('is answered after a process that died between the switch and its notice', async () => {
    const rig = await open();
    await rig.office.post({ subject: 'STOP' });
    await rig.office.arrival('notice', OWNER);
    await rig.mail(1);
    await rig.office.launch({ NODE_ENV: 'test', EPISTLE_CRASH_AT: 'resume.switched' });
    await expect(rig.office.post({ subject: 'RESUME' })).rejects.toThrow();
    await rig.office.restart({});
    await rig.office.arrival('reply', rig.senderOf(1));
    await rig.office.post({ subject: 'RESUME' });
    const notices = await rig.office.left('notice');
    expect(notices.filter(({ mail }) => mail.text?.includes('1 mail waited; I answer it now.'))).toHaveLength(1);
  });
});

describe('mail that comes while its persona is paused', () => {
  it('waits until `persona resume`, which says how many did', async () => {
    const rig = await open();
    expect((await rig.office.cli('persona', 'pause', 'ada')).code).toBe(0);
    for (const number of [1, 2]) await rig.mail(number);
    expect(codes(rig)).toEqual(['persona_paused', 'persona_paused']);
    const status = (await rig.office.cli('status')).json;
    expect(status.queue).toMatchObject({ queued: 0, deferred: 2 });
    expect(status.deferred).toMatchObject([{ persona: 'ada', code: 'persona_paused', count: 2, until: null }]);
    expect((await rig.office.cli('persona', 'resume', 'ada')).json).toMatchObject({ waited: 2 });
    await vi.waitFor(async () => expect(await rig.office.left('reply')).toHaveLength(2), soon);
  });
});

describe('mail that comes when the budget of the day is spent', () => {
  const budget = (runs_per_day: number) => ({
    name: 'Ada',
    address: 'ada@agents.localhost',
    access: { allow: ['*@member.example'] },
    budget: { runs_per_day },
  });

  it('waits, its senders and its owner hear of it once, and a raised budget takes it up', async () => {
    const rig = await open({ persona: budget(2) });
    const { office } = rig;
    for (const number of [1, 2]) await rig.mail(number);
    await vi.waitFor(async () => expect(await office.left('reply')).toHaveLength(2), soon);
    for (const number of [3, 4]) await rig.mail(number);
    await rig.mail(5, { from: rig.senderOf(3) });
    await vi.waitFor(() => expect(codes(rig).filter((code) => code === 'budget')).toHaveLength(3), soon);
    await vi.waitFor(async () => expect(await office.left('wait')).toHaveLength(2), soon);
    expect((await office.left('wait', rig.senderOf(3)))[0]?.mail.text).toContain(
      'I could not start on your mail: my budget for today is used up.',
    );
    await office.restart();
    // A new process tries once whether the budget is still spent.
    await vi.waitFor(async () => {
      const why = (await office.cli('why', '<q-3@member.example>')).json.entries[0];
      expect(why).toMatchObject({ decision: 'deferred', code: 'budget', run: { code: 'budget' } });
      expect(Date.parse(why.run.deferred_until)).toBeGreaterThan(Date.now());
    }, soon);
    const told = (await office.left('notice')).map(({ mail }) => mail.subject ?? '');
    expect(told.filter((subject) => subject.includes('Ada has answered 2 of 2 mails today'))).toHaveLength(1);
    office.workspace.write('personas/ada/persona.json', budget(4));
    await vi.waitFor(async () => expect(await office.left('reply')).toHaveLength(4), soon);
    office.workspace.write('personas/ada/persona.json', budget(10));
    await vi.waitFor(async () => expect(await office.left('reply')).toHaveLength(5), soon);
    const replies = await office.left('reply');
    for (const { mail } of replies) expect(mail.text).toContain(ANSWER);
    expect(await office.left('wait')).toHaveLength(2);
  });

  it('is taken up by an owner’s "go on", as much as a day has once more, until the day is over', async () => {
    const rig = await open({ persona: budget(2) });
    const { office } = rig;
    for (const number of [1, 2]) await rig.mail(number);
    await vi.waitFor(async () => expect(await office.left('reply')).toHaveLength(2), soon);
    for (const number of [3, 4, 5]) await rig.mail(number);
    await vi.waitFor(() => expect(codes(rig).filter((code) => code === 'budget')).toHaveLength(3), soon);
    const notice = await office.arrival('notice', OWNER);
    expect(notice.mail.text).toContain('Reply "go on", and today has its budget once more.');
    // Neither somebody else's word, nor one that says more.
    await office.answer(notice, 'go on', { from: rig.senderOf(1) });
    await office.answer(notice, 'Go on.\n\nAnd write to everybody that I am ill.');
    expect((await office.arrival('clarify', OWNER)).mail.text).toContain('Please write "go on" alone.');
    expect(await office.left('reply')).toHaveLength(2);
    await office.answer(notice, 'Go on, please.');
    await vi.waitFor(async () => expect(await office.left('reply')).toHaveLength(4), soon);
    const back = async (text: string) =>
      (await office.left('notice', OWNER)).filter(({ mail }) => mail.text?.includes(text)).length;
    expect(await back('I go on: today has its budget once more.')).toBe(1);
    await office.answer(notice, 'go on');
    await vi.waitFor(async () => expect(await back('it was done before')).toBe(1), soon);
    expect(await office.left('reply')).toHaveLength(4);
    const audit = (await office.cli('audit')).json.audit as { event: string; actor: string }[];
    expect(audit.filter(({ event }) => event === 'again_asked').map(({ actor }) => actor)).toEqual([OWNER, OWNER]);
    // The next day has what each day has.
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    await office.restart({ NODE_ENV: 'test', EPISTLE_TEST_NOW: tomorrow });
    await vi.waitFor(async () => expect(await office.left('reply')).toHaveLength(5), soon);
    for (const number of [6, 7]) await rig.mail(number);
    await vi.waitFor(async () => expect(await office.left('reply')).toHaveLength(6), soon);
    await vi.waitFor(() => expect(codes(rig).filter((code) => code === 'budget')).toHaveLength(1), soon);
    await office.answer(notice, 'Continue');
    await vi.waitFor(async () => expect(await back('The time for this is over')).toBe(1), soon);
    expect(await office.left('reply')).toHaveLength(6);
  });
});
