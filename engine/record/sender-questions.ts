import type { SenderQuestion, SenderVerdict } from '../storage/types/gateway.ts';

/**
 * Pure. Whether an answer may still decide a question: once, but after `once`, which wrote no rule and left the sender
 * unknown, an owner may still let them in or block them.
 */
export const isStillOpen = ({ verdict: before }: Pick<SenderQuestion, 'verdict'>, verdict: SenderVerdict): boolean =>
  before === null || (before === 'once' && verdict !== 'once');
