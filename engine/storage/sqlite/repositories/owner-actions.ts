import { sql } from 'kysely';
import type { Cancel, LeftCalls, LeftRun } from '../../ports/runs.ts';
import { type AuditRecord, CLOSED_BY_STOP } from '../../types/approvals.ts';
import type { RunStatus, StoredRun } from '../../types/runs.ts';
import { mayBeTriedAgain, ownEvent } from '../../types/runs.ts';
import type { Trx } from '../persona/schema/tables.ts';
import { audit, closeAll, closeOpen, decidedIn } from './approvals.ts';
import { settle } from './budget.ts';
import { patchDraft } from './drafts/rows.ts';
import { addJobs } from './jobs.ts';
import { appendEvents, firstEventOf, nextSeqOf, runById } from './runs.ts';
import { appendToolEvents } from './steps.ts';
import { closeSuspensions } from './suspensions/rows.ts';

// What an owner may do to a run or a mail by hand. None of it asks a model, and each says no by its value.

const OPEN: readonly RunStatus[] = ['queued', 'running', 'waiting_approval'];

/**
 * Takes a run that is not over out of everybody's hands, to be ended with a word to its sender. The mark stays with
 * it: should this process die first, whoever claims the run next ends it in the same way.
 */
export async function seizeRun(
  trx: Trx,
  seizure: {
    id: string;
    day: string;
    now: number;
    by: string;
    instance: string;
    leaseMs: number;
    audit?: readonly AuditRecord[];
  },
): Promise<StoredRun | 'not_found' | 'ended'> {
  const { id, day, now, by, instance, leaseMs } = seizure;
  const run = await runById(trx, id);
  if (!run) return 'not_found';
  if (!OPEN.includes(run.status)) return 'ended';
  await settle(trx, run, { day, usd: 0, tokens: 0 });
  const seized = await trx
    .updateTable('runs')
    .set({
      status: 'running',
      waiting_for: null,
      deferred_code: null,
      deferred_until: null,
      cancelled_by: by,
      fence: sql`fence + 1`,
      leased_by: instance,
      leased_until: now + leaseMs,
    })
    .where('id', '=', id)
    .where('status', 'in', OPEN)
    .returningAll()
    .executeTakeFirst();
  if (seized) await audit(trx, seizure.audit ?? []);
  return seized ?? 'ended';
}

export const openRuns = (trx: Trx): Promise<StoredRun[]> =>
  trx
    .selectFrom('runs')
    .selectAll()
    .where('status', 'in', OPEN)
    .where((where) => where.or([where('deferred_code', 'is', null), where('model_calls', '>', 0)]))
    .execute();

/** The ids of those that were ended; null where somebody went on with one since it was seen. */
export async function cancelRuns(
  trx: Trx,
  cancel: Cancel,
  seen: readonly LeftRun[],
): Promise<readonly string[] | null> {
  const open = await openRuns(trx);
  const leftBy = new Map(seen.map((one) => [one.runId, one]));
  for (const run of open.filter(({ tool_calls }) => tool_calls > 0)) {
    const { fence, lastSeq } = leftBy.get(run.id) ?? {};
    if (fence !== run.fence || lastSeq !== (await nextSeqOf(trx, run.id)) - 1) return null;
  }
  for (const run of open) await cancelRun(trx, run, cancel, leftBy.get(run.id)?.left ?? null);
  await closeAll(trx, { reason: CLOSED_BY_STOP, actor: cancel.by, now: cancel.now });
  return open.map(({ id }) => id);
}

/**
 * Ends a run that is not over, in silence, with results for the calls that it leaves. Whoever works on it is fenced
 * off: its next commit changes nothing.
 */
async function cancelRun(trx: Trx, run: StoredRun, cancel: Cancel, left: LeftCalls | null): Promise<void> {
  await settle(trx, run, { day: cancel.day, usd: 0, tokens: 0 });
  // What was asked for on its behalf can no longer be approved.
  const closing = { runId: run.id, reason: CLOSED_BY_STOP, actor: cancel.by, now: cancel.now };
  await closeOpen(trx, closing);
  await closeSuspensions(trx, run.id, cancel.now);
  await addJobs(trx, cancel.ended(run, cancel.now));
  const payload = { status: 'cancelled', outcome: 'cancelled', code: null, by: cancel.by };
  const events = [...(left?.events ?? []), ownEvent('run_ended', payload)];
  await appendEvents(trx, run.id, await nextSeqOf(trx, run.id), events, cancel.now);
  await appendToolEvents(trx, left?.toolEvents ?? []);
  await trx
    .updateTable('runs')
    .set({
      status: 'cancelled',
      outcome: 'cancelled',
      cancelled_by: cancel.by,
      waiting_for: null,
      deferred_code: null,
      deferred_until: null,
      fence: sql`fence + 1`,
      leased_by: null,
      leased_until: null,
      ended_at: cancel.now,
    })
    .where('id', '=', run.id)
    .execute();
}

