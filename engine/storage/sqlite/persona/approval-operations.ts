// One list of operations, one after the other.

import { type Kysely, sql } from 'kysely';
import type { AskedItem, HoldBatch } from '../../ports/approvals.ts';
import {
  type Approval,
  type ApprovalAnswer,
  type ApprovalDecision,
  type ApprovalNotice,
  type AuditRecord,
  type Decided,
  EDITED,
  REVISED,
  type TaughtRule,
} from '../../types/approvals.ts';
import type { NewJob } from '../../types/jobs.ts';
import type { UsedSignatures } from '../../types/mail.ts';
import type { OutgoingMail } from '../../types/outbox.ts';
import { isTest } from '../../types/runs.ts';
import { useSignatures } from '../arriving/arriving.ts';
import { withOurIds } from '../arriving/other-ids.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import type { Transact } from '../database/transactions.ts';
import * as approvals from '../repositories/approvals.ts';
import { addJobs, endJob } from '../repositories/jobs.ts';
import * as outbox from '../repositories/outbox.ts';
import { changeRule } from '../repositories/rules.ts';
import { addUndo, writeStep } from '../repositories/steps.ts';
import { treeOf, waitForOwners } from '../repositories/suspensions/children.ts';
import { queueWhenSettled } from '../repositories/suspensions/rows.ts';
import { answerOf, approvalOf, rowOfAnswer } from './schema/rows.ts';
import type { PersonaTables, Reader, Trx } from './schema/tables.ts';

const openOfThread = compiledQuery<{ threadId: string }>()((db: Reader, $) =>
  db
    .selectFrom('approvals')
    .innerJoin('runs', 'runs.id', 'approvals.run_id')
    .select(['approvals.id', 'approvals.kind', 'approvals.tool', 'approvals.created_at', 'runs.sender', 'runs.tier'])
    .where('approvals.thread_id', '=', $.threadId)
    .where('approvals.state', '=', approvals.PENDING)
    .limit(20),
);

const answersOfThread = compiledQuery<{ threadId: string }>()((db: Reader, $) =>
  db
    .selectFrom('runs')
    .innerJoin('approvals', 'approvals.run_id', 'runs.id')
    .select('approvals.reason')
    .where('runs.thread_id', '=', $.threadId)
    .where('approvals.kind', '=', 'answer')
    .where('approvals.state', 'in', ['approved', 'executed'])
    .where('approvals.decided_by', 'like', '%@%')
    .orderBy('approvals.decided_at', 'desc')
    .limit(50),
);

const openOfAll = compiledQuery<Record<string, never>>()((db: Reader) =>
  db
    .selectFrom('approvals')
    .innerJoin('runs', 'runs.id', 'approvals.run_id')
    .select(['approvals.id', 'approvals.kind', 'approvals.tool', 'approvals.created_at', 'approvals.expires_at'])
    .select(['approvals.thread_id', 'runs.sender', 'runs.tier'])
    .where('approvals.state', '=', approvals.PENDING)
    .orderBy('approvals.created_at')
    .limit(100),
);

const MAX_MAILS = 20;
/** A queue id is shorter, and stands in the header of each mail that went through it. */
const MIN_LOCAL_PART = 24;

