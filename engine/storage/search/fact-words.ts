import { indexed } from './fold.ts';

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const LETTERS = /^\p{L}+$/u;
const MAX_WORDS = 48;

/**
 * By which words a fact is found: folded, and longer ones without their ending, so that a question finds what was said
 * in another form. Of scripts without spaces each two neighbours are one.
 */
export const factWords = (text: string): readonly string[] => stemsIn(text).slice(0, MAX_WORDS);

/** The same of what was said of a whole thread, which is longer. */
export const closingWords = (text: string): readonly string[] => stemsIn(text).slice(0, MAX_WORDS * 8);

const stemsIn = (text: string): readonly string[] => [
  ...new Set((indexed(text.slice(0, 4000)).match(WORD) ?? []).map(stemOf)),
];

const stemOf = (word: string): string =>
  word.length >= 5 && LETTERS.test(word) ? word.slice(0, Math.max(4, Math.ceil(word.length * 0.7))) : word;
