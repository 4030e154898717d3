import type { Generated } from 'kysely';

// The tables of persona.db about tasks and their due times.

/** One per task file that the schedule has seen. */
export interface TaskTable {
  task: string;
  file_sha256: string;
  /** Of what decides when it is due; another key begins a new count at `anchor_at`. */
  schedule_key: string;
  anchor_at: number;
  /** Every due time up to here has its row. */
  settled_to: number;
  /** When the schedule has to look again; null: never by itself. */
  next_at: number | null;
  paused_reason: string | null;
  /** In a row. */
  failures: Generated<number>;
  /** Since when it fails, and when its owners were last told so. */
  incident_at: number | null;
  told_at: number | null;
  /** The one thread of a sticky task. */
  thread_id: string | null;
  /** `provider/model` of the first run under this file. */
  pinned: string | null;
  updated_at: number;
}

/** One per due time. What became of a run is in `runs`, what became of its mail in `outbox`. */
export interface TaskTimeTable {
  task: string;
  due_at: number;
  /** `wait`: behind a run of the same task that is not over. */
  decision: 'run' | 'wait' | 'skipped' | 'missed';
  code: string | null;
  /** 1; after a very long time down one row stands for the oldest due times together. */
  count: Generated<number>;
  run_id: string | null;
  /** The task as it was when its run was made. */
  snapshot_json: string | null;
  decided_at: number;
}