/** Whether what a server said when it took a mail names this Message-ID, or all that stands before its `@`. */
function saysId(smtp: string, id: string): boolean {
  const local = id.slice(1, -1).replace(/@[^@]*$/, '');
  return local.length >= MIN_LOCAL_PART && smtp.split(/[\s<>@=;,[\]()"']+/).includes(local);
}
/** Among so many mails those of one sender are looked for. */
const NEWEST_MAILS = 500;

async function teach(trx: Trx, { rule, replaces, undo, audit, job }: TaughtRule): Promise<void> {
  await changeRule(trx, { change: 'add', rule, replaces });
  await addUndo(trx, [undo]);
  await approvals.audit(trx, [audit]);
  await addJobs(trx, [job]);
}

/** The part of the Store that has to do with asking owners. */
export function approvalOperations(db: Kysely<PersonaTables>, transact: Transact<PersonaTables>) {
  /** What the newest mails of an address that were worked on say of their own, the newest first. */
  const newestWords = async (address: string, whose: 'owner' | 'proven', limit: number): Promise<string[]> => {
    const found = db
      .selectFrom('runs')
      .innerJoin('messages', 'messages.id', 'runs.message')
      .select('messages.new_text')
      .where('runs.sender', 'in', [...new Set([address, address.toLowerCase()])])
      .$if(whose === 'owner', (runs) => runs.where('runs.tier', '=', 'owner'))
      .$if(whose === 'proven', (runs) => runs.where('runs.tier', '!=', 'unauthenticated'))
      .where('runs.kind', '=', 'message');
    return (await found.orderBy('runs.created_at', 'desc').limit(limit).execute()).map(({ new_text }) => new_text);
  };

  return {
    holdRun: (batch: HoldBatch): Promise<void> =>
      transact(async (trx) => {
        if (isTest(await writeStep(trx, batch))) throw new Error('a test was about to wait for somebody');
        // What it waits for may have come while it was still at work.
        if (batch.held.length === 0) return queueWhenSettled(trx, batch.lease.runId, batch.now);
        await approvals.insert(trx, batch.held);
        const until = Math.max(...batch.held.map(({ expires_at }) => expires_at));
        await waitForOwners(trx, batch.lease.runId, until);
      }),

    /** Decides several; each by itself. Mail, commands and timers all come through here. */
    decideApprovals: (
      verdicts: readonly ApprovalDecision[],
      auditRows: readonly AuditRecord[],
      now: number,
      jobs?: (decided: readonly Decided[]) => readonly NewJob[],
    ) =>
      transact(async (trx) => {
        const decided = await approvals.decide(trx, verdicts, now, async (verdict) => {
          if (verdict.state === 'approved' && verdict.taught) await teach(trx, verdict.taught);
        });
        // What came too late, or second, decided nothing, and the log must not say that it did.
        const holds = (row: AuditRecord) =>
          decided.some(({ id, outcome }) => id === row.approval_id && outcome === 'decided');
        await approvals.audit(trx, auditRows.filter(holds));
        if (jobs) await addJobs(trx, jobs(decided));
        return decided;
      }),
    /** An edited call: the old question is stale, a new one takes its place. */
    replaceApproval: (
      /** `decided`: what the same answer decides; it needs no new question. */
      old: { id: string; by: string; isRevised?: boolean; decided?: readonly string[] },
      replacement: Approval,
      jobs: readonly NewJob[],
      auditRows: readonly AuditRecord[],
      now: number,
    ) =>
      transact(async (trx) => {
        const { by } = old;
        const reason = old.isRevised === true ? REVISED : EDITED;
        const step = { id: old.id, from: 'pending' as const, to: 'stale' as const, now, by, reason };
        if (!(await approvals.transition(trx, step))) return false;
        const { call_id, run_id } = replacement;
        const edited = { approval_id: old.id, call_id, state: 'stale', by, reason };
        await approvals.appendToRun(trx, run_id, { ...edited, edited: true, replaced_by: replacement.id }, now);
        await approvals.insert(trx, [replacement]);
        await approvals.askAgainBeside(trx, old, now);
        await addJobs(trx, jobs);
        await approvals.audit(trx, auditRows);
        return true;
      }),
    /** A plan that is decided call by call: each is an item of the notice, in the place of the plan. */
    splitApproval: (
      plan: { id: string; by: string },
      items: readonly Approval[],
      beside: { readonly jobs: readonly NewJob[]; readonly audit: readonly AuditRecord[] },
      now: number,
    ) =>
      transact(async (trx) => {
        const reason = 'split';
        const step = { id: plan.id, from: 'pending' as const, to: 'stale' as const, now, by: plan.by, reason };
        if (!(await approvals.transition(trx, step))) return false;
        for (const { run_id, call_id } of items.slice(0, 1)) {
          const split = { approval_id: plan.id, call_id, state: 'stale', by: plan.by, reason };
          await approvals.appendToRun(trx, run_id, split, now);
        }
        await trx.updateTable('approvals').set({ notice_id: null, number: null }).where('id', '=', plan.id).execute();
        await approvals.insert(trx, items);
        await addJobs(trx, beside.jobs);
        await approvals.audit(trx, beside.audit);
        return true;
      }),
    isAsked: async (runId: string): Promise<boolean> => {
      const found = db.selectFrom('approvals').select('id').where('run_id', 'in', treeOf(runId));
      return (await found.where('state', '=', approvals.PENDING).limit(1).executeTakeFirst()) !== undefined;
    },
    approvalsBelow: async (runId: string): Promise<readonly Approval[]> => {
      const found = db.selectFrom('approvals').selectAll().where('run_id', 'in', treeOf(runId));
      return (await found.where('run_id', '!=', runId).orderBy('id').execute()).map(approvalOf);
    },
    /** Whether a run below this one is still at work, and may have calls held in a moment. */
    worksBelow: async (runId: string): Promise<boolean> =>
      (await db
        .selectFrom('runs')
        .select('id')
        .where('id', 'in', treeOf(runId))
        .where('id', '!=', runId)
        .where('status', 'in', ['queued', 'running'])
        .where('deferred_code', 'is', null)
        .limit(1)
        .executeTakeFirst()) !== undefined,
    /** Held calls of a run and those below it, or of all runs, that no notice is about yet. */
    unnoticedApprovals: (runId: string | null) => transact((trx) => approvals.unnoticed(trx, runId)),
    likeQuestions: (of: { likeness: string; limit: number }) => approvals.likeQuestions(db, of),
    /** Ends the job only while nothing waits for a notice: a run may have been held since somebody looked. */
    endNoticeJob: (jobId: string, runId: string | null) =>
      transact(async (trx) => {
        const waiting = await approvals.unnoticed(trx, runId);
        if (waiting.length === 0) await endJob(trx, jobId);
      }),
    /** One transaction: the notice, its numbers, its mail, the end of the job; later arrivals keep a job of their own. */
    sendApprovalNotice: (
      notice: ApprovalNotice,
      numbered: readonly AskedItem[],
      mail: OutgoingMail,
      /** `again`: for what is still without a notice. */
      job: { readonly id: string; readonly runId: string | null; readonly again: NewJob },
      jobs: readonly NewJob[],
    ) =>
      transact(async (trx) => {
        await approvals.assignNotice(trx, notice, numbered);
        await outbox.insertOutgoing(trx, mail);
        await endJob(trx, job.id);
        const rest = await approvals.unnoticed(trx, job.runId);
        await addJobs(trx, rest.length > 0 ? [...jobs, job.again] : jobs);
      }),
    /** A question to an owner has a notice of its own: all that is answered to it is the answer. */
    sendQuestion: (
      notice: ApprovalNotice,
      approvalId: string,
      mail: OutgoingMail,
      jobId: string,
      jobs: readonly NewJob[],
    ) =>
      transact(async (trx) => {
        await approvals.assignNotice(trx, notice, [{ id: approvalId, number: 1 }]);
        await outbox.insertOutgoing(trx, mail);
        await endJob(trx, jobId);
        await addJobs(trx, jobs);
      }),
    /** A notice that asks about nothing of this store's own, its mail and the end of its job; once for each id of a notice. */
    sendNotice: (notice: ApprovalNotice, mail: OutgoingMail, jobId: string): Promise<void> =>
      transact(async (trx) => {
        const added = await trx
          .insertInto('approval_notices')
          .values(notice)
          .onConflict((conflict) => conflict.column('id').doNothing())
          .executeTakeFirst();
        if ((added.numInsertedOrUpdatedRows ?? 0n) > 0n) await outbox.insertOutgoing(trx, mail);
        await endJob(trx, jobId);
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
    mailsQuotable: async (messageIds: readonly string[]) => {
      const ids = messageIds.slice(0, 50);
      if (ids.length === 0) return [];
      const mails = db
        .selectFrom('outbox')
        .select(['raw', 'created_at'])
        .where((where) => where.or([where('message_id', 'in', ids), where('in_reply_to', 'in', ids)]));
      return (await mails.orderBy('seq', 'desc').limit(MAX_MAILS).execute()).toReversed();
    },
    areSentByUs: async (messageIds: readonly string[], about: readonly string[]): Promise<boolean> => {
      const ids = await withOurIds(db, messageIds.slice(0, 50));
      const found = await db.selectFrom('outbox').select('message_id').where('message_id', 'in', ids).execute();
      const others = ids.filter((id) => !found.some(({ message_id: ours }) => ours === id));
      if (others.length === 0) return true;
      const taken = await db
        .selectFrom('outbox')
        .innerJoin('outbox_recipients', 'outbox_recipients.outbox_id', 'outbox.id')
        .select('smtp')
        .where('message_id', 'in', about.slice(0, 50))
        .where('smtp', 'is not', null)
        .execute();
      return others.every((id) => taken.some(({ smtp }) => smtp !== null && saysId(smtp, id)));
    },
    earlierTexts: async (sender: string): Promise<string[]> => {
      const newest = db
        .selectFrom('messages')
        .select(['seq', 'thread_id', 'direction', 'from_address', 'tier', 'text']);
      const mails = await db
        .selectFrom(newest.orderBy('seq', 'desc').limit(NEWEST_MAILS).as('newest'))
        .select('text')
        .where('direction', '=', 'in')
        .where('from_address', '=', sender)
        .where('tier', 'in', ['owner', 'member'])
        .where(
          sql<boolean>`thread_id not in (select id from threads where private_since is not null and kind = 'test')`,
        )
        .orderBy('seq', 'desc')
        .limit(MAX_MAILS)
        .execute();
      return mails.map(({ text }) => text);
    },
    /** The one mail of its kind about a notice: the mark, the mail and the end of its job in one transaction. */
    queueAboutNotice: (about: { id: string; column: 'reminded_at'; now: number }, jobId: string, mail: OutgoingMail) =>
      transact(async (trx) => {
        const marked = await trx
          .updateTable('approval_notices')
          .set({ [about.column]: about.now })
          .where('id', '=', about.id)
          .where(about.column, 'is', null)
          .executeTakeFirst();
        if (marked.numUpdatedRows > 0n) await outbox.insertOutgoing(trx, mail);
        await endJob(trx, jobId);
      }),
    knowsAnswer: async (id: string): Promise<boolean> =>
      (await db.selectFrom('approval_answers').select('id').where('id', '=', id).executeTakeFirst()) !== undefined,
    /**
     * Keeps what an answer was understood as, and the job of the mail about it where one is due: at most `most` such
     * mails since `since` for each notice, or two programs could answer each other for ever.
     */
    recordAnswer: (
      row: Omit<ApprovalAnswer, 'asked_back'>,
      mail: { readonly job: NewJob; readonly since: number; readonly most: number } | null,
      used: UsedSignatures,
    ): Promise<void> =>
      transact(async (trx) => {
        await useSignatures(trx, used);
        const asked =
          mail === null || mail.most === 0
            ? []
            : await trx
                .selectFrom('approval_answers')
                .select('id')
                .where('notice_id', '=', row.notice_id)
                .where('at', '>', mail.since)
                .where('asked_back', '=', 1)
                .limit(mail.most)
                .execute();
        const goes = mail !== null && (mail.most === 0 || asked.length < mail.most);
        const inserted = await trx
          .insertInto('approval_answers')
          .values(rowOfAnswer({ ...row, asked_back: goes }))
          .onConflict((conflict) => conflict.column('id').doNothing())
          .executeTakeFirst();
        if (goes && (inserted.numInsertedOrUpdatedRows ?? 0n) > 0n) await addJobs(trx, [mail.job]);
      }),
    answersOfNotice: async (noticeId: string): Promise<ApprovalAnswer[]> => {
      const found = db.selectFrom('approval_answers').selectAll().where('notice_id', '=', noticeId);
      return (await found.orderBy('at').limit(50).execute()).map(answerOf);
    },
    answersByMessageId: async (messageId: string): Promise<ApprovalAnswer[]> => {
      const found = db.selectFrom('approval_answers').selectAll().where('message_id', '=', messageId);
      return (await found.orderBy('at').limit(50).execute()).map(answerOf);
    },
    /** A mail about an answer, and the end of its job. */
    queueClarification: (jobId: string, mail: OutgoingMail) =>
      transact(async (trx) => {
        if (await endJob(trx, jobId)) await outbox.insertOutgoing(trx, mail);
      }),
    /** What owners are still asked about in a thread, with whose request it belongs to. */
    openApprovalsOfThread: async (threadId: string) => (await openOfThread(db, { threadId })).rows,
    answersInWords: async (threadId: string): Promise<string[]> =>
      (await answersOfThread(db, { threadId })).rows.flatMap(({ reason }) => reason ?? []),
    openApprovalsOfAll: async () => (await openOfAll(db, {})).rows,
    pendingApprovals: async (limit: number): Promise<Approval[]> => {
      const found = db.selectFrom('approvals').selectAll().where('state', '=', approvals.PENDING);
      return (await found.orderBy('id').limit(limit).execute()).map(approvalOf);
    },
    askedAfterAnswer: async ({ threadId, sender }: { threadId: string; sender: string }): Promise<Approval[]> => {
      const found = db
        .selectFrom('approvals')
        .innerJoin('runs', 'runs.id', 'approvals.run_id')
        .selectAll('approvals')
        .where('approvals.thread_id', '=', threadId)
        .where('approvals.state', '=', approvals.PENDING)
        .where(
          // Also where what was decided had to be asked about anew.
          sql<boolean>`(runs.ended_at is not null or exists (select 1 from run_events as first
            where first.run_id = runs.id and first.seq = 0 and first.payload_json like '%"decided"%'))`,
        )
        .where(sql`lower(runs.sender)`, '=', sender.toLowerCase());
      return (await found.orderBy('approvals.id').execute()).map(approvalOf);
    },
    /** Whether a mail to this address has left, or may have. */
    hasWrittenTo: async (address: string): Promise<boolean> =>
      (await db
        .selectFrom('outbox_recipients')
        .select('outbox_id')
        .where(sql`lower(address)`, '=', address.toLowerCase())
        .where('state', 'in', ['sent', 'unknown'])
        .limit(1)
        .executeTakeFirst()) !== undefined,
    /** How somebody calls himself in the newest of his mails that were worked on; empty where nothing is known. */
    nameOfSender: async (address: string): Promise<string> =>
      (
        await db
          .selectFrom('runs')
          .innerJoin('messages', 'messages.id', 'runs.message')
          .select('messages.from_name')
          .where('runs.sender', '=', address)
          .where('runs.kind', '<>', 'test')
          .orderBy('runs.created_at', 'desc')
          .limit(1)
          .executeTakeFirst()
      )?.from_name ?? '',
    wasLetIn: async (address: string): Promise<boolean> => {
      const found = await db
        .selectFrom('runs')
        .select('id')
        .where('sender', '=', address)
        .where('tier', 'in', ['owner', 'member'])
        .where('kind', '<>', 'test')
        .limit(1)
        .executeTakeFirst();
      return found !== undefined;
    },
    wordsOfOwner: (address: string, limit: number) => newestWords(address, 'owner', limit),
    wordsOfPerson: (address: string, limit: number) => newestWords(address, 'proven', limit),
    /** What an attachment is called, and who sent it. */
    attachmentNamed: (id: string) =>
      db
        .selectFrom('attachments')
        .innerJoin('messages', 'messages.id', 'attachments.message')
        .select(['attachments.name', 'messages.from_address'])
        .where('attachments.id', '=', id)
        .executeTakeFirst(),
    /** When the newest questions to owners were mailed, the latest first. */
    newestNotices: async (limit: number): Promise<readonly number[]> =>
      (await db.selectFrom('approval_notices').select('created_at').orderBy('id', 'desc').limit(limit).execute()).map(
        ({ created_at }) => created_at,
      ),
    /** A row of that id that is there already stays as it is. */
    auditOnce: (row: AuditRecord, used?: UsedSignatures) =>
      transact(async (trx) => {
        await approvals.auditOnce(trx, row);
        if (used) await useSignatures(trx, used);
      }),
  };
}
