import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { charsetOf, decodeCharset } from '../charset/charset.ts';
import { decodeWords, firstHeader, type HeaderBlock, type HeaderLine, headerValues, readHeaders } from './headers.ts';
import { decodeTransfer } from './transfer.ts';
import type { ParsedMail } from './types.ts';

export interface MimePart {
  readonly headers: readonly HeaderLine[];
  /** Lower case; `text/plain` when none is named. */
  readonly type: string;
  /** As which text it is read; null where it is a file, or has parts. */
  readAs: 'text/plain' | 'text/html' | null;
  /** A file name, whether of its disposition or of its type. */
  readonly isNamed: boolean;
  readonly params: ReadonlyMap<string, string>;
  /** Whether a reader that goes by the letter of its header takes it for something else. */
  readonly isMisread: boolean;
  /** Offset at which its header begins. */
  readonly start: number;
  readonly charset: string | null;
  /** Boundary of a multipart; null where there is none, or where it is longer than servers take. */
  readonly boundary: string | null;
  /** format=flowed (RFC 3676); null for lines that stand as they are. */
  readonly flowed: { readonly delSp: boolean } | null;
  /** Lower case, or empty. */
  readonly disposition: string;
  readonly encoding: string;
  readonly bodyStart: number;
  bodyEnd: number;
  readonly children: MimePart[];
}

export interface StructureLimits {
  readonly max_mime_depth: number;
  readonly max_mime_parts: number;
}

type Structure =
  | {
      readonly ok: true;
      readonly root: MimePart;
      readonly block: HeaderBlock;
      /** How the bytes have to be changed, as offsets in order, for a reader that goes by their letter to see these parts. */
      readonly edits: readonly Edit[];
    }
  | { readonly ok: false; readonly message: string };

/** What stands between two offsets gives way to a text: blanks behind a delimiter, a Content-Type that names no type. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

interface Open {
  readonly part: MimePart;
  /** `--boundary`; null for message/rfc822, whose child has no delimiter of its own. */
  delimiter: Buffer | null;
  readonly depth: number;
}

const NEWLINE_DASHES = Buffer.from('\n--');
const MAX_BOUNDARY = 200;
/** Limit on the headers of all parts together: readers keep headers, several times over, and only pass bodies on. */
const MAX_PART_HEADERS = 1_000_000;

/**
 * The tree of parts by offsets, or which limit it breaks. One pass: only lines that begin with `--` are looked at,
 * each against at most `max_mime_depth` boundaries, so no choice of boundaries makes it slow.
 */
export function readStructure(raw: Buffer, limits: StructureLimits): Structure {
  const block = readHeaders(raw);
  const root = describe(raw, block, 0, null);
  const open: Open[] = [];
  const edits: Edit[] = [];
  let parts = 1;
  let headerBytes = 0;
  const partAt = (start: number, parent: MimePart): MimePart => {
    const inside = readHeaders(raw, start, raw.length, 'part');
    const part = describe(raw, inside, start, parent);
    if (inside.blanks && part.bodyStart > start) edits.push({ ...inside.blanks, text: '' });
    parts += 1;
    headerBytes += part.bodyStart - start;
    return part;
  };
  const tooMuch = () => overLimit({ depth: open.at(-1)?.depth ?? 0, parts, headerBytes }, limits);
  const enter = (part: MimePart, depth: number): number => {
    // Returns where to read on. message/rfc822 opens its inner message at once.
    if (part.boundary) open.push({ part, delimiter: Buffer.from(`--${part.boundary}`), depth: depth + 1 });
    const embedded = part.type === 'message/rfc822' && /^(|7bit|8bit|binary)$/.test(part.encoding);
    if (!embedded || depth > limits.max_mime_depth || part.bodyStart >= raw.length) return part.bodyStart;
    const inner = partAt(part.bodyStart, part);
    part.children.push(inner);
    open.push({ part, delimiter: null, depth: depth + 1 });
    return enter(inner, depth + 1);
  };

  let position = enter(root, 0);
  while (open.length > 0) {
    const broken = tooMuch();
    if (broken) return { ok: false, message: broken };
    const lineStart = nextDashes(raw, position);
    if (lineStart < 0) break;
    const lineEnd = endOfLine(raw, lineStart);
    const match = findDelimiter(raw, open, lineStart, lineEnd);
    position = lineEnd;
    if (!match) continue;
    if (match.blanks > 0) edits.push({ from: match.end, to: match.end + match.blanks, text: '' });
    const parent = closeTo(open, match.index, endBefore(raw, lineStart));
    if (!parent) break;
    if (match.closing) {
      parent.delimiter = Buffer.alloc(0); // the epilogue: this boundary opens nothing any more
      continue;
    }
    const child = partAt(lineEnd, parent.part);
    parent.part.children.push(child);
    position = enter(child, parent.depth);
  }
  const broken = tooMuch();
  if (broken) return { ok: false, message: broken };
  markLetters(root);
  edits.push(...statements(raw, root));
  return { ok: true, root, block, edits: edits.toSorted((left, right) => left.from - right.from) };
}

