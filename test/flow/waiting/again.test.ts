import { afterEach, describe, expect, it, vi } from 'vitest';
import { startSmtpPeer } from '../../fakes/smtp-peer.ts';
import { MEMBER, OWNER } from '../governance-rig.ts';
import { taskFile } from '../task-rig.ts';
import { ANSWER, authorOf, idOf, openWaiting, SHORT, SOON, type Waiting } from './rig.ts';

// An owner answers a notice with a word, and what was not done is done, once.

const opened: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((close) => close()));
});

async function open(options: Parameters<typeof openWaiting>[0]) {
  const rig = await openWaiting(options);
  opened.push(rig.close);
  return rig;
}

/** A mail that waited in vain, and what its owner was told of it. */
async function gaveUp(persona?: object): Promise<Waiting> {
  const rig = await open({
    retry: { ...SHORT, give_up_hours: 0.0005 },
    persona: { access: { allow: ['*@member.example'] }, ...persona },
  });
  rig.mood.failing = rig.DEAD;
  await rig.mail(1);
  await vi.waitFor(async () => expect(rig.runs().map(({ status }) => status)).toEqual(['failed']), SOON);
  rig.mood.failing = null;
  return rig;
}

const NO_COMMAND = /epistle|`/;

describe('a mail that waited in vain', () => {
  it('is answered when its owner says again, once, and the owner is told', async () => {
    const { office, senderOf } = await gaveUp();
    const notice = await office.arrival('notice', OWNER);
    expect(notice.mail.text).toContain('Reply "again", and I try once more.');
    expect(notice.mail.text).not.toMatch(NO_COMMAND);
    const mail = await office.answer(notice, 'Again, please.\n\n-- \nOlga');
    expect(await office.codeOf(mail)).toBe('approval_answer');
    await vi.waitFor(async () => {
      const replies = await office.left('reply', senderOf(1));
      expect(replies.map(({ mail: { text } }) => text)).toContainEqual(expect.stringContaining(ANSWER));
    }, SOON);
    const told = async () => (await office.left('notice', OWNER)).map(({ mail: { text } }) => text);
    await vi.waitFor(
      async () => expect(await told()).toContainEqual(expect.stringContaining('I try once more.')),
      SOON,
    );
    await office.answer(notice, 'again');
    const settled = expect.stringContaining('I have done nothing: it was done before, or is under way.');
    await vi.waitFor(async () => expect(await told()).toContainEqual(settled), SOON);
    const answers = (await office.left('reply', senderOf(1))).filter(({ mail: { text } }) => text?.includes(ANSWER));
    expect(answers).toHaveLength(1);
  });

  it('is left alone when somebody else says so, and asked back about when more is said', async () => {
    const rig = await gaveUp();
    const { office } = rig;
    const notice = await office.arrival('notice', OWNER);
    expect(await office.codeOf(await office.answer(notice, 'again', { from: MEMBER }))).toBe('approval_not_authorised');
    await office.answer(notice, 'again\n\nBut tell them that the price has changed.');
    const back = await office.arrival('clarify', OWNER);
    expect(back.mail.text).toContain('Please write "again" alone.');
    expect(rig.runs()).toHaveLength(1);
    // What says something else is mail like any other.
    await office.answer(notice, 'Why was that?');
    await vi.waitFor(
      () =>
        expect(
          rig
            .runs()
            .map(({ status }) => status)
            .toSorted(),
        ).toEqual(['done', 'failed']),
      SOON,
    );
  });

  it('is named with the command where no owner could answer', async () => {
    const rig = await open({
      retry: { ...SHORT, give_up_hours: 0.0005 },
      files: {
        'configs/security.json': { owners: [] },
        'configs/system.json': { admin_contact: OWNER },
      },
    });
    rig.mood.failing = rig.DEAD;
    await rig.mail(1);
    const notice = await rig.office.arrival('notice', OWNER);
    expect(notice.mail.text).toMatch(/runs retry/);
    expect(notice.mail.text).not.toContain('Reply "again"');
    expect(notice.mail.replyTo).toBeUndefined();
  });
});

describe('an answer that did not arrive', () => {
  it('is sent once more when its owner says again', async () => {
    const peer = await startSmtpPeer({ rcpt: { [OWNER]: '250 2.1.5 yes', '*': '550 5.1.1 nobody here' } });
    opened.push(peer.stop);
    const smtp = { host: '127.0.0.1', port: peer.port, tls: 'none', user: 'out', auth: 'none', secret_env: 'UNUSED' };
    const { office, mail } = await open({
      files: {
        'configs/gateway.json': {
          smtp_listener: { port: 0 },
          mailboxes: [{ id: 'out', smtp }],
          delivery: { first_retry_s: 0.2, max_retry_s: 0.5 },
        },
      },
    });
    await mail(1, { from: authorOf(1) });
    await vi.waitFor(() => expect(peer.mails).toHaveLength(1), SOON);
    const [notice] = peer.mails;
    expect(notice?.raw).toContain('Reply "again", and I send it to the same address');
    peer.script.rcpt = {};
    const to = /^reply-to: (?:.*<)?([^>\r\n]+)/im.exec(notice?.raw ?? '')?.[1] ?? '';
    const [messageId, subject] = ['message-id', 'subject'].map(
      (name) => new RegExp(`^${name}: (.+)$`, 'im').exec(notice?.raw ?? '')?.[1] ?? '',
    );
    await office.post({ to, from: OWNER, subject: `Re: ${subject}`, inReplyTo: messageId ?? '', text: 'noch einmal' });
    const answers = () => peer.mails.filter((one) => one.to.includes(authorOf(1)));
    await vi.waitFor(() => expect(answers()).toHaveLength(1), SOON);
    expect(answers()[0]?.raw).toContain(ANSWER);
  });
});

describe('a mail that a limit stopped', () => {
  it('is answered all the same when its owner says again', async () => {
    const { office, mail } = await open({
      files: {
        'configs/security.json': {
          owners: [OWNER],
          approvals: { batch_window_s: 0 },
          loop_guard: { max_replies_per_sender_per_hour: 1 },
        },
      },
    });
    await mail(1, { from: authorOf(1) });
    await office.arrival('reply', authorOf(1));
    await mail(2, { from: authorOf(1) });
    const notice = await office.arrival('notice', OWNER);
    expect(notice.mail.text).toContain('Reply "again", and I answer it all the same.');
    expect(notice.mail.text).not.toMatch(NO_COMMAND);
    await office.answer(notice, 'Answer it');
    await vi.waitFor(async () => {
      const answered = (await office.left('reply', authorOf(1))).filter((one) => one.mail.inReplyTo === idOf(2));
      expect(answered).toHaveLength(1);
    }, SOON);
  });
});

describe('a mail that could not be read', () => {
  it('is taken in when its owner has raised the limit and says again', async () => {
    const limits = (max_mime_parts: number) => ({ smtp_listener: { port: 0 }, limits: { max_mime_parts } });
    const { office, mail } = await open({ files: { 'configs/gateway.json': limits(2) } });
    const attachments = [1, 2, 3].map((number) => ({ filename: `${number}.txt`, content: 'x' }));
    await mail(1, { from: authorOf(1), attachments });
    const notice = await office.arrival('notice', OWNER);
    expect(notice.mail.text).toContain('raise that limit first');
    expect(notice.mail.text).not.toMatch(NO_COMMAND);
    const told = async () => (await office.left('notice', OWNER)).map(({ mail: { text } }) => text);
    await office.answer(notice, 'again');
    const refused = expect.stringContaining('It could not be taken in this time either.');
    await vi.waitFor(async () => expect(await told()).toContainEqual(refused), SOON);
    office.workspace.write('configs/gateway.json', limits(100));
    await office.restart();
    await office.answer(notice, 'again');
    await office.arrival('reply', authorOf(1));
  });
});

describe('a task that was paused after it had failed five times', () => {
  it('runs again when its owner says again', async () => {
    const rig = await open({
      files: {
        'personas/ada/tasks/brief.md': taskFile('0 3 * * *', 'What is new?'),
      },
    });
    const { office } = rig;
    rig.mood.failing = { status: 400, message: 'no such thing' };
    const paused = async () => (await office.cli('tasks', 'list')).json.tasks[0]?.paused_reason ?? null;
    // One after the other: two of one millisecond are one.
    for (let run = 1; run <= 5; run += 1) await office.cli('tasks', 'run', 'ada/brief');
    await vi.waitFor(async () => expect(await paused()).toContain('failed 5 times'), SOON);
    const notice = await office.arrival('notice', OWNER, 2);
    expect(notice.mail.subject).toContain('paused');
    expect(notice.mail.text).not.toMatch(NO_COMMAND);
    await office.answer(notice, 'again');
    await vi.waitFor(async () => expect(await paused()).toBeNull(), SOON);
  });
});
