import { indexed } from './fold.ts';

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const LETTERS = /^\p{L}+$/u;
const MAX_WORDS = 48;

/**
 * By which words a fact is found: folded, and longer ones without their ending, so that a question finds what was said
 * in another form. Of scripts without spaces each two neighbours are one.
 */
export function factWords(text: string): readonly string[] {
  const words = indexed(text.slice(0, 4000)).match(WORD) ?? [];
  return [...new Set(words.map(stemOf))].slice(0, MAX_WORDS);
}

const stemOf = (word: string): string =>
  word.length >= 5 && LETTERS.test(word) ? word.slice(0, Math.max(4, Math.ceil(word.length * 0.7))) : word;