function overLimit(
  { depth, parts, headerBytes }: { depth: number; parts: number; headerBytes: number },
  limits: StructureLimits,
): string | null {
  if (headerBytes > MAX_PART_HEADERS) return `its parts have more than ${MAX_PART_HEADERS} bytes of headers`;
  if (depth > limits.max_mime_depth) return `parts are nested deeper than ${limits.max_mime_depth}`;
  return parts > limits.max_mime_parts ? `more than ${limits.max_mime_parts} parts` : null;
}

const PLAIN_TEXT = { value: 'text/plain', params: new Map<string, string>(), isPlain: true };

function describe(raw: Buffer, block: HeaderBlock, start: number, parent: MimePart | null): MimePart {
  const stated = partTypeOf(block.lines, raw, block.bodyStart);
  const { params, isPlain, value } = stated ?? PLAIN_TEXT;
  const flow = params.get('format')?.toLowerCase();
  const disposition = readParams(firstHeader(block.lines, 'content-disposition') ?? '');
  const encoding = readParams(firstHeader(block.lines, 'content-transfer-encoding') ?? '').value;
  const isNamed = disposition.params.has('filename') || params.has('name');
  // What a digest holds is mail, unless it says otherwise (RFC 2046 section 5.1.5).
  const isMail = stated === null && parent?.type === 'multipart/digest';
  const isBare = isMail && lacksEmptyLine(block);
  const bodyStart = isBare ? start : block.bodyStart;
  const isHidden = isNamed || disposition.value === 'attachment';
  const isFile = stated !== null && saysNothing(stated.header) && (isHidden || isBinary(raw, bodyStart, encoding));
  const type = isMail ? 'message/rfc822' : isFile ? 'application/octet-stream' : value;
  return {
    headers: isBare ? [] : block.lines,
    type,
    readAs: textType(type),
    isNamed,
    params,
    isMisread: isMail || (!isPlain && !isFile),
    start,
    boundary: boundaryOf(type, params),
    flowed: flow === 'flowed' ? { delSp: isSet(params, 'delsp') } : null,
    charset: params.get('charset') ?? null,
    disposition: disposition.value,
    encoding,
    bodyStart,
    bodyEnd: raw.length,
    children: [],
  };
}

const textType = (type: string): MimePart['readAs'] => (type === 'text/plain' || type === 'text/html' ? type : null);

/** A header of a digest that is the header of the mail in it. */
const lacksEmptyLine = ({ lines }: HeaderBlock): boolean =>
  lines.length > 0 && !lines.some(({ name }) => name.startsWith('content-'));

const isSet = (params: MimePart['params'], name: string): boolean => params.get(name)?.toLowerCase() === 'yes';

function boundaryOf(type: string, params: MimePart['params']): string | null {
  if (!type.startsWith('multipart/')) return null;
  const boundary = params.get('boundary') ?? '';
  return boundary === '' || boundary.length > MAX_BOUNDARY ? null : boundary;
}

/** No text holds a NUL but that of UTF-16, which says so. */
const isBinary = (raw: Buffer, start: number, encoding: string): boolean =>
  decodeTransfer(Buffer.from(raw.subarray(start, start + 400)), encoding).includes(0);

/** Text that programs exchange, or that another version of the letter repeats: a file, and never what somebody wrote. */
const DATA =
  /^text\/(?:calendar|x-v?calendar|csv|tab-separated-values|(?:x-)?vcard|directory|css|(?:x-)?(?:java|ecma)script|json|xml|rtf|rfc822-headers|x-amp-html|(?:x-)?watch-html|(?:vnd|prs)\..*)$/;

