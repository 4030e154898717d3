import { linesOf } from './approval-answer.ts';
import { areSignature, lineOf } from './body.ts';
import { fold } from './fold.ts';
import { COMMAND } from './grammar.ts';
import { lettersOf, lexLine } from './lexer.ts';
import { phrasesOf } from './phrases.ts';
import { behind, longestFirst } from './undo-answer.ts';

/** Longer lines say more than that. */
const MAX_LINE = 200;
const PHRASES = {
  again: longestFirst(phrasesOf('again')),
  goOn: longestFirst(phrasesOf('goOn')),
  give: longestFirst(phrasesOf('give')),
} as const;
const PLEASE = longestFirst(phrasesOf('please'));

/**
 * Whether the first line that was typed asks to do something once more, or to go on, and says nothing else. Null when the mail says something
 * else; `more` when it says more than that further down.
 */
export function readAgain(typed: string, asks: keyof typeof PHRASES = 'again'): 'again' | 'more' | null {
  const lines = linesOf(typed);
  const at = lines.findIndex((line) => line.trim() !== '');
  const first = lines[at]?.trim();
  if (first === undefined || first.length > MAX_LINE) return null;
  const line = fold(first);
  const rest = behind(PHRASES[asks], (behind(PLEASE, line) ?? line).replace(/^[\s,]+/, ''));
  if (rest === null || !COMMAND.pattern.test(lettersOf(lexLine(rest)))) return null;
  const below = lines.slice(at + 1).flatMap((text, index) => lineOf(text, index) ?? []);
  return areSignature(below) ? 'again' : 'more';
}
