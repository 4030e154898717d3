import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApprovalNoticeWriter } from '../../../engine/delivery/questions/approval-mail.ts';
import { takeIn } from '../../../engine/intake/intake.ts';
import { findToken } from '../../../engine/mail/approval/approval-answer.ts';
import { readMail } from '../../../engine/mail/reading/read-mail.ts';
import { createEditJudge } from '../../../engine/tools/judge-edit.ts';
import { doJob } from '../../fakes/do-job.ts';
import { CARL, call, makeApprovalRig, once, toCarl } from '../harness/approvals-rig.ts';
import { asTier, mailFacts, provenAs } from './facts.ts';

const OWNER = 'owner@example.com';
const SECOND = 'second@example.com';
const open: { desk?: Awaited<ReturnType<typeof openDesk>> } = {};
const desk = () => open.desk as Awaited<ReturnType<typeof openDesk>>;

beforeEach(async () => {
  open.desk = await openDesk();
});
afterEach(() => open.desk?.rig.close());

/** Three held calls in one notice, and a desk to which answers come. */
async function openDesk() {
  const made = await makeApprovalRig(
    once((n) => [
      call('m1', 'send_email', toCarl(n)),
      call('u1', 'put', { n, list: ['a'], count: 1, sure: false }),
      call('p1', 'push', { n }),
    ]),
  );
  const { rig } = made;
  await rig.answer({ text: 'n=1' });
  const configs = () => rig.configs;
  const { filesOf } = rig.harness;
  const notify = createApprovalNoticeWriter({ configs, clock: rig.clock, ids: rig.harness.ids, filesOf });
  const notice = await rig.withStore(async (store) => {
    const job = (await store.dueJobs(rig.clock.now(), 10)).find(({ kind }) => kind === 'approval_notice');
    if (!job) throw new Error('a notice is due');
    await doJob(notify, job, { persona: rig.persona, store });
    const [row] = (await store.listOutbox({ limit: 10 })).filter(({ kind }) => kind === 'approval');
    const read = await readMail(
      Buffer.from((await store.outboxRaw(row?.id ?? ''))?.raw ?? []),
      rig.configs.gateway.limits,
    );
    if (!read.ok) throw new Error(read.message);
    return read.mail;
  });
  const deps = {
    ...rig.intake,
    judgeEdit: createEditJudge({
      ...rig.harness,
      tools: () => rig.registry.tools,
      hooks: () => rig.registry.hooks,
      configs,
    }),
    isOwnAddress: (address: string) => address === 'ben@agents.localhost',
  };
  const tagged = notice.replyTo[0]?.address ?? '';

  async function take(
    text: string,
    mail: { from?: string; to?: string; proven?: boolean; references?: string; owner?: boolean; id?: string } = {},
  ) {
    const { from = OWNER, to = tagged, proven = true, owner = true, id = '<a@example.com>' } = mail;
    const lines = [
      `From: ${from}`,
      `To: ${to}`,
      `Subject: Re: ${notice.subject}`,
      `Message-ID: ${id}`,
      ...(mail.references === undefined ? [] : [`References: ${mail.references}`]),
    ];
    const read = await readMail(Buffer.from([...lines, '', text, ''].join('\r\n')), rig.configs.gateway.limits);
    if (!read.ok) throw new Error(read.message);
    const facts = mailFacts({
      persona: rig.persona,
      mail: read.mail,
      now: rig.clock.now(),
      loopGuard: rig.configs.security.loop_guard,
      identity: provenAs(from, proven),
      admission: asTier(owner ? 'owner' : 'member'),
      mayAnswer: proven && owner && !deps.isOwnAddress(from),
      token: findToken(read.mail, [to]),
    });
    return (await takeIn(deps, facts)).code;
  }
  return {
    ...made,
    notice,
    take,
    states: async () =>
      (await rig.withStore((store) => store.listApprovals({ limit: 10 }))).toReversed().map(({ state }) => state),
    jobs: async (kind: string) =>
      (await rig.withStore((store) => store.dueJobs(Number.MAX_SAFE_INTEGER, 50))).filter((job) => job.kind === kind),
    decisions: async () =>
      (await rig.withStore((store) => store.listAudit({ limit: 50 })))
        .filter(({ event }) => event === 'approval_decided')
        .map(({ actor, decision }) => `${actor} ${decision}`),
  };
}