/**
 * Text of a type that nobody knows is text (RFC 2046 section 4.1.4): read where it is the letter, or stands in the row of
 * those that are, and has no name. Of versions of one text that is read which is of a known type, else the first.
 */
function markLetters(root: MimePart): void {
  const hasLetter = anyLetter(root);
  const visit = (part: MimePart, isVersion: boolean): void => {
    if (part.type === 'message/rfc822' || part.type === 'multipart/report') return;
    if (part.type === 'multipart/alternative') {
      if (anyLetter(part)) return;
      const first = part.children.find((child) => isUnknownText(child) || child.children.length > 0);
      if (first) visit(first, true);
      return;
    }
    if (isUnknownText(part) && !(hasLetter && !isVersion && isFile(part))) part.readAs = 'text/plain';
    for (const child of part.children) visit(child, isVersion);
  };
  visit(root, false);
}

const isShown = ({ disposition }: MimePart): boolean => disposition === '' || disposition === 'inline';

const isUnknownText = (part: MimePart): boolean =>
  part.type.startsWith('text/') && part.readAs === null && isShown(part) && !DATA.test(part.type);

const isFile = ({ isNamed, headers }: MimePart): boolean =>
  isNamed || headers.some(({ name }) => name === 'content-id');

const anyLetter = (part: MimePart): boolean =>
  part.type !== 'message/rfc822' && ((part.readAs !== null && isShown(part)) || part.children.some(anyLetter));

/** A Content-Type above that of each part which another reader would take for something else. */
function statements(raw: Buffer, part: MimePart): Edit[] {
  const type = part.readAs ?? part.type;
  const isStated = part.isMisread || (part.readAs !== null && part.readAs !== part.type);
  // The first line of a mail may be that of the mailbox file it lay in.
  const at = part.start === 0 && raw.toString('latin1', 0, 5) === 'From ' ? endOfLine(raw, 0) : part.start;
  const end = part.bodyStart === part.start ? '\r\n\r\n' : '\r\n';
  const own = isStated ? [{ from: at, to: at, text: `${statedType(type, part.params)}${end}` }] : [];
  // What lies in a mail that is handed on as a file stays as it is.
  return part.type === 'message/rfc822' ? own : [...own, ...part.children.flatMap((child) => statements(raw, child))];
}

/** Start of the next line that begins with `--`, at or after `position`, which is itself the start of a line. */
function nextDashes(raw: Buffer, position: number): number {
  if (raw[position] === 0x2d && raw[position + 1] === 0x2d) return position;
  const found = raw.indexOf(NEWLINE_DASHES, Math.max(position - 1, 0));
  return found < 0 ? -1 : found + 1;
}

function endOfLine(raw: Buffer, start: number): number {
  const newline = raw.indexOf(0x0a, start);
  return newline < 0 ? raw.length : newline + 1;
}

/** The line break before a delimiter belongs to it (RFC 2046 section 5.1.1). */
function endBefore(raw: Buffer, lineStart: number): number {
  if (raw[lineStart - 1] !== 0x0a) return lineStart;
  return raw[lineStart - 2] === 0x0d ? lineStart - 2 : lineStart - 1;
}

function findDelimiter(raw: Buffer, open: readonly Open[], start: number, end: number) {
  for (let index = open.length - 1; index >= 0; index -= 1) {
    const delimiter = open[index]?.delimiter;
    if (!delimiter || delimiter.length === 0 || end - start < delimiter.length) continue;
    if (delimiter.compare(raw, start, start + delimiter.length) !== 0) continue;
    const rest = raw.toString('latin1', start + delimiter.length, Math.min(end, start + delimiter.length + 200));
    const found = /^(-{2}|)([ \t]*)\r?\n?$/.exec(rest);
    if (!found) continue;
    const [, dashes = '', blanks = ''] = found;
    const after = start + delimiter.length + dashes.length;
    return { index, closing: dashes !== '', end: after, blanks: blanks.length };
  }
  return null;
}

/** Closes everything above `index` and gives the multipart that stands there. */
function closeTo(open: Open[], index: number, bodyEnd: number): Open | undefined {
  for (const { part } of open.splice(index + 1)) {
    part.bodyEnd = Math.min(part.bodyEnd, bodyEnd);
    endLast(part, bodyEnd);
  }
  const parent = open[index];
  if (parent) endLast(parent.part, bodyEnd);
  return parent;
}

