import { linesOf } from './approval-answer.ts';
import { fold } from './fold.ts';
import { UNSPACED } from './lexer.ts';
import { phrasesOf } from './phrases.ts';

/** The name under which it is on record that an answer was read so. */
export const FROM_NOW_ON = 'yes, from now on';

const ALL = phrasesOf('fromNowOn');
const PHRASES: ReadonlySet<string> = new Set(ALL);
const MOST_WORDS = Math.max(0, ...ALL.map((phrase) => phrase.split(' ').length));
/** Of scripts without blanks, the longest first: one may be the beginning of another. */
const UNPARTED = ALL.filter((phrase) => UNSPACED.test(phrase)).toSorted((a, b) => b.length - a.length);
const AND: ReadonlySet<string> = new Set([...phrasesOf('and'), ...phrasesOf('andHere')]);
const WORD = /[\p{L}\p{M}\p{N}]+(?:['’‘ʼ´\x60\u2010\u2011-][\p{L}\p{M}\p{N}]+)*/gu;
/** Longer lines are no answers. */
const MAX_LINE = 1000;

/**
 * An answer without the words that say "from now on without asking" (`fromNowOn` in `languages/phrases/`), with how often they stand
 * in it. Whether the rest is a yes is for whoever reads answers: of these words alone nothing follows.
 */
export function withoutFromNowOn(typed: string): { readonly rest: string; readonly count: number } {
  const cut = linesOf(typed).map(cutFrom);
  return {
    rest: cut.map(({ rest }) => rest).join('\n'),
    count: cut.reduce((sum, { count }) => sum + count, 0),
  };
}

interface Cut {
  readonly rest: string;
  readonly count: number;
}

function cutFrom(line: string): Cut {
  const span = line.length > MAX_LINE ? null : (spanOfWords(line) ?? spanUnparted(line));
  if (span === null) return { rest: line, count: 0 };
  const [start, end] = span;
  const behind = cutFrom(line.slice(end));
  return { rest: joined(withoutAnd(line.slice(0, start)), behind.rest), count: behind.count + 1 };
}

/** The end of a sentence that is gone does not stand beside the one before it: two dots hesitate. */
const joined = (before: string, behind: string): string =>
  /(?<![.。…])[.。]$/u.test(before) && /^[.。]/u.test(behind) ? `${before}${behind.slice(1)}` : `${before}${behind}`;

/** The longest phrase that stands first. */
function spanOfWords(line: string): readonly [number, number] | null {
  const words = [...line.matchAll(WORD)];
  for (const [at, first] of words.entries())
    for (let count = Math.min(MOST_WORDS, words.length - at); count > 0; count -= 1) {
      const last = words[at + count - 1] ?? first;
      const end = last.index + last[0].length;
      if (PHRASES.has(fold(line.slice(first.index, end).replace(/\s+/g, ' ')))) return [first.index, end];
    }
  return null;
}

function spanUnparted(line: string): readonly [number, number] | null {
  const found = UNPARTED.map((phrase) => [line.indexOf(phrase), phrase.length] as const).filter(([at]) => at >= 0);
  const [first] = found.toSorted(([one], [other]) => one - other);
  return first === undefined ? null : [first[0], first[0] + first[1]];
}

/** "Yes, and" is a yes. */
function withoutAnd(text: string): string {
  const words = [...text.matchAll(WORD)];
  const last = words.at(-1);
  const isAnd = last !== undefined && AND.has(fold(last[0])) && text.slice(last.index + last[0].length).trim() === '';
  return withoutPause(isAnd ? text.slice(0, last.index) : text);
}

/** From the end: an expression would begin anew at each blank of a long line. */
function withoutPause(text: string): string {
  let end = text.length;
  while (end > 0 && PAUSE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

const PAUSE = /^[\s,،、，–—-]$/u;
