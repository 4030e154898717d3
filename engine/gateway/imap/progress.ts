import { withDeadline } from '../../lib/deadline.ts';
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

/**
 * Counts how often fetching a mail failed. A mail that always breaks the connection would otherwise stop the
 * queue for ever. A lost line weighs less than a refusal: it is rarely the mail's fault.
 */
interface FetchFailures {
  has(uid: number): boolean;
  note(uids: readonly number[], weight: 'line' | 'refused'): void;
  clear(uid: number): void;
  /** It has had its chances: record it as unreadable and go on. */
  isHopeless(uid: number): boolean;
  reset(): void;
}

const WEIGHTS = { line: 1, refused: 4 };
/** Three refusals, or twelve lost lines: with the backoff that is more than ten minutes. */
const LIMIT = 12;

export function createFetchFailures(): FetchFailures {
  const counts = new Map<number, number>();
  return {
    has: (uid) => counts.has(uid),
    note(uids, weight) {
      for (const uid of uids) counts.set(uid, (counts.get(uid) ?? 0) + WEIGHTS[weight]);
    },
    clear: (uid) => void counts.delete(uid),
    isHopeless: (uid) => (counts.get(uid) ?? 0) >= LIMIT,
    reset: () => counts.clear(),
  };
}

interface Job {
  readonly uid: number;
  /** New mail, or mail that was left for later. */
  readonly isNew: boolean;
  /** Memory that the mail takes until its intake ends. */
  readonly bytes: number;
  /** What becomes of it: whether it may be marked in the mailbox. */
  work(): Promise<boolean>;
}

/**
 * The mails that are being taken in. One whose sender's name servers are silent takes as long as they are waited for,
 * so others are begun beside it; whatever comes of it is told to `ended`, also after the connection has gone.
 */
interface MailInHand {
  has(uid: number): boolean;
  /** Mails in hand: new ones, or ones that were left for later. */
  count(isNew: boolean): number;
  /** Resolves once there is room for so many bytes more; without a number, once nothing is in hand. */
  room(bytes?: number): Promise<void>;
  /** Resolves when the mail has ended, or after `ms`. */
  take(job: Job, ms: number): Promise<void>;
  /** Mails in hand belong to a folder that is no more: nobody is told what comes of them. */
  letGo(): void;
}

type Outcome = { readonly isSettled: boolean } | { readonly error: unknown };
/** `isLate`: nobody waits for it any more. */
type Ended = (job: Job, outcome: Outcome, isLate: boolean) => void;

function createMailInHand(tuning: Tuning, ended: Ended): MailInHand {
  const jobs = new Map<Job, Promise<void>>();
  const waitedFor = new Set<Job>();
  const inHand = () => [...jobs.keys()];
  const isFull = (bytes: number | undefined): boolean => {
    if (jobs.size === 0) return false;
    const held = inHand().reduce((sum, job) => sum + job.bytes, 0);
    return bytes === undefined || jobs.size >= tuning.maxInHand || held + bytes > tuning.maxInHandBytes;
  };

  const run = async (job: Job): Promise<void> => {
    const limit = { ms: tuning.receiveMs, code: 'timeout', what: 'taking in a mail' } as const;
    const outcome = await withDeadline(() => job.work(), limit).then(
      (isSettled) => ({ isSettled }),
      (error: unknown) => ({ error }),
    );
    if (jobs.delete(job)) ended(job, outcome, !waitedFor.has(job));
  };

  return {
    has: (uid) => inHand().some((job) => job.uid === uid),
    count: (isNew) => inHand().filter((job) => job.isNew === isNew).length,
    async room(bytes) {
      while (isFull(bytes)) await Promise.race(jobs.values());
    },
    async take(job, ms) {
      // In the map before it begins: what ends at once has to be found there.
      const begun = Promise.withResolvers<void>();
      jobs.set(job, begun.promise);
      waitedFor.add(job);
      void run(job).finally(begun.resolve);
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(late.resolve, ms);
      await Promise.race([begun.promise, late.promise]);
      clearTimeout(timer);
      waitedFor.delete(job);
    },
    letGo: () => jobs.clear(),
  };
}
