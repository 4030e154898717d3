import { linesOf } from './approval-answer.ts';
import { areSignature, lineOf } from './body.ts';
import { fold } from './fold.ts';
import { UNDO } from './grammar.ts';
import { lettersOf, lexLine } from './lexer.ts';
import { phrasesOf } from './phrases.ts';
import { readTarget } from './statement.ts';

/** Longer lines say more than that. */
const MAX_LINE = 200;
export const longestFirst = (phrases: readonly string[]): string[] => phrases.toSorted((a, b) => b.length - a.length);
const WORDS = {
  undo: longestFirst(phrasesOf('undo')),
  on: longestFirst(phrasesOf('on')),
  off: longestFirst(phrasesOf('off')),
} as const;
const PLEASE = longestFirst(phrasesOf('please'));

/**
 * Which of the numbered items are to be taken back: the first line that was typed says so. Null when the mail says
 * something else; an empty list when it says undo but not of what; `more` when it says more than that further down.
 */
export const readUndo = (typed: string, items: readonly number[]): readonly number[] | null | 'more' =>
  readNumbered('undo', typed, items);

/** The same of what is to be switched on, or off. */
export function readNumbered(
  word: keyof typeof WORDS,
  typed: string,
  items: readonly number[],
): readonly number[] | null | 'more' {
  const lines = linesOf(typed);
  const at = lines.findIndex((line) => line.trim() !== '');
  const chosen = readFirstLine(word, lines[at]?.trim(), items);
  const below = lines.slice(at + 1).flatMap((line, index) => lineOf(line, index) ?? []);
  return chosen === null || areSignature(below) ? chosen : 'more';
}

function readFirstLine(
  word: keyof typeof WORDS,
  first: string | undefined,
  items: readonly number[],
): readonly number[] | null {
  if (first === undefined || first.length > MAX_LINE) return null;
  const line = fold(first);
  const rest = behind(WORDS[word], (behind(PLEASE, line) ?? line).replace(/^[\s,]+/, ''));
  if (rest === null) return null;
  const tokens = lexLine(rest);
  const match = UNDO.pattern.exec(lettersOf(tokens));
  if (!match) return null;
  const target = readTarget(tokens, match.indices?.groups?.target);
  if (target === 'none') return items.length === 1 ? items : [];
  if (target === 'all') return items;
  if (target === 'both') return items.length === 2 ? items : [];
  if (target === 'three') return items.length === 3 ? items : [];
  return target?.every((number) => items.includes(number)) ? [...new Set(target)] : [];
}

/** What follows one of the phrases at the beginning of a line; null where none stands there as a word. */
export function behind(phrases: readonly string[], line: string): string | null {
  const found = phrases.find((phrase) => line.startsWith(phrase) && !/^[\p{L}\p{M}]/u.test(line.slice(phrase.length)));
  return found === undefined ? null : line.slice(found.length);
}
