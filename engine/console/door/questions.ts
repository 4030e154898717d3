import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';

/** How long somebody may take to answer. */
export const ANSWER_MS = 5 * 60_000;
/** More questions that were answered within that time, and none is taken until they are over. */
const MOST_ANSWERED = 10_000;

export interface Questions {
  /** A new one; the browser keeps it, and nothing of it is kept here, so that asking fills nothing up. */
  ask(): string;
  /** What is told of a question for one purpose, which nobody else can make: 256 bits as base64url. */
  tokenOf(purpose: string, question: string): string;
  /** Whether `answered` is what was told of it, in time and for the first time; from then on it is answered. */
  take(purpose: string, question: string, answered: string): boolean;
}

const endOf = (question: string): number => Number(/^(\d{13})\.[0-9a-f]{64}$/.exec(question)?.[1] ?? 0);

const isSame = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/** Questions to a browser that are answered once, within five minutes. A gateway that starts anew knows none of those of before. */
export function createQuestions({ ids, clock }: { readonly ids: Ids; readonly clock: Pick<Clock, 'now'> }): Questions {
  const key = ids.random(32);
  const answers = new Map<string, number>();
  const tokenOf = (purpose: string, question: string): string =>
    createHmac('sha256', key).update(`${purpose} ${question}`).digest('base64url');
  return {
    ask: () => `${clock.now() + ANSWER_MS}.${ids.random(32)}`,
    tokenOf,
    take(purpose, question, answered) {
      const now = clock.now();
      for (const [one, end] of answers) if (end <= now) answers.delete(one);
      const end = endOf(question);
      const token = tokenOf(purpose, question);
      const isAnswer = end > now && end <= now + ANSWER_MS && isSame(token, answered);
      if (!isAnswer || answers.has(token) || answers.size >= MOST_ANSWERED) return false;
      answers.set(token, end);
      return true;
    },
  };
}
