import type { Piece, PieceKind } from '#contract';
import { namesAnotherMail } from '../mime/message-ids.ts';
import type { ParsedMail } from '../mime/types.ts';
import { headerBlockAt } from '../text/header-block.ts';
import { beginsWithSentDate, copiedField, hasDate, isAttribution } from '../text/phrases.ts';
import { isSigned, signedRuns, withoutNamedSign } from '../text/quote-marks.ts';
import {
  belowLine,
  blocksOnRecord,
  type Flat,
  flatten,
  isMuch,
  type LineBlock,
  linesBetween,
  type RecordWords,
  standsIn,
} from './record-words.ts';

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
  return bounded(piecesOf(withAsked(groupsOf(lines))));
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
function labelBlock(lines: readonly Line[], flat: Flat, { begin, end, isBegun, broken }: LineBlock): void {
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

const piecesOf = (groups: readonly Group[]): Piece[] =>
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
