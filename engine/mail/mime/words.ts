import { charsetOf, type Decoded, decodeText } from '../charset/charset.ts';
import { plausibilityOf } from '../charset/shape.ts';
import { stripInvisible } from '../text/invisible.ts';
import { firstHeader, type HeaderLine } from './headers.ts';
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
  while (ESCAPE.test(value.slice(end + 2, end + 4))) {
    const later = next(end + 2);
    const begun = value.indexOf('=?', end + 2);
    if (later < 0 || (begun >= 0 && begun < later && isBegin(value, begun))) break;
    end = later;
  }
  return end;
}

const ESCAPE = /^[0-9A-F]{2}$/;

function isBegin(value: string, at: number): boolean {
  BEGIN.lastIndex = at;
  return BEGIN.test(value);
}

function bytesOf({ isBase64, text }: Word): Buffer {
  // A blank of a word counts, also at its end, where one of a body would not.
  const written = isBase64 ? text : text.replace(/[_ \t\r\n]/g, (sign) => BLANKS.get(sign) ?? '=20');
  return decodeTransfer(Buffer.from(written), isBase64 ? 'base64' : 'quoted-printable');
}

const BLANKS: ReadonlyMap<string, string> = new Map([
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
