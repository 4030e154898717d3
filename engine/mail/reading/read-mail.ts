import type { GatewayConfig } from '../../config/types.ts';
import { sha256 } from '../../lib/ids.ts';
import { stripTokens, typedTokens } from '../approval/token.ts';
import { type Allowance, fullAllowance, isSpent } from '../html/allowance.ts';
import { normaliseAddress } from '../mime/address.ts';
import { parseAddressList, readFrom } from '../mime/address-list.ts';
import { parseMailDate } from '../mime/date.ts';
import {
  firstHeader,
  type HeaderBlock,
  type HeaderLine,
  headerFault,
  headerValues,
  MAX_HEADERS,
} from '../mime/headers.ts';
import { type DecodedParts, decodeParts, type TextPart } from '../mime/mailparser.ts';
import { messageIds, ownMessageId } from '../mime/message-ids.ts';
import { sealedDigest } from '../mime/recursion.ts';
import { selfDescribing } from '../mime/self-describing.ts';
import { type MimePart, readStructure } from '../mime/structure.ts';
import type { Mailbox, ParsedMail, ParseOutcome, Provable } from '../mime/types.ts';
import { headerText } from '../mime/words.ts';
import { isForwardSubject, isReplySubject } from '../text/subject.ts';
import { readAttachments } from './attachments.ts';
import { type BodyText, readBody } from './body-text.ts';
import { decodeLeaf, firstText, textLeaves } from './plain-reader.ts';

type Limits = GatewayConfig['limits'];

const MAX_HEADER_VALUE = 8192;

/**
 * Reads one mail; meant for the worker. `plain` reads headers and first text with our own code alone, for mail that
 * brought the full reader down. Does not throw on bad mail.
 */
export async function readMail(raw: Buffer, limits: Limits, plain = false): Promise<ParseOutcome> {
  const structure = readStructure(raw, limits);
  if (!structure.ok) return { ok: false, code: 'mime_limit', message: structure.message };
  const { root, block, blanks } = structure;
  if (block.lines.length === 0) return { ok: false, code: 'unparsable', message: 'no header line was found' };
  const allowance = fullAllowance({ styles: !plain });
  const { parts, limitations } =
    blanks.length === 0
      ? await readParts(raw, root, plain, allowance)
      : await readWithout(raw, blanks, limits, { plain, allowance });
  const files = parts.files.filter((file) => !file.inline).length;
  if (files > limits.max_attachments) {
    return {
      ok: false,
      code: 'too_many_attachments',
      message: `${files} attachments, ${limits.max_attachments} allowed`,
    };
  }
  const header = readHeader(raw, block.lines);
  const context = {
    isReply: header.inReplyTo.length > 0 || header.references.length > 0 || isReplySubject(header.subject),
    isForward: isForwardSubject(header.subject),
  };
  const body = readBody(parts.texts, context, allowance);
  const attachments = readAttachments(parts.files, limits, allowance);
  const more = isSpent(allowance) ? ['There was more HTML in this mail and its attachments than is read.'] : [];
  const mail: ParsedMail = {
    ...header,
    from: readFrom(block),
    provable: provableOf(raw, block, root),
    ...bodyFields(body),
    attachments,
    limitations: [...new Set([...limitations, ...sealedBody(root), ...body.limitations, ...more])],
  };
  return { ok: true, mail };
}

const provableOf = (raw: Buffer, block: HeaderBlock, root: MimePart): Provable => ({
  fault: headerFault(block),
  ...selfDescribing(raw, root),
  seal: sealedDigest(raw, block),
});

const NOTHING: DecodedParts = { texts: [], files: [], cut: false };

/** An approval's token is for its reader alone. It is taken out here, in the worker: texts are long, and many. */
const bodyFields = ({ text, newText, quotedText, signature, forwardedText, hiddenCharacters }: BodyText) => ({
  typedTokens: typedTokens(newText),
  text: stripTokens(text),
  newText: stripTokens(newText),
  quotedText: stripTokens(quotedText),
  signature: stripTokens(signature),
  forwardedText: stripTokens(forwardedText),
  hiddenCharacters,
});

