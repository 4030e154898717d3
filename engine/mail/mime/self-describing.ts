import { isUtf8 } from 'node:buffer';
import { decodeText } from '../charset/charset.ts';
import { QUOTE_SIGN } from '../text/quote-marks.ts';
import { firstHeader } from './headers.ts';
import type { MimePart } from './structure.ts';
import { decodeTransfer } from './transfer.ts';
import { charsetsNamed } from './words.ts';

/** Subtypes that only put their parts beside each other; others give them another meaning. */
const PLAIN_MULTIPART = new Set(['multipart/mixed', 'multipart/alternative', 'multipart/related', 'multipart/signed']);
/** ASCII bytes mean ASCII characters in these. UTF-7 and ISO-2022 spell line ends and quote marks in letters. */
const ASCII_BASED =
  /^(?:us-ascii|ascii|utf-?8|iso-?8859-\d{1,2}|windows-(?:12\d\d|874)|cp-?12\d\d|koi8-[ru]|gb2312|gbk|gb18030|big5|euc-(?:jp|kr))$/;
const MARKUP = /^\s{0,200}<(?:!|[a-z][a-z0-9]{0,20}[\s>/])/i;
const PLAIN_TYPE = /^[a-z]+\/[a-z0-9.+-]+(?:\s*;\s*[\w-]+=(?:"[^"\\;]*"|[^\s;"()=\\]+))*\s*;?$/i;
/** As much as is ever shown of a text. */
const MAX_LOOKED = 2 * 1024 * 1024;
const DASH = 0x2d;
const EQUALS = 0x3d;
const CR = 0x0d;
const LF = 0x0a;

/** Which of these headers the bytes of the body confirm by themselves. */
interface SelfDescribing {
  readonly contentType: boolean;
  readonly transferEncoding: boolean;
  readonly disposition: boolean;
}

/**
 * Whether a body could mean anything else under another Content-Type or Content-Transfer-Encoding. Few signers cover
 * these, the largest providers do not: whoever changes them turns what the sender quoted into what the sender says. A
 * boundary that stands in the middle of a text, a charset that spells line ends in letters, markup read as text.
 */
export function selfDescribing(raw: Buffer, root: MimePart): SelfDescribing {
  const body = raw.subarray(root.bodyStart);
  const disposition = (firstHeader(root.headers, 'content-disposition') ?? '').toLowerCase();
  return {
    contentType: confirmsType(body, root),
    transferEncoding: confirmsEncoding(body, root),
    // A text that is called a file is no text any more.
    disposition: disposition === '' || disposition === 'inline',
  };
}

function confirmsType(body: Buffer, root: MimePart): boolean {
  if (!isPlainlyWritten(firstHeader(root.headers, 'content-type') ?? '')) return false;
  if (root.type.startsWith('multipart/')) {
    return PLAIN_MULTIPART.has(root.type) && beginsWithBoundary(body, root) && confirmsSubtype(root);
  }
  if (root.type !== 'text/plain' && root.type !== 'text/html') return false;
  if (root.charset !== null && !ASCII_BASED.test(root.charset.toLowerCase())) return false;
  const text = decodeTransfer(body, root.encoding);
  // Nor may the bytes themselves be such a charset, whatever they are called.
  const asked = { label: root.charset, isMarkup: root.type === 'text/html', near: charsetsNamed(root.headers) };
  if (!ASCII_BASED.test(decodeText(text.subarray(0, MAX_LOOKED), asked).charset)) return false;
  const isMarkup = MARKUP.test(text.toString('latin1', 0, 400));
  if (isMarkup || root.type === 'text/html') return isMarkup && root.type === 'text/html';
  return !looksLikeParts(text);
}

/** Comments, pieces and names given twice are where one reader sees another type than the next. */
function isPlainlyWritten(header: string): boolean {
  if (header !== '' && !PLAIN_TYPE.test(header)) return false;
  const names = [...header.matchAll(/;\s*([\w-]+)=/g)].map(([, name = '']) => name.toLowerCase());
  return new Set(names).size === names.length;
}

/** A text and its markup beside each other are versions of one text; anything else is not, and nor is a text with a file name. */
function confirmsSubtype({ type, children }: MimePart): boolean {
  const areShown = children.every(
    ({ disposition, isNamed, readAs }) => (disposition === '' || disposition === 'inline') && !(isNamed && readAs),
  );
  const has = (pattern: RegExp) => children.some((child) => pattern.test(child.type));
  const areVersions = areShown && has(/^text\/plain$/) && has(/^(?:text\/html|multipart\/.*)$/);
  return type === 'multipart/alternative' ? areVersions || children.length === 1 : !areVersions;
}

/** Blank lines may come first: some programs write one, and nobody else can. */
function beginsWithBoundary(body: Buffer, root: MimePart): boolean {
  const start = firstText(body);
  if (!root.boundary || body[start] !== DASH || body[start + 1] !== DASH) return false;
  const delimiter = Buffer.from(`--${root.boundary}`);
  const end = start + delimiter.length;
  if (!delimiter.equals(body.subarray(start, end))) return false;
  return /^[ \t]*\r?\n/.test(body.toString('latin1', end, end + 200));
}

