import type { Suspension, SuspensionEnd } from '../types/suspensions.ts';

/** What runs wait for that nobody is asked about. Rows are made by a step of their run (`StepBatch.suspended`). */
export interface SuspensionStore {
  getSuspension(id: string): Promise<Suspension | undefined>;
  /** In the order in which they began. */
  suspensionsOfRun(runId: string): Promise<readonly Suspension[]>;
  /**
   * Its result, the event of the run, the run back in the queue when it waits for nothing else, and the end of the job:
   * all or nothing. False, and the job is ended all the same, where it was over before.
   */
  endSuspension(end: SuspensionEnd, jobId: string): Promise<boolean>;
}
