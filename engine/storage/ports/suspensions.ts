import type { Suspension, SuspensionEnd, SuspensionToken } from '../types/suspensions.ts';

/** What runs wait for that nobody is asked about. Rows are made by a step of their run (`StepBatch.suspended`). */
export interface SuspensionStore {
  getSuspension(id: string): Promise<Suspension | undefined>;
  /** In the order in which they began. */
  suspensionsOfRun(runId: string): Promise<readonly Suspension[]>;
  /**
   * Takes the place that the row will have (`begun`), before what it waits for is begun. False where so many of its kind
   * are begun or open in runs that are not over; one that has its place keeps it.
   */
  beginSuspension(row: Suspension, most: number): Promise<boolean>;
  /** Gives a place back that nothing has come to wait in. */
  dropBegun(id: string): Promise<void>;
  /** Keeps the hash of a token for one that is `begun`, in place of an earlier one; it is gone when the suspension ends. */
  keepToken(token: { readonly id: string; readonly sha256: string }): Promise<void>;
  /** Tokens of all outside work that is begun or open. */
  suspensionTokens(): Promise<readonly SuspensionToken[]>;
  /** Open suspensions of all runs, in the order in which they began. */
  openSuspensions(kind: string): Promise<readonly Suspension[]>;
  /**
   * Its result, the event of the run, the run back in the queue when it waits for nothing else, and the end of the job:
   * all or nothing. False, and the job is ended all the same, where it was over before.
   */
  endSuspension(end: SuspensionEnd, jobId: string): Promise<boolean>;
}
