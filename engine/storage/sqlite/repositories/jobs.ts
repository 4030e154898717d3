import type { NewJob, ParkedJobs, StoredJob } from '../../types/jobs.ts';
import { compiledQuery } from '../compiled-query.ts';
import type { Reader, Trx } from '../persona/tables.ts';
import { gatherNotice } from './gathered-notices.ts';

/** Asks for work once per id; a job that is there already stays as it is. */
export async function addJobs(trx: Trx, jobs: readonly NewJob[]): Promise<void> {
  if (jobs.length === 0) return;
  const wanted: Omit<NewJob, 'gather'>[] = [];
  for (const { gather, ...job } of jobs) wanted.push(gather ? await gatherNotice(trx, job, gather) : job);
  await trx
    .insertInto('jobs')
    .values(wanted.map(({ payload, ...job }) => ({ ...job, payload_json: payload })))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

const bringForward = compiledQuery<{ id: string; now: number }>()((db: Reader, $) =>
  db.updateTable('jobs').set({ due_at: $.now }).where('id', '=', $.id).where('due_at', '>', $.now),
);

/** What it waited for has come; nothing where there is no such job. */
export async function hurryJob(trx: Trx, id: string, now: number): Promise<void> {
  await bringForward(trx, { id, now });
}

export const dueJobs = (db: Reader, now: number, limit: number): Promise<StoredJob[]> =>
  db
    .selectFrom('jobs')
    .select(['id', 'kind', 'payload_json as payload', 'due_at', 'attempts'])
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute();

export const parkedJobs = (db: Reader): Promise<ParkedJobs[]> =>
  db
    .selectFrom('jobs')
    .select(['kind', 'parked_code as code', (jobs) => jobs.fn.countAll<number>().as('count')])
    .where('parked_code', 'is not', null)
    .groupBy(['kind', 'parked_code'])
    .orderBy('kind')
    .$narrowType<{ code: string }>()
    .execute();
