import type { Tier } from '../storage/types/mail.ts';

/** With whose eyes a mail can be tried out. */
export const EYES = ['stranger', 'member', 'owner'] as const;
export type Eyes = (typeof EYES)[number];
export const isEyes = (text: string): text is Eyes => EYES.some((one) => one === text);

/** Characters. */
export const MOST_OF_TEST = { subject: 150, text: 10_000 } as const;
export interface WantedTest {
  readonly persona: string;
  readonly as: Eyes;
  readonly subject: string;
  readonly text: string;
  /** Who does it: an address, or `cli`, which has the files of the workspace and is not counted. */
  readonly by: string;
}

export type TestBegun =
  | {
      readonly kind: 'begun';
      readonly persona: string;
      readonly runId: string;
      readonly from: string;
      readonly tier: Tier;
    }
  /** Such a mail would begin no run, or none now: no model is asked. */
  | {
      readonly kind: 'turned_away';
      readonly persona: string;
      readonly from: string;
      readonly would: 'be refused' | 'wait' | 'be recorded';
      readonly code: string;
      readonly said: string;
      readonly cure: string | null;
    };

/** Why it cannot be tried, in words; null: it can. Pure. */
export function unfitIn({ subject, text }: WantedTest): string | null {
  if (text.trim() === '') return 'a test mail needs a text';
  if (text.length > MOST_OF_TEST.text) return `a test mail has ${MOST_OF_TEST.text} characters at most`;
  if (subject.length > MOST_OF_TEST.subject) return `a subject has ${MOST_OF_TEST.subject} characters at most`;
  return /\p{Cc}/u.test(subject) ? 'a subject is one line' : null;
}
