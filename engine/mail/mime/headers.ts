import { isUtf8 } from 'node:buffer';

export interface HeaderLine {
  readonly name: string;
  /** On one line. Raw UTF-8 (RFC 6532) is read; of anything else with a high bit each byte is a character. */
  readonly value: string;
  /**
   * Where bytes of a charset that the header does not name stand in it: these bytes, as characters, and the same without
   * the blanks by which a line was folded within a character. For `readableValue`; no address is looked for in it.
   */
  readonly raw?: readonly [whole: string, unfolded: string];
}

export interface HeaderBlock {
  readonly lines: readonly HeaderLine[];
  /** Offset of the first body byte. */
  readonly bodyStart: number;
  /** A bare CR hides a second From line from readers that split at LF, not from those that split at CR. */
  readonly hiddenFrom: boolean;
  /**
   * What two readers could read differently here, in words; null when there is nothing of the kind. A reader that
   * takes such a line for the end of the header shows as text what another one has checked as header.
   */
  readonly malformed: string | null;
  /** The line of blanks that ended it; null where an empty line did. */
  readonly blanks: { readonly from: number; readonly to: number } | null;
}

// Obsolete syntax allows blanks before the colon, and readers that accept it would see a second From there.
const FIELD = /^([!-9;-~]+)[ \t]*:/;
/** Characters at which one reader ends a line or a text and another goes on. */
const HIDING = /[\0\r\v\f]/;
/** Any other control character: readers keep it, drop it or take it for a blank. In these fields that makes another name of one. */
const CONTROL = /(?!\t)(?=\p{ASCII})\p{Cc}/u;
const NAMING = new Set(['from', 'sender', 'to', 'cc', 'reply-to', 'date', 'dkim-signature', 'authentication-results']);
/** Servers stop at a hundredth of this. Beyond it the sender is not looked for any further, so he is nobody. */
const MAX_HEADER_BYTES = 2 * 1024 * 1024;
const BLANKS = /^[ \t]+$/;
const LF = 0x0a;
const CR = 0x0d;

/**
 * Reads the header block that starts at `start`. Never throws: what is no header line is left out. The header of a part
 * also ends at a line of blanks: most signers do not cover blanks at the end of a line, and a part whose empty line got
 * one would lose its text.
 */
export function readHeaders(raw: Buffer, start = 0, end = raw.length, of: 'mail' | 'part' = 'mail'): HeaderBlock {
  const found: { name: string; pieces: string[] }[] = [];
  let position = start;
  let malformed: string | null = null;
  while (position < end) {
    const newline = raw.indexOf(LF, position);
    const stop = newline < 0 || newline > end ? end : newline;
    // One line may be as long as all of them: as text it would be there three times over.
    if (stop - start > MAX_HEADER_BYTES) {
      return { ...finish(found), hiddenFrom: true, malformed, bodyStart: blankLine(raw, position, end) };
    }
    const textEnd = stop > position && raw[stop - 1] === CR ? stop - 1 : stop;
    const next = Math.min(stop + 1, end);
    if (textEnd === position) return { ...finish(found), malformed, bodyStart: next };
    const line = raw.toString('latin1', position, textEnd);
    if (of === 'part' && BLANKS.test(line)) {
      return { ...finish(found), malformed, bodyStart: next, blanks: { from: position, to: textEnd } };
    }
    const kind = takeLine(found, line);
    malformed ??= faultOf(line, kind, found.at(-1)?.name ?? '');
    // A boundary where a header should be: the blank line is missing, and the body starts here.
    if (kind === 'neither' && line.startsWith('--')) return { ...finish(found), malformed, bodyStart: position };
    position = next;
  }
  return { ...finish(found), malformed, bodyStart: end };
}

function faultOf(line: string, kind: Line, field: string): string | null {
  if (HIDING.test(line) || (NAMING.has(field) && CONTROL.test(line))) return 'a header line holds a control character';
  if (kind === 'neither') return 'a line of the header is neither a field nor its continuation';
  return BLANKS.test(line) ? 'a line of blanks stands in the header' : null;
}

type Line = 'field' | 'continuation' | 'neither';

