import { firstHeader, type HeaderBlock, type HeaderLine, readHeaders } from './headers.ts';
import { readParams } from './params.ts';

export interface MimePart {
  readonly headers: readonly HeaderLine[];
  /** Lower case; `text/plain` when none is named. */
  readonly type: string;
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

export type Structure =
  | {
      readonly ok: true;
      readonly root: MimePart;
      readonly block: HeaderBlock;
      /** Blanks that end the header of a part, or stand behind a delimiter, as offsets in order. */
      readonly blanks: readonly { readonly from: number; readonly to: number }[];
    }
  | { readonly ok: false; readonly message: string };

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
  const root = describe(block, raw.length);
  const open: Open[] = [];
  const blanks: { from: number; to: number }[] = [];
  let parts = 1;
  let headerBytes = 0;
  const partAt = (start: number): MimePart => {
    const inside = readHeaders(raw, start, raw.length, 'part');
    if (inside.blanks) blanks.push(inside.blanks);
    const part = describe(inside, raw.length);
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
    const inner = partAt(part.bodyStart);
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
    if (match.blanks > 0) blanks.push({ from: match.end, to: match.end + match.blanks });
    const parent = closeTo(open, match.index, endBefore(raw, lineStart));
    if (!parent) break;
    if (match.closing) {
      parent.delimiter = Buffer.alloc(0); // the epilogue: this boundary opens nothing any more
      continue;
    }
    const child = partAt(lineEnd);
    parent.part.children.push(child);
    position = enter(child, parent.depth);
  }
  const broken = tooMuch();
  return broken ? { ok: false, message: broken } : { ok: true, root, block, blanks };
}

function overLimit(
  { depth, parts, headerBytes }: { depth: number; parts: number; headerBytes: number },
  limits: StructureLimits,
): string | null {
  if (headerBytes > MAX_PART_HEADERS) return `its parts have more than ${MAX_PART_HEADERS} bytes of headers`;
  if (depth > limits.max_mime_depth) return `parts are nested deeper than ${limits.max_mime_depth}`;
  return parts > limits.max_mime_parts ? `more than ${limits.max_mime_parts} parts` : null;
}

function describe(block: HeaderBlock, end: number): MimePart {
  const content = readParams(firstHeader(block.lines, 'content-type') ?? 'text/plain');
  const type = /^[^\s/]+\/[^\s/]+$/.test(content.value) ? content.value : 'text/plain';
  const boundary = type.startsWith('multipart/') ? (content.params.get('boundary') ?? '') : '';
  return {
    headers: block.lines,
    type,
    boundary: boundary === '' || boundary.length > MAX_BOUNDARY ? null : boundary,
    flowed:
      content.params.get('format')?.toLowerCase() === 'flowed'
        ? { delSp: content.params.get('delsp')?.toLowerCase() === 'yes' }
        : null,
    charset: content.params.get('charset') ?? null,
    disposition: readParams(firstHeader(block.lines, 'content-disposition') ?? '').value,
    encoding: readParams(firstHeader(block.lines, 'content-transfer-encoding') ?? '').value,
    bodyStart: block.bodyStart,
    bodyEnd: end,
    children: [],
  };
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
