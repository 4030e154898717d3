import { type Kysely, sql } from 'kysely';
import type { JobClaim } from '../../ports/jobs.ts';
import type { BounceOf, OutboxClaim, OutboxOutcome } from '../../ports/outbox.ts';
import type { ApprovalNotice, AuditRecord } from '../../types/approvals.ts';
import type { DraftPatch } from '../../types/drafts.ts';
import type { GatheredKind, NewJob, StoredJob, ToldGathered } from '../../types/jobs.ts';
import type { KeptMail, NewAttachment, NewMessage } from '../../types/mail.ts';
import type { ClaimedMail, OutgoingMail } from '../../types/outbox.ts';
import { learnMessageId } from '../arriving/other-ids.ts';
import type { Transact } from '../database/transactions.ts';
import { appendToRun, insertNotice, audit as putOnRecord } from '../repositories/approvals.ts';
import { insertMessage } from '../repositories/arrivals.ts';
import * as drafts from '../repositories/drafts/rows.ts';
import { gatheredOf, tellGathered } from '../repositories/gathered-notices.ts';
import { addJobs, claimJob, dueJobs, endJob, extendJob, jobsNamed, withdrawJob } from '../repositories/jobs.ts';
import * as outbox from '../repositories/outbox.ts';
import * as ownerActions from '../repositories/owner-actions.ts';
import type { PersonaTables, Trx } from './schema/tables.ts';
import { unnamedBlobs } from './unnamed-blobs.ts';

/** A job that nobody has. */
const FREE = { leased_by: null, leased_until: null } as const;

