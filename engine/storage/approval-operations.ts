import type { Kysely } from 'kysely';
import type { ApprovalNoticeRow, ApprovalRow, AuditRow } from './approval-tables.ts';
import * as approvals from './repositories/approvals.ts';
import { addJobs, type NewJob } from './repositories/jobs.ts';
import * as outbox from './repositories/outbox.ts';
import { type OutgoingMail, type StepBatch, writeStep } from './repositories/steps.ts';
import { kept } from './sqlite/kept-query.ts';
import type { PersonaTables, Reader } from './tables.ts';
import type { Transact } from './transactions.ts';

export type { Decided, Verdict } from './repositories/approvals.ts';

/** A run that stops at calls an owner has to decide. */
export interface HoldBatch extends StepBatch {
  readonly held: readonly ApprovalRow[];
  readonly jobs: readonly NewJob[];
}

const openOfThread = kept<{ threadId: string }>()((db: Reader, $) =>
  db
    .selectFrom('approvals')
    .innerJoin('runs', 'runs.id', 'approvals.run_id')
    .select(['approvals.tool', 'runs.sender', 'runs.tier'])
    .where('approvals.thread_id', '=', $.threadId)
    .where('approvals.state', '=', approvals.PENDING)
    .limit(20),
);

/** The part of the Store that has to do with asking owners. */
export function approvalOperations(db: Kysely<PersonaTables>, transact: Transact<PersonaTables>) {
  return {
    /** Puts calls before the owners: the run gives up lease and thread slot until all are decided. */
    holdRun: (batch: HoldBatch): Promise<void> =>
      transact(async (trx) => {
        await writeStep(trx, batch);
        if (batch.held.length > 0) await trx.insertInto('approvals').values(batch.held).execute();
        await addJobs(trx, batch.jobs);
      }),

    /** Decides several; each by itself. Mail, commands and timers all come through here. */
    decideApprovals: (verdicts: readonly approvals.Verdict[], auditRows: readonly AuditRow[], now: number) =>
      transact(async (trx) => {
        const decided: approvals.Decided[] = [];
        for (const verdict of verdicts) decided.push(await approvals.decide(trx, verdict, now));
        // What came too late, or second, decided nothing, and the log must not say that it did.
        const holds = (row: AuditRow) =>
          decided.some(({ id, outcome }) => id === row.approval_id && outcome === 'decided');
        await approvals.audit(trx, auditRows.filter(holds));
        return decided;
      }),
    /** An edited call: the old question is stale, a new one takes its place. */
    replaceApproval: (
      old: { id: string; by: string },
      replacement: ApprovalRow,
      jobs: readonly NewJob[],
      auditRows: readonly AuditRow[],
      now: number,
    ) =>
      transact(async (trx) => {
        const step = { id: old.id, from: 'pending' as const, to: 'stale' as const, now, by: old.by, reason: 'edited' };
        if (!(await approvals.transition(trx, step))) return false;
        const { call_id, run_id } = replacement;
        const edited = { approval_id: old.id, call_id, state: 'stale', by: old.by, reason: 'edited' };
        await approvals.appendToRun(trx, run_id, { ...edited, edited: true, replaced_by: replacement.id }, now);
        await trx.insertInto('approvals').values(replacement).execute();
        await approvals.askAgainBeside(trx, old.id, now);
        await addJobs(trx, jobs);
        await approvals.audit(trx, auditRows);
        return true;
      }),
    /** A plan that is decided call by call: each is an item of the notice, in the place of the plan. */
    splitApproval: (plan: { id: string; by: string }, items: readonly ApprovalRow[], now: number) =>
      transact(async (trx) => {
        const reason = 'split';
        const step = { id: plan.id, from: 'pending' as const, to: 'stale' as const, now, by: plan.by, reason };
        if (!(await approvals.transition(trx, step))) return false;
        for (const { run_id, call_id } of items.slice(0, 1)) {
          const split = { approval_id: plan.id, call_id, state: 'stale', by: plan.by, reason };
          await approvals.appendToRun(trx, run_id, split, now);
        }
        await trx.updateTable('approvals').set({ notice_id: null, number: null }).where('id', '=', plan.id).execute();
        await trx.insertInto('approvals').values(items).execute();
        return true;
      }),
    unnoticedApprovals: () => transact(approvals.unnoticed),
    /** Ends the job only while nothing waits for a notice: a run may have been held since somebody looked. */
    endNoticeJob: (jobId: string) =>
      transact(async (trx) => {
        const waiting = await approvals.unnoticed(trx);
        if (waiting.length === 0) await trx.deleteFrom('jobs').where('id', '=', jobId).execute();
      }),
    lastApprovalNoticeAt: async (): Promise<number | null> =>
      (await db.selectFrom('approval_notices').select('created_at').orderBy('id', 'desc').limit(1).executeTakeFirst())
        ?.created_at ?? null,
    /** One transaction: the notice, its numbers, its mail, the end of the job; later arrivals keep a job of their own. */
    sendApprovalNotice: (
      notice: ApprovalNoticeRow,
      numbered: readonly { id: string; number: number }[],
      mail: OutgoingMail,
      jobId: string,
      jobs: readonly NewJob[],
      /** What is still without a notice is collected until then. */
      nextNoticeAt: number,
    ) =>
      transact(async (trx) => {
        await approvals.assignNotice(trx, notice, numbered);
        await outbox.insertOutbox(trx, mail.row, mail.recipients);
        await trx.deleteFrom('jobs').where('id', '=', jobId).execute();
        const rest = await approvals.unnoticed(trx);
        const again = { id: jobId, kind: 'approval_notice' as const, due_at: nextNoticeAt, payload: {} };
        await addJobs(trx, rest.length > 0 ? [...jobs, again] : jobs);
      }),
    /** A question to an owner has a notice of its own: all that is answered to it is the answer. */
    sendQuestion: (
      notice: ApprovalNoticeRow,
      approvalId: string,
      mail: OutgoingMail,
      jobId: string,
      jobs: readonly NewJob[],
    ) =>
      transact(async (trx) => {
        await approvals.assignNotice(trx, notice, [{ id: approvalId, number: 1 }]);
        await outbox.insertOutbox(trx, mail.row, mail.recipients);
        await trx.deleteFrom('jobs').where('id', '=', jobId).execute();
        await addJobs(trx, jobs);
      }),
    findNotice: async (by: { id: string } | { tokenSha256: string } | { messageIds: readonly string[] }) => {
      const query = db.selectFrom('approval_notices').selectAll();
      const notice =
        'id' in by || 'tokenSha256' in by
          ? await ('id' in by
              ? query.where('id', '=', by.id)
              : query.where('token_sha256', '=', by.tokenSha256)
            ).executeTakeFirst()
          : by.messageIds.length === 0
            ? undefined
            : await query.where('message_id', 'in', by.messageIds.slice(0, 50)).executeTakeFirst();
      return notice && { notice, items: await transact((trx) => approvals.noticeItems(trx, notice.id)) };
    },
    noticeItems: (noticeId: string) => transact((trx) => approvals.noticeItems(trx, noticeId)),
    /** The one mail of its kind about a notice: the mark, the mail and the end of its job in one transaction. */
    queueAboutNotice: (
      about: { id: string; column: 'reminded_at' | 'clarified_at'; now: number },
      jobId: string,
      mail: OutgoingMail,
    ) =>
      transact(async (trx) => {
        const marked = await trx
          .updateTable('approval_notices')
          .set({ [about.column]: about.now })
          .where('id', '=', about.id)
          .where(about.column, 'is', null)
          .executeTakeFirst();
        if (marked.numUpdatedRows > 0n) await outbox.insertOutbox(trx, mail.row, mail.recipients);
        await trx.deleteFrom('jobs').where('id', '=', jobId).execute();
      }),
    /** What owners are still asked about in a thread, with whose request it belongs to. */
    openApprovalsOfThread: async (threadId: string) => (await openOfThread(db, { threadId })).rows,
    /** A row of that id that is there already stays as it is. */
    auditOnce: (row: AuditRow) => transact((trx) => approvals.auditOnce(trx, row)),
  };
}