function takeLine(found: { name: string; pieces: string[] }[], line: string): Line {
  const last = found.at(-1);
  if (last && /^[ \t]/.test(line)) {
    last.pieces.push(line);
    return 'continuation';
  }
  const field = FIELD.exec(line);
  if (field?.[1]) found.push({ name: field[1].toLowerCase(), pieces: [line.slice(field[0].length)] });
  return field === null ? 'neither' : 'field';
}

function blankLine(raw: Buffer, position: number, end: number): number {
  const found = ['\r\n\r\n', '\n\n'].map((sign) => ({ at: raw.indexOf(sign, position), length: sign.length }));
  const first = found.filter(({ at }) => at >= 0).toSorted((left, right) => left.at - right.at)[0];
  return first ? Math.min(first.at + first.length, end) : end;
}

function finish(found: readonly { readonly name: string; readonly pieces: readonly string[] }[]) {
  const blanks: HeaderBlock['blanks'] = null;
  let hiddenFrom = false;
  const lines = found.map(({ name, pieces }): HeaderLine => {
    const { value, raw } = unfold(pieces);
    hiddenFrom ||= /\r[ \t]*from[ \t]*:/i.test(value);
    // What is no blank of ASCII stays: a server may have made a part of a name of it.
    const plain = value.replace(NAMING.has(name) ? ASCII_CONTROL : /\p{Cc}/gu, ' ');
    const line = { name, value: withoutOuterBlanks(plain) };
    return raw ? { ...line, raw } : line;
  });
  return { lines, hiddenFrom, blanks };
}

const ASCII_CONTROL = /(?=\p{ASCII})\p{Cc}/gu;

/** Step by step: an expression tries a run of blanks from each of its places. */
function withoutOuterBlanks(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

const isBlank = (sign: string | undefined): boolean => sign === ' ' || sign === '\t';

/** What switches the set of characters, as ISO-2022-JP does. */
const ESCAPE = '\x1b';

function unfold(pieces: readonly string[]): Pick<HeaderLine, 'value' | 'raw'> {
  const whole = pieces.join('');
  const isWritten = !whole.includes(ESCAPE);
  if (isWritten && !/\P{ASCII}/u.test(whole)) return { value: whole };
  const bytes = Buffer.from(whole, 'latin1');
  if (isWritten && isUtf8(bytes)) return { value: bytes.toString('utf8') };
  const unfolded = pieces.map((piece, index) => (isWithin(pieces[index - 1], piece) ? piece.slice(1) : piece)).join('');
  const joined = Buffer.from(unfolded, 'latin1');
  if (isWritten && isUtf8(joined)) return { value: joined.toString('utf8') };
  return { value: whole, raw: [whole, unfolded] };
}

/** A program that counts bytes folds a line where its room ends, within a character, too. */
const isWithin = (before: string | undefined, piece: string): boolean =>
  (before?.at(-1) ?? '') > '\x7f' && (piece[1] ?? '') > '\x7f';

export const headerValues = (lines: readonly HeaderLine[], name: string): string[] =>
  lines.filter((line) => line.name === name).map((line) => line.value);

export const firstHeader = (lines: readonly HeaderLine[], name: string): string | null =>
  lines.find((line) => line.name === name)?.value ?? null;

/** RFC 5322 section 3.6 and RFC 2045 allow each of these once. A signature covers the last one, people see the first. */
const SINGLE = new Set([
  'from',
  'sender',
  'to',
  'cc',
  'subject',
  'date',
  'message-id',
  'reply-to',
  'in-reply-to',
  'references',
  'mime-version',
  'content-type',
  'content-transfer-encoding',
]);

/** More are not kept; what proves a mail must be among those that are. */
export const MAX_HEADERS = 500;

/** Why the header of a mail proves nobody, whatever signatures it carries, in words; null when it may. */
export function headerFault(block: HeaderBlock): string | null {
  if (block.malformed !== null) return block.malformed;
  if (block.lines.length > MAX_HEADERS) return `the header has more than ${MAX_HEADERS} fields`;
  const seen = new Set<string>();
  for (const { name } of block.lines) {
    if (SINGLE.has(name) && seen.has(name)) return `${name} stands in the header twice`;
    seen.add(name);
  }
  return null;
}
