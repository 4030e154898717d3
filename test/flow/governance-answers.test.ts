import { afterEach, describe, expect, it, vi } from 'vitest';
import { ADA, CARL, MEMBER, mailTo, type Office, OWNER, openOffice } from './governance-rig.ts';

const offices: Office[] = [];
afterEach(async () => {
  await Promise.all(offices.splice(0).map((office) => office.close()));
});

async function open(...options: Parameters<typeof openOffice>): Promise<Office> {
  const office = await openOffice(...options);
  offices.push(office);
  return office;
}

const DANA = 'dana@elsewhere.example';

describe('an owner who edits what was asked', () => {
  it('is asked anew about the edited call, and only a second yes sends it', async () => {
    const office = await open();
    await office.ask(mailTo(CARL));
    const notice = await office.arrival('approval');
    const edit = `edit 1\nto: ${DANA}\nsubject: Better offer\n`;
    const edited = await office.answer(notice, edit);
    expect(await office.codeOf(edited)).toBe('approval_answer');
    const second = await office.arrival('approval', OWNER, 2);
    expect(second.mail.text).toContain(DANA);
    expect(second.mail.text).toContain('Better offer');
    expect(second.mail.replyTo?.text).not.toBe(notice.mail.replyTo?.text);
    // The edit delivered twice makes neither another item nor a question.
    await office.answer(notice, edit);
    expect(await office.states()).toEqual(['stale', 'pending']);
    expect(await office.left('reply')).toEqual([]);

    // A yes to the first notice is not a yes to what it became.
    await office.answer(notice, 'approve');
    const clarified = await office.arrival('clarify');
    expect(clarified.mail.text).toMatch(/This was changed at \d\d:\d\d/);
    expect(await office.states()).toEqual(['stale', 'pending']);

    await office.answer(second, 'approve');
    const sent = await office.arrival('reply', DANA);
    expect(sent.mail.subject).toBe('Better offer');
    await office.arrival('reply', MEMBER);
    expect(await office.left('reply', CARL)).toEqual([]);
    expect(await office.states()).toEqual(['stale', 'executed']);
  });
});

describe('an answer that cannot be understood', () => {
  it('gets a question each time, and an answer to that question counts', async () => {
    const office = await open();
    await office.ask(mailTo(CARL));
    const notice = await office.arrival('approval');
    await office.answer(notice, 'approve, but only if Carl is still with us?');
    const question = await office.arrival('clarify', OWNER);
    expect(question.mail.text).toContain('Just reply "yes" or "no"');
    expect(question.mail.inReplyTo).toBe(notice.mail.messageId);
    await office.answer(notice, 'hm, what does it cost?');
    await office.arrival('clarify', OWNER, 2);
    // The client answers the question itself, whose address carries no token.
    const answered = await office.answer(question, 'approve', { to: ADA });
    expect(await office.codeOf(answered)).toBe('approval_answer');
    await office.arrival('reply', CARL);
    await office.arrival('reply', MEMBER);
    expect(await office.left('clarify')).toHaveLength(2);
  });

  it('is not made of the notice that it quotes', async () => {
    const office = await open();
    await office.ask(mailTo(CARL));
    const notice = await office.arrival('approval');
    const quoted = (notice.mail.text ?? '').replace(/^/gm, '> ');
    await office.answer(notice, `I will look at it tomorrow.\n\nOn Saturday Ada wrote:\n${quoted}\n> approve\n`);
    await office.arrival('clarify', OWNER);
    expect(await office.states()).toEqual(['pending']);
  });
});

describe('an answer that comes twice', () => {
  it('has one effect and raises no question', async () => {
    const office = await open();
    await office.ask(mailTo(CARL));
    const notice = await office.arrival('approval');
    for (let time = 0; time < 2; time += 1) await office.answer(notice, 'approve', { messageId: '<yes@example.com>' });
    await office.arrival('reply', CARL);
    await office.arrival('reply', MEMBER);
    await office.answer(notice, 'approve', { messageId: '<yes@example.com>' });
    await office.ask('/list_files');
    await office.arrival('reply', MEMBER, 2);
    expect(await office.left('reply', CARL)).toHaveLength(1);
    expect(await office.left('clarify')).toEqual([]);
    const decided = (await office.cli('audit')).json.audit.filter(
      ({ event }: { event: string }) => event === 'approval_decided',
    );
    expect(decided).toMatchObject([{ actor: OWNER, decision: 'approved' }]);
  });
});

describe('several calls in one notice', () => {
  const three = [mailTo(CARL, 'One'), mailTo(DANA, 'Two'), mailTo('eve@elsewhere.example', 'Three')].join('\n');

  it('are numbered, and "approve 1,3" with "deny 2" does just that', async () => {
    const office = await open();
    expect((await office.ask(three)).code).toBe(3);
    const notice = await office.arrival('approval');
    expect(notice.mail.text).toMatch(/1\. May I send[\s\S]*One[\s\S]*2\. May I send[\s\S]*Two[\s\S]*3\. May I send/);
    expect(notice.mail.headers.get('x-epistle-approval')).toMatch(/^\S+, \S+, \S+$/);
    await office.answer(notice, 'yes');
    expect((await office.arrival('clarify')).mail.text).toContain('Several things wait');
    await office.answer(notice, 'approve 1,3');
    expect(await office.states()).toEqual(['approved', 'pending', 'approved']);
    expect(await office.left('reply')).toEqual([]);
    await office.answer(notice, 'deny 2 because Dana left');
    const answer = await office.arrival('reply', MEMBER);
    expect(answer.mail.text).toContain('the owner said no');
    expect(answer.mail.text).not.toContain('Dana left');
    expect(await office.left('reply', CARL)).toHaveLength(1);
    expect(await office.left('reply', DANA)).toEqual([]);
    expect(await office.left('reply', 'eve@elsewhere.example')).toHaveLength(1);
    expect(await office.states()).toEqual(['executed', 'rejected', 'executed']);
  });
});

