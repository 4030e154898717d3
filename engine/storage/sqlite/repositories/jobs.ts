import type { NewJob } from '../../types/jobs.ts';
import { compiledQuery } from '../compiled-query.ts';
import type { Reader, Trx } from '../tables/tables.ts';
import { gatherNotice } from './gathered-notices.ts';

/** Asks for work once per id; a job that is there already stays as it is. */
export async function addJobs(trx: Trx, jobs: readonly NewJob[]): Promise<void> {
  if (jobs.length === 0) return;
  const wanted: Omit<NewJob, 'gather'>[] = [];
  for (const { gather, ...job } of jobs) wanted.push(gather ? await gatherNotice(trx, job, gather) : job);
  await trx
    .insertInto('jobs')
    .values(wanted.map(({ payload, ...job }) => ({ ...job, payload_json: JSON.stringify(payload) })))
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
