import { readMail } from '../../mail/reading/read-mail.ts';
import type { Content, Reading, Source } from '../reading.ts';
import { Refused } from '../refused.ts';

/** A mail within a mail is bounded by the reader of documents, not by what a mailbox may be sent. */
const LIMITS = {
  max_message_bytes: Number.MAX_SAFE_INTEGER,
  max_attachments: 1000,
  max_attachment_bytes: Number.MAX_SAFE_INTEGER,
  max_mime_depth: 32,
  max_mime_parts: 1000,
  max_files_bytes: 0,
};

/** A stored mail: its header as it claims, its text, its attachments as parts. Throws `Refused`. */
export async function readEml({ bytes }: Source, reading: Reading): Promise<Content> {
  const outcome = await readMail(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), LIMITS);
  if (!outcome.ok) throw new Refused('broken', 'its mail cannot be read');
  const { from, to, cc, date, dateHeader, subject, text, attachments, limitations } = outcome.mail;
  for (const sentence of limitations) reading.note(sentence);
  return mailContent('eml', {
    from: from.kind === 'one' ? addressed([from.mailbox]) : '',
    to: addressed(to),
    cc: addressed(cc),
    date: date === null ? dateHeader : new Date(date).toISOString(),
    subject,
    text,
    parts: attachments.map(({ name, type, content, charset }) => ({
      name,
      type,
      charset,
      bytes: content.byteLength,
      open: async () => content,
    })),
  });
}

interface MailFields {
  readonly from: string;
  readonly to: string;
  readonly cc: string;
  readonly date: string;
  readonly subject: string;
  readonly text: string;
  readonly parts: NonNullable<Content['parts']>;
}

/** What a mail says of itself, unproven, its text and its files. */
export function mailContent(kind: 'eml' | 'msg', mail: MailFields): Content {
  const { from, to, cc, date, subject, text, parts } = mail;
  const head = Object.entries({ From: from, To: to, Cc: cc, Date: date, Subject: subject });
  const lines = head.flatMap(([name, value]) => (value === '' ? [] : [`${name}: ${value}`]));
  const files = parts.map(({ name, type, bytes }) => `[file] ${name}, ${type}, ${bytes} bytes`);
  return {
    kind,
    ...(subject === '' ? {} : { title: subject }),
    text: [lines.join('\n'), text, files.join('\n')].filter((block) => block.trim() !== '').join('\n\n'),
    parts,
  };
}

const addressed = (mailboxes: readonly { readonly address: string; readonly name: string }[]): string =>
  mailboxes.map(({ address, name }) => (name === '' ? address : `${name} <${address}>`)).join(', ');
