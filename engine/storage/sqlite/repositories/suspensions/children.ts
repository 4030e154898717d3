import { sql } from 'kysely';
import { asText, greatest, jsonNumber, jsonText } from '../../../dialect.ts';
import { ownEvent } from '../../../types/runs.ts';
import type { NewDelegation } from '../../../types/suspensions.ts';
import type { Trx } from '../../persona/schema/tables.ts';
import { insertMessage, insertRun, insertThread } from '../arrivals.ts';
import { appendEvents } from '../runs.ts';

/** A run that another begins, with a thread of its own that nobody else finds anything of. */
export async function insertChild(trx: Trx, { thread, message, run, packet }: NewDelegation): Promise<void> {
  const { created_at: now, parent_run_id } = run;
  await insertThread(trx, { ...thread, private_since: now, now });
  await insertMessage(trx, message, {});
  await insertRun(trx, run);
  await appendEvents(trx, run.id, 0, [ownEvent('run_queued', { tier: run.tier, parent_run_id, packet })], now);
}

/**
 * Takes the open runs below one out of everybody's hands, to be ended by whoever claims them next. `suspension`: only
 * the one that it waits for, and those below.
 */
export async function endChildren(
  trx: Trx,
  runId: string,
  by: string,
  now: number,
  suspension: string | null = null,
): Promise<void> {
  const first =
    suspension === null
      ? sql`parent_run_id = ${runId}`
      : sql`id = (select ${jsonText(sql`payload_json`, 'run_id')} from suspensions
          where id = ${suspension} and kind = 'delegation')`;
  await sql`
    with recursive below(id) as (
      select id from runs where ${first}
      union select runs.id from runs join below on runs.parent_run_id = below.id
    )
    update runs set status = 'queued', cancelled_by = ${by}, waiting_for = null, deferred_code = null,
      deferred_until = null, fence = fence + 1, leased_by = null, leased_until = null, due_at = ${now}
    where id in (select id from below) and status in ('queued', 'running', 'waiting_approval')`.execute(trx);
}

/** A run and all below it: one mail's work, where it begins with that mail's run. */
export const treeOf = (runId: string) => sql<string>`(
  with recursive tree(id) as (
    select ${asText(runId)} union select runs.id from runs join tree on runs.parent_run_id = tree.id)
  select id from tree)`;

const RUN_OF_WAIT = jsonText(sql`suspensions.payload_json`, 'run_id');

/** The waits for a run, and for those above it: none of them gets its result before it. */
const waitsAbove = (runId: string) => sql`(
  with recursive above(id) as (
    select ${asText(runId)} union select runs.parent_run_id from runs join above on runs.id = above.id
    where runs.parent_run_id is not null)
  select suspensions.id from suspensions join above on ${RUN_OF_WAIT} = above.id
  where suspensions.kind = 'delegation' and suspensions.state = 'open')`;

const TIME_MS = sql`1000 * ${jsonNumber(sql`payload_json`, 'timeout_s')}`;

/** Owners are asked for a child run: whoever waits for it does so for as long as they may take, and its own time besides. */
export async function waitForOwners(trx: Trx, runId: string, until: number): Promise<void> {
  await sql`update suspensions set due_at = ${greatest(sql`due_at`, sql`${until} + ${TIME_MS}`)} where id in ${waitsAbove(runId)}`.execute(
    trx,
  );
}

/** They have answered: where nothing below is asked about any more, its time begins anew. */
export async function goOnWaiting(trx: Trx, runId: string, now: number): Promise<void> {
  const { rows } = await sql<{ id: string; due_at: number }>`
    update suspensions set due_at = ${now} + ${TIME_MS}
    where id in ${waitsAbove(runId)} and not exists (
      select 1 from approvals where state = 'pending' and run_id in (
        with recursive tree(id) as (
          select ${RUN_OF_WAIT}
          union select runs.id from runs join tree on runs.parent_run_id = tree.id)
        select id from tree))
    returning id, due_at`.execute(trx);
  for (const { id, due_at } of rows) {
    // Beside the one that is there, which somebody may be at just now.
    await sql`
      insert into jobs (id, kind, payload_json, due_at)
      select id || ':' || ${now}, kind, payload_json, ${due_at} from jobs where id = ${`suspension_due:${id}`}
      on conflict do nothing`.execute(trx);
  }
}