const WAITING = ['pending', 'pending', 'pending'];

describe('an answer to a notice', () => {
  it('may approve and deny in one mail', async () => {
    expect(await desk().take('approve 1,3\ndeny 2')).toBe('approval_answer');
    expect(await desk().states()).toEqual(['approved', 'rejected', 'approved']);
    await desk().rig.drain();
    expect(await desk().states()).toEqual(['executed', 'rejected', 'executed']);
    expect(await desk().mailTo(CARL)).toHaveLength(1);
    expect(desk().world.put.size).toBe(0);
  });

  it('is found by its references alone', async () => {
    const references = `<else@example.com> ${desk().notice.messageId} <later@example.com>`;
    expect(await desk().take('deny', { to: 'ada@agents.localhost', references })).toBe('approval_answer');
    expect(await desk().states()).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it('counts only from an owner whose address is proven', async () => {
    expect(await desk().take('approve all', { proven: false })).toBe('approval_not_authorised');
    expect(await desk().take('approve all', { owner: false, from: 'mia@member.example' })).toBe(
      'approval_not_authorised',
    );
    expect(await desk().states()).toEqual(WAITING);
    expect(await desk().jobs('clarify')).toEqual([]);
  });

  it('L2: leaves one row in the audit log for all that a stranger says within the hour', async () => {
    const refusals = () =>
      desk().rig.withStore(async (store) =>
        (await store.listAudit({ limit: 100 })).filter(({ event }) => event === 'approval_refused'),
      );
    for (let n = 0; n < 5; n += 1) await desk().take('approve all', { proven: false });
    expect(await refusals()).toHaveLength(1);
    const member = { owner: false, from: 'mia@member.example' };
    for (let n = 0; n < 5; n += 1) await desk().take('approve all', member);
    expect(await refusals()).toHaveLength(2);
  });

  it('never comes from a persona, although an owner may have named it as one', async () => {
    expect(await desk().take('approve all', { from: 'ben@agents.localhost' })).toBe('approval_not_authorised');
    expect(await desk().states()).toEqual(WAITING);
  });

  it('is none when it names no notice: digits that were typed are mail, a tag in the address is not', async () => {
    const digits = '0'.repeat(32);
    expect(await desk().take(`ok-${digits}\napprove`, { to: 'ada@agents.localhost' })).toBeNull();
    expect(await desk().take('approve', { to: `ada+ok-${digits}@agents.localhost` })).toBe('approval_token_invalid');
    expect(await desk().take('Hello', { to: 'ada@agents.localhost', id: '<b@example.com>' })).toBeNull();
    expect(await desk().states()).toEqual(WAITING);
  });

  it('comes too late at the very moment of the end, although no timer has run yet', async () => {
    desk().rig.time.now += 168 * 3_600_000;
    expect(await desk().take('approve all')).toBe('approval_expired');
    expect(await desk().decisions()).toEqual([]);
    expect(await desk().jobs('clarify')).toMatchObject([{ payload: expect.stringContaining('"late"') }]);
  });

  it('of two owners at once: the first holds, the log has no other, and the second is told', async () => {
    await Promise.all([desk().take('approve all'), desk().take('deny', { from: SECOND })]);
    const states = new Set(await desk().states());
    expect(states.size).toBe(1);
    const [state] = states;
    const decisions = await desk().decisions();
    expect(decisions).toHaveLength(3);
    expect(new Set(decisions)).toEqual(new Set([state === 'approved' ? `${OWNER} approved` : `${SECOND} rejected`]));
    const late = state === 'approved' ? SECOND : OWNER;
    // Whether it came first or second, and however often.
    await desk().take('deny', { from: late });
    await desk().take('deny', { from: late });
    expect(await desk().jobs('clarify')).toMatchObject([{ payload: expect.stringContaining(late) }]);
  });
});

describe('an answer that is not understood', () => {
  it('is asked back about each time, but not for ever, and every one of them is on record', async () => {
    desk().rig.configs.security.loop_guard.max_replies_per_thread_per_hour = 3;
    for (let n = 1; n <= 5; n += 1) expect(await desk().take(`Perhaps ${'so '.repeat(n)}`)).toBe('approval_answer');
    expect(await desk().jobs('clarify')).toHaveLength(3);
    const rows = () => desk().rig.withStore((store) => store.answersByMessageId('<a@example.com>'));
    expect((await rows()).map(({ asked_back }) => asked_back).toSorted()).toEqual([false, false, true, true, true]);
    desk().rig.time.now += 3_600_001;
    await desk().take('Perhaps later');
    expect(await desk().jobs('clarify')).toHaveLength(4);
    expect(await desk().states()).toEqual(WAITING);
  });

  it('does nothing of what it says where a part of it cannot be done', async () => {
    await desk().take('approve 2');
    await desk().take('approve 2\nedit 1\nsubject: Hello');
    expect(await desk().states()).toEqual(['pending', 'approved', 'pending']);
    expect(await desk().jobs('clarify')).toMatchObject([{ payload: expect.stringContaining('closed_item') }]);
  });
});

describe('an edit', () => {
  const replaced = async () =>
    (await desk().pending()).filter(({ notice_id }) => notice_id === null).map(({ arguments_json }) => arguments_json);

  it('keeps what each value is: lists, numbers, truths, text', async () => {
    expect(await desk().take('edit 2\nlist: b, c\ncount: 2\nsure: yes')).toBe('approval_answer');
    expect(await replaced()).toContain('{"count":2,"list":["b","c"],"n":1,"sure":true}');
    expect(await desk().jobs('approval_notice')).toHaveLength(1);
  });

  it.each(['edit 1\nsubjekt: Hello', 'edit 1\n__proto__: x', 'edit 7\nsubject: Hello', 'edit 1'])(
    'that cannot be made changes nothing and is asked about: %j',
    async (text) => {
      expect(await desk().take(text)).toBe('approval_answer');
      expect(await desk().states()).toEqual(WAITING);
      expect(await desk().jobs('clarify')).toHaveLength(1);
    },
  );

  it('that the schema or the policy refuses is not made, and its owner is told why', async () => {
    desk().rig.configs.security.tool_policy.rules.push({
      tool: 'send_email',
      when: { to: '*@forbidden.example' },
      decision: 'deny',
    });
    await desk().take('edit 1\nto: dana@forbidden.example');
    expect(await desk().states()).toEqual(WAITING);
    expect(await desk().jobs('clarify')).toMatchObject([{ payload: expect.stringContaining('not allowed') }]);
  });

  it('is judged again: by the schema, and its risk is that of the edited call', async () => {
    await desk().take('edit 1\nsubject:');
    expect(await desk().states()).toEqual(WAITING);
    expect(await desk().jobs('clarify')).toMatchObject([{ payload: expect.stringContaining('refused') }]);
  });

  it('is on record in the run and in the audit log', async () => {
    await desk().take('edit 1\nsubject: Hello');
    const [row] = await desk().pending();
    const events = await desk().rig.withStore((store) => store.runEvents(row?.run_id ?? ''));
    expect(
      events.filter(({ type }) => type === 'approval_decided').map(({ payload_json }) => JSON.parse(payload_json)),
    ).toMatchObject([{ state: 'stale', edited: true, by: OWNER }]);
    const audit = await desk().rig.withStore((store) => store.listAudit({ limit: 50 }));
    expect(audit.filter(({ event }) => event === 'approval_edited')).toHaveLength(1);
  });

  it('delivered twice is made once and asked about never, while other items are still open', async () => {
    await desk().take('edit 1\nsubject: Hello');
    await desk().take('edit 1\nsubject: Hello');
    expect(await desk().pending()).toHaveLength(3);
    expect(await desk().jobs('clarify')).toEqual([]);
  });

  it('takes the other open items along into the notice that comes of it', async () => {
    await desk().take('edit 1\nsubject: Hello');
    expect(await replaced()).toHaveLength(3);
    expect(await desk().jobs('approval_notice')).toHaveLength(1);
  });

  it('is done in the place of the call that it changes, which keeps its order', async () => {
    await desk().take('edit 1\nsubject: Better');
    await desk().take('approve 2,3');
    await desk().rig.drain();
    expect(desk().world.pushed).toEqual([]);
    await desk().decide(await desk().pending(), 'approved');
    await desk().rig.drain();
    const [mail, ...more] = await desk().mailTo(CARL);
    expect(more).toEqual([]);
    expect(await desk().rig.withStore((store) => store.messageById(mail?.id ?? ''))).toMatchObject({
      subject: 'Better',
    });
    expect(desk().world.pushed).toEqual([{ n: 1 }]);
  });
});