function endLast(part: MimePart, bodyEnd: number): void {
  const last = part.children.at(-1);
  if (last) last.bodyEnd = Math.min(last.bodyEnd, bodyEnd);
}

const RECURSION_HEADER = 'X-Epistle-Recursion';
const KEY = RECURSION_HEADER.toLowerCase();

/** All that a mail of ours has of these is sealed; servers on the way add others. */
const SEALED = new Set([
  'from',
  'to',
  'cc',
  'reply-to',
  'subject',
  'date',
  'message-id',
  'in-reply-to',
  'references',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
  'auto-submitted',
]);

export interface Hops {
  /** How many further hops the mail allows. */
  readonly depth: number;
  readonly secret: string;
}

/**
 * A mail of ours with its signed hop count on top. The seal is over the words, too: whoever got the mail must not be
 * able to send other words on in a persona's name.
 */
export function sealMail(raw: Uint8Array, { depth, secret }: Hops): Uint8Array {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  const seal = sealOf(depth, digestOf(bytes, readHeaders(bytes)), secret);
  return Buffer.concat([Buffer.from(`${RECURSION_HEADER}: ${depth}; s=${seal}\r\n`), bytes]);
}

/** How many further hops our own mail allows; null without the header or without our seal. */
export function verifyRecursion(mail: Pick<ParsedMail, 'headers' | 'provable'>, secret: string): number | null {
  const { fault, seal } = mail.provable;
  const values = headerValues(mail.headers, KEY);
  const match = /^(\d{1,3}); s=([0-9a-f]{32})$/.exec(values.length === 1 ? (values[0] ?? '') : '');
  if (!match?.[1] || !match[2] || seal === null || fault !== null) return null;
  const depth = Number(match[1]);
  return timingSafeEqual(Buffer.from(sealOf(depth, seal, secret)), Buffer.from(match[2])) ? depth : null;
}

/** What the seal of a mail is made over; null for a mail that does not claim to have one. */
export function sealedDigest(raw: Buffer, block: HeaderBlock): string | null {
  return block.lines.some(({ name }) => name === KEY) ? digestOf(raw, block) : null;
}

const PIECE = 32_768;

/** Header lines may be folded anew on the way, and line ends and blanks at the end of a line may change. */
function digestOf(raw: Buffer, block: HeaderBlock): string {
  const isSealed = (name: string) => SEALED.has(name) || (name.startsWith('x-epistle-') && name !== KEY);
  const headers = block.lines
    .filter(({ name }) => isSealed(name))
    .map(({ name, value }) => `${name}:${value.replace(/\s+/g, ' ')}\n`);
  const hash = createHash('sha256').update(headers.join(''));
  // In larger pieces: to hand over each line by itself takes longer than to hash it.
  let piece = '';
  for (const line of raw.toString('latin1', block.bodyStart).trimEnd().split('\n')) {
    piece += `\n${line.trimEnd()}`;
    if (piece.length < PIECE) continue;
    hash.update(piece, 'latin1');
    piece = '';
  }
  return hash.update(piece, 'latin1').digest('hex');
}

const sealOf = (depth: number, digest: string, secret: string): string =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['epistle-recursion', depth, digest]))
    .digest('hex')
    .slice(0, 32);

/** The Date header that a mail of that moment gets. */
export const dateHeaderOf = (ms: number): string => new Date(ms).toUTCString().replace('GMT', '+0000');

interface ContentType extends HeaderValue {
  /** Whether it is written so that every reader finds the same in it. */
  readonly isPlain: boolean;
}

