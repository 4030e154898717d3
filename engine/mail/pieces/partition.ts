import type { Piece, PieceKind } from '#contract';
import { hashOfWord, WORD } from '../../lib/text/words.ts';
import { areSignature, lineOf } from '../approval/body.ts';
import { namesAnotherMail } from '../mime/message-ids.ts';
import type { ParsedMail } from '../mime/types.ts';
import { headerBlockAt } from '../text/header-block.ts';
import { withoutLinkTargets } from '../text/lines.ts';
import { beginsWithSentDate, copiedField, hasDate, isAttribution } from '../text/phrases.ts';
import { isSigned, QUOTE_SIGN, signedRuns, withoutNamedSign } from '../text/quote-marks.ts';

/** An earlier mail of the thread that the sender wrote or was sent. */
export interface MailOnRecord {
  readonly words: RecordWords;
  /** The sender wrote it, and was proven. */
  readonly isOwn: boolean;
  /** The persona sent it: others may have sent the sender another text under the same id. */
  readonly isOurs: boolean;
  readonly messageId: string;
  /** The address that it came from, where it has one. */
  readonly from: string | null;
}

type Given = Pick<ParsedMail, 'pieces' | 'inReplyTo' | 'headers'>;

interface Line {
  readonly text: string;
  kind: PieceKind;
}

/** Lines in a row of one kind, blank ones between them included. */
interface Group {
  readonly kind: PieceKind;
  readonly lines: Line[];
}

/** So many runs of lines with a sign of their own are compared. */
const MAX_RUNS = 30;
const MAX_ASKED_LINES = 3;
/** Nobody answers between so many lines; each piece has a label of its own where a model is shown it. */
const MAX_PIECES = 100;

/**
 * Whose words every line of a mail is: as its own marks and its shape tell, and as far as the thread is on record by what
 * was written there before. What stands above the first mark or quotation is the sender's. `mayAnswer`: nobody can say that it
 * answers no other mail. Pure.
 */
export function partition(mail: Given, record: readonly MailOnRecord[], mayAnswer = false): readonly Piece[] {
  const lines = linesOf(mail.pieces);
  const flat = flatten(record.length === 0 ? [] : lines.map(({ text }) => text));
  const known = quoteFromRecord(lines, flat, record);
  answersBetween(
    lines,
    flat,
    record.filter(({ messageId, isOurs }) => isOurs && mail.inReplyTo.includes(messageId)),
  );
  if (!known && (mayAnswer || namesAnotherMail(mail.headers))) doubtTheRest(lines);
  return bounded(piecesOfGroups(withAsked(groupsOf(lines))));
}

const linesOf = (pieces: readonly Piece[]): Line[] =>
  pieces.flatMap(({ kind, text }) => text.split('\n').map((line) => ({ kind, text: line })));

const isBlank = ({ text }: Line): boolean => text.trim() === '';

/** Whether anything of older mail is there, by a mark, its shape or the record. */
function quoteFromRecord(lines: readonly Line[], flat: Flat, record: readonly MailOnRecord[]): boolean {
  const wordsOf = (isOwn: boolean) => record.filter((mail) => mail.isOwn === isOwn).map(({ words }) => words);
  const blocks = blocksOnRecord(flat, wordsOf(false));
  // A mail that cannot be compared is believed as far as its first paragraph.
  if (blocks === null) doubtBelowOpening(lines);
  for (const block of blocks ?? []) labelBlock(lines, flat, block);
  labelSigned(lines, wordsOf(false));
  const first = lines.findIndex(({ kind, text }) => !MAY_BE_QUOTED.has(kind) && kind !== 'signature' && text !== '');
  if (first < 0) return lines.some(({ kind }) => kind === 'unknown');
  // Above all quotations, who repeats their own words means them again.
  for (const block of blocksOnRecord(belowLine(flat, first), wordsOf(true)) ?? []) labelBlock(lines, flat, block);
  return true;
}

/** Lines that a program has put one sign before are quoted, also few and short ones, where they stand in one of these mails. */
function labelSigned(lines: readonly Line[], record: readonly RecordWords[]): void {
  if (record.length === 0) return;
  const runs = signedRuns(lines.map(({ kind, text }) => (MAY_BE_QUOTED.has(kind) ? text : '')));
  for (const [index, { begin, end }] of runs.entries()) {
    const run = lines.slice(begin, end);
    const isCompared = index < MAX_RUNS;
    if (isCompared && !isOnRecord(run, record)) continue;
    for (const line of run) line.kind = isCompared ? 'quoted' : 'unknown';
  }
}

