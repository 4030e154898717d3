import type { SaidOfSender } from './senders-answer.ts';

type Verdict = SaidOfSender['verdict'];

/**
 * Pure. Whether an answer may still decide a question: once, but after `once`, which wrote no rule and left the sender
 * unknown, an owner may still let them in or block them.
 */
export const isStillOpen = ({ verdict: before }: { readonly verdict: Verdict | null }, verdict: Verdict): boolean =>
  before === null || (before === 'once' && verdict !== 'once');
