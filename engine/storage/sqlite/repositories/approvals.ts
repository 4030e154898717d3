import { sql } from 'kysely';
import { z } from 'zod';
import { derivedId } from '../../../lib/ids.ts';
import { parseJson } from '../../../lib/json.ts';
import {
  type Approval,
  type ApprovalDecision,
  type ApprovalNotice,
  type ApprovalState,
  type AuditRecord,
  type Decided,
  decidedRunId,
  type LikeQuestion,
  RUN_CANCELLED,
} from '../../types/approvals.ts';
import { type DecidedQuestion, decidedQuestion, ownEvent, questionsIn, type StoredEvent } from '../../types/runs.ts';
import { approvalOf, rowOfApproval, rowOfAudit } from '../persona/schema/rows.ts';

import type { Reader, Row, Trx } from '../persona/schema/tables.ts';
import { insertRun } from './arrivals.ts';
import { appendEvents, firstEventOf, nextSeqOf, runById } from './runs.ts';
import { goOnWaiting, treeOf } from './suspensions/children.ts';
import { queueWhenSettled } from './suspensions/rows.ts';

/** A literal: with a bound value SQLite does not use the index `approvals_open`. */
export const PENDING = sql.lit('pending' as const);

/** A guarded step of the state machine; nothing changes, and false comes back, when somebody was faster. */
export async function transition(
  trx: Trx,
  step: { id: string; from: ApprovalState; to: ApprovalState; now: number; by?: string; reason?: string | null },
): Promise<boolean> {
  const result = await trx
    .updateTable('approvals')
    .set({
      state: step.to,
      updated_at: step.now,
      ...(step.by === undefined ? {} : { decided_by: step.by, decided_at: step.now }),
      ...(step.reason === undefined ? {} : { reason: step.reason }),
    })
    .where('id', '=', step.id)
    .where('state', '=', step.from)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** As its row is. */
export const approvalById = (db: Reader, id: string): Promise<Row<'approvals'> | undefined> =>
  db.selectFrom('approvals').selectAll().where('id', '=', id).executeTakeFirst();

/** A question that was decided just now, and how. */
interface JustDecided {
  readonly asked: Approval;
  readonly decision: {
    readonly call_id: string;
    readonly state: ApprovalState;
    readonly by: string;
    readonly reason: string | null;
  };
}

/**
 * Decides pending approvals, each by itself. One whose time is over expires instead, whoever decides: the check is part of
 * the claim. When none of a run's calls is open any more, the run is queued again; what was decided of a run that had answered
 * before is carried out by another.
 */
export async function decide(
  trx: Trx,
  verdicts: readonly ApprovalDecision[],
  now: number,
  /** In the same transaction, with each that was decided as the verdict says. */
  then: (verdict: ApprovalDecision) => Promise<void> = async () => {},
): Promise<readonly Decided[]> {
  const outcomes: Decided[] = [];
  const all: JustDecided[] = [];
  for (const verdict of verdicts) {
    const { outcome, decided } = await decideOne(trx, verdict, now);
    outcomes.push({ id: verdict.id, outcome });
    if (decided) all.push(decided);
    if (outcome === 'decided') await then(verdict);
  }
  for (const together of toldTogether(all)) await beginDecided(trx, together, now);
  return outcomes;
}

async function decideOne(
  trx: Trx,
  verdict: ApprovalDecision,
  now: number,
): Promise<Pick<Decided, 'outcome'> & { readonly decided?: JustDecided }> {
  const { id } = verdict;
  const row = await approvalById(trx, id);
  if (!row) return { outcome: 'not_found' };
  if (row.state !== 'pending') return { outcome: 'not_pending' };
  const late = row.expires_at <= now && verdict.state !== 'stale';
  const to = late ? 'expired' : verdict.state;
  const by = late ? 'timer' : verdict.by;
  const reason = late ? null : verdict.reason;
  if (!(await transition(trx, { id, from: 'pending', to, now, by, reason }))) return { outcome: 'not_pending' };
  const decision = { call_id: row.call_id, state: to, by, reason };
  await appendToRun(trx, row.run_id, { approval_id: id, ...decision }, now);
  await queueWhenSettled(trx, row.run_id, now);
  await goOnWaiting(trx, row.run_id, now);
  return {
    outcome: late && verdict.state !== 'expired' ? 'expired' : 'decided',
    decided: { asked: approvalOf(row), decision },
  };
}

/**
 * What one mail can tell of: all that was decided at once of what one run asked, by calls that differ. Two that say the same
 * would be one call within a turn.
 */
function toldTogether(all: readonly JustDecided[]): readonly (readonly [JustDecided, ...JustDecided[]])[] {
  const groups: [JustDecided, ...JustDecided[]][] = [];
  for (const one of all) {
    // Of what nobody is asked about any more there is nothing to carry out. Whoever asked hears of a cancelled run.
    if (one.decision.state === 'stale' && one.decision.reason !== RUN_CANCELLED) continue;
    const group = groups.find(
      ([first, ...more]) =>
        first.asked.run_id === one.asked.run_id && [first, ...more].every((other) => differs(one.asked, other.asked)),
    );
    if (group) group.push(one);
    else groups.push([one]);
  }
  return groups;
}

const differs = (one: Approval, other: Approval): boolean =>
  one.call_id !== other.call_id && (one.tool !== other.tool || one.arguments_hash !== other.arguments_hash);

/**
 * Their run had answered before, and is over: another carries out what was decided, once. Whoever asked hears of a no and of a time
 * that is over as well.
 */
async function beginDecided(
  trx: Trx,
  [first, ...others]: readonly [JustDecided, ...JustDecided[]],
  now: number,
): Promise<void> {
  const { id, run_id } = first.asked;
  const asked = await runById(trx, run_id);
  if (!asked || asked.ended_at === null) return;
  const { thread_id, message, message_id, kind, sender, tier, recursion } = asked;
  const run = { id: decidedRunId(id, now), thread_id, message, message_id, kind, sender, tier, recursion };
  await insertRun(trx, { ...run, status: 'queued', due_at: now, created_at: now });
  const also = others.length === 0 ? {} : { also: others.map((other) => other.asked.id) };
  const events = [
    ownEvent('run_queued', { tier, decided: { run_id, approval_id: id, ...also } }),
    ...[first, ...others].map((one) => ownEvent('approval_decided', { approval_id: one.asked.id, ...one.decision })),
  ];
  await appendEvents(trx, run.id, 0, events, now);
}

/** The decision that a run was begun for, from its first event; undefined for any other. */
export function decidedIn(events: readonly Pick<StoredEvent, 'type' | 'payload_json'>[]): DecidedQuestion | undefined {
  const [first] = events;
  // Most runs have nothing of it, and their first event is read by nobody else here.
  if (first?.type !== 'run_queued' || !first.payload_json.includes('"decided"')) return undefined;
  return parseJson(begunForDecision, first.payload_json).decided;
}
const begunForDecision = z.object({ decided: decidedQuestion.optional() });

/** Of the questions that a run carries out: the rows themselves, and what an owner put them in the place of. */
export async function ofDecided(trx: Trx, decided: DecidedQuestion): Promise<readonly Approval[]> {
  const all = await ofRun(trx, decided.run_id);
  const ids = questionsIn(decided);
  const calls = new Set(all.flatMap(({ id, call_id }) => (ids.includes(id) ? [call_id] : [])));
  return all.filter(({ call_id }) => calls.has(call_id));
}

/**
 * The runs that may have carried out what was decided about these, each named by the first question that its answer decided;
 * whether there is one is told by `runs`.
 */
async function decidedRunIds(
  db: Reader,
  decided: readonly Pick<Approval, 'run_id' | 'decided_at'>[],
): Promise<(of: Pick<Approval, 'run_id' | 'decided_at'>) => readonly string[]> {
  const rows = await db
    .selectFrom('approvals')
    .select(['id', 'run_id', 'decided_at'])
    .where('run_id', 'in', [...new Set(decided.map(({ run_id }) => run_id))])
    .where('decided_at', 'is not', null)
    .execute();
  return ({ run_id, decided_at }) =>
    rows.flatMap((row) =>
      row.run_id === run_id && row.decided_at === decided_at ? [decidedRunId(row.id, decided_at ?? 0)] : [],
    );
}

/** Whoever decides is not the run's worker: the event comes after whatever the run has recorded. */
export async function appendToRun(
  trx: Trx,
  runId: string,
  payload: object,
  now: number,
  type: 'approval_decided' | 'hook_ended' = 'approval_decided',
): Promise<void> {
  await appendEvents(trx, runId, await nextSeqOf(trx, runId), [ownEvent(type, payload)], now);
}

/**
 * A run that is over leaves nothing open; of a call that was under way nobody knows what became of it. The log tells
 * of each.
 */
export async function closeOpen(
  trx: Trx,
  closing: { runId: string; reason: string; actor: string; now: number },
): Promise<void> {
  const { runId } = closing;
  const first = await firstEventOf(trx, runId);
  const decided = first && decidedIn([first]);
  const carriedOut = decided ? questionsIn(decided) : [];
  const open = await trx
    .selectFrom('approvals')
    .selectAll()
    .where((row) =>
      row.or([row('run_id', '=', runId), ...(carriedOut.length > 0 ? [row('id', 'in', carriedOut)] : [])]),
    )
    .where('state', 'in', OPEN)
    .execute();
  await close(trx, open, closing);
}

const OPEN = ['pending', 'approved', 'executing'] as const;

/** What runs that have answered before still ask, or were told. */
export async function closeAll(trx: Trx, closing: { reason: string; actor: string; now: number }): Promise<void> {
  await close(trx, await trx.selectFrom('approvals').selectAll().where('state', 'in', OPEN).execute(), closing);
}

async function close(
  trx: Trx,
  open: readonly Pick<Approval, 'id' | 'run_id' | 'state' | 'tool'>[],
  { reason, actor, now }: { readonly reason: string; readonly actor: string; readonly now: number },
): Promise<void> {
  for (const { id, run_id, state, tool } of open) {
    const to = state === 'executing' ? 'side_effect_unknown' : 'stale';
    await transition(trx, { id, from: state, to, now, reason });
    const detail = { reason, before: state };
    const row = { actor, event: 'approval_closed', run_id, approval_id: id, tool, decision: to, detail };
    await audit(trx, [{ id: derivedId(now, `closed ${id}`), at: now, ...row }]);
  }
}

export async function insert(trx: Trx, rows: readonly Approval[]): Promise<void> {
  if (rows.length > 0) await trx.insertInto('approvals').values(rows.map(rowOfApproval)).execute();
}

export const ofRun = async (trx: Reader, runId: string): Promise<Approval[]> =>
  (await trx.selectFrom('approvals').selectAll().where('run_id', '=', runId).orderBy('id').execute()).map(approvalOf);

/** Of a run and of those below it; null: of all. */
export async function unnoticed(trx: Trx, runId: string | null): Promise<Approval[]> {
  const waiting = trx
    .selectFrom('approvals')
    .selectAll()
    .where('state', '=', PENDING)
    .where('notice_id', 'is', null)
    .where('kind', '=', 'call')
    .orderBy('id')
    .limit(50);
  const rows = await (runId === null ? waiting : waiting.where('run_id', 'in', treeOf(runId))).execute();
  return rows.map(approvalOf);
}

/** The newest that were decided about calls of this likeness, the newest first. */
export async function likeQuestions(
  db: Reader,
  { likeness, limit }: { readonly likeness: string; readonly limit: number },
): Promise<LikeQuestion[]> {
  const rows = await db
    .selectFrom('approvals as a')
    .innerJoin('runs as r', 'r.id', 'a.run_id')
    .select(['a.id', 'a.run_id', 'a.call_id', 'a.state', 'a.teaches', 'a.fingerprint', 'a.decided_by', 'a.decided_at'])
    .select(['a.created_at', 'r.tier'])
    .where('a.likeness', 'is not', null)
    .where('a.likeness', '=', likeness)
    .where('a.state', '!=', 'pending')
    .orderBy('a.id', 'desc')
    .limit(limit)
    .execute();
  if (rows.length === 0) return [];
  // Where its own run had answered before, another one has carried it out.
  const carriedOutBy = await decidedRunIds(db, rows);
  const runs = [...new Set(rows.flatMap((row) => [row.run_id, ...carriedOutBy(row)]))];
  const undone = await db
    .selectFrom('undo_items')
    .select(['run_id', 'call_id'])
    .where('run_id', 'in', runs)
    .where('state', '=', 'undone')
    .execute();
  return rows.map(({ run_id, call_id, decided_at, ...row }) => ({
    ...row,
    isUndone: undone.some(
      (one) =>
        one.call_id === call_id && (one.run_id === run_id || carriedOutBy({ run_id, decided_at }).includes(one.run_id)),
    ),
  }));
}

export async function insertNotice(trx: Trx, notice: ApprovalNotice): Promise<void> {
  await trx.insertInto('approval_notices').values(notice).execute();
}

/** Puts approvals into one notice, numbered in order; only those that still wait for one. */
export async function assignNotice(
  trx: Trx,
  notice: ApprovalNotice,
  numbered: readonly { id: string; number: number; offers?: true }[],
): Promise<void> {
  await insertNotice(trx, notice);
  for (const { id, number, offers } of numbered) {
    const at = notice.created_at;
    await trx
      .updateTable('approvals')
      .set({ notice_id: notice.id, number, updated_at: at, ...(offers ? { offered_at: at } : {}) })
      .where('id', '=', id)
      .where('notice_id', 'is', null)
      .execute();
  }
}

/**
 * What else is open in the notice of an edited call is asked about in the notice that comes of the edit: there an
 * "approve" is to all that is left, and nothing waits in a mail that nobody reads any more.
 */
export async function askAgainBeside(
  trx: Trx,
  { id, decided = [] }: { readonly id: string; readonly decided?: readonly string[] | undefined },
  now: number,
): Promise<void> {
  const edited = trx.selectFrom('approvals').select('notice_id').where('id', '=', id);
  await trx
    .updateTable('approvals')
    .set({ notice_id: null, number: null, offered_at: null, updated_at: now })
    .where('notice_id', '=', edited)
    .where('state', '=', PENDING)
    .where('kind', '=', 'call')
    .$if(decided.length > 0, (open) => open.where('id', 'not in', decided))
    .execute();
}

export async function noticeItems(trx: Trx, noticeId: string): Promise<Approval[]> {
  const found = trx.selectFrom('approvals').selectAll().where('notice_id', '=', noticeId);
  return (await found.orderBy('number').execute()).map(approvalOf);
}

export async function audit(trx: Trx, rows: readonly AuditRecord[]): Promise<void> {
  if (rows.length > 0) await trx.insertInto('audit_log').values(rows.map(rowOfAudit)).execute();
}

export async function auditOnce(trx: Trx, row: AuditRecord): Promise<void> {
  await trx
    .insertInto('audit_log')
    .values(rowOfAudit(row))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}
