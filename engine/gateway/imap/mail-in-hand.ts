import { withDeadline } from '../../lib/deadline.ts';
import type { Tuning } from './tuning.ts';

export interface Job {
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
export interface MailInHand {
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
export type Ended = (job: Job, outcome: Outcome, isLate: boolean) => void;

export function createMailInHand(tuning: Tuning, ended: Ended): MailInHand {
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
