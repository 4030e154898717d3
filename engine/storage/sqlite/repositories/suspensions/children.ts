import { sql } from 'kysely';
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
      : sql`id = (select json_extract(payload_json, '$.run_id') from suspensions
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
