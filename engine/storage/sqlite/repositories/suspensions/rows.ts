import { sql } from 'kysely';
import { anyJson, parseJson } from '../../../../lib/json.ts';
import { ownEvent } from '../../../types/runs.ts';
import type { Suspension, SuspensionEnd, SuspensionToken } from '../../../types/suspensions.ts';
import type { Reader, Row, Trx } from '../../persona/schema/tables.ts';
import { appendEvents, nextSeqOf } from '../runs.ts';
import { endChildren } from './children.ts';

const suspensionOf = ({ payload_json, result_json, token_sha256: _, ...row }: Row<'suspensions'>): Suspension => ({
  ...row,
  payload: parseJson(anyJson, payload_json),
  result: result_json === null ? null : parseJson(anyJson, result_json),
});

const rowOf = ({ payload, result, ...row }: Suspension): Omit<Row<'suspensions'>, 'token_sha256'> => ({
  ...row,
  payload_json: JSON.stringify(payload),
  result_json: result === null ? null : JSON.stringify(result),
});

export async function suspend(trx: Trx, rows: readonly Suspension[]): Promise<void> {
  for (const { id, ...row } of rows.map(rowOf)) {
    await trx
      .insertInto('suspensions')
      .values({ id, ...row })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row).where('suspensions.state', '=', 'begun'))
      .execute();
  }
}

/** False where there are as many of its kind as may be. */
export async function begin(trx: Trx, row: Suspension, most: number): Promise<boolean> {
  const others = await trx
    .selectFrom('suspensions')
    .innerJoin('runs', 'runs.id', 'suspensions.run_id')
    .select((count) => count.fn.countAll<number>().as('count'))
    .where('suspensions.state', 'in', UNDER_WAY)
    .where('suspensions.kind', '=', row.kind)
    .where('suspensions.id', '!=', row.id)
    .where('runs.status', 'in', ['queued', 'running', 'waiting_approval'])
    .executeTakeFirstOrThrow();
  if (others.count >= most) return false;
  const mine = trx.insertInto('suspensions').values(rowOf({ ...row, state: 'begun' }));
  await mine.onConflict((conflict) => conflict.column('id').doNothing()).execute();
  return true;
}

/** The states that the index `suspensions_under_way` holds. */
const UNDER_WAY = ['begun', 'open'] as const;

/** The hash of a token by which its result may be brought, in place of an earlier one; only before it is waited for. */
export async function keepToken(trx: Trx, id: string, token_sha256: string): Promise<void> {
  await trx
    .updateTable('suspensions')
    .set({ token_sha256 })
    .where('id', '=', id)
    .where('state', '=', 'begun')
    .execute();
}

/** Those whose result may be brought by a token. */
export async function tokens(db: Reader): Promise<readonly SuspensionToken[]> {
  const rows = db.selectFrom('suspensions').select(['id', 'state', 'token_sha256 as sha256']);
  return rows
    .where('state', 'in', UNDER_WAY)
    .where('kind', '=', 'external')
    .$narrowType<{ state: SuspensionToken['state'] }>()
    .where('token_sha256', 'is not', null)
    .$narrowType<{ sha256: string }>()
    .execute();
}

export async function dropBegun(trx: Trx, id: string): Promise<void> {
  await trx.deleteFrom('suspensions').where('id', '=', id).where('state', '=', 'begun').execute();
}

export const openOfKind = async (db: Reader, kind: string): Promise<readonly Suspension[]> => {
  const rows = db.selectFrom('suspensions').selectAll().where('state', '=', 'open').where('kind', '=', kind);
  return (await rows.orderBy('created_at').orderBy('id').execute()).map(suspensionOf);
};

export const countOpen = (db: Reader): Promise<readonly { readonly kind: string; readonly count: number }[]> =>
  db
    .selectFrom('suspensions')
    .select((count) => ['kind', count.fn.countAll<number>().as('count')])
    // What the partial index is found by has to be a literal.
    .where(sql<boolean>`state in ('begun', 'open') and state = 'open'`)
    .groupBy('kind')
    .execute();

export async function suspensionById(trx: Trx, id: string): Promise<Suspension | undefined> {
  const row = await trx.selectFrom('suspensions').selectAll().where('id', '=', id).executeTakeFirst();
  return row && suspensionOf(row);
}

export const suspensionsOf = async (trx: Trx, runId: string): Promise<readonly Suspension[]> => {
  const rows = trx.selectFrom('suspensions').selectAll().where('run_id', '=', runId).where('state', '!=', 'begun');
  return (await rows.orderBy('created_at').orderBy('id').execute()).map(suspensionOf);
};

/** False where it was over before. */
export async function endSuspension(
  trx: Trx,
  { id, state, result, by, also = [], now }: SuspensionEnd,
): Promise<boolean> {
  const ended = await trx
    .updateTable('suspensions')
    .set({ state, result_json: JSON.stringify(result), token_sha256: null, ended_at: now })
    .where('id', '=', id)
    .where('state', '=', 'open')
    .returning(['run_id', 'call_id', 'tool', 'kind'])
    .executeTakeFirst();
  if (!ended) return false;
  const { run_id, ...call } = ended;
  const event = ownEvent('resumed', { suspension_id: id, ...call, state, by });
  await appendEvents(trx, run_id, await nextSeqOf(trx, run_id), [...also, event], now);
  // Whoever waits no longer has nobody work for it.
  if (state === 'timed_out') await endChildren(trx, run_id, by, now, id);
  await queueWhenSettled(trx, run_id, now);
  return true;
}

/** The run that they belong to was ended by somebody: what comes of them now is nobody's result. */
export async function closeSuspensions(trx: Trx, runId: string, now: number): Promise<void> {
  await trx
    .updateTable('suspensions')
    .set({ state: 'cancelled', token_sha256: null, ended_at: now })
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
