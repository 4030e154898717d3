import { columnsOf, firstWord, isFull, MIN_WRAPPED } from '../lines.ts';
import type { Line } from './line.ts';

/**
 * A program that breaks long lines loses the quote sign of the rest: what goes on in the middle of a sentence was quoted, too.
 * Of another line that would not have fitted behind the one above it, nobody can say, and of none up to the next blank one where the
 * quote breaks off in the middle of a sentence.
 */
export function labelWrapped(lines: readonly Line[]): void {
  labelBetween(lines);
  const longest = longestQuoted(lines);
  let isRest = false;
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    const isBroken =
      before?.kind === 'quoted' && before.text.length >= MIN_WRAPPED && /[^\s.?!:;。？！]\s?$/u.test(before.text);
    const isBelow = before?.kind === 'quoted' && !before.marked && line.kind === 'new' && line.text.trim() !== '';
    const wouldBe = isBelow ? columnsOf(before.text) + 1 + columnsOf(firstWord(line.text).trim()) : 0;
    // Behind the end of a sentence as well, where no quoted line shows that the program leaves such long ones whole.
    const mayBeBroken = wouldBe > FULL_LINE && wouldBe > longest && !isLeftWhole(before?.text ?? '');
    isRest = line.kind === 'new' && line.text.trim() !== '' && (isRest || isBroken || mayBeBroken);
    if (isRest) line.kind = 'unknown';
  }
}

/** How long the quoted lines of several words are that the program has not broken. */
const longestQuoted = (lines: readonly Line[]): number =>
  lines.reduce(
    (most, { kind, text }) =>
      kind === 'quoted' && text.length > most && /^\s*[>＞]/u.test(text) && / \S{1,40}$/u.test(text.slice(-42))
        ? text.length
        : most,
    0,
  );

/** A line that could have been broken further to the left than any program leaves it; servers break those of a thousand signs. */
const isLeftWhole = (text: string): boolean => text.trimEnd().lastIndexOf(' ') > WIDEST && text.length < MOST_SERVED;

const WIDEST = 90;
const MOST_SERVED = 900;

function labelBetween(lines: readonly Line[]): void {
  for (const [index, line] of lines.entries()) {
    const [before, after] = [lines[index - 1], lines[index + 1]];
    if (line.kind !== 'new' || before?.kind !== 'quoted' || after?.kind !== 'quoted' || line.text.trim() === '')
      continue;
    const wouldNotFit = isFull(before.text, line.text, FULL_LINE);
    if (before.text.length < MIN_WRAPPED && !wouldNotFit) continue;
    const goesOn = /[^\s.?!:;。？！]\s?$/u.test(before.text);
    if (goesOn && /^\p{Ll}/u.test(line.text)) line.kind = 'quoted';
    else if (wouldNotFit) line.kind = 'unknown';
  }
}

/** With the next word. */
const FULL_LINE = 70;
