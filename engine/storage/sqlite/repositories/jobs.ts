import { sql } from 'kysely';
import { eachText } from '../../dialect.ts';
import type { JobClaim } from '../../ports/jobs.ts';
import type { ClaimedJob, NewJob, ParkedJobs, StoredJob } from '../../types/jobs.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import { leaseName, ownLeases } from '../database/lease-name.ts';
import type { Reader, Trx } from '../persona/schema/tables.ts';
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

const deleteJob = compiledQuery<{ id: string }>()((db: Reader, $) => db.deleteFrom('jobs').where('id', '=', $.id));

/** It is done; false where it was done before. */
export async function endJob(db: Reader, id: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await deleteJob(db, { id });
  return numAffectedRows > 0n;
}

/** What it waited for has come; nothing where there is no such job. */
export async function hurryJob(trx: Trx, id: string, now: number): Promise<void> {
  await bringForward(trx, { id, now });
}

interface DueJob {
  readonly own: string;
  readonly othersAreDead: number;
  readonly now: number;
  readonly kinds: string;
  readonly only: number;
  readonly without: string;
}

const dueJob = compiledQuery<DueJob>()(
  (_: Reader, $) => sql<StoredJob>`
    select id, kind, payload_json as payload, due_at, attempts from jobs
    where due_at <= ${$.now} and (leased_by is null or leased_until <= ${$.now}
      or (${$.othersAreDead} = 1 and substr(leased_by, 1, length(${$.own})) <> ${$.own}))
      and (kind in (select value from ${eachText($.kinds, 'one')})) = ${$.only}
      and not exists (select 1 from ${eachText($.without, 'other')}
        where jobs.kind = other.value or substr(jobs.id, 1, length(other.value)) = other.value)
    order by due_at limit 1`,
);

/** Leases the longest due job. */
export async function claimJob(trx: Trx, claim: JobClaim): Promise<ClaimedJob | undefined> {
  const { instance, deadHolders, now, leaseMs, kinds = { names: [], only: false }, without = [] } = claim;
  const which = { kinds: JSON.stringify(kinds.names), only: kinds.only ? 1 : 0, without: JSON.stringify(without) };
  const [job] = (await dueJob(trx, { own: ownLeases(instance), othersAreDead: deadHolders ? 1 : 0, now, ...which }))
    .rows;
  if (!job) return undefined;
  const until = now + leaseMs;
  const lease = leaseName(instance, until);
  await trx.updateTable('jobs').set({ leased_by: lease, leased_until: until }).where('id', '=', job.id).execute();
  return { ...job, lease };
}

/** False when the job is done, or somebody else has it by now. */
export async function extendJob(trx: Trx, id: string, lease: string, until: number): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('jobs')
    .set({ leased_until: until })
    .where('id', '=', id)
    .where('leased_by', '=', lease)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

export const dueJobs = (db: Reader, now: number, limit: number): Promise<StoredJob[]> =>
  db
    .selectFrom('jobs')
    .select(['id', 'kind', 'payload_json as payload', 'due_at', 'attempts'])
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(limit)
    .execute();

export const jobsNamed = (db: Reader, ids: readonly string[]): Promise<StoredJob[]> =>
  db
    .selectFrom('jobs')
    .select(['id', 'kind', 'payload_json as payload', 'due_at', 'attempts'])
    .where('id', 'in', ids)
    .orderBy('id')
    .execute();

/** A job is claimed only when it is due, so nobody does one that is withdrawn. */
export async function withdrawJob(trx: Trx, id: string, now: number): Promise<boolean> {
  const { numDeletedRows } = await trx
    .deleteFrom('jobs')
    .where('id', '=', id)
    .where('due_at', '>', now)
    .where('leased_by', 'is', null)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

export const parkedJobs = (db: Reader): Promise<ParkedJobs[]> =>
  db
    .selectFrom('jobs')
    .select(['kind', 'parked_code as code', (jobs) => jobs.fn.countAll<number>().as('count')])
    .where('parked_code', 'is not', null)
    .groupBy(['kind', 'parked_code'])
    .orderBy('kind')
    .$narrowType<{ code: string }>()
    .execute();
