import type { JobTable, Trx } from '../tables.ts';
import { type Gather, gatherNotice } from './gathered-notices.ts';

export type NewJob = Pick<JobTable, 'id' | 'kind' | 'due_at'> & {
  readonly payload: unknown;
  /** A notice that arriving mail causes: owners get one an hour of its kind, and then all the others in one. */
  readonly gather?: Gather;
};

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
