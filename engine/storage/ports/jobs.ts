import type { AuditRecord } from '../types/approvals.ts';
import type { ClaimedJob, GatheredKind, GatheredNotices, NewJob, StoredJob } from '../types/jobs.ts';
import type { Holder } from '../types/leases.ts';

export interface JobClaim extends Holder {
  /** Jobs of these kinds alone, or all but them. */
  readonly kinds?: { readonly names: readonly string[]; readonly only: boolean };
  /** Not these: names of kinds, or what ids begin with. */
  readonly without?: readonly string[];
  readonly now: number;
  readonly leaseMs: number;
}

/** Work that follows from rows, and the notices that are gathered before they are written. */
export interface JobStore {
  /** Once per id; a job that is there already stays as it is. */
  addJobs(jobs: readonly NewJob[]): Promise<void>;
  /** Leases the longest due job. A claim that is lost with the machine leaves a job that nobody has. */
  claimJob(claim: JobClaim): Promise<ClaimedJob | undefined>;
  /** False when the job is done, or somebody else has it by now. */
  extendJob(id: string, lease: string, until: number): Promise<boolean>;
  /** The longest due first. */
  dueJobs(now: number, limit: number): Promise<StoredJob[]>;
  endJob(id: string): Promise<void>;
  /** Those of these ids that are there. */
  jobsNamed(ids: readonly string[]): Promise<readonly StoredJob[]>;
  /** Takes back work whose time has not come, with that on record; false where there is none, or it has. */
  withdrawJob(id: string, now: number, audit: AuditRecord): Promise<boolean>;
  /** Nobody here can do it; it stays, and is due again at `dueAt`. */
  parkJob(id: string, parked: { readonly code: string; readonly dueAt: number }): Promise<void>;
  /**
   * Ends the job of a hook, with the event that it leaves on the record of its run. False, and nothing is changed, while
   * the run works: the places of its next events are its own.
   */
  endHook(
    jobId: string,
    ended: { readonly runId: string; readonly hook: string; readonly event: string; readonly ms: number },
    now: number,
  ): Promise<boolean>;
  /** It failed: one more attempt is counted. */
  postponeJob(id: string, dueAt: number): Promise<void>;
  /** It is not time yet, and that is nobody's failure. */
  delayJob(id: string, dueAt: number): Promise<void>;
  /** What owners were not told yet of this kind. */
  gathered(kind: GatheredKind): Promise<GatheredNotices | undefined>;
}
