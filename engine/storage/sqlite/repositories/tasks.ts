import { sql } from 'kysely';
import { indexedBy, jsonText } from '../../dialect.ts';
import { ownEvent } from '../../types/runs.ts';
import type {
  EndedTask,
  FoundTask,
  PlannedRun,
  PlannedTime,
  TaskEnd,
  TaskPlan,
  TaskState,
  TaskTimeStatus,
} from '../../types/tasks.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import { timeOf } from '../persona/schema/rows.ts';
import type { Reader, Trx } from '../persona/schema/tables.ts';
import { insertMessage, insertRun, insertThread } from './arrivals.ts';
import { addJobs, endJob } from './jobs.ts';
import { appendEvents } from './runs.ts';

const selectTasks = compiledQuery()((db: Reader) => db.selectFrom('tasks').selectAll().orderBy('task'));
export const allTasks = async (db: Reader): Promise<TaskState[]> => (await selectTasks(db, {})).rows;

export const taskByName = (db: Reader, task: string): Promise<TaskState | undefined> =>
  db.selectFrom('tasks').selectAll().where('task', '=', task).executeTakeFirst();

export async function findTask(trx: Trx, task: string): Promise<FoundTask> {
  // Asked of the open runs, which are few; the due times of a task only grow.
  const { rows: running } = await sql`
    select 1 as one from runs r ${indexedBy('runs_due')} join task_times t on t.run_id = r.id
    where r.status in ('queued', 'running') and r.kind = 'task' and t.task = ${task} limit 1`.execute(trx);
  const [last] = await timesOf(trx, { task, limit: 1, withRun: true });
  const waiting = await trx
    .selectFrom('task_times')
    .selectAll()
    .where('task', '=', task)
    .where('decision', '=', sql.lit('wait'))
    .orderBy('due_at')
    .execute();
  return {
    row: await taskByName(trx, task),
    running: running.length > 0,
    waiting: waiting[0] && timeOf(waiting[0]),
    waitingCount: waiting.length,
    last,
  };
}

/**
 * Writes what was planned; the runs that were made. The row of a due time is its fence: where one is there already,
 * whoever wrote it made its run as well.
 */
export async function writeTaskPlan(trx: Trx, plan: TaskPlan, now: number): Promise<readonly string[]> {
  const made: string[] = [];
  if (plan.forgetAfter !== null) {
    await trx
      .deleteFrom('task_times')
      .where('task', '=', plan.row.task)
      .where('due_at', '>', plan.forgetAfter)
      .where('run_id', 'is', null)
      .execute();
  }
  for (const time of plan.times) {
    const { numInsertedOrUpdatedRows: inserted } = await trx
      .insertInto('task_times')
      .values({ task: plan.row.task, due_at: time.dueAt, ...decided(time), decided_at: now })
      .onConflict((conflict) => conflict.columns(['task', 'due_at']).doNothing())
      .executeTakeFirstOrThrow();
    if (inserted === 0n || !time.run) continue;
    await insertTaskRun(trx, time.run, now);
    made.push(time.run.run.id);
  }
  if (plan.settleWaiting) {
    const time = plan.settleWaiting;
    const { numUpdatedRows: taken } = await trx
      .updateTable('task_times')
      .set({ ...decided(time), decided_at: now })
      .where('task', '=', plan.row.task)
      .where('due_at', '=', time.dueAt)
      .where('decision', '=', 'wait')
      .executeTakeFirstOrThrow();
    if (taken > 0n && time.run) {
      await insertTaskRun(trx, time.run, now);
      made.push(time.run.run.id);
    }
  }
  await trx
    .insertInto('tasks')
    .values(plan.row)
    .onConflict((conflict) => conflict.column('task').doUpdateSet(plan.row))
    .execute();
  return made;
}

const decided = ({ decision, code, count, run }: PlannedTime) => ({
  decision,
  code,
  count,
  run_id: run?.run.id ?? null,
  snapshot_json: run ? JSON.stringify(run.snapshot) : null,
});