const WELL_FORMED = /^[^\s()<>@,;:\\"/[\]?=]+\/[^\s()<>@,;:\\"/[\]?=]+$/;
/** Type and subtype with whatever a program has put between and behind them. */
const LOOSE = /^["']?\s{0,9}([a-z]{2,20})\s{0,9}[/\\]\s{0,9}([a-z0-9][\w.+-]{0,80})["']?\s{0,99}(.*)$/is;
/** Where a parameter begins that no semicolon stands before. */
const NEXT_PARAMETER = /(?<![\s,;:])[\s,;:]{1,20}(?=[a-z][a-z-]{1,20}\*?[0-9]{0,3}\*?\s{0,9}=)/gi;
/** A charset without its `=`. */
const BARE_CHARSET = /(^|;)\s{0,9}charset\s{0,9}[:\s]\s{0,9}(?=["']?[\w-])/gi;
const MAX_HEADER = 16_384;

/**
 * A Content-Type as it is meant: what cannot be read is text (RFC 2045 section 5.2), and what lacks its semicolon still
 * names its charset and its boundary.
 */
export function readContentType(header: string): ContentType {
  const read = readParams(header);
  if (WELL_FORMED.test(read.value)) {
    const charset = read.params.has('charset') ? null : charsetIn(header);
    return charset === null
      ? { ...read, isPlain: true }
      : { ...read, params: withCharset(read, charset), isPlain: false };
  }
  const written = header
    .slice(0, MAX_HEADER)
    .replace(/\([^()]*\)/g, ' ')
    .trim();
  const [, type = '', subtype = '', rest = ''] = LOOSE.exec(written) ?? [];
  const params = paramsIn(type === '' ? written : rest);
  const value = type === '' ? meant(written) : `${type}/${subtype}`.toLowerCase();
  return { value, params, isPlain: false };
}

function charsetIn(header: string): string | null {
  BARE_CHARSET.lastIndex = 0;
  const semicolon = header.indexOf(';');
  const rest = semicolon < 0 ? '' : header.slice(semicolon, 1000);
  return BARE_CHARSET.test(rest) ? (paramsIn(rest).get('charset') ?? null) : null;
}

const withCharset = ({ params }: HeaderValue, charset: string) => new Map([...params, ['charset', charset] as const]);

const paramsIn = (text: string): ReadonlyMap<string, string> =>
  readParams(`x/x;${text.replace(NEXT_PARAMETER, ';').replace(BARE_CHARSET, '$1charset=')}`).params;

/** Of a type without its subtype. */
function meant(written: string): string {
  if (/^["']?multipart\b/i.test(written)) return 'multipart/mixed';
  return /^["']?(?:text\W{1,3})?html\b/i.test(written) ? 'text/html' : 'text/plain';
}

/** Whether it names nothing that a text could be, such as `foo` or `pdf`: a file may hide there. */
const saysNothing = (header: string): boolean => {
  const { isPlain, value } = readContentType(header);
  return !isPlain && value === 'text/plain' && !/^\W{0,9}(?:text|plain|charset)/i.test(header);
};

/** How much of a body is looked through for a boundary, and how many headers of a part are compared. */
const [MAX_LOOKED, MAX_COMPARED] = [65_536, 4];

interface PartType extends ContentType {
  /** The header that it was read from. */
  readonly header: string;
}

/**
 * Of several Content-Types of one part the one which its body bears out: a multipart whose boundary stands there, else the
 * first that is no multipart and is well written, else the first.
 */
function partTypeOf(lines: readonly HeaderLine[], raw: Buffer, bodyStart: number): PartType | null {
  const found = lines.filter(({ name }) => name === 'content-type').slice(0, MAX_COMPARED);
  if (found.length === 0) return null;
  const types = found.map((line): PartType => ({ ...readContentType(line.value), header: line.value }));
  const [first] = types;
  if (types.length === 1) return first ?? null;
  const body = `\n${raw.toString('latin1', bodyStart, bodyStart + MAX_LOOKED)}`;
  const isMultipart = ({ value }: PartType) => value.startsWith('multipart/');
  const chosen =
    types.find((type) => isMultipart(type) && isBounded(body, type.params.get('boundary') ?? '')) ??
    types.find(({ value }) => value === 'text/html' && MARKUP.test(body)) ??
    types.find((type) => type.isPlain && !isMultipart(type)) ??
    types.find((type) => !isMultipart(type)) ??
    first;
  return chosen ? { ...chosen, isPlain: false, params: withBestCharset(chosen, types) } : null;
}

const MARKUP = /^\s{0,200}<(?:!doctype|html|head|body|meta|div|p|table)[\s>]/i;

/** A charset that another one of them names is better than none, and than one that nobody knows. */
function withBestCharset(chosen: PartType, types: readonly PartType[]): ReadonlyMap<string, string> {
  const known = [chosen, ...types].map(({ params }) => params.get('charset') ?? '').find((label) => charsetOf(label));
  return known === undefined || chosen.value.startsWith('multipart/') ? chosen.params : withCharset(chosen, known);
}

const isBounded = (body: string, boundary: string): boolean => boundary !== '' && body.includes(`\n--${boundary}`);

/** The header line by which any other reader finds the same; without line breaks, as headers are when they were read. */
const statedType = (type: string, params: ReadonlyMap<string, string>): string =>
  [`Content-Type: ${type}`, ...[...params].map(([name, value]) => `${name}="${value.replace(/["\\]/g, '\\$&')}"`)]
    .join('; ')
    .replace(/[\r\n]/g, ' ');

interface HeaderValue {
  /** Lower case, without parameters. */
  readonly value: string;
  readonly params: ReadonlyMap<string, string>;
}

const MAX_PARAMS = 100;
/** Of a header that is not there, as most mail has no Content-Disposition. */
const NOTHING: HeaderValue = { value: '', params: new Map() };

/** Reads `text/plain; charset="utf-8"; name*0*=utf-8''a%20; name*1=b` (RFC 2045 and 2231), first mention wins. */
export function readParams(header: string): HeaderValue {
  if (header === '') return NOTHING;
  const pieces = splitAtSemicolons(header.slice(0, 16_384));
  const plain = new Map<string, string>();
  const pieced = new Map<string, Map<number, { text: string; encoded: boolean }>>();
  for (const piece of pieces.slice(1, MAX_PARAMS)) {
    const equals = piece.indexOf('=');
    if (equals < 1) continue;
    const key = piece.slice(0, equals).trim().toLowerCase();
    const text = unquote(piece.slice(equals + 1).trim());
    const star = key.indexOf('*');
    if (star < 0) {
      if (!plain.has(key)) plain.set(key, text);
      continue;
    }
    const name = key.slice(0, star);
    const number = Number.parseInt(key.slice(star + 1), 10);
    const parts = pieced.get(name) ?? new Map<number, { text: string; encoded: boolean }>();
    const index = Number.isNaN(number) ? 0 : number;
    if (!parts.has(index)) parts.set(index, { text, encoded: key.endsWith('*') });
    pieced.set(name, parts);
  }
  const params = new Map([...plain].map(([key, text]) => [key, decodeWords(text)]));
  for (const [name, parts] of pieced) params.set(name, joinPieces(parts));
  return {
    value: (pieces[0] ?? '')
      .replace(/\([^()]*\)/g, '')
      .trim()
      .toLowerCase(),
    params,
  };
}

function joinPieces(parts: ReadonlyMap<number, { text: string; encoded: boolean }>): string {
  const sorted = [...parts].sort(([left], [right]) => left - right).map(([, part]) => part);
  const first = sorted[0];
  if (!first) return '';
  const prefix = first.encoded ? /^([^']*)'[^']*'/.exec(first.text) : null;
  const bytes = sorted.map((part, index) => {
    const text = index === 0 && prefix ? part.text.slice(prefix[0].length) : part.text;
    return part.encoded ? percentBytes(text) : Buffer.from(text);
  });
  return decodeCharset(Buffer.concat(bytes), prefix?.[1] || 'utf-8').text;
}

function percentBytes(text: string): Buffer {
  const latin = text.replace(/%([0-9a-f]{2})/gi, (_whole, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return /[\u0100-\uffff]/.test(latin) ? Buffer.from(text) : Buffer.from(latin, 'latin1');
}

/** Splits at semicolons outside quoted strings. One pass: nothing here may cost more than its length. */
function splitAtSemicolons(header: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  let quoted = false;
  for (let index = 0; index < header.length; index += 1) {
    const character = header[index];
    if (character === '\\' && quoted) index += 1;
    else if (character === '"') quoted = !quoted;
    else if (character === ';' && !quoted) {
      pieces.push(header.slice(start, index));
      start = index + 1;
    }
  }
  pieces.push(header.slice(start));
  return pieces;
}

function unquote(text: string): string {
  if (!text.startsWith('"')) return text.split(/[\s(]/, 1)[0] ?? '';
  let out = '';
  for (let index = 1; index < text.length && text[index] !== '"'; index += 1) {
    if (text[index] === '\\' && index + 1 < text.length) index += 1;
    out += text[index];
  }
  return out;
}
