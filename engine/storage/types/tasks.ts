import type { TaskAnswer } from '../../config/types.ts';
import type { Added } from '../schema/persona.ts';
import type { AuditRecord } from './approvals.ts';
import type { NewJob } from './jobs.ts';
import type { NewMessage } from './mail.ts';
import type { OutboxState } from './outbox.ts';
import type { NewRun, RunStatus } from './runs.ts';

// Tasks and their due times.

/** One per task file that the schedule has seen. */
export interface TaskState extends Added<'tasks'> {
  readonly task: string;
  readonly file_sha256: string;
  /** Of what decides when it is due; another key begins a new count at `anchor_at`. */
  readonly schedule_key: string;
  readonly anchor_at: number;
  /** Every due time up to here has its row. */
  readonly settled_to: number;
  /** When the schedule has to look again; null: never by itself. */
  readonly next_at: number | null;
  readonly paused_reason: string | null;
  /** In a row. */
  readonly failures: number;
  /** Since when it fails, and when its owners were last told so. */
  readonly incident_at: number | null;
  readonly told_at: number | null;
  /** The one thread of a sticky task. */
  readonly thread_id: string | null;
  /** `provider/model` of the first run under this file. */
  readonly pinned: string | null;
  readonly updated_at: number;
}

/** One per due time. What became of a run is in `runs`, what became of its mail in `outbox`. */
export interface TaskTime extends Added<'task_times'> {
  readonly task: string;
  readonly due_at: number;
  /** `wait`: behind a run of the same task that is not over. */
  readonly decision: 'run' | 'wait' | 'skipped' | 'missed';
  readonly code: string | null;
  /** 1; after a very long time down one row stands for the oldest due times together. */
  readonly count: number;
  readonly run_id: string | null;
  /** The task as it was when its run was made. */
  readonly snapshot: TaskSnapshot | null;
  readonly decided_at: number;
}

/** What a run needs to know of the task that it is a run of, as it was when the run was made. */
export interface TaskSnapshot {
  readonly task: string;
  readonly name: string;
  readonly due_at: number;
  readonly timezone: string;
  readonly file_sha256: string;
  readonly prompt_sha256: string;
  /** Nobody: the outcome is on record and in the thread only. */
  readonly deliver: readonly string[];
  readonly sticky: boolean;
  readonly condition: { readonly tool: string; readonly args: unknown } | null;
  readonly pinned: string | null;
  /** What its answer has to bring, where the file says so; absent in rows of older versions. */
  readonly answer?: TaskAnswer;
  /** The outcome of the run before, in words; null for the first. */
  readonly previous: string | null;
}

/** How a due time stands: its own row, its run, and the mail that the run made. */
export type TaskTimeStatus = TaskTime & {
  readonly outcome: string | null;
  readonly cost_usd: number;
  readonly run_status: RunStatus | null;
  readonly run_code: string | null;
  readonly mail_state: OutboxState | null;
};

/** What the rows know of a task when the schedule looks at it. */
export interface FoundTask {
  readonly row: TaskState | undefined;
  /** A run of it is queued or running. One that waits for an owner holds nothing up. */
  readonly running: boolean;
  /** The oldest due time that waits for the run before it. */
  readonly waiting: TaskTime | undefined;
  readonly waitingCount: number;
  /** The newest due time that had a run. */
  readonly last: TaskTimeStatus | undefined;
}

export interface PlannedRun {
  readonly newThread: { readonly id: string; readonly kind: 'task'; readonly subject: string } | null;
  readonly message: NewMessage;
  readonly run: NewRun;
  readonly snapshot: TaskSnapshot;
}

export interface PlannedTime {
  readonly dueAt: number;
  readonly decision: TaskTime['decision'];
  readonly code: string | null;
  /** How many due times up to this one the row stands for. */
  readonly count: number;
  readonly run: PlannedRun | null;
}

export interface TaskPlan {
  readonly row: Omit<TaskState, 'failures'>;
  readonly times: readonly PlannedTime[];
  /** The clock was ahead of this time and came back: what was decided beyond it without a run is undecided again. */
  readonly forgetAfter: number | null;
  /** The waiting due time whose turn it is, or that is not run any more. */
  readonly settleWaiting: PlannedTime | null;
  /** What follows from it. */
  readonly jobs?: readonly NewJob[];
  /** Who had it done, where somebody did; absent: it was due. */
  readonly audit?: readonly AuditRecord[];
}

/** What is known when a task's run is over, or its mail is. */
export interface EndedTask {
  readonly row: TaskState;
  readonly time: TaskTimeStatus;
  /** `provider/model` that the run was meant for; null when it never got that far. */
  readonly meant: string | null;
}

export interface TaskEnd {
  readonly patch: Partial<Pick<TaskState, 'failures' | 'incident_at' | 'told_at' | 'paused_reason' | 'pinned'>>;
  readonly jobs: readonly NewJob[];
}
