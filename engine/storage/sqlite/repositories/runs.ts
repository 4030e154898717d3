import { type Insertable, sql } from 'kysely';
import { asFlag, greatest, indexedBy } from '../../dialect.ts';
import type { NextDue } from '../../ports/runs.ts';
import { FencedError } from '../../ports/runs.ts';
import type { Holder } from '../../types/leases.ts';
import type { DeferredCode, Lease, NewEvent, RunPatch, StoredEvent, StoredRun } from '../../types/runs.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import { ownLeases } from '../database/lease-name.ts';
import type { PersonaTables, Reader, Trx } from '../persona/schema/tables.ts';
import type { Reserving } from './budget.ts';

/**
 * Of a row of `runs` by the name `run`: its thread is free. Mail of a thread is worked one at a time, as it came; but nobody
 * waits for the turn of another sender.
 */
export const isFirstOfThread = (run: string) => {
  const r = sql.raw(run);
  return sql<boolean>`not exists (
        select 1 from runs b ${indexedBy('runs_open_by_thread')}
        where b.thread_id = ${r}.thread_id and b.status in ('queued', 'running') and b.seq <> ${r}.seq
          and ((b.status = 'running') or (b.status = 'queued' and b.seq < ${r}.seq
            and not (b.deferred_code is not distinct from 'sender_rate_limited' and b.sender is distinct from ${r}.sender))))`;
};

/**
 * The oldest due run whose thread is free. The indexes are named because without statistics SQLite takes the ones over
 * all runs, and reads every run that the thread ever had.
 */
const dueRun = (which: 'any' | 'only' | 'none') => {
  const index = which === 'only' ? 'runs_suspects' : 'runs_due';
  const wanted = { any: sql``, only: sql`and r.crashes > 0`, none: sql`and r.crashes = 0` }[which];
  // The least blamed first: who was only near one death too many comes before whoever causes them.
  const order = which === 'only' ? sql`r.crashes, r.due_at, r.seq` : sql`r.due_at, r.seq`;
  return compiledQuery<{ instance: string; othersAreDead: number; now: number }>()(
    (_: Reader, $) => sql<FoundRun>`
    select r.seq, r.status, r.deferred_code from runs r ${indexedBy(index)}
    where r.status in ('queued', 'running') ${wanted}
      and (
        (r.status = 'queued' and r.due_at <= ${$.now})
        or (r.status = 'running' and (r.leased_until <= ${$.now} or (${$.othersAreDead} = 1 and r.leased_by <> ${$.instance}))))
      and ${isFirstOfThread('r')}
    order by ${order} limit 1`,
  );
};
const dueRuns = { any: dueRun('any'), only: dueRun('only'), none: dueRun('none') };

interface FoundRun {
  readonly seq: number;
  readonly status: string;
  readonly deferred_code: DeferredCode | null;
}

export async function findDueRun(
  db: Reader,
  { instance, deadHolders, now, suspects }: Holder & { readonly now: number; readonly suspects?: boolean },
): Promise<FoundRun | undefined> {
  const find = suspects === undefined ? dueRuns.any : suspects ? dueRuns.only : dueRuns.none;
  return (await find(db, { instance, othersAreDead: deadHolders ? 1 : 0, now })).rows[0];
}

const leaseRun = compiledQuery<{ seq: number; instance: string; now: number; until: number }>()((db: Reader, $) =>
  db
    .updateTable('runs')
    .set((row) => ({
      status: 'running',
      deferred_code: null,
      deferred_until: null,
      leased_by: $.instance,
      leased_until: $.until,
      fence: row('fence', '+', 1),
      started_at: row.fn.coalesce('started_at', $.now),
    }))
    .where('seq', '=', $.seq)
    .returningAll(),
);

/**
 * Leases the oldest due run whose thread is free. A running run is taken over when its lease is over, or at once when
 * its holder is known to be dead. Transactions begin immediate, so no two workers share it.
 */
