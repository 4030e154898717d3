import { hashOfWord, WORD } from '../../lib/text/words.ts';
import { withoutLinkTargets } from '../text/lines.ts';

/** A mail as a list of its words, to find out what another one quotes of it: per word 15 bits, and one where a line begins. */
export type RecordWords = Uint16Array;

const LINE_BEGINS = 0x8000;
/** All that is kept of a text. */
const MAX_CHARS = 200_000;
/** So much of one mail in a row is a quotation of it, also where no mark says so. */
const MIN_LINES = 3;
const MIN_CHARS = 60;
/** Of a line that goes on otherwise than the mail on record, so much makes it doubtful whose it is. */
const MIN_BEGUN_CHARS = 12;
/** So many words are compared. */
const MAX_COMPARED = 3_000_000;

/** Pure. Signs of quotes and of Markdown, blanks, wrapping and targets of links make no difference. */
export function recordWords(text: string): RecordWords {
  const words: number[] = [];
  for (const line of withoutLinkTargets(text.slice(0, MAX_CHARS)).split('\n')) {
    const [first, ...rest] = hashesOf(line).hashes;
    if (first !== undefined) words.push(first | LINE_BEGINS, ...rest);
  }
  return Uint16Array.from(words);
}

function hashesOf(line: string) {
  const hashes: number[] = [];
  let chars = 0;
  const isAscii = ASCII.test(line);
  for (const word of (isAscii ? line : line.normalize('NFKC')).toLowerCase().match(isAscii ? ASCII_WORD : WORD) ?? []) {
    hashes.push(hashOf(word));
    chars += word.length;
  }
  return { hashes, chars };
}

/** The words of `WORD` where no other letters are. */
const ASCII_WORD = /[a-z0-9]{1,80}/g;
const ASCII = /^\p{ASCII}*$/u;

/** Two words of one hash are rare, ten in a row are not to be had. */
function hashOf(word: string): number {
  const hash = hashOfWord(word);
  return ((hash >>> 15) ^ hash) & 0x7fff;
}

/** Lines in a row that stand so in one mail on record. */
export interface LineBlock {
  readonly begin: number;
  /** Behind the last of them. */
  readonly end: number;
  /** Whether the line at `end` begins as the mail goes on, and then says something else. */
  readonly isBegun: boolean;
  /** Lines that begin within a line of the mail: a program has broken it there. */
  readonly broken: ReadonlySet<number>;
}

/** Lines as they are compared. */
export interface Flat {
  readonly words: readonly number[];
  /** Per line: where its words begin, how many there are, and their letters. */
  readonly lines: readonly { readonly at: number; readonly count: number; readonly chars: number }[];
  /** Per word: whether a line begins with it. Most lines of a mail begin with none of them. */
  readonly firsts: Uint8Array;
  /** Per pair of words with which a line begins: the lines. */
  readonly byBegin: ReadonlyMap<number, readonly number[]>;
}

/**
 * The blocks of these lines that stand in one of the mails: three lines in their order, or sixty letters in a row, from the
 * beginning of one of its lines. Single short lines are none. Null where there is more to compare than is worth it. Pure.
 */
export function blocksOnRecord(flat: Flat, record: readonly RecordWords[]): readonly LineBlock[] | null {
  const blocks: LineBlock[] = [];
  const compared = { words: 0 };
  for (const mail of record) {
    blocks.push(...blocksOfMail(flat, mail, compared));
    if (compared.words > MAX_COMPARED) return null;
  }
  return blocks;
}

function blocksOfMail(flat: Flat, mail: RecordWords, compared: { words: number }): readonly LineBlock[] {
  const blocks: LineBlock[] = [];
  const ends = new Map<number, number>();
  for (let at = 0; at < mail.length; at += 1) {
    const first = mail[at] ?? 0;
    if ((first & LINE_BEGINS) === 0 || !flat.firsts[first & 0x7fff]) continue;
    for (const line of flat.byBegin.get(pairOf(first, mail[at + 1])) ?? []) {
      if (compared.words > MAX_COMPARED) return blocks;
      blocks.push(...blockAt(flat, line, { mail, at, ends, compared }));
    }
  }
  return blocks;
}

/** So much is a quotation by itself. */
export function isMuch({ lines }: Flat, first: number, end: number): boolean {
  const chars = lines.slice(first, end).flatMap((line) => (line.chars > 0 ? [line.chars] : []));
  return chars.length >= MIN_LINES || chars.reduce((sum, count) => sum + count, 0) >= MIN_CHARS;
}

/** Pure. */
export function flatten(texts: readonly string[]): Flat {
  const words: number[] = [];
  const lines = texts.map((text) => {
    const { hashes, chars } = hashesOf(withoutLinkTargets(text));
    const at = words.length;
    words.push(...hashes);
    return { at, count: hashes.length, chars };
  });
  return flatOf(words, lines);
}

/** The same lines, of which those up to this one say nothing. */
export const belowLine = ({ words, lines }: Flat, last: number): Flat =>
  flatOf(
    words,
    lines.map((line, index) => (index > last ? line : { ...line, count: 0, chars: 0 })),
  );

