import type { Added } from '../schema/persona.ts';

// Work that follows from rows, and the notices that are gathered.

/** A row as it stands: its kind, or what its payload says, may be of another version. */
export interface StoredJob extends Added<'jobs'> {
  readonly id: string;
  readonly kind: string;
  readonly payload: string;
  readonly due_at: number;
  readonly attempts: number;
}

/** `lease`: the name under which its holder extends it. */
export type ClaimedJob = StoredJob & { readonly lease: string };

/** Asked for once per id: one that is there already stays as it is. */
export interface NewJob {
  readonly id: string;
  readonly kind: string;
  readonly due_at: number;
  /** What the work is about, as its kind writes it. */
  readonly payload: string;
  /** A notice that arriving mail causes: owners get one an hour of its kind, and then all the others in one. */
  readonly gather?: Gather;
}

export interface Gather {
  readonly kind: GatheredKind;
  /** The notice that tells of all that came since then. */
  later(gathered: { readonly kind: GatheredKind; readonly since: number; readonly dueAt: number }): NewJob;
}

/** Jobs that nobody here can do, and why. */
export interface ParkedJobs {
  readonly kind: string;
  readonly code: string;
  readonly count: number;
}

/** The job that writes `active.md`; there is one at a time. */
export const ACTIVE_JOB = 'active_memory';

/** The job that finds out how a run went. */
export const playbookOutcomeJobId = (runId: string): string => `playbook_outcome:${runId}`;

/** The job that tells whoever asked for a mail of the answer to it which this run is about. */
export const relayOf = (runId: string): string => `relay:${runId}`;

/** What owners hear of at most once an hour; of runs that failed by the code, since each is another incident. */
export type GatheredKind =
  | 'dead_letter'
  | 'loop_limit'
  | 'sender_rate_limited'
  | 'hop_limit'
  | 'undelivered'
  | 'made_for_others'
  | 'drafted'
  | 'not_drafted'
  | `run_failed:${string}`;

export interface GatheredNotices extends Added<'gathered_notices'> {
  readonly kind: GatheredKind;
  /** When the newest notice of this kind was asked for. */
  readonly since: number;
  /** What came after it and was not told yet. */
  readonly count: number;
  readonly first_at: number | null;
  /** The newest of them, as its kind writes it; null where nothing came after. */
  readonly newest_json: string | null;
}

/** What of the gathered was told. */
export interface ToldGathered extends Gather {
  readonly count: number;
  readonly now: number;
}

/** How many files and the like a run made for somebody who is no owner. */
export interface MadeJob {
  readonly count: number;
  readonly later: Gather['later'];
}
