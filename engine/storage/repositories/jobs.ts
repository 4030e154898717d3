import type { JobTable, Trx } from '../tables.ts';

export type NewJob = Pick<JobTable, 'id' | 'kind' | 'due_at'> & { readonly payload: unknown };

/** Asks for work once per id; a job that is there already stays as it is. */
export async function addJobs(trx: Trx, jobs: readonly NewJob[]): Promise<void> {
  if (jobs.length === 0) return;
  await trx
    .insertInto('jobs')
    .values(jobs.map(({ payload, ...job }) => ({ ...job, payload_json: JSON.stringify(payload) })))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}