/** The part of the Store that has to do with mail that leaves, and with the jobs that follow from rows. */
export function mailOperations(db: Kysely<PersonaTables>, transact: Transact<PersonaTables>) {
  return {
    claimOutbox: (wanted: OutboxClaim): Promise<readonly ClaimedMail[]> =>
      transact((trx) => outbox.claimDueOutbox(trx, wanted)),
    extendOutbox: (id: string, lease: string, until: number) =>
      transact((trx) => outbox.extendOutbox(trx, id, lease, until), 'normal'),
    settleOutbox: (id: string, outcome: OutboxOutcome, jobs: readonly NewJob[] = []) =>
      transact(async (trx) => {
        const { draft } = outcome;
        if (draft && outcome.lease === undefined) await drafts.assertLies(trx, id);
        await outbox.settleOutbox(trx, id, outcome);
        if (jobs.length > 0) await addJobs(trx, jobs);
        // After the job that looks for it was asked for: one that is there already is brought forward.
        if (draft) await drafts.changeDraft(trx, id, draft, outcome.now);
      }),
    learnMessageId: (messageId: string, other: string) => transact((trx) => learnMessageId(trx, messageId, other)),
    dueDrafts: (now: number, limit: number) => drafts.dueDrafts(db, now, limit),
    noteDraft: (id: string, patch: DraftPatch) => transact((trx) => drafts.patchDraft(trx, id, patch), 'normal'),
    planDraftLooks: () => transact(drafts.planDraftLooks),
    getDraft: (id: string) => drafts.getDraft(db, id),
    draftsOfThread: (threadId: string) => drafts.draftsOfThread(db, threadId),
    /** For notices: inserts the mail (once per purpose) and ends the job that asked for it. */
    queueNotice: (
      jobId: string,
      mail: OutgoingMail,
      {
        told = null,
        message,
        attachments,
        notice,
        jobs = [],
      }: {
        told?: ToldGathered | null;
        message?: NewMessage;
        attachments?: readonly NewAttachment[];
        notice?: ApprovalNotice;
        jobs?: readonly NewJob[];
      } = {},
    ) =>
      transact(async (trx) => {
        const isNew = await outbox.insertOutgoing(trx, mail);
        if (message && isNew) await insertMessage(trx, message, { attachments, viewers: mail.recipients });
        if (notice && isNew) await insertNotice(trx, notice);
        await endJob(trx, jobId);
        const more = told && (await tellGathered(trx, told));
        await addJobs(trx, more ? [more, ...jobs] : jobs);
      }),
    /** What owners were not told yet of this kind. */
    gathered: (kind: GatheredKind) => transact((trx) => gatheredOf(trx, kind)),
    /** Whether a bounce says something new of a mail of ours; nothing is changed. */
    isNewBounce: (bounce: BounceOf) => outbox.isNewBounce(db, bounce),
    /** `kept`: the bounce itself, whose bytes are on disk; nothing where it says nothing new after all. */
    recordBounce: (bounce: BounceOf & { now: number; kept: KeptMail; notices(outboxId: string): readonly NewJob[] }) =>
      transact(async (trx) => {
        const mail = await outbox.applyBounce(trx, bounce);
        if (!mail) return;
        // A notice that bounces makes no notice: that one would bounce too, and so on for ever.
        if (mail.kind !== 'notice') await addJobs(trx, bounce.notices(mail.id));
        await keepRecorded(trx, bounce.kept);
      }),
    /** The given hashes that no row names. */
    unnamedBlobs: (hashes: readonly string[], how: Parameters<typeof unnamedBlobs>[2]) => unnamedBlobs(db, hashes, how),
    keepRecorded: (mail: KeptMail) => transact((trx) => keepRecorded(trx, mail)),

    addJobs: (jobs: readonly NewJob[]) => transact((trx) => addJobs(trx, jobs)),
    claimJob: (claim: JobClaim) => transact((trx) => claimJob(trx, claim), 'normal'),
    extendJob: (id: string, lease: string, until: number) =>
      transact((trx) => extendJob(trx, id, lease, until), 'normal'),
    dueJobs: (now: number, limit: number): Promise<StoredJob[]> => dueJobs(db, now, limit),
    parkJob: async (id: string, { code, dueAt }: { readonly code: string; readonly dueAt: number }) => {
      await db
        .updateTable('jobs')
        .set({ parked_code: code, due_at: dueAt, ...FREE })
        .where('id', '=', id)
        .execute();
    },
    jobsNamed: async (ids: readonly string[]) => (ids.length === 0 ? [] : jobsNamed(db, ids)),
    withdrawJob: (id: string, now: number, audit: AuditRecord) =>
      transact(async (trx) => {
        const isBack = await withdrawJob(trx, id, now);
        if (isBack) await putOnRecord(trx, [audit]);
        return isBack;
      }),
    endJob: async (id: string) => {
      await endJob(db, id);
    },
    /** Ends the job of a hook, with the events that it leaves on the record of its run. */
    endHook: (
      jobId: string,
      { runId, ...ended }: { runId: string; hook: string; event: string; ms: number },
      now: number,
    ) =>
      transact(async (trx) => {
        const run = await trx.selectFrom('runs').select('status').where('id', '=', runId).executeTakeFirst();
        if (run?.status === 'running') return false;
        await appendToRun(trx, runId, ended, now, 'hook_ended');
        await endJob(trx, jobId);
        return true;
      }),
    postponeJob: async (id: string, dueAt: number) => {
      await db
        .updateTable('jobs')
        .set({ due_at: dueAt, attempts: sql`attempts + 1`, parked_code: null, ...FREE })
        .where('id', '=', id)
        .execute();
    },
    /** It is not time yet, and that is nobody's failure. */
    delayJob: async (id: string, dueAt: number) => {
      await db
        .updateTable('jobs')
        .set({ due_at: dueAt, ...FREE })
        .where('id', '=', id)
        .execute();
    },
    changeOutbox: (wanted: Parameters<typeof ownerActions.changeOutbox>[1]) =>
      transact((trx) => ownerActions.changeOutbox(trx, wanted)),
    hurryOutbox: (now: number) => transact((trx) => ownerActions.hurryOutbox(trx, { now })),
    doubtUnsent: (now: number) => transact((trx) => ownerActions.doubtUnsent(trx, now)),
  };
}

/** Limits for one persona. The mails only serve to look up what an owner or a mail system once said. */
const MOST = { mails: 1000, bytes: 256 * 1024 * 1024 };

/** Names the bytes of a mail that is no message; the oldest are named no longer, and the sweep removes them. */
async function keepRecorded(trx: Trx, mail: KeptMail): Promise<void> {
  await trx
    .insertInto('kept_mail')
    .values(mail)
    .onConflict((conflict) => conflict.column('raw_sha256').doUpdateSet(mail))
    .execute();
  await sql`
    delete from kept_mail where raw_sha256 in (
      select raw_sha256 from (
        select raw_sha256, row_number() over newest as place, sum(bytes) over newest as total from kept_mail
        window newest as (order by at desc, raw_sha256 desc rows unbounded preceding)) counted
      where place > 1 and (place > ${MOST.mails} or total > ${MOST.bytes}))`.execute(trx);
}
