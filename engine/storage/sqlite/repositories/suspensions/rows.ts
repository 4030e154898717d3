import { anyJson, parseJson } from '../../../../lib/json.ts';
import { ownEvent } from '../../../types/runs.ts';
import type { Suspension, SuspensionEnd } from '../../../types/suspensions.ts';
import type { Row, Trx } from '../../persona/schema/tables.ts';
import { appendEvents, nextSeqOf } from '../runs.ts';

const suspensionOf = ({ payload_json, result_json, ...row }: Row<'suspensions'>): Suspension => ({
  ...row,
  payload: parseJson(anyJson, payload_json),
  result: result_json === null ? null : parseJson(anyJson, result_json),
});

const rowOf = ({ payload, result, ...row }: Suspension): Row<'suspensions'> => ({
  ...row,
  payload_json: JSON.stringify(payload),
  result_json: result === null ? null : JSON.stringify(result),
});

export async function suspend(trx: Trx, rows: readonly Suspension[]): Promise<void> {
  if (rows.length > 0) await trx.insertInto('suspensions').values(rows.map(rowOf)).execute();
}

export async function suspensionById(trx: Trx, id: string): Promise<Suspension | undefined> {
  const row = await trx.selectFrom('suspensions').selectAll().where('id', '=', id).executeTakeFirst();
  return row && suspensionOf(row);
}

export const suspensionsOf = async (trx: Trx, runId: string): Promise<readonly Suspension[]> => {
  const rows = trx.selectFrom('suspensions').selectAll().where('run_id', '=', runId);
  return (await rows.orderBy('created_at').orderBy('id').execute()).map(suspensionOf);
};

/** False where it was over before. */
export async function endSuspension(trx: Trx, { id, state, result, by, now }: SuspensionEnd): Promise<boolean> {
  const ended = await trx
    .updateTable('suspensions')
    .set({ state, result_json: JSON.stringify(result), ended_at: now })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .returning(['run_id', 'call_id', 'tool', 'kind'])
    .executeTakeFirst();
  if (!ended) return false;
  const { run_id, ...call } = ended;
  const event = ownEvent('resumed', { suspension_id: id, ...call, state, by });
  await appendEvents(trx, run_id, await nextSeqOf(trx, run_id), [event], now);
  await queueWhenSettled(trx, run_id, now);
  return true;
}

/** The run that they belong to was ended by somebody: what comes of them now is nobody's result. */
export async function closeSuspensions(trx: Trx, runId: string, now: number): Promise<void> {
  await trx
    .updateTable('suspensions')
    .set({ state: 'cancelled', ended_at: now })
    .where('run_id', '=', runId)
    .where('state', '=', 'open')
    .execute();
}

/** Puts a run that waits back into the queue when nothing that it waits for is open any more. */
export async function queueWhenSettled(trx: Trx, runId: string, now: number): Promise<void> {
  const asked = await trx
    .selectFrom('approvals')
    .select('id')
    .where('run_id', '=', runId)
    .where('state', '=', 'pending')
    .executeTakeFirst();
  if (asked) return;
  const suspended = await trx
    .selectFrom('suspensions')
    .select('id')
    .where('run_id', '=', runId)
    .where('state', '=', 'open')
    .executeTakeFirst();
  if (suspended) return;
  await trx
    .updateTable('runs')
    .set({ status: 'queued', waiting_for: null, due_at: now })
    .where('id', '=', runId)
    .where('status', '=', 'waiting_approval')
    .execute();
}
