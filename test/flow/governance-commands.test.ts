import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { run } from './command-line.ts';
import { CARL, MEMBER, mailTo, type Office, OWNER, openOffice } from './governance-rig.ts';

const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const open: { office?: Office } = {};
const office = () => open.office as Office;

beforeEach(async () => {
  open.office = await openOffice();
});
afterEach(() => open.office?.close());

/** The one call that waits. */
async function waiting() {
  const sent = await office().ask(mailTo(CARL));
  expect(sent.code).toBe(3);
  const list = await office().cli('approvals', 'list');
  return { sent, approval: list.json.approvals[0] };
}

describe('the commands about approvals', () => {
  it('show each call in the one documented shape, with its exact arguments', async () => {
    const { sent, approval } = await waiting();
    await office().arrival('approval');
    const shape = {
      id: expect.any(String),
      persona: 'ada',
      run_id: sent.json.results[0].run_id,
      tool: 'send_email',
      arguments: { attachments: [], body: 'Dear Carl', cc: [], subject: 'Offer', to: [CARL] },
      arguments_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      risk: 'write',
      state: 'pending',
      number: 1,
      expires_at: ISO,
      decided_by: null,
      decided_at: null,
      reason: null,
    };
    const list = await office().cli('approvals', 'list');
    expect(list).toMatchObject({ code: 0 });
    expect(list.json).toEqual({ ok: true, approvals: [shape], next: null });
    const show = await office().cli('approvals', 'show', approval.id);
    // One of them whole: with what it would change, where that is more than its arguments.
    expect(show.json).toEqual({ ok: true, approval: { ...shape, preview: null, attachments: [] } });
    expect((await office().cli('approvals', 'list', '--status', 'executed')).json.approvals).toEqual([]);
    expect((await office().cli('approvals', 'list', '--persona', 'ben')).json.approvals).toEqual([]);
  });

  it('deny with a reason that is on record and that a sender who is no owner does not read, and only once', async () => {
    const { approval } = await waiting();
    const denied = await office().cli('approvals', 'deny', approval.id, '--reason', 'Carl left');
    expect(denied.code).toBe(0);
    expect(denied.json).toMatchObject({
      ok: true,
      approval: { state: 'rejected', decided_by: 'cli', decided_at: ISO, reason: 'Carl left' },
    });
    const answer = (await office().arrival('reply', MEMBER)).mail.text;
    expect(answer).toContain('the owner said no');
    expect(answer).not.toContain('Carl left');
    for (const verb of ['approve', 'deny']) {
      const again = await office().cli('approvals', verb, approval.id);
      expect(again.code).toBe(1);
      expect(again.json).toMatchObject({ ok: false, error: { code: 'not_pending' } });
    }
    expect(await office().left('reply', CARL)).toEqual([]);
  });

  it('know nothing of an id that is none', async () => {
    for (const verb of ['show', 'approve', 'deny']) {
      const answer = await office().cli('approvals', verb, 'nothing');
      expect(answer.code).toBe(1);
      expect(answer.json).toMatchObject({ ok: false, error: { code: 'not_found' } });
    }
  });

  it('decide while no gateway runs, and the next one does it', async () => {
    const { approval } = await waiting();
    await office().stop();
    expect((await office().cli('approvals', 'approve', approval.id)).code).toBe(0);
    expect(await office().states()).toEqual(['approved']);
    await office().restart();
    await office().arrival('reply', CARL);
    await office().arrival('reply', MEMBER);
    expect(await office().states()).toEqual(['executed']);
  });
});

it('keeps every step of a call on record, with who took it', async () => {
  const { sent, approval } = await waiting();
  await office().answer(await office().arrival('approval'), 'approve');
  await office().arrival('reply', MEMBER);
  const audit = (await office().cli('audit')).json;
  expect(audit).toEqual({ ok: true, audit: expect.any(Array), next: null });
  const steps = audit.audit.toReversed();
  expect(steps).toMatchObject([
    { event: 'approval_requested', actor: 'policy', tool: 'send_email', decision: 'policy_requires_approval' },
    { event: 'approval_decided', actor: OWNER, decision: 'approved' },
    { event: 'approval_state', actor: 'engine', decision: 'executing' },
    { event: 'approval_state', actor: 'engine', decision: 'executed' },
  ]);
  for (const step of steps) {
    expect(Object.keys(step).toSorted()).toEqual(
      ['actor', 'approval_id', 'at', 'decision', 'detail', 'event', 'id', 'persona', 'run_id', 'tool'].toSorted(),
    );
    expect(step).toMatchObject({ persona: 'ada', approval_id: approval.id, at: ISO });
  }
  expect(steps[0].run_id).toBe(sent.json.results[0].run_id);
  const { stdout } = await run(['audit', '--workspace', office().root]);
  expect(stdout).toMatch(/the rules +asked +send_email +needs an owner/);
  expect(stdout).toMatch(/Epistle +went on +approved, done/);
  expect(stdout).not.toMatch(/[a-z]_requires|approval_|executed/);
});

it('goes on after RESUME with what was not stopped, and never with what was', async () => {
  await waiting();
  const notice = await office().arrival('approval');
  await office().post({ subject: 'STOP' });
  await office().arrival('notice', OWNER);
  expect(await office().codeOf(await office().answer(notice, 'approve'))).toBe('approval_answer');
  await office().post({ subject: 'RESUME' });
  await office().arrival('notice', OWNER, 2);
  expect((await office().arrival('clarify', OWNER)).mail.text).toContain('That question was closed by STOP');
  await office().ask('/list_files');
  await office().arrival('reply', MEMBER);
  expect(await office().states()).toEqual(['stale']);
  expect(await office().left('reply', CARL)).toEqual([]);
});

describe('a question that STOP has closed', () => {
  it('is named to its owner; its asker hears of it after RESUME, and an answer to it starts nothing', async () => {
    await office().ask('/ask_owner {"question": "May Carl have 5 %?"}', MEMBER, 'A discount');
    const question = await office().arrival('clarify', OWNER);
    await office().arrival('wait', MEMBER);
    await office().post({ subject: 'STOP' });
    const told = await office().arrival('notice', OWNER);
    expect(told.mail.text).toContain(`A question is closed by that: A discount (${MEMBER})`);
    await office().post({ subject: 'RESUME' });
    await office().arrival('notice', OWNER, 2);
    const ended = await office().arrival('wait', MEMBER, 2);
    expect(ended.mail).toMatchObject({ subject: 'Re: A discount', text: expect.stringContaining('write to me again') });
    expect(await office().codeOf(await office().answer(question, '5 % is fine.'))).toBe('approval_answer');
    const late = await office().arrival('clarify', OWNER, 2);
    expect(late.mail.text).toContain('That question was closed by STOP');
    expect(late.mail.text).toContain('May Carl have 5 %?');
    expect(await office().left('reply')).toEqual([]);
  });
});
