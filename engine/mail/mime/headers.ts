import { isUtf8 } from 'node:buffer';
import { charsetOf, type Decoded, decodeText } from '../charset/charset.ts';
import { plausibilityOf } from '../charset/shape.ts';
import { stripInvisible } from '../text/lines.ts';
import { decodeTransfer } from './transfer.ts';

/** Where an encoded word (RFC 2047) begins. The language tag is RFC 2231's. */
const BEGIN = /=\?([^?*\s]{1,40})(?:\*[^?\s]{0,40})?\?([bq])\?/giy;

interface Word {
  readonly charset: string;
  readonly isBase64: boolean;
  readonly text: string;
}

/**
 * Decodes encoded words. Neighbours of one charset are joined first: mailers split characters between them. `guesses`: how
 * many of them are looked at for their shape where their label does not tell; a list of people may hold thousands.
 */
export function decodeWords(value: string, guesses = 0): string {
  if (!value.includes('=?')) return value;
  let out = '';
  let end = 0;
  let pending: Word[] = [];
  const room = { guesses };
  for (const { word, from, to } of wordsIn(value)) {
    const between = value.slice(end, from);
    if (pending.length === 0 || between.trim() !== '') {
      out += flush(pending, room) + between;
      pending = [];
    }
    pending.push(word);
    end = to;
  }
  return out + flush(pending, room) + value.slice(end);
}

/** The charsets that the encoded words of a value name. */
const charsetsOfWords = (value: string): string[] => [...wordsIn(value)].map(({ word }) => word.charset);

/** The charsets that the header of a mail names, by which a part is read that names none. */
export const charsetsNamed = (lines: readonly HeaderLine[]): string[] =>
  ['subject', 'from'].flatMap((name) => charsetsOfWords((firstHeader(lines, name) ?? '').slice(0, 2000)));

function* wordsIn(value: string): Generator<{ word: Word; from: number; to: number }> {
  let position = 0;
  for (let from = value.indexOf('=?'); from >= 0; from = value.indexOf('=?', position)) {
    BEGIN.lastIndex = from;
    const [begin = '', charset = '', encoding = ''] = BEGIN.exec(value) ?? [];
    position = from + 2;
    if (begin === '') continue;
    const start = from + begin.length;
    const isBase64 = encoding.toLowerCase() === 'b';
    const end = endOf(value, start, isBase64);
    // No word ends any more.
    if (end === 'none') return;
    if (end === null) continue;
    yield { word: { charset: charset.toLowerCase(), isBase64, text: value.slice(start, end) }, from, to: end + 2 };
    position = end + 2;
  }
}

/**
 * Where the text of a word ends. Blanks stand in it because real mailers put them there, and in Q question marks as well:
 * `?=` ends it unless an escape follows and another `?=`, before any other word begins.
 */
function endOf(value: string, start: number, isBase64: boolean): number | 'none' | null {
  let end = value.indexOf('?=', start);
  if (end < 0) return 'none';
  if (isBase64) return value.indexOf('?', start) === end ? end : null;
  const limit = value.indexOf('=?', start);
  const next = (at: number) => value.indexOf('?=', at);
  // The `=?` of a word that lacks its own end is that of the next one.
  if (limit >= 0 && limit < end && isBegin(value, limit)) return null;
  while (QUOTED_ESCAPE.test(value.slice(end + 2, end + 4))) {
    const later = next(end + 2);
    const begun = value.indexOf('=?', end + 2);
    if (later < 0 || (begun >= 0 && begun < later && isBegin(value, begun))) break;
    end = later;
  }
  return end;
}

const QUOTED_ESCAPE = /^[0-9A-F]{2}$/;

function isBegin(value: string, at: number): boolean {
  BEGIN.lastIndex = at;
  return BEGIN.test(value);
}

function bytesOf({ isBase64, text }: Word): Buffer {
  // A blank of a word counts, also at its end, where one of a body would not.
  const written = isBase64 ? text : text.replace(/[_ \t\r\n]/g, (sign) => BLANKS_BETWEEN.get(sign) ?? '=20');
  return decodeTransfer(Buffer.from(written), isBase64 ? 'base64' : 'quoted-printable');
}

const BLANKS_BETWEEN: ReadonlyMap<string, string> = new Map([
  ['\t', '=09'],
  ['\r', '=0D'],
  ['\n', '=0A'],
]);

function flush(words: readonly Word[], room: { guesses: number }): string {
  let out = '';
  let run: Word[] = [];
  for (const [index, word] of words.entries()) {
    run.push(word);
    if (words[index + 1]?.charset === word.charset) continue;
    out += textOf(run, word.charset, room.guesses > 0);
    room.guesses -= 1;
    run = [];
  }
  return out;
}

/**
 * The text of neighbours. A charset that switches between sets begins anew in each word (RFC 2047 section 2), unless its
 * writer cut a long text into pieces; and some cut the base64 of one.
 */
function textOf(words: readonly Word[], label: string, byShape: boolean): string {
  const read = (bytes: Buffer) => decodeText(bytes, { label, byShape });
  const joined = read(Buffer.concat(words.map(bytesOf)));
  if (joined.exact || words.length === 1) return joined.text;
  const others: Decoded[] = [];
  if (words.every(({ isBase64 }) => isBase64)) {
    others.push(read(Buffer.from(words.map(({ text }) => text).join(''), 'base64')));
  }
  if (['iso-2022', 'hz'].includes(charsetOf(label) ?? '')) {
    const each = words.map((word) => read(bytesOf(word)));
    others.push({ ...joined, text: each.map(({ text }) => text).join(''), exact: each.every(({ exact }) => exact) });
  }
  return (others.find(({ exact }) => exact) ?? joined).text;
}

/**
 * Decoded and on one line: a decoded subject or name can hold CR LF, and with it a header of its own. Without what nobody
 * sees: a direction mark would turn round the line of the list or the notice in which it is shown.
 */
export function headerText(value: string, maxLength = 1000, guesses = 0): string {
  // Blanks in a row push nothing out: whoever has a signed mail can put more of them there.
  const tight = value.replace(/[ \t\r\n]+/g, ' ');
  const oneLine = decodeWords(tight.slice(0, 8 * maxLength), guesses).replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
  return stripInvisible(oneLine).text.replace(/ {2,}/g, ' ').trim().slice(0, maxLength);
}

const MAX_RAW = 8192;

/**
 * A header value to be shown, on one line. Bytes of a charset that it does not name (RFC 2047 wants encoded words) are
 * read as the rest of the mail is, `near` naming its charsets.
 */
export function readableValue({ value, raw }: HeaderLine, near: readonly string[]): string {
  if (!raw) return value;
  const [whole = '', unfolded = ''] = raw.map((bytes) => readBytes(bytes, near));
  const text = unfolded !== whole && plausibilityOf(unfolded) > plausibilityOf(whole) ? unfolded : whole;
  return text.replace(/\p{Cc}/gu, ' ').trim();
}

const readBytes = (bytes: string, near: readonly string[]): string =>
  decodeText(Buffer.from(bytes.slice(0, MAX_RAW), 'latin1'), { label: null, near }).text;

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
