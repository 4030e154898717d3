import { partTypeOf, readParams, saysNothing, statedType } from './content-type.ts';
import { firstHeader, type HeaderBlock, type HeaderLine, readHeaders } from './headers.ts';
import { decodeTransfer } from './transfer.ts';

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
