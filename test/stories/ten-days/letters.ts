import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ImapFlow } from 'imapflow';
import { type ParsedMail, simpleParser } from 'mailparser';
import { createTransport } from 'nodemailer';
import { localTime } from '../../../engine/lib/schedule/zone.ts';
import { ZONE } from './clock.ts';
import { addressOf, PASSWORD } from './people.ts';

/** Where the servers of the stage are. */
export interface Servers {
  readonly imap: number;
  readonly submission: number;
  readonly ca: string;
}

export interface Letter {
  /** `Olga Berg <olga@test.local>`. */
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  /** What it answers. */
  readonly answers?: ParsedMail;
  readonly files?: readonly string[];
  readonly at: Date;
}

/** Hands a mail in with the login of whoever writes it, as a mail program does. */
export async function write(servers: Servers, writer: string, letter: Letter): Promise<void> {
  const { from, to, subject, text, answers, files = [], at } = letter;
  const transport = createTransport({
    host: 'localhost',
    port: servers.submission,
    requireTLS: true,
    tls: { ca: readFileSync(servers.ca) },
    auth: { user: addressOf(writer), pass: PASSWORD },
  });
  const { messageId, references = [] } = answers ?? {};
  await transport.sendMail({
    from,
    to,
    subject,
    date: at,
    text: answers ? `${text}\n\n${quoted(answers)}` : text,
    ...(messageId && { inReplyTo: messageId, references: [...[references].flat(), messageId] }),
    attachments: files.map((path) => ({ path, filename: basename(path) })),
  });
  transport.close();
}

export const answerTo = ({ replyTo, from }: ParsedMail): string =>
  replyTo?.value[0]?.address ?? from?.value[0]?.address ?? '';

export const answerSubject = ({ subject = '' }: ParsedMail): string =>
  /^re:/i.test(subject) ? subject : `Re: ${subject}`;

function quoted({ from, date, text = '' }: ParsedMail): string {
  const day = date === undefined ? '' : ` on ${shownAt(date)}`;
  return [
    `${from?.text ?? ''} wrote${day}:`,
    ...text
      .trimEnd()
      .split('\n')
      .map((line) => `> ${line}`),
  ].join('\n');
}

const shownAt = (date: Date): string => localTime(ZONE, date.getTime()).slice(0, 16).replace('T', ' ');

export interface Received {
  /** Counted from the first that ever came. */
  readonly number: number;
  readonly isNew: boolean;
  readonly mail: ParsedMail;
}

/** All mail of somebody, oldest first; what was new is read afterwards, if `marks`. */
export async function received(servers: Servers, person: string, marks: boolean): Promise<Received[]> {
  const client = new ImapFlow({
    host: 'localhost',
    port: servers.imap,
    secure: false,
    tls: { ca: readFileSync(servers.ca) },
    logger: false,
    auth: { user: addressOf(person), pass: PASSWORD },
  });
  client.on('error', () => {});
  await client.connect();
  try {
    const { exists } = await client.mailboxOpen('INBOX');
    if (exists === 0) return [];
    const all = await client.fetchAll('1:*', { uid: true, flags: true, source: true });
    if (marks) await client.messageFlagsAdd('1:*', ['\\Seen']);
    const mails = all.map(async ({ flags, source }, at) => ({
      number: at + 1,
      isNew: !flags?.has('\\Seen'),
      mail: await simpleParser(source ?? ''),
    }));
    return Promise.all(mails);
  } finally {
    await client.logout();
  }
}

export interface Button {
  readonly label: string;
  readonly to: string;
  readonly subject: string;
  readonly body: string;
}

/** What is to be pressed in a mail: links that open a ready-made answer. */
export function buttonsOf({ html }: ParsedMail): Button[] {
  const plain = (text: string) =>
    text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&');
  return [...(html || '').matchAll(/<a href="mailto:([^"?]+)\?([^"]*)"[^>]*>([\s\S]*?)<\/a>/g)].map(
    ([, to = '', query = '', label = '']) => {
      // A plus in a link of this kind is a plus.
      const said = new Map(
        plain(query)
          .split('&')
          .map((one) => one.split('=', 2) as [string, string]),
      );
      const told = (name: string) => decodeURIComponent(said.get(name) ?? '');
      return { label: plain(label), to: decodeURIComponent(plain(to)), subject: told('subject'), body: told('body') };
    },
  );
}

/** One mail as a mail program shows it. */
export function shown({ number, mail }: Received): string {
  const buttons = buttonsOf(mail);
  const files = mail.attachments.map(({ filename = 'unnamed', size }) => `${filename} (${size} bytes)`);
  const people = (who: ParsedMail['to']) =>
    [who ?? []]
      .flat()
      .map(({ text }) => text)
      .join(', ');
  return [
    `──── mail ${number} ────`,
    `From:    ${mail.from?.text ?? ''}`,
    `To:      ${people(mail.to)}`,
    ...(mail.cc ? [`Cc:      ${people(mail.cc)}`] : []),
    ...(mail.date ? [`Date:    ${shownAt(mail.date)}`] : []),
    `Subject: ${mail.subject ?? ''}`,
    '',
    (mail.text ?? '').trimEnd(),
    '',
    ...(files.length > 0 ? [`Attached: ${files.join(', ')}`] : []),
    ...(buttons.length > 0 ? [`Buttons: ${buttons.map(({ label }) => `[${label}]`).join(' ')}`] : []),
  ].join('\n');
}