/** With the name before it, that may have been written there, or without. */
function isOnRecord(run: readonly Line[], record: readonly RecordWords[]): boolean {
  const texts = run.map(({ text }) => text);
  return [texts, texts.map(withoutNamedSign)].some((each) => {
    const flat = flatten(each);
    return record.some((mail) => standsIn(flat, mail));
  });
}

/**
 * Words that stand within the very mail of ours that is answered, where nothing of it is left out around them, are those of whoever
 * answers it, also below a copied header, where programs leave no mark. That needs a header which says that this mail
 * and no other is quoted there: else they may be somebody else's, who has answered it, too.
 */
function answersBetween(lines: readonly Line[], flat: Flat, answered: readonly MailOnRecord[]): void {
  const texts = lines.map(({ text }) => text);
  const first = lines.findIndex(({ kind, text }) => kind === 'quoted' && text !== '');
  for (const { words, from } of answered) {
    const [block] = blocksOnRecord(flat, [words]) ?? [];
    if (!block || first < 0) continue;
    const isNamed = isHeaderOf(texts.slice(first, block.begin), from);
    for (const index of linesBetween(flat, words, block.begin)) {
      const line = lines[index];
      if (line?.kind === 'quoted' && !isSigned(line.text)) line.kind = isNamed ? 'written' : 'unknown';
    }
  }
}

/** Whether these lines say that the mail below is from this address: in an attribution, or in a row whose label is known. */
function isHeaderOf(above: readonly string[], from: string | null): boolean {
  if (from === null || above.length > MAX_HEADER_LINES + 2) return false;
  const senders = above.filter((line) => copiedField(line.trim()) === 'from' || isAttribution(line.trim(), true));
  const named = senders.flatMap(addressesIn);
  return named.length > 0 && named.every((address) => address === from.toLowerCase());
}