function readHeader(raw: Buffer, lines: readonly HeaderLine[]) {
  const hash = sha256(raw);
  const dateHeader = (firstHeader(lines, 'date') ?? '').slice(0, MAX_HEADER_VALUE);
  return {
    rawSha256: hash,
    rawBytes: raw.length,
    messageId: ownMessageId(firstHeader(lines, 'message-id')) ?? `<sha256-${hash.slice(0, 32)}@content.invalid>`,
    to: mailboxes(lines, 'to'),
    cc: mailboxes(lines, 'cc'),
    replyTo: mailboxes(lines, 'reply-to'),
    deliveredTo: deliveredTo(lines),
    subject: headerText(firstHeader(lines, 'subject') ?? ''),
    date: parseMailDate(dateHeader),
    dateHeader,
    inReplyTo: messageIds(headerValues(lines, 'in-reply-to')),
    references: messageIds(headerValues(lines, 'references')),
    headers: lines
      .slice(0, MAX_HEADERS)
      .map(({ name, value }) => ({ name: name.slice(0, 200), value: value.slice(0, MAX_HEADER_VALUE) })),
  };
}

const mailboxes = (lines: readonly HeaderLine[], name: string): Mailbox[] =>
  headerValues(lines, name)
    .slice(0, 20)
    .flatMap((value) => parseAddressList(value).mailboxes)
    .slice(0, 500);

function deliveredTo(lines: readonly HeaderLine[]): string[] {
  return lines
    .filter(({ name }) => name === 'delivered-to' || name === 'x-original-to')
    .slice(0, 50)
    .flatMap(({ value }) => normaliseAddress(value.replace(/^<|>$/g, '')) ?? []);
}

/** The full reader has to end the header of a part where we do. */
async function readWithout(
  raw: Buffer,
  blanks: readonly { from: number; to: number }[],
  limits: Limits,
  { plain, allowance }: { plain: boolean; allowance: Allowance },
) {
  const starts = [0, ...blanks.map(({ to }) => to)];
  const bytes = Buffer.concat(starts.map((start, index) => raw.subarray(start, blanks[index]?.from ?? raw.length)));
  const structure = readStructure(bytes, limits);
  return structure.ok
    ? readParts(bytes, structure.root, plain, allowance)
    : { parts: NOTHING, limitations: [structure.message] };
}

async function readParts(raw: Buffer, root: MimePart, plain: boolean, allowance: Allowance) {
  try {
    const parts = plain ? null : await decodeParts(raw);
    if (parts && !isEmptyShell(root, parts)) return withCut(parts.cut, repairTexts(raw, root, parts));
  } catch {
    // mailparser refuses whole mails for one bad part; the person still gets an answer to what can be read.
  }
  const texts: TextPart[] = [{ type: 'text/plain', text: firstText(raw, root, allowance), alternative: 0 }];
  const reason = plain ? 'it is too complex' : 'it is malformed';
  return {
    parts: { texts, files: [] },
    limitations: [`Only the first text of this mail could be read, without attachments: ${reason}.`],
  };
}

const withCut = <Read extends { limitations: string[] }>(cut: boolean, read: Read): Read =>
  cut ? { ...read, limitations: [...read.limitations, 'The text was too long; only its beginning was read.'] } : read;

/** A multipart whose boundary is missing or never used: nothing came out of it, although it has a body. */
const isEmptyShell = (root: MimePart, { texts, files }: DecodedParts): boolean =>
  root.type.startsWith('multipart/') && root.children.length === 0 && texts.length === 0 && files.length === 0;

/**
 * Our own reader's text where the full reader's will not do: where decoding left replacement characters, since ours may
 * know the charset or guess better, and where lines are joined, since the full one joins what was quoted, too.
 */
function repairTexts(raw: Buffer, root: MimePart, parts: DecodedParts) {
  const leaves = textLeaves(root);
  const isBroken = parts.texts.some((part) => part.text.includes('\ufffd'));
  if (!isBroken && !leaves.some(({ flowed }) => flowed)) return { parts, limitations: [] };
  const aligned = leaves.length === parts.texts.length && leaves.every((leaf, n) => leaf.type === parts.texts[n]?.type);
  const texts = parts.texts.map((part, index) => {
    const leaf = aligned ? leaves[index] : undefined;
    return leaf && (leaf.flowed || part.text.includes('\ufffd')) ? { ...part, text: decodeLeaf(raw, leaf).text } : part;
  });
  const limitations = isBroken
    ? ['Some characters could not be decoded for certain: the charset of this mail is missing or wrong.']
    : [];
  return { parts: { texts, files: parts.files }, limitations };
}

function sealedBody(root: MimePart): string[] {
  return root.type === 'multipart/encrypted' || /^application\/(x-)?pkcs7-mime$/.test(root.type)
    ? ['This mail is encrypted and cannot be read.']
    : [];
}