function firstText(body: Buffer): number {
  let at = 0;
  while (at < body.length && (body[at] === CR || body[at] === LF)) at += 1;
  return at;
}

/** A delimiter with the header of a part below it, wherever it stands: this may be a multipart that was called a text. */
function looksLikeParts(body: Buffer): boolean {
  for (let line = firstText(body); line >= 0 && line < body.length; ) {
    const next = body.indexOf(LF, line) + 1;
    if (next === 0) return false;
    const isPart = isDelimiter(body, line) && /^content-[a-z-]{1,40}:/i.test(body.toString('latin1', next, next + 60));
    if (isPart) return true;
    line = next;
  }
  return false;
}

/** `-- ` begins a signature, and a row of dashes is a line that somebody drew. */
const isDelimiter = (body: Buffer, line: number): boolean =>
  body[line] === DASH && body[line + 1] === DASH && !/^-*\s/.test(body.toString('latin1', line + 2, line + 202));

function confirmsEncoding(body: Buffer, root: MimePart): boolean {
  if ((firstHeader(root.headers, 'content-transfer-encoding') ?? '').toLowerCase() !== root.encoding) return false;
  if (root.encoding === 'base64') return isWrittenInBase64(body);
  if (root.encoding === 'quoted-printable') return isWrittenInQuotedPrintable(body);
  if (!['', '7bit', '8bit', 'binary'].includes(root.encoding)) return false;
  return root.type.startsWith('multipart/') || !(isLongBase64(body) || isQuotedPrintable(body));
}

const BASE64 = new Set(Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/='));
const LETTERS = Uint8Array.from({ length: 256 }, (_, byte) => (BASE64.has(byte) ? 1 : 0));

/**
 * How many letters of base64 a body has; null when it has anything but these and line breaks. Byte by byte: as a text
 * without its line breaks, 13 MB of short lines took the thread 130 MB.
 */
function lettersOfBase64(body: Buffer): number | null {
  let letters = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] ?? 0;
    if (LETTERS[byte] === 1) letters += 1;
    else if (byte !== CR && byte !== LF) return null;
  }
  return letters;
}

/** Fewer letters may be a word, or a code that somebody was asked to write. */
const LEAST_BASE64 = 60;

/** All of it is base64, and so much that nobody has typed it. */
function isWrittenInBase64(body: Buffer): boolean {
  const letters = lettersOfBase64(body);
  return letters !== null && (letters === 0 || (letters >= LEAST_BASE64 && letters % 4 === 0));
}

/** An encoder breaks a line where it gets too long. */
const LEAST_BROKEN = 60;
/** What has to be escaped: `=`, blanks at a line's end, bytes beyond ASCII; dots, dashes and "From" where a line begins. */
const NEEDED = /^=(?:3D|[89A-F][0-9A-F]|(?:20|09)(?=\r?\n|$|=\r?\n|=(?:20|09)))/;
const NEEDED_FIRST = /^=(?:46(?=rom )|2E|2D)/;

/**
 * Whether each `=` stands there as encoders write it. By chance a text holds `budget=3900`, and a line of a quote may end
 * in `=`: it would take what stands below into the quote.
 */
function isWrittenInQuotedPrintable(body: Buffer): boolean {
  if (!body.includes(EQUALS)) return true;
  const text = body.toString('latin1');
  const isUnicode = isUtf8(decodeTransfer(body, 'quoted-printable'));
  let [line, end] = [0, text.indexOf('\n')];
  for (let at = text.indexOf('='); at >= 0; at = text.indexOf('=', at + 1)) {
    while (end >= 0 && end < at) [line, end] = [end + 1, text.indexOf('\n', end + 1)];
    const here = text.slice(at, at + 12);
    if (/^=[ \t]*(?:\r?\n|$)/.test(here)) {
      if (at - line < LEAST_BROKEN || QUOTE_SIGN.test(text.slice(line, at))) return false;
    } else if (!(NEEDED.test(here) || (at === line && NEEDED_FIRST.test(here)))) return false;
    // A number behind one byte that alone is a letter: more likely a value.
    else if (!isUnicode && /^=[89A-F][0-9A-F][0-9]/.test(here)) return false;
  }
  return true;
}

/** A word or two may be letters alone. */
function isLongBase64(body: Buffer): boolean {
  const letters = body.length < 16 ? null : lettersOfBase64(body);
  return letters !== null && letters % 4 === 0;
}

/** Every `=` is an escape as programs write them: of a character that cannot stand there as it is, or of a line end. */
function isQuotedPrintable(body: Buffer): boolean {
  if (!body.includes(EQUALS)) return false;
  // Blanks are nobody's: more of them make no line too long, and none hides a line end.
  const text = body.toString('latin1').replaceAll(/[ \t]+/g, ' ');
  if (/[\x80-\xff]|(?<![^\r\n])[^\r\n]{79}/.test(text)) return false;
  return !/=(?! ?\r?\n| ?$|[89A-F][0-9A-F]|[01][0-9A-F]|2[0-9A-F]|3[A-F]|40|5[B-F]|60|7[B-F]|46)/.test(text);
}
