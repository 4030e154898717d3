import type { GenerateResponse } from '#contract';

// Answers that broke off, and what they come to once they were gone on with.

type Ended = Pick<GenerateResponse, 'finish' | 'toolCalls'> & { readonly whole?: boolean | undefined };

/** Whether a recorded answer counts as all that the model meant to say. Older records took all calls for whole. */
export const isWhole = ({ whole, finish, toolCalls }: Ended): boolean =>
  whole ?? (finish !== 'length' || toolCalls.length > 0);

/** Of an adapter that does not say it: the good ends are those that have a name. */
export const saidWhole = ({ whole, finish }: Ended): boolean => whole ?? (finish === 'stop' || finish === 'tool_calls');

const MOST_OVERLAP = 400;
/** Fewer characters may be alike by chance. */
const LEAST_OVERLAP = 8;
const SAME_START = 40;

/**
 * A text that broke off, and what came when it was to be gone on with. Models repeat the last words, or begin anew in
 * spite of what they were told; neither stands twice.
 */
export function goneOnWith(before: string, next: string): string {
  if (before === '') return next;
  if (next.length >= before.length && next.startsWith(before.slice(0, SAME_START))) return next;
  for (let length = Math.min(MOST_OVERLAP, next.length, before.length); length >= LEAST_OVERLAP; length -= 1) {
    if (before.endsWith(next.slice(0, length))) return before + next.slice(length);
  }
  return before + next;
}