describe('what is no answer', () => {
  it('an auto-reply to the notice, a forged sender, a stranger with the token: nothing happens', async () => {
    const office = await open();
    await office.ask(mailTo(CARL));
    const notice = await office.arrival('approval');
    const token = notice.mail.replyTo?.value[0]?.address ?? '';
    const raw = (headers: string[]) =>
      [
        ...headers,
        `To: ${token}`,
        'Subject: Re: your question',
        `In-Reply-To: ${notice.mail.messageId}`,
        'Date: Sat, 21 Nov 2026 12:00:00 +0000',
        '',
        'approve',
        '',
      ].join('\r\n');
    const away = await office.post({
      to: token,
      raw: raw([`From: ${OWNER}`, 'Message-ID: <away@example.com>', 'Auto-Submitted: auto-replied']),
    });
    void away;
    expect(await office.codeOf('<away@example.com>')).toBe('auto_submitted');
    office.workspace.write('forged.eml', raw([`From: ${OWNER}`, 'Message-ID: <forged@example.com>']));
    const forged = await office.cli('deliver', `${office.root}/forged.eml`, '--to', token, '--from', OWNER);
    expect(forged.json.results[0].decision).not.toBe('accepted');
    const member = await office.answer(notice, 'approve', { from: MEMBER });
    expect(await office.codeOf(member)).toBe('approval_not_authorised');
    expect(await office.states()).toEqual(['pending']);
    expect(await office.left('clarify')).toEqual([]);
    expect(await office.left('reply')).toEqual([]);
  });
});

describe('a call that nobody decides', () => {
  it('is reminded of once, expires, and a late yes is told so', async () => {
    const hours = (seconds: number) => seconds / 3600;
    const office = await open({
      'configs/security.json': {
        owners: [OWNER],
        approvals: { ttl_hours: hours(7), reminder_hours: hours(1), batch_window_s: 0 },
      },
    });
    await office.ask(mailTo(CARL));
    const notice = await office.arrival('approval');
    const reminder = await office.arrival('notice', OWNER);
    expect(reminder.mail.inReplyTo).toBe(notice.mail.messageId);
    const answer = await office.arrival('reply', MEMBER);
    expect(answer.mail.text).toContain('nobody answered in time');
    const late = await office.answer(notice, 'approve');
    expect(await office.codeOf(late)).toBe('approval_expired');
    expect((await office.arrival('clarify', OWNER)).mail.text).toContain('nothing was done');
    expect(await office.states()).toEqual(['expired']);
    expect(await office.left('notice', OWNER)).toHaveLength(1);
    expect(await office.left('reply', CARL)).toEqual([]);
    const decided = (await office.cli('audit')).json.audit.filter(
      ({ event }: { event: string }) => event === 'approval_decided',
    );
    expect(decided).toMatchObject([{ actor: 'timer', decision: 'expired' }]);
  });
});

describe('requests shortly after each other', () => {
  it('are asked about at once, each in a mail of its own that says whose request it is', async () => {
    const office = await open({ 'configs/security.json': { owners: [OWNER] } });
    await office.ask(mailTo(CARL, 'One'));
    await office.arrival('approval');
    await office.post({ from: MEMBER, subject: 'Second request', text: mailTo(CARL, 'Two') });
    const second = await office.arrival('approval', OWNER, 2);
    expect(second.mail.subject).toBe(`Ada asks: may I send "Two" to ${CARL}?`);
    // The question comes first, and below it whose request it is.
    expect(second.mail.text).toMatch(/^May I send "Two" to /);
    expect(second.mail.text).toMatch(new RegExp(`^${MEMBER} asked me .*\\("Second request"\\):$`, 'm'));
    expect(second.mail.text).not.toContain('"One"');
    await office.answer(second, 'yes');
    await vi.waitFor(async () => expect(await office.states()).toEqual(['pending', 'executed']), {
      timeout: 90_000,
      interval: 250,
    });
  });
});

describe('a persona with another name, or without an owner', () => {
  it('takes the answer at its alias', async () => {
    const office = await open();
    await office.ask(mailTo(CARL));
    const notice = await office.arrival('approval');
    const to = (notice.mail.replyTo?.value[0]?.address ?? '').replace('ada+', 'assistant+');
    expect(await office.codeOf(await office.answer(notice, 'Ja.', { to, inReplyTo: '', references: [] }))).toBe(
      'approval_answer',
    );
    await office.arrival('reply', CARL);
  });

  it('does not wait for an owner that it does not have', async () => {
    const office = await open({ 'configs/security.json': { owners: [] } });
    const sent = await office.ask(mailTo(CARL));
    expect(sent.json.results[0]).toMatchObject({ status: 'done' });
    expect(sent.json.results[0].reply.text).toContain('policy_requires_approval');
    expect(await office.left('wait')).toEqual([]);
    expect((await office.cli('audit')).json.audit).toMatchObject([
      { event: 'tool_call_denied', tool: 'send_email', decision: 'policy_requires_approval' },
    ]);
  });
});
