import { normaliseAddress } from './mime/address.ts';
import { firstHeader, type HeaderLine, readHeaders } from './mime/headers.ts';
import { messageIds } from './mime/message-ids.ts';
import type { ParsedMail } from './mime/types.ts';

type BounceAction = 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';

interface BouncedRecipient {
  readonly address: string;
  readonly action: BounceAction;
  /** RFC 3463 such as `5.1.1`; null when the report names none. */
  readonly status: string | null;
}

export interface Bounce {
  /** The Message-ID of the mail that could not be delivered, with angle brackets. */
  readonly originalMessageId: string | null;
  readonly recipients: readonly BouncedRecipient[];
}

const MAX_RECIPIENTS = 200;
const MAX_TEXT = 100_000;
/** A report returns one mail; this runs before anybody knows who wrote it, and for each persona it is for. */
const MAX_ORIGINALS = 3;
const MAX_ORIGINAL_HEADER = 32_000;
const ORIGINALS = new Set(['message/rfc822', 'message/global', 'text/rfc822-headers', 'message/global-headers']);

/** A report about a mail of ours: RFC 3464, X-Failed-Recipients, or what older servers write. Null for all else. */
export function parseBounce(mail: ParsedMail, raw?: Uint8Array): Bounce | null {
  const report = mail.attachments.find(({ type }) => /^message\/(global-)?delivery-status$/.test(type));
  if (!report && !looksLikeBounce(mail)) return null;
  const recipients = report ? fromReport(report.content) : fromHeadersAndText(mail);
  const originalMessageId = originalId(mail, raw);
  return recipients.length === 0 && originalMessageId === null ? null : { originalMessageId, recipients };
}

/** Only mail of a mail system may speak about deliveries without a report. */
function looksLikeBounce(mail: ParsedMail): boolean {
  if (firstHeader(mail.headers, 'x-failed-recipients') !== null) return true;
  const sender = mail.from.kind === 'one' ? mail.from.mailbox.address : '';
  const fromSystem = /^(mailer-daemon|postmaster|mdaemon|mail-daemon)@/i.test(sender);
  const subject =
    /undeliver|delivery (status|failure|has failed|report)|returned (mail|to sender)|failure notice|mail delivery failed|unzustellbar|nicht zugestellt|non remis|no entregado|mancata consegna/i;
  return fromSystem && subject.test(mail.subject);
}

function fromReport(content: Uint8Array): BouncedRecipient[] {
  const text = Buffer.from(content.subarray(0, MAX_TEXT)).toString('latin1').replace(/\r\n?/g, '\n');
  const groups = text.split(/\n[ \t]*\n/).slice(0, MAX_RECIPIENTS + 1);
  return groups.flatMap((group) => {
    const { lines } = readHeaders(Buffer.from(group, 'latin1'));
    return recipientOf(lines) ?? [];
  });
}

function recipientOf(lines: readonly HeaderLine[]): BouncedRecipient | null {
  const named = firstHeader(lines, 'original-recipient') ?? firstHeader(lines, 'final-recipient');
  const address = normaliseAddress((named ?? '').replace(/^[^;]*;/, '').replace(/[<>\s]/g, ''));
  if (!address) return null;
  const status = /\b([245]\.\d{1,3}\.\d{1,3})\b/.exec(firstHeader(lines, 'status') ?? '')?.[1] ?? null;
  const action = /^[a-z]+/.exec((firstHeader(lines, 'action') ?? '').toLowerCase())?.[0];
  return { address, action: isAction(action) ? action : actionFor(status), status };
}

const ACTIONS: readonly string[] = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] satisfies BounceAction[];
const isAction = (word: string | undefined): word is BounceAction => ACTIONS.includes(word ?? '');

function actionFor(status: string | null): BounceAction {
  if (status?.startsWith('4')) return 'delayed';
  return status?.startsWith('2') ? 'delivered' : 'failed';
}

function fromHeadersAndText(mail: ParsedMail): BouncedRecipient[] {
  const listed = (firstHeader(mail.headers, 'x-failed-recipients') ?? '').split(',');
  // qmail and Exim put each address on a line of its own, some in angle brackets and with a colon.
  const lines = mail.text.slice(0, 20_000).split('\n', 200);
  const written = lines.flatMap(
    (line) => /^\s{0,10}<?([^\s<>:;,"]{1,64}@[^\s<>:;,"]{1,190})>?:?\s*$/.exec(line)?.[1] ?? [],
  );
  const status = /\b([45]\.\d{1,3}\.\d{1,3})\b/.exec(mail.text.slice(0, 20_000))?.[1] ?? null;
  const delayed =
    /\bdelay|still (being )?(re)?tr(y|ied)|verzögert|retardé/i.test(mail.subject) || status?.startsWith('4');
  const found = listed.some((each) => each.trim() !== '') ? listed : written;
  const unique = new Set(found.flatMap((each) => normaliseAddress(each.trim()) ?? []));
  return [...unique]
    .slice(0, MAX_RECIPIENTS)
    .map((address) => ({ address, action: delayed ? 'delayed' : 'failed', status }) as const);
}

/** From the returned message or its headers, else from the copy in the text, else from what the report answers. */
function originalId(mail: ParsedMail, raw: Uint8Array | undefined): string | null {
  const originals = mail.attachments.filter(({ type }) => ORIGINALS.has(type)).slice(0, MAX_ORIGINALS);
  for (const { content } of originals) {
    const { lines } = readHeaders(Buffer.from(content.subarray(0, MAX_ORIGINAL_HEADER)));
    const [id] = messageIds([firstHeader(lines, 'message-id') ?? '']);
    if (id) return id;
  }
  const copies = [mail.text.slice(0, MAX_TEXT)];
  // The full reader keeps returned headers out of the text when it has no name for their part.
  if (raw) copies.push(Buffer.from(raw.subarray(0, 4 * MAX_TEXT)).toString('latin1'));
  for (const copy of copies) {
    for (const match of copy.matchAll(
      /^[ \t>]{0,10}(?:x-)?(?:original-)?message-id:[ \t]{0,20}\r?\n?[ \t]{0,20}(<[^<>\s]{1,990}>)/gim,
    )) {
      if (match[1] && match[1] !== mail.messageId) return match[1];
    }
  }
  return mail.inReplyTo[0] ?? mail.references.at(-1) ?? null;
}
