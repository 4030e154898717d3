import type { Kysely } from 'kysely';
import type { AuditRecord } from '../../types/approvals.ts';
import type { EndedTask, FoundTask, TaskEnd, TaskPlan, TaskState } from '../../types/tasks.ts';
import type { Transact } from '../database/transactions.ts';
import { audit } from '../repositories/approvals.ts';
import { addJobs } from '../repositories/jobs.ts';
import * as tasks from '../repositories/tasks.ts';
import type { PersonaTables } from './schema/tables.ts';

/** The part of the Store that has to do with tasks. */
export function taskOperations(db: Kysely<PersonaTables>, transact: Transact<PersonaTables>) {
  return {
    /**
     * Looks at one task and writes what `decide` makes of it, in one transaction: the rows of its due times, and the
     * runs of those that are run. Two processes that look at once cannot both write a due time. The ids of new runs.
     */
    settleTask: (task: string, now: number, decide: (found: FoundTask) => TaskPlan | null) =>
      transact(async (trx): Promise<readonly string[]> => {
        const plan = decide(await tasks.findTask(trx, task));
        if (plan === null) return [];
        if (plan.jobs) await addJobs(trx, plan.jobs);
        if (plan.audit) await audit(trx, plan.audit);
        return tasks.writeTaskPlan(trx, plan, now);
      }),
    removeTask: (task: string, now: number) => transact((trx) => tasks.removeTask(trx, task, now)),
    /** Sets a task aside whose definition is missing; what is due meanwhile is settled when there is one again. */
    parkTask: async (task: string) => {
      await db.updateTable('tasks').set({ next_at: null }).where('task', '=', task).execute();
    },
    dueTasks: async (now: number): Promise<string[]> =>
      (
        await db.selectFrom('tasks').select('task').where('next_at', '<=', now).orderBy('next_at').limit(100).execute()
      ).map(({ task }) => task),
    listTasks: (): Promise<TaskState[]> => tasks.allTasks(db),
    getTask: (task: string) => tasks.taskByName(db, task),
    taskTimes: (wanted: Parameters<typeof tasks.timesOf>[1]) => tasks.timesOf(db, wanted),
    /** Pauses a task, or lets it go on: then with the incident forgotten, and looked at at once. */
    setTaskPaused: (task: string, reason: string | null, now: number, told: readonly AuditRecord[] = []) =>
      transact(async (trx) => {
        const patch =
          reason === null
            ? { paused_reason: null, failures: 0, incident_at: null, told_at: null, next_at: now, updated_at: now }
            : { paused_reason: reason, updated_at: now };
        const { numUpdatedRows } = await trx
          .updateTable('tasks')
          .set(patch)
          .where('task', '=', task)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows > 0n) await audit(trx, told);
        return numUpdatedRows > 0n;
      }),
    recordTaskEnd: (ended: { jobId: string; runId: string; now: number }, decide: (found: EndedTask) => TaskEnd) =>
      transact((trx) => tasks.writeTaskEnd(trx, ended, decide)),
  };
}
