import type { AuditRecord } from '../types/approvals.ts';
import type { EndedTask, FoundTask, TaskEnd, TaskPlan, TaskState, TaskTimeStatus } from '../types/tasks.ts';

/** Tasks. A due time has one row, which is written once: whoever wrote it made its run as well. */
export interface TaskStore {
  /**
   * Looks at one task and writes what `decide` makes of it, in one transaction: the rows of its due times, and the
   * runs of those that are run. The ids of new runs. `decide` is pure: the transaction may run again.
   */
  settleTask(task: string, now: number, decide: (found: FoundTask) => TaskPlan | null): Promise<readonly string[]>;
  /** A task whose file is gone: nothing of it is due any more, its history stays. */
  removeTask(task: string, now: number): Promise<void>;
  /** Sets a task aside whose definition is missing; what is due meanwhile is settled when there is one again. */
  parkTask(task: string): Promise<void>;
  /** A hundred at most, the longest due first. */
  dueTasks(now: number): Promise<string[]>;
  listTasks(): Promise<TaskState[]>;
  getTask(task: string): Promise<TaskState | undefined>;
  /** Due times of a task (or of all), newest first, each with what became of it. */
  taskTimes(wanted: {
    readonly task?: string | undefined;
    readonly before?: number | undefined;
    readonly limit: number;
    readonly withRun?: boolean;
  }): Promise<TaskTimeStatus[]>;
  /**
   * Pauses a task, or lets it go on: then with the incident forgotten, and looked at at once. Whether there is one; then with
   * what the audit log tells of it.
   */
  setTaskPaused(task: string, reason: string | null, now: number, audit?: readonly AuditRecord[]): Promise<boolean>;
  /** Counts an end once: the job that announced it goes in the same transaction. `decide` is pure. */
  recordTaskEnd(
    ended: { readonly jobId: string; readonly runId: string; readonly now: number },
    decide: (found: EndedTask) => TaskEnd,
  ): Promise<void>;
}
