import type { StoredMessage } from '../types/mail.ts';
import { folded } from './fold.ts';
import type { Term } from './terms.ts';

/** Quoted and forwarded text counts half: a mail is not about what it answers. */
const OF_REST = 0.5;
/** What is known from the index alone: it stands in the text of a file. */
const OF_FILE = 0.6;
/** In another form. */
const OTHER_FORM = 0.85;
const MAX_READ = 20_000;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

type Read = Pick<StoredMessage, 'subject' | 'from_name' | 'from_address' | 'to' | 'cc' | 'new_text' | 'text'>;

/** A term that is looked for, and whether the index has it for the mail or one of its files. */
interface LookedFor {
  readonly term: Term;
  readonly weight: number;
  readonly isHeld: boolean;
}

/** How much of the terms a mail has, by where it has them and in which form. */
export function closenessOf(message: Read & { readonly files: string }, terms: readonly LookedFor[]): number {
  const { subject, from_name, from_address, to, cc, new_text, text, files } = message;
  const own = wordsOf([subject, from_name, from_address ?? '', ...to, ...cc, files, new_text.slice(0, MAX_READ)]);
  const rest = wordsOf([text.slice(0, MAX_READ)]);
  return terms.reduce((sum, { term, weight, isHeld }) => {
    const share = Math.max(shareIn(own, term), OF_REST * shareIn(rest, term), isHeld ? OF_FILE : 0);
    return sum + share * weight;
  }, 0);
}

const wordsOf = (texts: readonly string[]): readonly string[] => [
  ...new Set(folded(texts.join('\n')).match(WORD) ?? []),
];

function shareIn(words: readonly string[], term: Term): number {
  if (words.some((word) => term.isSame(word))) return 1;
  return words.some((word) => term.matches(word)) ? OTHER_FORM : 0;
}