async function insertTaskRun(trx: Trx, { newThread, message, run, snapshot }: PlannedRun, now: number): Promise<void> {
  if (newThread) await insertThread(trx, { ...newThread, now });
  await insertMessage(trx, message, {});
  await insertRun(trx, run);
  const { task, due_at, file_sha256, prompt_sha256 } = snapshot;
  const payload = { tier: run.tier, task, due_at, file_sha256, prompt_sha256 };
  await appendEvents(trx, run.id, 0, [ownEvent('run_queued', payload)], now);
}

/** Due times of a task (or of all), newest first, each with what became of it. */
export async function timesOf(
  db: Reader | Trx,
  wanted: { task?: string | undefined; before?: number | undefined; limit: number; withRun?: boolean },
): Promise<TaskTimeStatus[]> {
  const rows = await db
    .selectFrom('task_times')
    .leftJoin('runs', 'runs.id', 'task_times.run_id')
    .leftJoin('outbox', (join) =>
      join.onRef('outbox.run_id', '=', 'task_times.run_id').on('outbox.purpose', '=', 'final'),
    )
    .selectAll('task_times')
    .select([
      'runs.outcome',
      'runs.status as run_status',
      'runs.code as run_code',
      'outbox.state as mail_state',
      (select) => select.fn.coalesce('runs.cost_usd', sql.lit(0)).as('cost_usd'),
    ])
    .$if(wanted.task !== undefined, (query) => query.where('task_times.task', '=', wanted.task ?? ''))
    .$if(wanted.before !== undefined, (query) => query.where('task_times.due_at', '<', wanted.before ?? 0))
    .$if(wanted.withRun === true, (query) => query.where('task_times.run_id', 'is not', null))
    .orderBy('task_times.due_at', 'desc')
    .limit(wanted.limit)
    .execute();
  return rows.map((row) => timeOf(row));
}

/** Counts an end once: the job that announced it goes in the same transaction. */
export async function writeTaskEnd(
  trx: Trx,
  ended: { jobId: string; runId: string; now: number },
  decide: (found: EndedTask) => TaskEnd,
): Promise<void> {
  const found = await trx.selectFrom('task_times').select('task').where('run_id', '=', ended.runId).executeTakeFirst();
  const row = found && (await taskByName(trx, found.task));
  const isTaken = await endJob(trx, ended.jobId);
  if (!row || !isTaken) return;
  const [time] = await timesOfRun(trx, ended.runId);
  if (!time) return;
  const { patch, jobs } = decide({ row, time, meant: await meantFor(trx, ended.runId) });
  // Whoever waited for this run is due now.
  const waiting = trx
    .selectFrom('task_times')
    .select('due_at')
    .where('task', '=', row.task)
    .where('decision', '=', sql.lit('wait'))
    .limit(1);
  const isWaitedFor = (await waiting.executeTakeFirst()) !== undefined;
  await trx
    .updateTable('tasks')
    .set({ ...patch, updated_at: ended.now, ...(isWaitedFor ? { next_at: ended.now } : {}) })
    .where('task', '=', row.task)
    .execute();
  await addJobs(trx, jobs);
}

async function meantFor(trx: Trx, runId: string): Promise<string | null> {
  const { rows } = await sql<{ provider: string | null; model: string | null }>`
    select ${jsonText(sql`payload_json`, 'targets', 0, 'provider')} as provider,
      ${jsonText(sql`payload_json`, 'targets', 0, 'model')} as model
    from run_events where run_id = ${runId} and type = 'context_built' limit 1`.execute(trx);
  const [target] = rows;
  return target?.provider && target.model ? `${target.provider}/${target.model}` : null;
}

const timesOfRun = async (trx: Trx, runId: string): Promise<TaskTimeStatus[]> => {
  const row = await trx
    .selectFrom('task_times')
    .select(['task', 'due_at'])
    .where('run_id', '=', runId)
    .executeTakeFirst();
  return row ? timesOf(trx, { task: row.task, before: row.due_at + 1, limit: 1 }) : [];
};

/** A task whose file is gone: nothing of it is due any more, its history stays. */
export async function removeTask(trx: Trx, task: string, now: number): Promise<void> {
  await trx
    .updateTable('task_times')
    .set({ decision: 'skipped', code: 'removed', decided_at: now })
    .where('task', '=', task)
    .where('decision', '=', 'wait')
    .execute();
  await trx.deleteFrom('tasks').where('task', '=', task).execute();
}
