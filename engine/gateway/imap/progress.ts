import { createFetchFailures, type FetchFailures } from './fetch-failures.ts';
import { createMailInHand, type Ended, type MailInHand } from './mail-in-hand.ts';
import type { Tuning } from './tuning.ts';
import type { Deferred, MailboxCursor } from './types.ts';
import type { WakeSignal } from './wake-signal.ts';

/** What one mailbox remembers between two connections. */
export interface Progress {
  cursor: MailboxCursor;
  /**
   * The last UID of a folder that is looked at again as a whole; 0 when none is. Until it is reached the cursor
   * is not stored, so that a restart begins the resync anew (duplicates are known by Message-ID).
   */
  resyncUntil: number;
  readonly fetchFailures: FetchFailures;
  /** Taken, but the connection broke before the server could be told. */
  readonly unmarked: Set<number>;
  readonly inHand: MailInHand;
  /** New mail that was seen and has not come to a good end: the cursor stays before the first of them. */
  readonly owed: Set<number>;
  /** New mail past the cursor that has ended before an earlier one did. */
  readonly done: Set<number>;
  /** Mail that was in hand when the process died, more than once: it is taken in with nothing beside it. */
  readonly suspects: Set<number>;
  /** Deferred mail whose time has come, and until when this round of it is worked on. */
  readonly rechecks: Map<string, Deferred>;
  roundEndsAt: number;
  /** What could not be stored: the connection ends with it, and the mail is offered again. */
  failure: { readonly error: unknown } | null;
}

export function createProgress(
  tuning: Tuning,
  { wakeSignal, onFailedRecheck }: { wakeSignal: WakeSignal; onFailedRecheck(uid: number, error: unknown): void },
): Progress {
  const ended: Ended = (job, outcome, isLate) => {
    if ('isSettled' in outcome) {
      progress.fetchFailures.clear(job.uid);
      if (outcome.isSettled) progress.unmarked.add(job.uid);
      if (job.isNew) finish(progress, job.uid);
    } else if (job.isNew) progress.failure ??= outcome;
    else onFailedRecheck(job.uid, outcome.error);
    if (isLate) wakeSignal.notify();
  };
  const progress: Progress = {
    cursor: { uidValidity: '', uid: 0 },
    resyncUntil: 0,
    fetchFailures: createFetchFailures(),
    unmarked: new Set(),
    inHand: createMailInHand(tuning, ended),
    owed: new Set(),
    done: new Set(),
    suspects: new Set(),
    rechecks: new Map(),
    roundEndsAt: 0,
    failure: null,
  };
  return progress;
}

/** New mail has come to its end, whatever that was. */
export function finish({ owed, done }: Progress, uid: number): void {
  owed.delete(uid);
  done.add(uid);
}

/** What failed and was then expunged is not offered again; the cursor must not wait for it. */
export function finishGone(progress: Progress, listed: ReadonlySet<number>): void {
  for (const uid of [...progress.owed]) {
    if (!listed.has(uid) && !progress.inHand.has(uid)) finish(progress, uid);
  }
}

/** All UIDs are new, or the server's own went back: nothing that is known by one of them counts any more. */
export function forgetUids(progress: Progress): void {
  progress.inHand.letGo();
  progress.fetchFailures.reset();
  for (const known of [progress.unmarked, progress.owed, progress.done, progress.suspects]) known.clear();
}

/** How far everything has ended. Pure. */
export function reached({ cursor, owed, done }: Pick<Progress, 'cursor' | 'owed' | 'done'>): number {
  let [first, last] = [Number.POSITIVE_INFINITY, cursor.uid];
  for (const uid of owed) first = Math.min(first, uid);
  for (const uid of done) if (uid < first) last = Math.max(last, uid);
  return last;
}

/** Throws once what a mail in the background failed with. */
export function throwFailure(progress: Progress): void {
  const { failure } = progress;
  progress.failure = null;
  if (failure) throw failure.error;
}