function flatOf(words: Flat['words'], lines: Flat['lines']): Flat {
  const byBegin = new Map<number, number[]>();
  const firsts = new Uint8Array(0x8000);
  for (const [index, { at, count }] of lines.entries()) {
    if (count === 0) continue;
    const key = pairOf(words[at] ?? 0, words[at + 1]);
    firsts[words[at] ?? 0] = 1;
    const same = byBegin.get(key);
    if (same) same.push(index);
    else byBegin.set(key, [index]);
  }
  return { words, lines, firsts, byBegin };
}

const pairOf = (first: number, second: number | undefined): number =>
  (first & 0x7fff) * 0x8000 + ((second ?? 0) & 0x7fff);

interface Place {
  readonly mail: RecordWords;
  readonly at: number;
  /** Per distance between the places in both: how far they were compared. */
  readonly ends: Map<number, number>;
  readonly compared: { words: number };
}

function blockAt({ words, lines }: Flat, line: number, { mail, at, ends, compared }: Place): readonly LineBlock[] {
  const begin = lines[line]?.at ?? 0;
  compared.words += 1;
  // What a block further up has covered is looked at once.
  if ((ends.get(begin - at) ?? -1) > begin) return [];
  let length = 0;
  while (
    begin + length < words.length &&
    at + length < mail.length &&
    words[begin + length] === wordAt(mail, at + length)
  )
    length += 1;
  ends.set(begin - at, begin + length);
  compared.words += length;
  const broken = new Set<number>();
  let [end, count, chars] = [line, 0, 0];
  for (let index = line; index < lines.length; index += 1) {
    const each = lines[index];
    if (!each || each.at + each.count > begin + length) break;
    if (each.count === 0) continue;
    if (((mail[at + each.at - begin] ?? 0) & LINE_BEGINS) === 0) broken.add(index);
    end = index + 1;
    count += 1;
    chars += each.chars;
  }
  if (count < MIN_LINES && chars < MIN_CHARS) return [];
  const next = lines[end];
  const begun = next ? begin + length - next.at : 0;
  const isBegun = next !== undefined && (begun / next.count) * next.chars >= MIN_BEGUN_CHARS;
  return [{ begin: line, end, isBegun, broken }];
}

/** Whether the longest of these lines stands in the mail, as a line of it or within one: two lines, or one that is not short. Pure. */
export function standsIn(flat: Flat, mail: RecordWords): boolean {
  const filled = flat.lines.flatMap((line, index) => (line.count > 0 ? [{ ...line, index }] : []));
  const [longest] = filled.toSorted((left, right) => right.chars - left.chars);
  if (!longest || (filled.length < 2 && longest.chars < MIN_FOUND_CHARS)) return false;
  const first = flat.words[longest.at];
  return mail.some((word, place) => (word & 0x7fff) === first && stands(flat, mail, longest.index, place));
}

/** How far down an answer between the lines may reach. */
const MAX_BETWEEN = 60;
/** A line of so many letters is not found at its place by chance. */
const MIN_FOUND_CHARS = 12;

/**
 * The lines that somebody has put between two lines of this mail, which stand in their order above and below them and leave
 * nothing of it out. `begin`: where a block of it begins. Pure.
 */
export function linesBetween(flat: Flat, mail: RecordWords, begin: number): readonly number[] {
  const between: number[] = [];
  let at = beginningOf(flat, mail, begin);
  for (let index = begin; at >= 0 && index < flat.lines.length; index += 1) {
    if (flat.lines[index]?.count === 0) continue;
    if (!stands(flat, mail, index, at)) {
      const below = lineBelow(flat, mail, index, at);
      if (below < 0) break;
      for (let place = index; place < below; place += 1) if (flat.lines[place]?.count !== 0) between.push(place);
      index = below;
    }
    at += flat.lines[index]?.count ?? 0;
  }
  return between;
}

/** Where in the mail the line stands that a block begins with. */
const beginningOf = (flat: Flat, mail: RecordWords, line: number): number =>
  mail.findIndex((word, place) => (word & LINE_BEGINS) !== 0 && stands(flat, mail, line, place));

function stands({ words, lines }: Flat, mail: RecordWords, index: number, place: number): boolean {
  const line = lines[index];
  if (!line || line.count === 0 || place + line.count > mail.length) return false;
  return words.slice(line.at, line.at + line.count).every((word, n) => word === wordAt(mail, place + n));
}

/** The line further down that goes on at this place of the mail. */
function lineBelow(flat: Flat, mail: RecordWords, index: number, at: number): number {
  const isFound = (place: number): boolean => {
    if (!stands(flat, mail, place, at)) return false;
    const { count = 0, chars = 0 } = flat.lines[place] ?? {};
    const next = flat.lines.findIndex((line, below) => below > place && line.count > 0);
    return chars >= MIN_FOUND_CHARS || (next >= 0 && stands(flat, mail, next, at + count));
  };
  return flat.lines.findIndex((_, place) => place > index && place <= index + MAX_BETWEEN && isFound(place));
}

const wordAt = (mail: RecordWords, place: number): number => (mail[place] ?? 0) & 0x7fff;