const addressesIn = (line: string): string[] =>
  line
    .toLowerCase()
    .split(/[\s<>()[\]"',;:]/u)
    .filter((word) => word.includes('@'));

const MAY_BE_QUOTED: ReadonlySet<PieceKind> = new Set(['written', 'unknown']);

/**
 * Lines without a mark are quoted where they are much by themselves, or stand between marked ones of the same block, and each
 * where it is the rest of a line that a program has broken.
 */
function labelBlock(lines: readonly Line[], flat: Flat, { begin, end, isBegun, broken }: Block): void {
  for (let first = begin; first < end; first += 1) {
    const last = endOfUnmarked(lines, first, end);
    const run = lines.slice(first, last);
    const isWithin = first > begin && last < end && !run.some(isBlank);
    const isWhole = run.length > 0 && (isWithin || isMuch(flat, first, last));
    for (const [place, line] of run.entries())
      if (!isBlank(line) && (isWhole || broken.has(first + place))) line.kind = 'quoted';
    if (isWhole) labelAbove(lines, first);
    first = Math.max(first, last);
  }
  const next = lines[end];
  if (isBegun && next?.kind === 'written' && lines[end - 1]?.kind === 'quoted') next.kind = 'unknown';
}

/** Behind the last line in a row, from this one on, that no mark or shape has told of. */
function endOfUnmarked(lines: readonly Line[], first: number, end: number): number {
  let last = first;
  while (last < end && MAY_BE_QUOTED.has(lines[last]?.kind ?? 'quoted')) last += 1;
  return last;
}

/** The line, or the copied header, by which a program says whose words follow, in whatever language. */
function labelAbove(lines: readonly Line[], begin: number): void {
  let last = begin - 1;
  while (last >= 0 && last > begin - 3 && lines[last]?.text.trim() === '') last -= 1;
  for (let first = Math.max(0, last - MAX_HEADER_LINES); first <= last; first += 1) {
    const above = lines.slice(first, last + 1);
    if (above.some((line) => line.kind !== 'written' || isBlank(line))) continue;
    const texts = above.map(({ text }) => text.trim());
    const joined = texts.join(' ');
    const isHeader = headerBlockAt(texts)?.lines === texts.length;
    const isOne = above.length <= 3 || texts.slice(0, -1).every(({ length }) => length >= MIN_FULL);
    if (isHeader || (isOne && /[:：]$/u.test(joined) && (hasDate(joined) || isAttribution(joined, true)))) {
      for (const line of above) line.kind = 'quoted';
      return;
    }
  }
}

const MAX_HEADER_LINES = 8;
/** A line that a program has broken because of its length. */
const MIN_FULL = 45;

/**
 * An answer in which no older mail was found, and in which somebody else than its sender is named as mail programs name
 * who wrote what follows: then the first paragraph is the sender's, and of the rest nobody can say.
 */
function doubtTheRest(lines: readonly Line[]): void {
  const written = lines.filter(({ kind }) => kind === 'written');
  const hint = written.findIndex(({ text }, index) => namesWriter(text, written.slice(index)));
  if (hint >= 0) doubtBelowOpening(lines);
}

function doubtBelowOpening(lines: readonly Line[]): void {
  const written = lines.filter(({ kind }) => kind === 'written');
  for (const line of written.slice(endOfOpening(written))) if (!isBlank(line)) line.kind = 'unknown';
}

/** "Ada Example <ada@example.org>" as a line of its own or behind a label, or a line that says when somebody wrote. */
function namesWriter(text: string, below: readonly Line[]): boolean {
  const line = text.trim();
  if (isDatedHead(below)) return true;
  if (line.length > MAX_HINT || below.length < 2) return false;
  const at = line.search(ADDRESS_AT_END);
  const isNamed = at > 0 && !/[<>@]/u.test(line.slice(0, at));
  return isNamed || (/[:：]$/u.test(line) && isAttribution(line, true));
}

/** A line that begins with a full date and ends in a colon, broken or not, with other lines below it. */
function isDatedHead(lines: readonly Line[]): boolean {
  if (!beginsWithSentDate(lines[0]?.text.trim() ?? '')) return false;
  const end = lines.findIndex(({ text }) => text.trim().length < MIN_FULL || /[:：]\s?$/u.test(text));
  return end >= 0 && end < lines.length - 1 && /[:：]$/u.test(lines[end]?.text.trim() ?? '');
}

const MAX_HINT = 400;
const ADDRESS_AT_END = /[<[(](?:mailto:)?[^\s<>()[\]@]{1,64}@[^\s<>()[\]@]{1,190}[>\])]\s?[,:：]?$/u;

/** The first paragraph; a line that only greets goes with the next one. */
function endOfOpening(lines: readonly Line[]): number {
  let end = 0;
  for (;;) {
    const begin = lines.findIndex((line, index) => index >= end && !isBlank(line));
    if (begin < 0) return lines.length;
    const blank = lines.findIndex((line, index) => index > begin && isBlank(line));
    end = blank < 0 ? lines.length : blank;
    const isGreeting = end - begin === 1 && /^.{1,60}[,،，、!！:：]$/u.test(lines[begin]?.text.trim() ?? '');
    if (!isGreeting || end === lines.length) return end;
  }
}

function groupsOf(lines: readonly Line[]): Group[] {
  const groups: Group[] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last && (last.kind === line.kind || isBlank(line))) last.lines.push(line);
    else if (!isBlank(line)) groups.push({ kind: line.kind, lines: [line] });
  }
  return groups;
}

/** One answer below one quotation answers the whole of it; between quotations an answer stands below what it answers. */
function withAsked(groups: readonly Group[]): Group[] {
  const count = (kind: PieceKind) => groups.filter((group) => group.kind === kind).length;
  if (count('written') < 2 && count('quoted') < 2) return [...groups];
  return groups.flatMap((group, index) =>
    group.kind === 'quoted' && groups[index + 1]?.kind === 'written' ? partedFromAsked(group) : [group],
  );
}

function partedFromAsked({ kind, lines }: Group): Group[] {
  const isEmpty = ({ text }: Line) => text.replace(/[>＞\s]/gu, '') === '';
  const last = lines.findLastIndex((line) => !isEmpty(line));
  let first = last;
  while (first > 0 && last - first < MAX_ASKED_LINES - 1) {
    const above = lines[first - 1];
    if (!above || isEmpty(above)) break;
    first -= 1;
  }
  const before = lines.slice(0, first);
  return [
    ...(before.every(isEmpty) ? [] : [{ kind, lines: before }]),
    { kind: 'asked' as const, lines: lines.slice(first) },
  ];
}

const piecesOfGroups = (groups: readonly Group[]): Piece[] =>
  groups.map(({ kind, lines }) => ({
    kind,
    text: lines
      .map(({ text }) => text)
      .join('\n')
      .replace(/^\n+/, '')
      .trimEnd(),
  }));