/**
 * A new run for the mail of one that failed, was cancelled, ended as a partial or in silence. The old one stays as it was: what
 * it did and answered is on record. Only the newest run of a mail can be tried again, so that two requests are one.
 */
export async function retryRun(
  trx: Trx,
  retry: { id: string; newId: string; now: number; by: string; audit?: readonly AuditRecord[] },
): Promise<StoredRun | 'not_found' | 'not_failed' | 'retried'> {
  const run = await runById(trx, retry.id);
  if (!run) return 'not_found';
  if (!mayBeTriedAgain(run)) return 'not_failed';
  // What was decided is carried out once.
  const first = await firstEventOf(trx, run.id);
  if (first && decidedIn([first]) !== undefined) return 'not_failed';
  const newer = await trx
    .selectFrom('runs')
    .select('id')
    .where('message_id', '=', run.message_id)
    .where('message', '=', run.message)
    .where('seq', '>', run.seq)
    .executeTakeFirst();
  if (newer) return 'retried';
  const created = await trx
    .insertInto('runs')
    .values({
      id: retry.newId,
      thread_id: run.thread_id,
      message: run.message,
      message_id: run.message_id,
      kind: run.kind,
      status: 'queued',
      sender: run.sender,
      tier: run.tier,
      recursion: run.recursion,
      due_at: retry.now,
      created_at: retry.now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const payload = { tier: run.tier, retry_of: run.id, by: retry.by };
  await appendEvents(trx, created.id, 0, [ownEvent('run_queued', payload)], retry.now);
  await trx.updateTable('task_times').set({ run_id: created.id }).where('run_id', '=', run.id).execute();
  await trx.updateTable('messages').set({ run_id: created.id }).where('id', '=', run.message).execute();
  await audit(trx, retry.audit ?? []);
  return created;
}

const NEVER_TRIED = { trying_since: null, unknown_since: null };

/** Mail that waits for another try is tried at once; how many. `id`: this one alone. What its tries add up to stays. */
export async function hurryOutbox(trx: Trx, { id, now }: { id?: string; now: number }): Promise<number> {
  const result = await trx
    .updateTable('outbox')
    .set({ next_attempt_at: now, updated_at: now })
    .where('state', '=', 'queued')
    .$if(id !== undefined, (query) => query.where('id', '=', id ?? ''))
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Has a queued mail tried at once, puts a failed, unknown or dropped one, or a deleted draft, back, or takes an unsent one out. */
export async function changeOutbox(
  trx: Trx,
  wanted: { id: string; change: 'retry' | 'drop'; now: number; audit?: readonly AuditRecord[] },
): Promise<'changed' | 'wrong_state'> {
  const became = await changeOne(trx, wanted);
  if (became === 'changed') await audit(trx, wanted.audit ?? []);
  return became;
}

async function changeOne(
  trx: Trx,
  { id, change, now }: { id: string; change: 'retry' | 'drop'; now: number },
): Promise<'changed' | 'wrong_state'> {
  if (change === 'retry' && (await hurryOutbox(trx, { id, now })) > 0) return 'changed';
  const result = await trx
    .updateTable('outbox')
    .set(
      change === 'retry'
        ? { state: 'queued', next_attempt_at: now, attempts: 0, ...NEVER_TRIED, leased_by: null, updated_at: now }
        : { state: 'dropped', updated_at: now },
    )
    .where('id', '=', id)
    .where(
      'state',
      'in',
      change === 'retry' ? ['failed', 'unknown', 'dropped', 'deleted'] : ['queued', 'failed', 'unknown'],
    )
    .executeTakeFirst();
  if (result.numUpdatedRows === 0n) return 'wrong_state';
  if (change === 'retry') {
    // It is put into Drafts anew, and looked for from then on.
    await patchDraft(trx, id, { look_at: null, gone_since: null });
    // Whoever has it already does not get it again.
    await trx
      .updateTable('outbox_recipients')
      .set({ state: 'queued', smtp: null })
      .where('outbox_id', '=', id)
      .where('state', 'in', ['failed', 'unknown'])
      .execute();
  }
  return 'changed';
}

/** Every mail that had not left, apart from drafts: it may have left since, so it is looked for before it is sent. */
export async function doubtUnsent(trx: Trx, now: number): Promise<number> {
  const doubted = await trx
    .updateTable('outbox')
    .set({ state: 'unknown', unknown_since: now, next_attempt_at: now, leased_by: null, updated_at: now })
    .where('state', 'in', ['queued', 'sending'])
    .where('mode', '!=', 'draft')
    .returning('id')
    .execute();
  for (const { id } of doubted) {
    await trx
      .updateTable('outbox_recipients')
      .set({ state: 'unknown' })
      .where('outbox_id', '=', id)
      .where('state', '=', 'queued')
      .execute();
  }
  return doubted.length;
}
