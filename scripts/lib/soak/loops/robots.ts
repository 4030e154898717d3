import { setTimeout as sleep } from 'node:timers/promises';
import { type Carried, headerOf, type Mailbox, type PostOffice } from './post-office.ts';

/** What a program that answers mail does wrong. */
export interface Habits {
  /** How long it takes for each answer. */
  readonly delayMs?: number;
  /** Names no mail that it answers, so that each answer looks like a new thread. */
  readonly forgetful?: boolean;
  /** Writes from another address each time, as ticket systems do. */
  readonly shifting?: boolean;
  /** Goes on writing by itself this often, answered or not. */
  readonly nagEveryMs?: number;
  readonly text?: string;
  readonly subject?: string;
}

export interface Letter {
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly inReplyTo?: string | null;
  readonly references?: string;
  readonly replyTo?: string;
  readonly messageId: string;
}

/** Unmarked: no header tells that a program wrote it. */
export function plainMail(letter: Letter): Carried {
  const lines = [
    `From: ${letter.from}`,
    `To: ${letter.to}`,
    ...(letter.replyTo ? [`Reply-To: ${letter.replyTo}`] : []),
    `Subject: ${letter.subject}`,
    `Message-ID: ${letter.messageId}`,
    `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
    ...(letter.inReplyTo ? [`In-Reply-To: ${letter.inReplyTo}`] : []),
    ...(letter.references ? [`References: ${letter.references}`] : []),
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    '',
    letter.text,
    '',
  ];
  return { from: letter.from, to: letter.to, raw: lines.join('\r\n') };
}

/** Answers every mail at once and unmarked, under a fresh Message-ID. */
export function autoresponder(post: PostOffice['post'], habits: Habits, stopped: AbortSignal): Mailbox {
  const counts = { answers: 0, nagging: false };
  const write = (mail: Carried) => {
    counts.answers += 1;
    const [local = '', domain = ''] = mail.to.split('@');
    const own = local.replace(/\+.*/, '');
    const from = habits.shifting ? `${own}+${counts.answers}@${domain}` : mail.to;
    const answered = headerOf(mail.raw, 'Message-ID');
    const thread = `${headerOf(mail.raw, 'References') ?? ''} ${answered ?? ''}`.trim().split(/ +/).slice(-20);
    post(
      plainMail({
        from,
        to: mail.from,
        subject: habits.subject ?? 'I am away',
        text: habits.text ?? `Thank you for your mail. I am away and read it later. (${counts.answers})`,
        ...(habits.forgetful ? {} : { inReplyTo: answered, references: thread.join('\r\n ') }),
        messageId: `<${own}-${counts.answers}-${process.pid}@${domain}>`,
      }),
    );
  };
  const nag = async (mail: Carried, everyMs: number) => {
    counts.nagging = true;
    while (!stopped.aborted) {
      await sleep(everyMs, undefined, { signal: stopped }).catch(() => {});
      if (!stopped.aborted) write(mail);
    }
  };
  return async (mail) => {
    if (habits.nagEveryMs !== undefined && !counts.nagging) void nag(mail, habits.nagEveryMs);
    if (habits.delayMs) await sleep(habits.delayMs, undefined, { signal: stopped }).catch(() => {});
    if (!stopped.aborted) write(mail);
  };
}

/** Returns each mail with a report from `<>` (RFC 3464). */
export function bouncer(post: PostOffice['post']): Mailbox {
  const counts = { bounces: 0 };
  return (mail) => {
    // No report about a report: every mail server keeps to that (RFC 5321, section 4.5.5).
    if (mail.from === '') return;
    counts.bounces += 1;
    const domain = mail.to.slice(mail.to.indexOf('@') + 1);
    const original = headerOf(mail.raw, 'Message-ID') ?? '';
    const lines = [
      `From: Mail Delivery System <MAILER-DAEMON@${domain}>`,
      `To: ${mail.from}`,
      'Subject: Undelivered Mail Returned to Sender',
      `Message-ID: <bounce-${counts.bounces}-${process.pid}@${domain}>`,
      `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
      'Auto-Submitted: auto-replied',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=delivery-status; boundary="part"',
      '',
      '--part',
      '',
      `The mail to <${mail.to}> could not be delivered.`,
      '',
      '--part',
      'Content-Type: message/delivery-status',
      '',
      `Reporting-MTA: dns; ${domain}`,
      '',
      `Final-Recipient: rfc822; ${mail.to}`,
      'Action: failed',
      'Status: 5.1.1',
      '',
      '--part',
      'Content-Type: text/rfc822-headers',
      '',
      `From: ${headerOf(mail.raw, 'From')}`,
      `Message-ID: ${original}`,
      '',
      '--part--',
      '',
    ];
    post({ from: '', to: mail.from, raw: lines.join('\r\n') });
  };
}