/** Whose words what comes behind the last piece is nobody looks at any more. */
function bounded(pieces: readonly Piece[]): readonly Piece[] {
  if (pieces.length <= MAX_PIECES) return pieces;
  const rest = pieces.slice(MAX_PIECES - 1).map(({ text }) => text);
  return [...pieces.slice(0, MAX_PIECES - 1), { kind: 'unknown', text: rest.join('\n') }];
}

/** A mail as a list of its words, to find out what another one quotes of it: per word 15 bits, and one where a line begins. */
type RecordWords = Uint16Array;

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
interface Block {
  readonly begin: number;
  /** Behind the last of them. */
  readonly end: number;
  /** Whether the line at `end` begins as the mail goes on, and then says something else. */
  readonly isBegun: boolean;
  /** Lines that begin within a line of the mail: a program has broken it there. */
  readonly broken: ReadonlySet<number>;
}

/** Lines as they are compared. */
interface Flat {
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
function blocksOnRecord(flat: Flat, record: readonly RecordWords[]): readonly Block[] | null {
  const blocks: Block[] = [];
  const compared = { words: 0 };
  for (const mail of record) {
    blocks.push(...blocksOfMail(flat, mail, compared));
    if (compared.words > MAX_COMPARED) return null;
  }
  return blocks;
}

function blocksOfMail(flat: Flat, mail: RecordWords, compared: { words: number }): readonly Block[] {
  const blocks: Block[] = [];
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
function isMuch({ lines }: Flat, first: number, end: number): boolean {
  const chars = lines.slice(first, end).flatMap((line) => (line.chars > 0 ? [line.chars] : []));
  return chars.length >= MIN_LINES || chars.reduce((sum, count) => sum + count, 0) >= MIN_CHARS;
}

/** Pure. */
function flatten(texts: readonly string[]): Flat {
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
const belowLine = ({ words, lines }: Flat, last: number): Flat =>
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

function blockAt({ words, lines }: Flat, line: number, { mail, at, ends, compared }: Place): readonly Block[] {
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
function standsIn(flat: Flat, mail: RecordWords): boolean {
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
function linesBetween(flat: Flat, mail: RecordWords, begin: number): readonly number[] {
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

/** A mail as it is kept. */
interface Kept {
  readonly pieces: readonly Piece[] | null;
  readonly new_text: string;
  readonly quoted_text: string;
  readonly forwarded_text: string;
}

/**
 * Whose words a mail on record is made of, in reading order. One that was kept before there were pieces has what an answer
 * kept of a question, and what somebody cited, behind `>` among its new text.
 */
export function piecesOf({ pieces, new_text: text, quoted_text, forwarded_text }: Kept): readonly Piece[] {
  if (pieces !== null && pieces.length > 0) return pieces;
  const own = pieces === null ? partedAtSigns(text) : [{ kind: 'written' as const, text }];
  return [
    ...own,
    { kind: 'forwarded' as const, text: forwarded_text },
    { kind: 'quoted' as const, text: quoted_text },
  ].filter((piece) => piece.text.trim() !== '');
}

/** What its sender wrote, and no word of anybody else. */
export const writtenIn = (mail: Kept): string =>
  piecesOf(mail)
    .filter(({ kind }) => kind === 'written')
    .map(({ text }) => text)
    .join('\n\n');

/** The same with what it answers, behind `>`. */
export const writtenWithAsked = (mail: Kept): string =>
  piecesOf(mail)
    .flatMap(({ kind, text }) => (kind === 'written' ? [text] : kind === 'asked' ? [behindSigns(text)] : []))
    .join('\n\n');

/** A name, how to reach somebody and the lines of programs ask for nothing. Below the mark of a signature anything may stand. */
export const isPlainSignature = ({ kind, text }: Piece): boolean =>
  kind === 'signature' &&
  areSignature(
    text.split('\n').flatMap((line, index) => lineOf(line.normalize('NFC'), index) ?? []),
    'signature',
  );

const behindSigns = (text: string): string =>
  text
    .split('\n')
    .map((line) => (QUOTE_SIGN.test(line) ? line : `> ${line}`))
    .join('\n');

function partedAtSigns(text: string): Piece[] {
  const pieces: { kind: 'asked' | 'written'; lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const kind = QUOTE_SIGN.test(line) ? 'asked' : 'written';
    const last = pieces.at(-1);
    if (last && (last.kind === kind || line.trim() === '')) last.lines.push(line);
    else pieces.push({ kind, lines: [line] });
  }
  return pieces.map(({ kind, lines }) => ({ kind, text: lines.join('\n').trim() }));
}
