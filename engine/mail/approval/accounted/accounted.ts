import type { Piece, PieceKind } from '#contract';
import { withoutLinkTargets } from '../../text/lines.ts';
import { isForwardMark, isOriginalMark, isRule } from '../../text/phrases.ts';
import { QUOTE_SIGN } from '../../text/quote-marks.ts';
import { type HeaderFacts, headerFactsOf, isDrawn, isMereLabel, isOwnHeader, placeOfName } from './own-headers.ts';
import { foldLine, type LinePlace, placeOf, type SentMail, type Track, take, tracksOf } from './own-lines.ts';

/** Lines that stand together beside the typed words, and that no mail of ours explains. */
export interface Unexplained {
  readonly kind: PieceKind;
  readonly lines: readonly string[];
}

/** Every line of an answer: typed, a line of our own mail, or neither. */
export interface Accounted {
  /** What the sender typed, without the lines of our mails that stand in it. */
  readonly typed: string;
  readonly unexplained: readonly Unexplained[];
  /** What a program has put above our mails, which says whose they are. */
  readonly heads: readonly string[];
  /** Whether lines of our mails stand in it. */
  readonly quotesUs: boolean;
}

/** So much of one of our mails in a row is a quotation of it, also where no mark says so. */
const MIN_BLOCK_LINES = 3;
const MIN_BLOCK_CHARS = 60;
const MAX_LINES = 4000;

interface Line {
  readonly kind: PieceKind;
  readonly text: string;
  readonly folded: string;
  /** Whether it has a quote sign. */
  readonly isMarked: boolean;
}

/**
 * Says of every line of an answer whose it is. Lines of our mails explain themselves only as a block, in its order, each
 * once: the same words anywhere else are the sender's. Pure.
 */
export function accountFor(pieces: readonly Piece[], sent: readonly SentMail[]): Accounted {
  const lines = linesOf(pieces);
  const tracks = tracksOf(sent);
  const ours = ownLines(lines, tracks);
  const facts = lazily(() => headerFactsOf(sent));
  const inMail = new Set(ours);
  addHeaders(lines, ours, facts);
  const typed: string[] = [];
  const unexplained: { kind: PieceKind; lines: string[] }[] = [];
  const heads = [...ours].filter((index) => !inMail.has(index)).map((index) => lines[index]?.text ?? '');
  const isOfOurs =
    heads.length === 0 || heads.some((head) => facts().people.some((name) => placeOfName(head, name) >= 0));
  const below = isOfOurs ? belowOurMail(lines, ours, tracks, pieces.at(-1)?.text ?? '') : lines.length;
  for (const [index, line] of lines.entries()) {
    if (ours.has(index)) continue;
    if (line.kind === 'written' || index >= below) typed.push(line.text);
    else if (line.folded !== '') addTo(unexplained, line);
  }
  return { typed: typed.join('\n').trim(), unexplained, heads, quotesUs: inMail.size > 0 };
}

/**
 * From which line on words are typed below our mail, which a program has copied without any mark: that holds for what stands
 * behind its very end, where every line above is our mail or the head of it, which names us, and nothing is typed there. Who
 * handed on an answer of somebody else would have that one's head above it. With a link in it, a program may have put it
 * there. `end`: the last piece as it stands.
 */
function belowOurMail(
  lines: readonly Line[],
  ours: ReadonlySet<number>,
  tracks: readonly Track[],
  end: string,
): number {
  const said = lines.flatMap(({ folded }, index) => (folded === '' ? [] : [index]));
  const below = said.filter((index) => !ours.has(index));
  const [first] = below;
  const last = said[said.length - below.length - 1];
  if (first === undefined || last === undefined || last > first) return lines.length;
  const { folded = '', text = '' } = lines[last] ?? {};
  const isAtEnd = tracks.some((track) => track.at === track.folded.length && track.folded.endsWith(folded));
  const areBare = below.every((index) => lines[index]?.kind === 'quoted' && lines[index]?.isMarked === false);
  const at = end.lastIndexOf(text);
  const isTyped = areBare && at >= 0 && !LINK.test(end.slice(at + text.length));
  return isAtEnd && isTyped ? first : lines.length;
}

const LINK = /https?:|mailto:|www\.|@/iu;

function lazily<Value>(make: () => Value): () => Value {
  const made: { value?: Value } = {};
  return () => {
    made.value ??= make();
    return made.value;
  };
}

/** Places of the lines that stand in one of our mails. */
function ownLines(lines: readonly Line[], tracks: readonly Track[]): Set<number> {
  const ours = new Set<number>();
  let run: Run | null = null;
  for (let index = 0; index < lines.length; ) {
    const block = blockAt(lines, index, tracks, run);
    if (block === null && lines[index]?.folded !== '') run = null;
    else if (block) run = block.run;
    const end = block?.end ?? index + 1;
    if (block) for (let at = index; at < end; at += 1) ours.add(at);
    index = end;
  }
  return ours;
}

