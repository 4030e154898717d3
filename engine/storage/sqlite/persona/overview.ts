import { type Kysely, sql } from 'kysely';
import { indexedBy, jsonObjectOf } from '../../dialect.ts';
import { UNSENT_STATES } from '../../types/outbox.ts';
import type { DeferredOverview, NewestIds, Overview } from '../../types/overview.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import { PENDING } from '../repositories/approvals.ts';
import { parkedJobs } from '../repositories/jobs.ts';
import { countOpen } from '../repositories/suspensions/rows.ts';
import { allTasks } from '../repositories/tasks.ts';
import { countDeferred, incidentOf } from '../repositories/waiting.ts';
import type { PersonaTables, Reader } from './schema/tables.ts';

/** So many mails that wait say how a mailbox sends. */
const LOOKED_AT = 100;

/** So many days are told of: two months and a little. */
const MOST_DAYS = 62;

/** What a partial index is to be found by has to be a literal: this is what `outbox_unsent` says. */
export const UNSENT = sql<boolean>`state in (${sql.join(UNSENT_STATES.map((state) => sql.lit(state)))})`;

const selectUnsent = compiledQuery()((db: Reader) =>
  db
    .selectFrom('outbox')
    .select(['state', (all) => all.fn.countAll<number>().as('count')])
    .where(UNSENT)
    .groupBy('state'),
);
const selectWaiting = compiledQuery()((db: Reader) =>
  db
    .selectFrom('outbox')
    .select(['attempts', 'last_error'])
    .where(UNSENT)
    .where('state', '=', sql.lit('queued'))
    .orderBy('id', 'desc')
    .limit(sql.lit(LOOKED_AT)),
);
const selectOpen = compiledQuery()(
  (_: Reader) => sql<Overview['runs'][number]>`
  select case when deferred_code is null then status else 'deferred' end as status, count(*) as count
  from runs ${indexedBy('runs_by_status')} where status in ('queued', 'running', 'waiting_approval') group by 1`,
);
const selectPending = compiledQuery()(
  (_: Reader) => sql<{ readonly count: number }>`
  select count(*) as count from approvals ${indexedBy('approvals_open')} where state = ${PENDING}`,
);
const selectInvitation = compiledQuery()((db: Reader) => db.selectFrom('invitations').select('id').limit(sql.lit(1)));

/**
 * What lists over all personas need of this one. Each statement goes by an index of what is open or newest, so that it costs
 * no more after years. They are no transaction: whoever keeps what was read knows whether anything changed meanwhile.
 */
export async function overviewOf(db: Kysely<PersonaTables>, day: number): Promise<Overview> {
  return {
    runs: (await selectOpen(db, {})).rows,
    outbox: (await selectUnsent(db, {})).rows,
    pending: (await selectPending(db, {})).rows[0]?.count ?? 0,
    parts: await countOpen(db),
    parked: await parkedJobs(db),
    deferred: await deferredIn(db),
    waiting: (await selectWaiting(db, {})).rows,
    tasks: await allTasks(db),
    invitations: (await selectInvitation(db, {})).rows.length > 0,
    newest: await newestIn(db),
    day: await dayIn(db, day),
    spent: (await selectSpent(db, {})).rows,
  };
}

async function deferredIn(db: Reader): Promise<DeferredOverview[]> {
  const found: DeferredOverview[] = [];
  for (const row of await countDeferred(db)) {
    const incident = row.code === null ? undefined : await incidentOf(db, row.code);
    const { whose, provider, message } = incident ?? {};
    found.push({
      ...row,
      incident: provider === undefined || message === undefined ? null : { whose: whose ?? null, provider, message },
    });
  }
  return found;
}

/** Of more failed or cancelled runs than this the newest of all runs stands for the newest of them. */
const LOOKED_THROUGH = 1000;

const selectNewest = compiledQuery()(
  (_: Reader) => sql<Omit<NewestIds, 'runs'> & { readonly runs: string }>`
  select
    (select max(id) from runs) as run,
    (select max(created_at) from runs) as "runAt",
    (select ${jsonObjectOf(sql`status`, sql`id`)} from (
      select status, max(id) as id from runs ${indexedBy('runs_by_status')}
      where status in ('queued', 'running', 'waiting_approval') group by status
      union all
      select 'deferred', max(id) from runs ${indexedBy('runs_deferred')} where deferred_code is not null having max(id) is not null
      union all
      select status, case when count(*) < ${sql.lit(LOOKED_THROUGH)} then max(id) else (select max(id) from runs) end from (
        select * from (select status, id from runs ${indexedBy('runs_by_status')} where status = 'failed' limit ${sql.lit(LOOKED_THROUGH)}) failed
        union all
        select * from (select status, id from runs ${indexedBy('runs_by_status')} where status = 'cancelled' limit ${sql.lit(LOOKED_THROUGH)}) cancelled) ended
      group by status) newest) as runs,
    (select max(id) from approvals) as approval,
    (select max(id) from approvals ${indexedBy('approvals_open')} where state = 'pending') as pending,
    (select max(id) from threads) as thread,
    (select max(id) from outbox) as outbox,
    (select max(id) from audit_log) as audit`,
);

async function newestIn(db: Reader): Promise<NewestIds> {
  const [row] = (await selectNewest(db, {})).rows;
  if (row === undefined) throw new Error('a statement without a table has one row');
  return { ...row, runs: JSON.parse(row.runs) };
}

const selectDay = compiledQuery<{ from: number }>()((db: Reader, $) =>
  db
    .selectFrom('runs')
    .select((all) => [all.fn.countAll<number>().as('runs'), sql<number>`coalesce(sum(cost_usd), 0)`.as('cost_usd')])
    .where('created_at', '>=', $.from),
);

async function dayIn(db: Reader, from: number): Promise<Overview['day']> {
  const [sum = { runs: 0, cost_usd: 0 }] = (await selectDay(db, { from })).rows;
  return { from, ...sum };
}

const selectSpent = compiledQuery()((db: Reader) =>
  db
    .selectFrom('budget_days')
    .select(['day', 'runs', 'tokens', 'usd', 'reserved_usd'])
    .orderBy('day', 'desc')
    .limit(sql.lit(MOST_DAYS)),
);
