import { sha256 } from '../../lib/ids.ts';
import { stripTokens, typedTokens } from '../approval/token.ts';
import { normaliseAddress, parseAddressList, readFrom } from '../mime/address.ts';
import { parseMailDate } from '../mime/date.ts';
import {
  firstHeader,
  type HeaderBlock,
  type HeaderLine,
  headerFault,
  headerValues,
  MAX_HEADERS,
} from '../mime/headers.ts';
import { messageIds, namesAnotherMail, ownMessageId } from '../mime/message-ids.ts';
import { sealedDigest } from '../mime/recursion.ts';
import { selfDescribing } from '../mime/self-describing.ts';
import type { MimePart } from '../mime/structure.ts';
import type { FromHeader, Mailbox, ParsedMail, Provable, Supposed } from '../mime/types.ts';
import { headerText, readableValue } from '../mime/words.ts';
import type { LabelContext } from '../text/labels/line.ts';
import { isForwardSubject, isReplySubject } from '../text/subject.ts';
import type { BodyText } from './body.ts';

const MAX_HEADER_VALUE = 8192;

type Rest = Pick<ParsedMail, 'attachments' | 'limitations'>;
type Words = Omit<BodyText, 'limitations'> & Pick<ParsedMail, 'typedTokens'>;

/** What is known of a mail before its text is read. */
interface Head {
  readonly fields: Omit<ParsedMail, keyof Words | keyof Rest>;
  /** What its subject and its references say of the lines below. */
  readonly context: LabelContext;
}

/** `near`: the charsets of its texts, by which bytes are read whose header names none. `supposed` is read into it. */
export function readHead(
  raw: Buffer,
  { root, block }: { readonly root: MimePart; readonly block: HeaderBlock },
  {
    near = [],
    supposed = null,
  }: { readonly near?: readonly string[]; readonly supposed?: Supposed | null | undefined } = {},
): Head {
  const fields = readFields(raw, block.lines, near);
  const context = {
    isReply: supposed?.isReply || namesAnotherMail(fields.headers) || isReplySubject(fields.subject),
    isForward: supposed?.isForward || isForwardSubject(fields.subject),
  };
  const from = named(readFrom(block), block.lines, near);
  const rest = { from, provable: provableOf(raw, block, root), reaction: isReaction(root) };
  return { fields: { ...fields, ...rest }, context };
}

/** By the part that says so, whatever stands beside it for programs that know none. */
const isReaction = ({ type, disposition, children }: MimePart): boolean =>
  disposition === 'reaction' || /^[a-z]+\/.{0,80}\breaction\b/.test(type) || children.some(isReaction);

export const mailOf = ({ fields }: Head, body: BodyText, rest: Rest): ParsedMail => ({
  ...fields,
  ...wordsOf(body),
  ...rest,
});

const provableOf = (raw: Buffer, block: HeaderBlock, root: MimePart): Provable => ({
  fault: headerFault(block),
  ...selfDescribing(raw, root),
  seal: sealedDigest(raw, block),
});

/** An approval's token is for its reader alone. It is taken out before anything else sees the text. */
const wordsOf = ({
  text,
  newText,
  quotedText,
  signature,
  forwardedText,
  pieces,
  isCut,
  otherPieces,
  hiddenCharacters,
}: BodyText): Words => ({
  typedTokens: typedTokens(newText),
  text: stripTokens(text),
  newText: stripTokens(newText),
  quotedText: stripTokens(quotedText),
  signature: stripTokens(signature),
  forwardedText: stripTokens(forwardedText),
  pieces: pieces.map(({ kind, text: own }) => ({ kind, text: stripTokens(own) })),
  isCut,
  otherPieces: otherPieces?.map(({ kind, text: own }) => ({ kind, text: stripTokens(own) })) ?? null,
  hiddenCharacters,
});

function readFields(raw: Buffer, lines: readonly HeaderLine[], near: readonly string[]) {
  const subject = lines.find(({ name }) => name === 'subject');
  const hash = sha256(raw);
  const dateHeader = (firstHeader(lines, 'date') ?? '').slice(0, MAX_HEADER_VALUE);
  return {
    rawSha256: hash,
    rawBytes: raw.length,
    messageId: ownMessageId(firstHeader(lines, 'message-id')) ?? `<sha256-${hash.slice(0, 32)}@content.invalid>`,
    to: mailboxes(lines, 'to', near),
    cc: mailboxes(lines, 'cc', near),
    replyTo: mailboxes(lines, 'reply-to', near),
    deliveredTo: deliveredTo(lines),
    subject: subject ? headerText(readableValue(subject, near), 1000, 8) : '',
    date: parseMailDate(dateHeader),
    dateHeader,
    inReplyTo: messageIds(headerValues(lines, 'in-reply-to')),
    references: messageIds(headerValues(lines, 'references')),
    headers: lines
      .slice(0, MAX_HEADERS)
      .map(({ name, value }) => ({ name: name.slice(0, 200), value: value.slice(0, MAX_HEADER_VALUE) })),
  };
}

const mailboxes = (lines: readonly HeaderLine[], name: string, near: readonly string[]): Mailbox[] =>
  lines
    .filter((line) => line.name === name)
    .slice(0, 20)
    .flatMap((line) => withNames(parseAddressList(line.value), line, near))
    .slice(0, 500);

/** Addresses are those of the bytes as they stand, as servers read them; of other bytes only names are made. */
function withNames(found: readonly Mailbox[], line: HeaderLine, near: readonly string[]): readonly Mailbox[] {
  if (!line.raw) return found;
  const readable = parseAddressList(readableValue(line, near));
  const areSame = readable.length === found.length && readable.every((box, n) => box.address === found[n]?.address);
  if (!areSame) return found;
  return readable.map((box, n) => (found[n]?.isUnsure ? { ...box, isUnsure: true } : box));
}

function named(from: FromHeader, lines: readonly HeaderLine[], near: readonly string[]): FromHeader {
  const line = lines.find(({ name }) => name === 'from');
  if (from.kind !== 'one' || !line) return from;
  const [mailbox = from.mailbox] = withNames([from.mailbox], line, near);
  return { kind: 'one', mailbox };
}

function deliveredTo(lines: readonly HeaderLine[]): string[] {
  return lines
    .filter(({ name }) => name === 'delivered-to' || name === 'x-original-to')
    .slice(0, 50)
    .flatMap(({ value }) => normaliseAddress(value.replace(/^<|>$/g, '')) ?? []);
}