export async function leaseDueRun(
  trx: Trx,
  claim: Holder & { readonly suspects?: boolean; readonly now: number; readonly leaseMs: number },
): Promise<{ run: StoredRun; takenOver: boolean } | undefined> {
  const { instance, now, leaseMs } = claim;
  const found = await findDueRun(trx, claim);
  if (!found) return undefined;
  const { rows } = await leaseRun(trx, { seq: found.seq, instance, now, until: now + leaseMs });
  const run = rows[0];
  if (!run) throw new Error('the run was there a moment ago');
  // What it still waits for, and has waited for long enough.
  return { run: { ...run, deferred_code: found.deferred_code }, takenOver: found.status === 'running' };
}

/** Events that bring a run further. A model call that only began does not: each life of a crashing step begins one. */
const PROGRESS: ReadonlySet<string> = new Set([
  'context_built',
  'model_call_ended',
  'tool_call_intended',
  'observation',
  'approval_requested',
  'approval_decided',
  'suspended',
  'resumed',
  'mail_taken_in',
]);

const progressOf = (events: readonly StoredEvent[]): number => events.filter(({ type }) => PROGRESS.has(type)).length;

const noteCrashes = compiledQuery<{ id: string; crashes: number; progress: number }>()((db: Reader, $) =>
  db.updateTable('runs').set({ crashes: $.crashes, crash_seq: $.progress }).where('id', '=', $.id),
);

/** One look at a run after it was claimed a second time at the same place: a crash in between. */
export async function countCrash(
  trx: Trx,
  run: StoredRun,
  events: readonly StoredEvent[],
  crashed: boolean,
): Promise<number> {
  const progress = progressOf(events);
  const before = run.crash_seq === progress ? run.crashes : 0;
  const crashes = crashed ? before + 1 : before;
  // With no crash before and none now, the step does not matter.
  if (crashes === run.crashes && (crashes === 0 || run.crash_seq === progress)) return crashes;
  await noteCrashes(trx, { id: run.id, crashes, progress });
  return crashes;
}

const selectRun = compiledQuery<{ id: string }>()((db: Reader, $) =>
  db.selectFrom('runs').selectAll().where('id', '=', $.id),
);

export const runById = async (db: Reader, id: string): Promise<StoredRun | undefined> =>
  (await selectRun(db, { id })).rows[0];

const selectFirstEvent = compiledQuery<{ runId: string }>()((db: Reader, $) =>
  db.selectFrom('run_events').select(['type', 'payload_json']).where('run_id', '=', $.runId).where('seq', '=', 0),
);

/** What began it. */
export const firstEventOf = async (
  db: Reader,
  runId: string,
): Promise<Pick<StoredEvent, 'type' | 'payload_json'> | undefined> => (await selectFirstEvent(db, { runId })).rows[0];

/** Gives a run back after the engine itself failed at it, which counts like a crash at this step. */
export async function releaseFaulted(trx: Trx, lease: { runId: string; fence: number }, dueAt: number): Promise<void> {
  const run = await runById(trx, lease.runId);
  if (!run) throw new Error(`there is no run ${lease.runId}`);
  const progress = progressOf(await eventsOf(trx, lease.runId));
  const crashes = (run.crash_seq === progress ? run.crashes : 0) + 1;
  await patchFenced(trx, lease, {
    status: 'queued',
    due_at: dueAt,
    leased_by: null,
    leased_until: null,
    crashes,
    crash_seq: progress,
  });
}

/** What a step needs of its run beside what it changes. */
export type PatchedRun = Reserving &
  Pick<StoredRun, 'thread_id' | 'message' | 'kind' | 'sender' | 'tier'> & {
    /** Of its thread. */
    readonly begun_by_run: string | null;
  };

/** Applies a change only while the lease is still ours; throws FencedError otherwise. */
export async function patchFenced(trx: Trx, { runId, fence }: Lease, patch: RunPatch): Promise<PatchedRun> {
  const [patched] = (await patchRun(trx, { runId, fence, patch })).rows;
  if (!patched) throw new FencedError(`the lease of run ${runId} was lost`);
  return patched;
}

