import type { Identity, ParsedMail } from '../mime/types.ts';

/** Header names as people write them, with what a reader loses without them. */
const LOST: readonly {
  readonly header: string;
  readonly name: string;
  readonly without: Partial<ParsedMail>;
}[] = [
  { header: 'to', name: 'To', without: { to: [] } },
  { header: 'cc', name: 'Cc', without: { cc: [] } },
  { header: 'reply-to', name: 'Reply-To', without: { replyTo: [] } },
  { header: 'in-reply-to', name: 'In-Reply-To', without: { inReplyTo: [] } },
  { header: 'references', name: 'References', without: { references: [] } },
  { header: 'subject', name: 'Subject', without: { subject: '' } },
  { header: 'date', name: 'Date', without: { date: null, dateHeader: '' } },
];

/**
 * A proven mail without the headers that its proof does not cover: anybody may have written those. What they say is
 * neither done nor shown as the sender's word; the mail says that they are left out.
 */
export function provenPart(mail: ParsedMail, { authenticated, covers }: Identity): ParsedMail {
  if (!authenticated || covers === null) return mail;
  const present = new Set(mail.headers.map(({ name }) => name));
  const left = LOST.filter(({ header }) => present.has(header) && !covers.includes(header));
  if (left.length === 0) return mail;
  const names = left.map(({ name }) => name).join(', ');
  return {
    ...Object.assign({}, mail, ...left.map(({ without }) => without)),
    limitations: [...mail.limitations, `The signature of this mail does not cover ${names}; that was left out.`],
  };
}
