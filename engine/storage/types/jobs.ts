// Work that follows from rows, and the notices that are gathered.

export type JobKind =
  | 'notice'
  | 'hook'
  | 'approval_notice'
  | 'approval_reminder'
  | 'approval_expiry'
  | 'wait_notice'
  | 'clarify'
  | 'question'
  | 'task_ended'
  | 'undo_notice'
  | 'undo'
  | 'undo_end'
  | 'sent_copy'
  | 'waiting_note'
  | 'waiting_notice'
  | 'relay';

export interface StoredJob {
  readonly id: string;
  readonly kind: JobKind;
  readonly payload_json: string;
  readonly due_at: number;
  readonly attempts: number;
}

/** Asked for once per id: one that is there already stays as it is. */
export interface NewJob {
  readonly id: string;
  readonly kind: JobKind;
  readonly due_at: number;
  readonly payload: unknown;
  /** A notice that arriving mail causes: owners get one an hour of its kind, and then all the others in one. */
  readonly gather?: { readonly kind: GatheredKind };
}

/** The job that tells whoever asked for a mail of the answer to it which this run is about. */
export const relayOf = (runId: string): string => `relay:${runId}`;

/** What owners hear of at most once an hour; of runs that failed by the code, since each is another incident. */
export type GatheredKind =
  | 'dead_letter'
  | 'loop_limit'
  | 'sender_rate_limited'
  | 'undelivered'
  | 'made_for_others'
  | `run_failed:${string}`;

export interface GatheredNotices {
  readonly kind: GatheredKind;
  /** When the newest notice of this kind was asked for. */
  readonly since: number;
  /** What came after it and was not told yet. */
  readonly count: number;
  readonly first_at: number | null;
  readonly newest_json: string | null;
}

/** What of the gathered was told. */
export interface Told {
  readonly kind: GatheredKind;
  readonly count: number;
  readonly now: number;
}