const patchRun = compiledQuery<{ runId: string; fence: number; patch: RunPatch }>()((db: Reader, $) =>
  db
    .updateTable('runs')
    .set($.patch)
    .where('id', '=', $.runId)
    .where('fence', '=', $.fence)
    .where('status', '=', 'running')
    .returning(['id', 'reserved_usd', 'reserved_day', 'thread_id', 'message', 'kind', 'sender', 'tier'])
    .returning(
      sql<string | null>`(select begun_by_run from threads where threads.id = runs.thread_id)`.as('begun_by_run'),
    ),
);

const insertEvents = compiledQuery<{ rows: readonly Insertable<PersonaTables['run_events']>[] }>()((db: Reader, $) =>
  db.insertInto('run_events').values($.rows),
);

export async function appendEvents(
  trx: Trx,
  runId: string,
  firstSeq: number,
  events: readonly NewEvent[],
  at: number,
  fence: number | null = null,
): Promise<readonly StoredEvent[]> {
  if (events.length === 0) return [];
  const rows = events.map((event, index) => ({
    run_id: runId,
    seq: firstSeq + index,
    ...event,
    at,
    fence,
  }));
  await insertEvents(trx, { rows });
  return rows;
}

/** The number that the next event of a run gets which somebody else than its worker writes. */
export async function nextSeqOf(trx: Trx, runId: string): Promise<number> {
  const { last } = await trx
    .selectFrom('run_events')
    .select((events) => events.fn.max<number | null>('seq').as('last'))
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow();
  return (last ?? -1) + 1;
}

const selectEvents = compiledQuery<{ runId: string }>()((db: Reader, $) =>
  db.selectFrom('run_events').selectAll().where('run_id', '=', $.runId).orderBy('seq'),
);

export const eventsOf = async (trx: Reader, runId: string): Promise<StoredEvent[]> =>
  (await selectEvents(trx, { runId })).rows;

const selectNextDue = compiledQuery<{ instance: string; own: string; othersAreDead: number }>()(
  (_: Reader, $) => sql<Omit<NextDue, 'waits'> & { readonly waits: number }>`
    select
      ${asFlag(sql`exists (select 1 from runs ${indexedBy('runs_deferred')} where deferred_code is not null)`)} as waits,
      (select min(due_at) from (
        select * from (
          select due_at from runs ${indexedBy('runs_due')}
          where status in ('queued', 'running') and status = 'queued' order by due_at limit 1) queued
        union all
        select min(case when ${$.othersAreDead} = 1 and leased_by <> ${$.instance} then 0 else leased_until end)
        from runs where status = 'running') open) as runs,
      (select min(at) from (
        select * from (
          select next_attempt_at as at from outbox
          where state in ('queued', 'sending', 'unknown') order by next_attempt_at limit 1) first
        union all
        select 0 from outbox
        where ${$.othersAreDead} = 1 and leased_by is not null and substr(leased_by, 1, length(${$.own})) <> ${$.own}) open) as outbox,
      (select min(at) from (
        select * from (select due_at as at from jobs where leased_by is null order by due_at limit 1) free
        union all
        select case when ${$.othersAreDead} = 1 and substr(leased_by, 1, length(${$.own})) <> ${$.own}
          then due_at else ${greatest(sql`due_at`, sql`leased_until`)} end from jobs where leased_by is not null) open) as jobs,
      (select min(next_at) from tasks where next_at is not null) as tasks`,
);

export async function nextDue(db: Reader, { instance, deadHolders }: Holder): Promise<NextDue> {
  const { rows } = await selectNextDue(db, { instance, own: ownLeases(instance), othersAreDead: deadHolders ? 1 : 0 });
  const [due] = rows;
  return due ? { ...due, waits: due.waits === 1 } : { runs: null, outbox: null, jobs: null, tasks: null, waits: false };
}

const extend = compiledQuery<{ runId: string; fence: number; until: number }>()((db: Reader, $) =>
  db
    .updateTable('runs')
    .set({ leased_until: $.until })
    .where('id', '=', $.runId)
    .where('fence', '=', $.fence)
    .where('status', '=', 'running'),
);

/** False when somebody else has the run by now. */
export async function extendRun(trx: Trx, { runId, fence }: Lease, until: number): Promise<boolean> {
  const { numAffectedRows = 0n } = await extend(trx, { runId, fence, until });
  return numAffectedRows > 0n;
}
