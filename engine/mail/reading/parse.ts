import { extname } from 'node:path';
import type { GatewayConfig } from '../../config/types.ts';
import { sha256 } from '../../lib/ids.ts';
import { createPool, createSlowPeers, type Peer, type SlowPeers } from '../../lib/workers/pool.ts';
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
import { type MimePart, readStructure, type StructureLimits } from '../mime/structure.ts';
import type { FromHeader, Mailbox, ParsedMail, ParseOutcome, Provable, Supposed } from '../mime/types.ts';
import { headerText, readableValue } from '../mime/words.ts';
import type { LabelContext } from '../text/labels/label-lines.ts';
import { isForwardSubject, isReplySubject } from '../text/subject.ts';
import { type BodyText, bodyOf, plainVersion } from './body.ts';
import type { ParseRequest } from './parse-protocol.ts';
import { decodeLeaf } from './plain-reader.ts';

export interface MailParserOptions {
  /** Asked for each mail. */
  readonly limits: GatewayConfig['limits'];
  /** How long one mail may take once a thread has it. */
  readonly deadlineMs?: number;
  readonly heapMb?: number;
  readonly workers?: number;
  /** Shared with whatever else works on their mail. */
  readonly slowPeers?: SlowPeers;
  /** Another worker than our own, which reads every mail; tests bring one that hangs. */
  readonly entry?: URL;
}

export interface MailParserPool {
  /**
   * Never rejects because of the mail: hostile mail gives `ok: false`, and mail that hung or exhausted the full
   * reader is read once more with only headers and first text. Rejects with `unavailable` when no thread can start and
   * with `cancelled` after `close`. `raw` is copied when a thread is free for it, and stays the caller's.
   *
   * `peer` is on whose account it is read; without one it shares with nobody. `supposed`: what is read into it.
   */
  parse(raw: Uint8Array, how?: { readonly peer?: Peer; readonly supposed?: Supposed }): Promise<ParseOutcome>;
  /** Ends the threads; what they were reading rejects. */
  close(): Promise<void>;
}

// From source the worker is a .ts file, from the published package a .js one.
const ENTRY = new URL(`./parse-worker${extname(import.meta.url)}`, import.meta.url);
const DEADLINE_MS = 3000;
/** Headers and the first text alone, of a mail that has cost the other deadline already. */
const PLAIN_DEADLINE_MS = 1000;
/** Two mails of the usual limit never lie in threads at once: each takes several times its size while it is read. */
const MAX_IN_FLIGHT_BYTES = 32 * 1024 * 1024;

/**
 * Reads mail in threads of their own, started at the first mail that is more than a small plain letter and kept, so that
 * no mail can stop the gateway.
 */
export function createMailParser(options: MailParserOptions): MailParserPool {
  const deadlineMs = options.deadlineMs ?? DEADLINE_MS;
  const pool = createPool<ParseRequest, ParseOutcome>({
    name: 'the mail parser',
    entry: options.entry ?? ENTRY,
    lanes: options.workers ?? 2,
    heapMb: options.heapMb ?? 128,
    maxBytes: MAX_IN_FLIGHT_BYTES,
    slowPeers: options.slowPeers ?? createSlowPeers(),
  });
  let unnamed = 0;
  let closed = false;
  return {
    async parse(raw, { peer, supposed } = {}) {
      const letter = options.entry === undefined && !closed ? letterOf(raw, options.limits, supposed) : null;
      if (letter !== null) return { ok: true, mail: letter };
      const account = peer ?? { key: `#${++unnamed}`, first: false };
      const read = (plain: boolean) =>
        pool.run({
          peer: account,
          bytes: raw.byteLength,
          deadlineMs: plain ? Math.min(deadlineMs, PLAIN_DEADLINE_MS) : deadlineMs,
          make() {
            // The caller's bytes may lie in a shared pool and are needed again: one exact copy is handed over.
            const copy = new Uint8Array(raw);
            return {
              request: { raw: copy, limits: options.limits, plain, supposed: supposed ?? null },
              transfer: [copy.buffer],
            };
          },
          answer: neverAsked,
          failed: (message) => ({ ok: false, code: 'unparsable', message }),
        });
      const outcome = await read(false);
      return outcome.ok || outcome.code !== 'unparsable' ? outcome : read(true);
    },
    close() {
      closed = true;
      return pool.close();
    },
  };
}

/** A bug of ours in the short way is no reason to lose a mail: a thread reads it then. */
function letterOf(raw: Uint8Array, limits: MailParserOptions['limits'], supposed?: Supposed): ParsedMail | null {
  try {
    return readLetter(raw, limits, supposed);
  } catch {
    return null;
  }
}

const neverAsked = (): Promise<never> => new Promise(() => {});

const MAX_BYTES = 16 * 1024;
/** Some lines are compared with those around them, and headers with many expressions. */
const MAX_LINES = 400;
const LF = 0x0a;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

const TYPE = /^text\/plain(?:;[ \t]*(?:charset="?(?:us-ascii|utf-8)"?|format="?flowed"?|delsp="?(?:yes|no)"?))*$/i;
/** A control character or a byte order mark: for the full reader. */
const UNUSUAL = /(?![\n\t])\p{Cc}|\ufeff/u;
/** The full reader takes a header for another one where its value follows the colon at once. */
const HEADER_LINE = /^(?:[!-9;-~]+: |[ \t]|\r?$)/;
const BARE_CR = /\r(?!\n)/;

/**
 * Reads a small mail of one plain text; null for any other, which a worker thread reads. The result is that of
 * `readMail`. In the caller's thread, so whatever is done here takes time in proportion to the mail, and the bounds
 * keep the worst mail at a few milliseconds: to hand a letter to another thread and back costs several times its reading.
 */
export function readLetter(raw: Uint8Array, limits: StructureLimits, supposed?: Supposed): ParsedMail | null {
  if (raw.byteLength > MAX_BYTES) return null;
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  if (linesOf(bytes) > MAX_LINES) return null;
  const structure = readStructure(bytes, limits);
  if (!structure.ok || structure.block.lines.length === 0 || headerFault(structure.block) !== null) return null;
  if (structure.block.lines.some(({ raw: written }) => written) || bytes.includes(BYTE_ORDER_MARK)) return null;
  if (!isPlainText(structure.root) || !isWrittenPlainly(bytes.toString('latin1'), structure.root.bodyStart))
    return null;
  const { text, exact } = decodeLeaf(bytes, structure.root);
  if (!exact || UNUSUAL.test(text) || (structure.root.charset?.toLowerCase() !== 'utf-8' && /\P{ASCII}/u.test(text)))
    return null;
  const head = readHead(bytes, structure, { supposed });
  const body = bodyOf([plainVersion(text)], head.context);
  return mailOf(head, body, { attachments: [], limitations: body.limitations });
}

function linesOf(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines += 1;
  return lines;
}

const isWrittenPlainly = (mail: string, bodyStart: number): boolean =>
  !BARE_CR.test(mail) &&
  mail
    .slice(0, bodyStart)
    .split('\n')
    .every((line) => HEADER_LINE.test(line));

function isPlainText({ headers, encoding }: MimePart): boolean {
  const type = firstHeader(headers, 'content-type') ?? 'text/plain';
  const written = (firstHeader(headers, 'content-transfer-encoding') ?? '').toLowerCase();
  return (
    TYPE.test(type) &&
    written === encoding &&
    ['', '7bit', '8bit', 'quoted-printable'].includes(encoding) &&
    firstHeader(headers, 'content-disposition') === null
  );
}

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