/**
 * Adds the lines that a program has put above our mail, from the last to the first: what looks as if it were typed is one of
 * these only directly above another, or above our mail itself.
 */
function addHeaders(lines: readonly Line[], ours: Set<number>, factsOf: () => HeaderFacts): void {
  let next: number | null = null;
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const line = lines[index];
    if (!line || line.text.trim() === '') continue;
    const stands = next !== null && ours.has(next);
    const isTyped = line.kind === 'written' || line.kind === 'signature';
    if (!ours.has(index) && (stands || !isTyped)) {
      const first = headerEndingAt(lines, index, stands, factsOf);
      for (let at = first; at <= index; at += 1) ours.add(at);
      index = Math.min(index, first);
    }
    next = index;
  }
}

/** Where the header lines begin that end there; behind the place where there are none. */
function headerEndingAt(lines: readonly Line[], index: number, stands: boolean, factsOf: () => HeaderFacts): number {
  const last = lines[index];
  if (!last) return index + 1;
  if (isOriginalMark(last.text) || isForwardMark(last.text) || isRule(last.text)) return index;
  if (stands && (isMereLabel(last.text) || isDrawn(last.text))) return index;
  // An attribution may be wrapped; its pieces say less than the whole.
  for (let first = Math.max(0, index - 2); first <= index; first += 1) {
    const some = lines.slice(first, index + 1);
    if (some.some(({ kind, folded }) => kind !== last.kind || folded === '')) continue;
    if (isOwnHeader(some.map(({ text }) => text).join(' '), factsOf())) return first;
  }
  return index + 1;
}

function linesOf(pieces: readonly Piece[]): Line[] {
  const lines = pieces.flatMap(({ kind, text }) =>
    (kind === 'written' ? text : withoutLinkTargets(text)).split(/\r?\n/).map((line) => lineOf(kind, line)),
  );
  // Whatever stands further down is typed by nobody who answers a question: one line that nothing explains.
  const [first] = lines.slice(MAX_LINES);
  return first ? [...lines.slice(0, MAX_LINES), { ...first, kind: 'quoted', folded: first.folded || '…' }] : lines;
}

const lineOf = (kind: PieceKind, line: string): Line => ({
  kind,
  text: kind === 'written' ? line : line.replace(/^[>＞\s]+/, ''),
  folded: foldLine(line),
  isMarked: QUOTE_SIGN.test(line),
});

function addTo(groups: { kind: PieceKind; lines: string[] }[], { kind, text }: Line): void {
  const last = groups.at(-1);
  if (last?.kind === kind) last.lines.push(text);
  else groups.push({ kind, lines: [text] });
}

/** Lines of one of our mails, as they were found in a row. */
interface Run {
  readonly track: Track;
  readonly lines: number;
  readonly chars: number;
}

/**
 * The lines from this one on that stand in our mail in a row. Marked as quoted, any number of them is enough; what looks
 * as if it were typed has to be a block of at least three lines or sixty characters, or the rest of one.
 */
function blockAt(lines: readonly Line[], index: number, tracks: readonly Track[], before: Run | null) {
  const first = lines[index];
  if (!first || first.folded === '') return null;
  const place = placeOf(first.folded, tracks);
  if (!place) return null;
  if (first.kind !== 'written') {
    const run = grown(before, place, first.folded.length);
    take(first.folded, place, tracks);
    return { run, end: index + 1 };
  }
  const goesOn = place.isNext && before?.track === place.track && before.chars + first.folded.length >= MIN_BLOCK_CHARS;
  if (goesOn) {
    const run = grown(before, place, first.folded.length);
    take(first.folded, place, tracks);
    return { run, end: index + 1 };
  }
  return typedBlockAt(lines, index, place, tracks);
}

function typedBlockAt(lines: readonly Line[], index: number, { track, at }: LinePlace, tracks: readonly Track[]) {
  let [place, count, chars, end] = [at, 0, 0, index];
  for (const { kind, folded } of lines.slice(index)) {
    if (kind !== 'written' || !track.folded.startsWith(folded, place)) break;
    end += 1;
    if (folded === '') continue;
    [place, count, chars] = [place + folded.length, count + 1, chars + folded.length];
  }
  if (count < MIN_BLOCK_LINES && chars < MIN_BLOCK_CHARS) return null;
  const block = lines.slice(index, end).filter(({ folded }) => folded !== '');
  for (const { folded } of block)
    take(folded, { track, at: track.folded.indexOf(folded, track.at), isNext: true }, tracks);
  return { run: { track, lines: count, chars }, end };
}

const grown = (before: Run | null, { track, isNext }: LinePlace, chars: number): Run =>
  before?.track === track && isNext
    ? { track, lines: before.lines + 1, chars: before.chars + chars }
    : { track, lines: 1, chars };
