import type { PlaybookVerdict } from '../storage/types/learning/playbooks.ts';

/** By which a mail judges; with marks around them, and in any case. */
const WORDS: Readonly<Record<string, PlaybookVerdict>> = { good: 'good', bad: 'bad', '/good': 'good', '/bad': 'bad' };

/**
 * What a mail says of the answer before it: its first line is such a word and nothing else. Null where there is any doubt,
 * as with "good morning". `isAll`: it says nothing besides.
 */
export function verdictIn(text: string): { readonly verdict: PlaybookVerdict; readonly isAll: boolean } | null {
  const [first = '', ...rest] = text.trim().split('\n');
  const word = first
    .trim()
    .toLowerCase()
    .replace(/[.!,]{1,3}$/, '');
  const verdict = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
  return verdict === undefined ? null : { verdict, isAll: rest.join('').trim() === '' };
}
