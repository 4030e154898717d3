import type { BudgetDay } from './budget.ts';
import type { ParkedJobs } from './jobs.ts';
import type { DeferredCode, Incident } from './runs.ts';
import type { TaskState } from './tasks.ts';

/** Of another format what an earlier build has kept is not read. */
export const OVERVIEW_FORMAT = 3;

/** What lists over all personas need of one, so that they open its database only for rows that they show. */
export interface Overview {
  /** Runs that are open, by their status, or `deferred`. */
  readonly runs: readonly { readonly status: string; readonly count: number }[];
  /** Mail that has not left, by its state. */
  readonly outbox: readonly { readonly state: string; readonly count: number }[];
  /** Questions to owners that nobody has decided. */
  readonly pending: number;
  /** Parts of runs that wait, by kind. */
  readonly parts: readonly { readonly kind: string; readonly count: number }[];
  readonly parked: readonly ParkedJobs[];
  readonly deferred: readonly DeferredOverview[];
  /** Mail that waits for a server, the newest first, 100 at most. */
  readonly waiting: readonly { readonly attempts: number; readonly last_error: string | null }[];
  readonly tasks: readonly TaskState[];
  /** Whether there are any. */
  readonly invitations: boolean;
  /** The greatest id of each: nothing that a list shows is beyond it. */
  readonly newest: NewestIds;
  /** The runs since a midnight. */
  readonly day: { readonly from: number; readonly runs: number; readonly cost_usd: number };
  /** The newest days on which anything was spent, newest first, each by the persona's own clock. */
  readonly spent: readonly SpentDay[];
}

export interface SpentDay extends Pick<BudgetDay, 'day' | 'runs' | 'tokens' | 'usd'> {
  /** What of it is set aside for what is being asked now. */
  readonly reserved_usd: number;
}

export interface DeferredOverview {
  readonly code: DeferredCode | null;
  readonly count: number;
  readonly since: number | null;
  readonly until: number | null;
  readonly incident: Pick<Incident, 'whose' | 'provider' | 'message'> | null;
}

export interface NewestIds {
  readonly run: string | null;
  /** When the run was created that was created last. */
  readonly runAt: number | null;
  /** By status, and `deferred`, of those that few runs have; of one that is absent the persona has no run. */
  readonly runs: Readonly<Record<string, string>>;
  readonly approval: string | null;
  /** Of a question that nobody has decided. */
  readonly pending: string | null;
  readonly thread: string | null;
  readonly outbox: string | null;
  readonly audit: string | null;
}

/** As gateway.db keeps it: what was read of a persona's database while that had this stamp. */
export interface KeptOverview {
  readonly personaId: string;
  readonly stamp: string;
  readonly overview: Overview;
}
