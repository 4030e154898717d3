import type { NewJob } from '../types/jobs.ts';
import type { Tier } from '../types/mail.ts';
import type { DeferredCode, Incident, StoredRun } from '../types/runs.ts';
import type { StepBatch } from './runs.ts';

/** Why runs begin to wait, and who hears of it when. */
export interface Waiting {
  readonly code: DeferredCode;
  /** When it may be over by itself; null where somebody has to end it. */
  readonly until: number | null;
  readonly giveUpMs: number;
  /** Whether, and when, its senders are told that their answers will be late; `window` is told of once. Null: not at all. */
  readonly tell: {
    readonly sendersAfterMs: number;
    readonly ownersAfterMs: number;
    readonly window: string | null;
    /** The note to one sender, and the notice to the owners; each once in a window. */
    note(to: { readonly window: string; readonly sender: string; readonly dueAt: number }): NewJob;
    notice(to: { readonly window: string; readonly dueAt: number }): NewJob;
  } | null;
  /** What failed, for the owners; null where nothing did. */
  readonly cause: Pick<Incident, 'cause' | 'provider' | 'message' | 'whose'> | null;
  readonly now: number;
}

/** What a run that waits is from now on; `since`: since when it has waited before. */
export const deferredPatch = (
  since: number | null,
  { code, until, giveUpMs, now }: Pick<Waiting, 'code' | 'until' | 'giveUpMs' | 'now'>,
) => ({
  status: 'queued' as const,
  deferred_code: code,
  deferred_at: since ?? now,
  deferred_until: until,
  due_at: (since ?? now) + giveUpMs,
});

/** A mail that waits, or is being tried at this moment. */
export interface WaitingMail {
  readonly run_id: string;
  readonly thread_id: string;
  readonly sender: string | null;
  readonly tier: Tier;
  readonly code: DeferredCode | null;
  /** Since when it waits. */
  readonly since: number;
  readonly message: string;
  readonly from_name: string;
  readonly subject: string;
}

/**
 * Which of those that wait: the oldest that is not behind an earlier mail of its thread, but `last` (a run's id) only where there
 * is no other; those whose time has come.
 */
export type TakenUp =
  | { readonly kind: 'all' }
  | { readonly kind: 'one'; readonly last: string }
  | { readonly kind: 'due'; readonly now: number };

/** Mail that waits: for its owner, for money, for a model. Its runs stay `queued` until that is over or given up. */
export interface WaitingStore {
  /** Puts a run that was worked on back, with all that it has done; its lease is free. */
  parkRun(
    batch: StepBatch,
    park: { readonly run: StoredRun; readonly waiting: Waiting; readonly uncount: string | null },
  ): Promise<void>;
  /** Whatever is due and was not begun waits as well; `onlyNew`: but what has waited before. How many runs that were. */
  deferUnbegun(why: Waiting, which: { readonly onlyNew: boolean }): Promise<number>;
  /** What runs wait for, and until when the oldest of each does. */
  deferredCodes(): Promise<readonly { readonly code: DeferredCode; readonly until: number | null }[]>;
  /** Whether one of those that wait for this would be worked at once: not behind an earlier mail of its thread. */
  hasOneToTakeUp(code: DeferredCode): Promise<boolean>;
  /** What they waited for is over: due in the order in which they came. How many. */
  takeUp(code: DeferredCode, which: TakenUp): Promise<number>;
  /** Gives mail that waits for its turn the turn that it has by this limit; when the first begins, null where none waits. */
  respread(limit: { readonly runsPerHour: number | null; readonly now: number }): Promise<number | null>;
  /** How many mails wait, by what they wait for. */
  countDeferred(): Promise<
    {
      readonly code: DeferredCode | null;
      readonly count: number;
      readonly since: number | null;
      readonly until: number | null;
    }[]
  >;
  /** Oldest first: of one sender, or of all. */
  waitingMails(wanted: { readonly sender?: string; readonly limit: number }): Promise<WaitingMail[]>;
  /** Whether a note went to this sender since then that mail of theirs waits, but for one about a spent budget. */
  isToldOfWaiting(wanted: { readonly sender: string; readonly since: number }): Promise<boolean>;
  incident(code: DeferredCode): Promise<Incident | undefined>;
}
