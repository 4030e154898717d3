import type { MimePart } from './structure.ts';
import { decodeTransfer } from './transfer.ts';

/** Subtypes that only put their parts beside each other; others give them another meaning. */
const PLAIN_MULTIPART = new Set(['multipart/mixed', 'multipart/alternative', 'multipart/related', 'multipart/signed']);
/** ASCII bytes mean ASCII characters in these. UTF-7 and ISO-2022 spell line ends and quote marks in letters. */
const ASCII_BASED =
  /^(?:us-ascii|ascii|utf-?8|iso-?8859-\d{1,2}|windows-12\d\d|cp-?12\d\d|koi8-[ru]|gb2312|gbk|gb18030|big5|euc-(?:jp|kr))$/;
const MARKUP = /^\s{0,200}<(?:!|[a-z][a-z0-9]{0,20}[\s>/])/i;
const DASH = 0x2d;

/** Which of two headers the bytes of the body confirm by themselves. */
export interface SelfDescribing {
  readonly contentType: boolean;
  readonly transferEncoding: boolean;
}

/**
 * Whether a body could mean anything else under another Content-Type or Content-Transfer-Encoding. Few signers cover
 * these, the largest providers do not: whoever changes them turns what the sender quoted into what the sender says. A
 * boundary that stands in the middle of a text, a charset that spells line ends in letters, markup read as text.
 */
export function selfDescribing(raw: Buffer, root: MimePart): SelfDescribing {
  const body = raw.subarray(root.bodyStart);
  return { contentType: confirmsType(body, root), transferEncoding: confirmsEncoding(body, root) };
}

function confirmsType(body: Buffer, root: MimePart): boolean {
  if (root.type.startsWith('multipart/')) return PLAIN_MULTIPART.has(root.type) && beginsWithBoundary(body, root);
  if (root.type !== 'text/plain' && root.type !== 'text/html') return false;
  if (root.charset !== null && !ASCII_BASED.test(root.charset.toLowerCase())) return false;
  const text = decodeTransfer(body, root.encoding);
  if (looksLikeParts(text)) return false;
  const isMarkup = MARKUP.test(text.toString('latin1', 0, 400));
  if (isMarkup !== (root.type === 'text/html')) return false;
  return !root.flowed || keepsQuotesApart(text);
}

/** Blank lines may come first: some programs write one, and nobody else can. */
function beginsWithBoundary(body: Buffer, root: MimePart): boolean {
  const start = firstText(body);
  if (!root.boundary || body[start] !== DASH || body[start + 1] !== DASH) return false;
  const delimiter = Buffer.from(`--${root.boundary}`);
  const end = start + delimiter.length;
  if (delimiter.compare(body, start, end) !== 0) return false;
  return /^[ \t]*\r?\n/.test(body.toString('latin1', end, end + 200));
}

function firstText(body: Buffer): number {
  let at = 0;
  while (at < body.length && (body[at] === 0x0d || body[at] === 0x0a)) at += 1;
  return at;
}

/** A delimiter with the header of a part below it, anywhere: this is a multipart that was called a text. */
function looksLikeParts(body: Buffer): boolean {
  let line = firstText(body);
  while (line >= 0) {
    const next = body.indexOf(0x0a, line) + 1;
    if (next === 0) return false;
    if (isDelimiter(body, line) && /^content-[a-z-]{1,40}:/i.test(body.toString('latin1', next, next + 60))) {
      return true;
    }
    const found = body.indexOf('\n--', next - 1);
    line = found < 0 ? -1 : found + 1;
  }
  return false;
}

/** `-- ` begins a signature, and a row of dashes is a line that somebody drew. */
const isDelimiter = (body: Buffer, line: number): boolean =>
  body[line] === DASH && body[line + 1] === DASH && !/^-*\s/.test(body.toString('latin1', line + 2, line + 202));

function confirmsEncoding(body: Buffer, root: MimePart): boolean {
  if (root.encoding === 'base64') return /^[A-Za-z0-9+/=\r\n]*$/.test(body.toString('latin1'));
  // A text may look like quoted-printable by chance; what it must not do then is to spell out line ends.
  if (root.encoding === 'quoted-printable') return !/=0[ad]/i.test(body.toString('latin1'));
  return ['', '7bit', '8bit', 'binary'].includes(root.encoding);
}

/** Joined lines (RFC 3676) must not carry what was quoted into what was written, whichever of them ends in a blank. */
function keepsQuotesApart(body: Buffer): boolean {
  const text = body.toString('latin1');
  return !/(?:^|\n)(?:>[^\n]* \r?\n(?!>)(?=[^\r\n])|(?!>)[^\n]* \r?\n>)/.test(text.replaceAll('\n-- \r\n', '\n--\r\n'));
}
