import { EngineError } from '#contract';
import { sha256 } from '../../lib/ids.ts';
import { loadedAtFirstUse } from '../../lib/kept-value.ts';
import { isSendable, normaliseAddress } from '../mime/address.ts';
import { type Hops, sealMail } from '../mime/recursion.ts';
import type { Mailbox, ParsedMail } from '../mime/types.ts';
import { composeBody, type Quote } from './body.ts';
import type { LetterBlock } from './letter.ts';

export { replySubject } from '../text/subject.ts';
export type { Button, Field, LetterBlock } from './letter.ts';

type MailKind = 'reply' | 'wait' | 'approval' | 'clarify' | 'notice' | 'task' | 'relay' | 'weekly';

export interface ComposeInput {
  readonly from: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly replyTo: string | null;
  readonly subject: string;
  /** With angle brackets, fixed before the first attempt to send. */
  readonly messageId: string;
  readonly inReplyTo: string | null;
  /** Without its own id, which is added. */
  readonly references: readonly string[];
  /** Whether it stands in its own References; older versions wrote none such, and a replay writes their mail once more. */
  readonly namesItself?: boolean;
  /** ms; the Date header. */
  readonly date: number;
  readonly kind: MailKind;
  readonly runId: string | null;
  /** Null where a person sends it. */
  readonly autoSubmitted: 'auto-replied' | 'auto-generated' | null;
  /** What the sealed hop count says; null for a mail without one. */
  readonly recursion: Hops | null;
  /** Markdown of a model or a person, or a mail of the gateway's own. */
  readonly text: string | readonly LetterBlock[];
  /** What the gateway itself says before and after it: plain lines, shown word for word. */
  readonly above?: string;
  readonly below?: string;
  /** Lines below `-- `. */
  readonly signature: readonly string[];
  /** Language of the text, such as `de`; absent where it is unknown. */
  readonly language?: string;
  readonly quote: Quote | null;
  /** False: as older versions wrote mail that runs from right to left; a replay writes theirs once more. */
  readonly keepsOrder?: boolean;
  readonly attachments: readonly { readonly name: string; readonly type: string; readonly content: Uint8Array }[];
  /** What the text says, for calendar programs (RFC 6047). */
  readonly calendar?: { readonly method: 'REPLY' | 'REQUEST' | 'CANCEL'; readonly text: string };
  /** Only `X-Epistle-…`. */
  readonly extraHeaders: Readonly<Record<string, string>>;
}

/** nodemailer's composer is loaded with the first mail: an idle gateway has no need of it. */
const assembler = loadedAtFirstUse(() => import('./assemble.ts'));

/**
 * The bytes that SMTP gets. The same input gives the same bytes, so that a mail can be sent again as it was. Throws
 * `invalid_arguments` for an address or header that must not be sent; never has a Bcc.
 */
export async function composeMail(input: ComposeInput): Promise<Uint8Array> {
  if (input.to.length === 0) throw new EngineError('invalid_arguments', 'a mail needs a recipient');
  const body = composeBody(input);
  // Itself, last: a relay that gives it another Message-ID (SES, Outlook.com) leaves this, and so does who answers it.
  const references = trimReferences([...input.references, ...(input.namesItself === false ? [] : [input.messageId])]);
  const { buildMail } = await assembler();
  const raw = await buildMail({
    from: recipient(input.from),
    to: recipients(input.to),
    ...(input.cc.length > 0 ? { cc: recipients(input.cc) } : {}),
    ...(input.replyTo === null ? {} : { replyTo: recipient({ name: '', address: input.replyTo }) }),
    subject: oneLine(input.subject),
    messageId: messageId(input.messageId),
    ...(input.inReplyTo === null ? {} : { inReplyTo: messageId(input.inReplyTo) }),
    references: references.map(messageId),
    date: new Date(input.date),
    headers: ownHeaders(input),
    text: body.text,
    html: body.html,
    ...(input.calendar ? { alternatives: [calendarPart(input.calendar)] } : {}),
    attachments: input.attachments.map(({ name, type, content }) => ({
      filename: oneLine(name),
      contentType: oneLine(type),
      content: Buffer.from(content.buffer, content.byteOffset, content.byteLength),
    })),
    // Exact to the last blank; the default folds long lines as format=flowed.
    encoding: 'quoted-printable',
    newline: 'win',
    baseBoundary: sha256(input.messageId).slice(0, 24),
    boundaryPrefix: '=_ep',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return input.recursion === null ? raw : sealMail(raw, input.recursion);
}

function ownHeaders(input: ComposeInput): { key: string; value: string }[] {
  const headers = [
    ...(input.autoSubmitted === null
      ? []
      : [
          { key: 'Auto-Submitted', value: input.autoSubmitted },
          { key: 'X-Auto-Response-Suppress', value: 'All' },
        ]),
    { key: 'X-Epistle-Kind', value: input.kind },
  ];
  if (input.runId !== null) headers.push({ key: 'X-Epistle-Run', value: oneLine(input.runId) });
  for (const [key, value] of Object.entries(input.extraHeaders)) {
    if (!/^X-Epistle-[A-Za-z-]{1,40}$/.test(key))
      throw new EngineError('invalid_arguments', `no header of ours: ${key}`);
    headers.push({ key, value: oneLine(value) });
  }
  return headers;
}

const calendarPart = ({ method, text }: NonNullable<ComposeInput['calendar']>) => ({
  // Programs that list the parts of a mail call one without a name "unnamed".
  contentType: `text/calendar; charset=utf-8; method=${method}; name=${method === 'REPLY' ? 'reply' : 'invite'}.ics`,
  content: text,
});

const recipients = (boxes: readonly Mailbox[]) => boxes.map(recipient);

function recipient({ name, address }: Mailbox): { name: string; address: string } {
  const normal = isSendable(address) ? normaliseAddress(address) : null;
  if (normal === null) throw new EngineError('invalid_arguments', `not an address to send to: ${oneLine(address)}`);
  return {
    name: oneLine(name)
      .replace(/["\\<>]/g, '')
      .slice(0, 200),
    address: normal,
  };
}

function messageId(id: string): string {
  if (/^<[^<>\s\p{Cc}]{1,990}>$/u.test(id)) return id;
  throw new EngineError('invalid_arguments', `not a Message-ID: ${oneLine(id)}`);
}

const oneLine = (value: string): string =>
  value
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, 2000);

/** The first, which names the conversation, and the newest: some servers refuse longer lines (RFC 5322 section 2.1.1). */
function trimReferences(references: readonly string[]): string[] {
  const unique = [...new Set(references)];
  return unique.length > 11 ? [...unique.slice(0, 1), ...unique.slice(-10)] : unique;
}

/** References of an answer (RFC 5322 section 3.6.4). */
export function referencesFor(parent: Pick<ParsedMail, 'messageId' | 'references' | 'inReplyTo'>): string[] {
  const before = parent.references.length > 0 || parent.inReplyTo.length !== 1 ? parent.references : parent.inReplyTo;
  return trimReferences([...before.filter((id) => id !== parent.messageId), parent.messageId]);
}
