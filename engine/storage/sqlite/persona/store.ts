import { type Kysely, type NotNull, type RawBuilder, sql } from 'kysely';
import { asFlag, eachText, indexedBy, jsonObjectOf } from '../../dialect.ts';
import { FurtherMailError, type FurtherOf } from '../../ports/further-mail.ts';
import type { JobClaim } from '../../ports/jobs.ts';
import type { KnowledgeStore } from '../../ports/knowledge.ts';
import type {
  ArrivalQuery,
  ArrivalRows,
  HeldRaw,
  KnownWords,
  MailStore,
  NewArrival,
  QuotableMail,
  ResultQuery,
} from '../../ports/mail.ts';
import type { BounceOf, OutboxClaim, OutboxOutcome } from '../../ports/outbox.ts';
import type {
  Cancel,
  ClaimedRun,
  FinishBatch,
  LeftRun,
  LoadedRun,
  NextDue,
  OpenRun,
  RunsClaim,
  StepBatch,
} from '../../ports/runs.ts';
import type { Store } from '../../ports/store.ts';
import { indexed } from '../../search/fold.ts';
import { hasWords, mostFirst, wordsOf } from '../../search/full-text.ts';
import { snippetOf } from '../../search/snippet.ts';
import { termsOf } from '../../search/terms.ts';
import type { ApprovalNotice, AuditRecord } from '../../types/approvals.ts';
import type { BudgetLimits, OwnWordsUse, Reservation, ToolUse, UseLimits } from '../../types/budget.ts';
import type { DraftPatch } from '../../types/drafts.ts';
import { type GatheredKind, type NewJob, relayOf, type StoredJob, type ToldGathered } from '../../types/jobs.ts';
import type { KnowledgeSection } from '../../types/knowledge.ts';
import type { Holder } from '../../types/leases.ts';
import type {
  DocumentKey,
  FoundAttachment,
  FoundMessages,
  KeptMail,
  MailSearch,
  NewMessage,
  OpenedMessage,
  SeenMessage,
  StoredDocument,
  UsedSignatures,
  Viewer,
} from '../../types/mail.ts';
import type { ClaimedMail, OutgoingMail } from '../../types/outbox.ts';
import type { DeferredOverview, NewestIds, Overview } from '../../types/overview.ts';
import type { EpisodeSearch } from '../../types/recall.ts';
import { type Lease, type NewEvent, type NewRun, ownEvent, type StoredToolEvent } from '../../types/runs.ts';
import {
  countLetter,
  countReply,
  findForArrival,
  forgetStops,
  isAsRead,
  keepOwnerMail,
  knowsSignature,
  nameMails,
  namesOfPeople,
  ownerMail,
  useSignatures,
} from '../arriving/arriving.ts';
import { learnMessageId } from '../arriving/other-ids.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import { openDatabase } from '../database/open.ts';
import { isSeenBy, isShared } from '../database/seen-by.ts';
import type { Transact } from '../database/transactions.ts';
import { learningOperations } from '../learning/operations.ts';
import { refinementOperations } from '../learning/refinements.ts';
import { activeOperations } from '../repositories/active/rows.ts';
import * as approvals from '../repositories/approvals.ts';
import {
  appendToRun,
  auditOnce,
  gatheredOf,
  gatherMade,
  insertNotice,
  tellGathered,
} from '../repositories/approvals.ts';
import * as arrivals from '../repositories/arrivals.ts';
import { attachmentsOf, insertMessage, privateSince } from '../repositories/arrivals.ts';
import * as budget from '../repositories/budget.ts';
import { claimDueRuns, loadRun } from '../repositories/claimed-runs.ts';
import { closingOperations } from '../repositories/closings/operations.ts';
import * as drafts from '../repositories/drafts/rows.ts';
import { insertDraft } from '../repositories/drafts/rows.ts';
import { eraseLearned } from '../repositories/facts/change.ts';
import { emptyLogOf } from '../repositories/facts/securely.ts';
import { furtherMail, takenInBy } from '../repositories/further-mail.ts';
import { invitationOperations } from '../repositories/invitations/operations.ts';
import { addJobs, claimJob, dueJobs, endJob, extendJob, hurryJob, parkedJobs } from '../repositories/jobs.ts';
import * as outbox from '../repositories/outbox.ts';
import * as ownWordsUses from '../repositories/own-words-uses.ts';
import * as ownerActions from '../repositories/owner-actions.ts';
import { ruleOperations } from '../repositories/rules.ts';
import * as runs from '../repositories/runs.ts';
import { isRepeatable, patchThread, writeStep } from '../repositories/steps.ts';
import { eraseSummaries, threadsToldOf } from '../repositories/summaries/erase.ts';
import { summaryOperations } from '../repositories/summaries/operations.ts';
import { endChildren } from '../repositories/suspensions/children.ts';
import { closeSuspensions, countOpen } from '../repositories/suspensions/rows.ts';
import { allTasks } from '../repositories/tasks.ts';
import * as toolUses from '../repositories/tool-uses.ts';
import { countDeferred, incidentOf } from '../repositories/waiting.ts';
import { compactIndex, mergeIndex, zeroFreePages } from '../search/compact-index.ts';
import { episodesAt } from '../search/episodes.ts';
import { findMail } from '../search/find-mail.ts';
import { likelyEpisodes, nothingKnown } from '../search/recall-mail.ts';
import {
  filesToIndex,
  forgetIndex,
  forgetInIndex,
  indexFiles,
  indexMessages,
  indexThreadAnew,
  indexWaiting,
  isBehind,
} from '../search/write-index.ts';
import { wroteItself } from '../search/wrote-itself.ts';
import { approvalOperations } from './approval-operations.ts';
import { factOperations } from './fact-operations.ts';
import { listing } from './listing.ts';
import { findResult } from './results.ts';
import { personaMigrations } from './schema/migrations.ts';
import { messageOf, referencesOf } from './schema/rows.ts';
import type { PersonaTables, Reader, Trx } from './schema/tables.ts';
import { suspensionOperations } from './suspension-operations.ts';
import { taskOperations } from './task-operations.ts';
import { undoOperations } from './undo-operations.ts';
import { unnamedBlobs } from './unnamed-blobs.ts';
import { waitingOperations } from './waiting-operations.ts';
import { weekOf } from './week.ts';

/** A run begins its life as queued, and maybe as one that has to wait first. */
const queuedEvents = ({ tier, deferred_code: code }: NewRun): readonly NewEvent[] => [
  ownEvent('run_queued', { tier }),
  ...(code ? [ownEvent('deferred', { code, until: null })] : []),
];

/** Each mail is read for its words once, when the first answer comes that may quote it. */
async function keepWords(trx: Trx, known: readonly KnownWords[]): Promise<void> {
  if (known.length === 0) return;
  for (const { seq, words } of known) await insertWords(trx, { seq, words });
}

const insertWords = compiledQuery<KnownWords>()((db: Reader, $) =>
  db
    .insertInto('message_words')
    .values({ seq: $.seq, words: $.words })
    .onConflict((conflict) => conflict.doNothing()),
);

/** True: it erased what was remembered of a thread that it made private. */
async function writeArrival(trx: Trx, arrival: NewArrival, query: ArrivalQuery): Promise<boolean> {
  const { newThread, message, threadPatch, run } = arrival;
  const isCounted = newThread !== undefined;
  if (newThread) await arrivals.insertThread(trx, { ...newThread, message_count: message ? 1 : 0, now: query.now });
  if (message) {
    await arrivals.insertMessage(trx, message, { ...arrival, isCounted });
    if (arrival.ownerMail) await keepOwnerMail(trx, message.id, arrival.ownerMail);
    await nameMails(trx, message.thread_id, arrival.names ?? []);
    await arrivals.addParticipants(trx, message.thread_id, arrival.participants ?? []);
  }
  await useSignatures(trx, query, { message: message?.id ?? null });
  if (threadPatch) await patchThread(trx, threadPatch.id, threadPatch.patch);
  const hidden = threadPatch?.patch.private_since === undefined ? null : threadPatch.id;
  if (hidden !== null) await indexThreadAnew(trx, hidden);
  if (run) {
    await arrivals.insertRun(trx, run);
    await runs.appendEvents(trx, run.id, 0, queuedEvents(run), query.now);
  }
  await keepWords(trx, arrival.words ?? []);
  if (arrival.counted) await countLetter(trx, arrival.counted, query.now);
  if (arrival.reopens) await forgetStops(trx, arrival.reopens);
  await addJobs(trx, arrival.jobs ?? []);
  return hidden !== null && eraseLearned(trx, hidden);
}

/** What is to leave, and what was said with it. What lies in Drafts is said to nobody before somebody sends it. */
async function writeReply(
  trx: Trx,
  { message, mail, participants }: NonNullable<FinishBatch['reply']>,
  { endsTask, now }: FinishBatch,
): Promise<void> {
  if (mail) await outbox.insertOutbox(trx, mail.row, mail.recipients);
  if (mail?.row.mode === 'draft') return insertDraft(trx, mail.row.id, message);
  await arrivals.insertMessage(trx, message, { viewers: mail?.recipients, ofThread: { last_reply_at: now } });
  // The task's owner named its recipients, so their answers are taken in this thread.
  const role = endsTask ? 'known' : 'sender';
  await arrivals.addParticipants(
    trx,
    message.thread_id,
    participants.map((address) => ({ address, role })),
  );
  if (message.run_id) await countReply(trx, message.run_id, now);
}

/**
 * persona.db. `version`: it is brought no further, for what is the same in all versions. `onWrite`: called after each commit
 * that may have changed a row.
 */
export function openStore(file: string, version = personaMigrations.length, onWrite?: () => void): Store {
  const migrations = version < personaMigrations.length ? personaMigrations.slice(0, version) : personaMigrations;
  const { db, transact, close } = openDatabase<PersonaTables>(file, migrations, onWrite);
  return {
    /** What the rows say of an arriving mail. */
    // A transaction that changes nothing waits for the flush of what it may have read.
    flushed: () => transact(async () => {}),
    readForArrival: (query: ArrivalQuery): Promise<ArrivalRows> => findForArrival(db, query),
    ownerMail: (message: string) => ownerMail(db, message),
    namesOfPeople: (threadId: string) => namesOfPeople(db, threadId),
    /** Nothing is written, and false comes back, when what was read of the mail does not hold any more. */
    async keepArrival(
      arrival: NewArrival,
      { query, rows }: { readonly query: ArrivalQuery; readonly rows: ArrivalRows },
    ): Promise<boolean> {
      const kept = await transact(async (trx) => {
        const isStillSo = isAsRead(await findForArrival(trx, query), rows, query);
        if (!isStillSo) return null;
        await approvals.audit(trx, arrival.audit ?? []);
        return { hasErased: await writeArrival(trx, arrival, query) };
      });
      if (kept?.hasErased) await emptyLogOf(db);
      return kept !== null;
    },

    knowsSignature: (signed: Pick<ArrivalQuery, 'signatures' | 'bySignature'>): Promise<boolean> =>
      knowsSignature(db, signed),
    useSignatures: (used: UsedSignatures, by: Parameters<typeof useSignatures>[2]): Promise<void> =>
      transact((trx) => useSignatures(trx, used, by)),
    /** What follows from an owner's command, and that its mail is used up. */
    endCommand: (used: UsedSignatures, jobs: readonly NewJob[]): Promise<void> =>
      transact(async (trx) => {
        await useSignatures(trx, used);
        await addJobs(trx, jobs);
      }),

    /** A claim that is lost with the machine leaves a run that is queued, and nobody who works it. */
    claimRuns: (wanted: RunsClaim): Promise<readonly ClaimedRun[]> =>
      transact((trx) => claimDueRuns(trx, wanted), 'normal'),
    /** Whether a run is due that the process, or the engine, has failed at before. */
    extendRun: (lease: Lease, until: number): Promise<boolean> =>
      transact((trx) => runs.extendRun(trx, lease, until), 'normal'),
    hasDueSuspect: async (at: Holder & { now: number }): Promise<boolean> =>
      (await runs.findDueRun(db, { ...at, suspects: true })) !== undefined,

    /** All that the harness knew of a run; undefined when there is none of that id. */
    loadRun: (id: string): Promise<LoadedRun | undefined> =>
      transact(async (trx) => {
        const run = await runs.runById(trx, id);
        return run && loadRun(trx, run);
      }),
    furtherMail: (of: FurtherOf) => furtherMail(db, of),
    takenInBy: async (runId: string) => {
      const run = await runs.runById(db, runId);
      return run ? takenInBy(db, run) : [];
    },
    releaseRun: (lease: Lease, dueAt: number): Promise<void> =>
      transact(async (trx) => {
        await runs.patchFenced(trx, lease, { status: 'queued', due_at: dueAt, leased_by: null, leased_until: null });
      }),
    releaseFaulted: (lease: Lease, dueAt: number): Promise<void> =>
      transact((trx) => runs.releaseFaulted(trx, lease, dueAt)),

    /** Commits one step of a run. Throws FencedError when the lease was lost. */
    commitStep: (batch: StepBatch): Promise<void> =>
      transact((trx) => writeStep(trx, batch), isRepeatable(batch) ? 'normal' : 'full'),

    /** The end of a run, its reply and its outbox row: all or nothing. */
    finishRun: (batch: FinishBatch): Promise<void> =>
      transact(async (trx) => {
        if (batch.unless && (await furtherMail(trx, batch.unless)).length > 0)
          throw new FurtherMailError(`run ${batch.lease.runId} has another mail to answer`);
        await writeStep(trx, batch);
        if (batch.reply) await writeReply(trx, batch.reply, batch);
        await indexWaiting(trx);
        // A run that never called a tool never asked for anything.
        const { actor, reason } = batch.closing ?? { actor: 'engine', reason: 'the run ended before it' };
        const closing = { runId: batch.lease.runId, reason, actor, now: batch.now };
        if (batch.patch.tool_calls !== 0) await approvals.closeOpen(trx, closing);
        if (batch.held) await approvals.insert(trx, batch.held);
        // By itself no run ends while a call of it is suspended.
        if (batch.closing) {
          await closeSuspensions(trx, batch.lease.runId, batch.now);
          await endChildren(trx, batch.lease.runId, batch.closing.actor, batch.now);
        }
        await hurryJob(trx, relayOf(batch.lease.runId), batch.now);
        await addJobs(trx, await gatherMade(trx, batch));
      }),

    openRuns: () =>
      transact(async (trx) => {
        const open: OpenRun[] = [];
        for (const run of await ownerActions.openRuns(trx)) {
          open.push({ run, loaded: run.tool_calls === 0 ? null : await loadRun(trx, run) });
        }
        return open;
      }),
    cancelRuns: (cancel: Cancel, seen: readonly LeftRun[]) =>
      transact((trx) => ownerActions.cancelRuns(trx, cancel, seen)),
    /** For `runs cancel`: the run with all that is known of it, in the caller's hands alone. */
    seizeRun: (seizure: Parameters<typeof ownerActions.seizeRun>[1]) =>
      transact(async (trx) => {
        const run = await ownerActions.seizeRun(trx, seizure);
        return typeof run === 'string' ? run : loadRun(trx, run);
      }),
    /** Whether the run is still in the hands of whoever claimed it under this fence. */
    async holdsLease({ runId, fence }: Lease): Promise<boolean> {
      const run = await db.selectFrom('runs').select(['fence', 'status']).where('id', '=', runId).executeTakeFirst();
      return run?.fence === fence && run.status === 'running';
    },
    retryRun: (retry: Parameters<typeof ownerActions.retryRun>[1]) =>
      transact((trx) => ownerActions.retryRun(trx, retry)),

    ...approvalOperations(db, transact),
    ...taskOperations(db, transact),
    ...knowledgeOperations(db, transact),
    ...suspensionOperations(db, transact),
    ...undoOperations(db, transact),
    ...waitingOperations(db, transact),
    ...factOperations(db, transact),
    ...ruleOperations(db, transact),
    ...summaryOperations(db, transact),
    ...closingOperations(db, transact),
    ...activeOperations(db, transact),
    ...invitationOperations(db, transact),
    ...learningOperations(db, transact),
    ...refinementOperations(db, transact),

    reserveBudget: (want: Reservation, limits: BudgetLimits) => transact((trx) => budget.reserve(trx, want, limits)),
    useTool: (use: ToolUse, limits: UseLimits, reserves: boolean) =>
      transact((trx) => toolUses.use(trx, use, limits, reserves)),
    useOwnWords: (use: OwnWordsUse) => transact((trx) => ownWordsUses.use(trx, use)),
    bookLate: (spent: Parameters<typeof budget.bookLate>[1]) => transact((trx) => budget.bookLate(trx, spent)),
    budgetOfDay: (day: string) => transact((trx) => budget.dayOf(trx, day)),
    extendDay: (day: string) => transact((trx) => budget.extendDay(trx, day)),

    nextDue: (holder: Holder): Promise<NextDue> => runs.nextDue(db, holder),

    ...reads(db, transact),
    ...mailOperations(db, transact),
    ...rawMailOperations(db, transact),
    ...listing(db),
    overview: (day: number) => overviewOf(db, day),
    week: (from: number, to: number) => weekOf(db, from, to),
    close,
  };
}

/** A job that nobody has. */
const FREE = { leased_by: null, leased_until: null } as const;

/** The part of the Store that has to do with mail that leaves, and with the jobs that follow from rows. */
function mailOperations(db: Kysely<PersonaTables>, transact: Transact<PersonaTables>) {
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
        await addJobs(trx, jobs);
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
        notice,
        jobs = [],
      }: {
        told?: ToldGathered | null;
        message?: NewMessage;
        notice?: ApprovalNotice;
        jobs?: readonly NewJob[];
      } = {},
    ) =>
      transact(async (trx) => {
        const isNew = await outbox.insertOutgoing(trx, mail);
        if (message && isNew) await insertMessage(trx, message, { viewers: mail.recipients });
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
    parkedJobs: () => parkedJobs(db),
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

/** The part of the Store that has to do with bytes of mail that are not files yet. */
const rawMailOperations = (
  db: Kysely<PersonaTables>,
  transact: Transact<PersonaTables>,
): Pick<MailStore, 'heldRaw' | 'listHeldRaw' | 'releaseRaw'> => ({
  async heldRaw(seq) {
    return (await db.selectFrom('raw_mail').select('bytes').where('seq', '=', seq).executeTakeFirst())?.bytes;
  },
  listHeldRaw: (limit): Promise<HeldRaw[]> =>
    db
      .selectFrom('raw_mail')
      .innerJoin('messages', 'messages.seq', 'raw_mail.seq')
      .select(['raw_mail.seq', 'raw_mail.bytes', 'messages.raw_sha256 as sha256'])
      .where('messages.raw_sha256', 'is not', null)
      .$narrowType<{ sha256: NotNull }>()
      .orderBy('raw_mail.seq')
      .limit(limit)
      .execute(),
  // What a failing machine brings back is the same file once more.
  releaseRaw: (seqs) =>
    transact(async (trx) => {
      await trx.deleteFrom('raw_mail').where('seq', 'in', seqs).execute();
    }, 'normal'),
});

// All that a run, or a mail that arrives, looks around at: one list of reads.
/** Of the attachment in the query around it. */
const newerOf = (viewer: Viewer) => sql<string | null>`(
  select later.id from messages old
    join messages m on m.thread_id = old.thread_id and m.seq > old.seq and m.direction = 'in'
    join attachments later on later.message = m.id
  where old.id = attachments.message and lower(later.name) = lower(attachments.name)
    and later.sha256 <> attachments.sha256 and ${isSeenBy(viewer)}
  order by m.seq desc limit 1)`;

const threadPage = compiledQuery<{ threadId: string; beforeSeq: number; limit: number }>()((db: Reader, $) =>
  db
    .selectFrom('messages')
    .selectAll()
    .where('thread_id', '=', $.threadId)
    .where('seq', '<', $.beforeSeq)
    .orderBy('seq', 'desc')
    .limit($.limit),
);
/** By the viewer's own rows: what lies between two messages of theirs is never read. */
export const pageOfViewer = compiledQuery<{ threadId: string; address: string; beforeSeq: number; limit: number }>()(
  (db: Reader, $) =>
    db
      .selectFrom('message_viewers')
      .innerJoin('messages', 'messages.seq', 'message_viewers.seq')
      .leftJoin('runs', 'runs.id', 'messages.run_id')
      .leftJoin('messages as asked', 'asked.id', 'runs.message')
      .selectAll('messages')
      .select('asked.seq as asked_seq')
      .where('message_viewers.thread_id', '=', $.threadId)
      .where('message_viewers.address', '=', $.address)
      .where('message_viewers.seq', '<', $.beforeSeq)
      .orderBy('message_viewers.seq', 'desc')
      .limit($.limit),
);
/** What all of several may see. */
async function pageOfSeveral(
  db: Reader,
  { threadId, beforeSeq, limit }: { readonly threadId: string; readonly beforeSeq: number; readonly limit: number },
  viewer: Viewer,
): Promise<SeenMessage[]> {
  const rows = await db
    .selectFrom('messages as m')
    .leftJoin('runs', 'runs.id', 'm.run_id')
    .leftJoin('messages as asked', 'asked.id', 'runs.message')
    .selectAll('m')
    .select('asked.seq as asked_seq')
    .where('m.thread_id', '=', threadId)
    .where('m.seq', '<', beforeSeq)
    .where(isSeenBy(viewer))
    .orderBy('m.seq', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => messageOf(row));
}
const countOfViewer = compiledQuery<{ threadId: string; address: string; limit: number }>()((db: Reader, $) =>
  db
    .selectFrom(
      db
        .selectFrom('message_viewers')
        .select('seq')
        .where('thread_id', '=', $.threadId)
        .where('address', '=', $.address)
        .limit($.limit)
        .as('seen'),
    )
    .select((query) => query.fn.countAll<number>().as('count')),
);
/** Nobody needs to know of more; counting on would make each mail of a long thread cost more. */
const MAX_COUNTED = 1000;
const knownOnThread = compiledQuery<{ threadId: string }>()((db: Reader, $) =>
  db
    .selectFrom('thread_participants')
    .select('address')
    .where('thread_id', '=', $.threadId)
    .where('role', '=', 'known')
    .limit(1000),
);

const anyAttachment = compiledQuery<object>()((db: Reader) => db.selectFrom('attachments').select('id').limit(1));

/** Each address has few mails of one thread; of somebody who has many, the newest tell. */
const shownWith = compiledQuery<{ threadId: string; reader: string; keys: string }>()(
  (_: Reader, $) => sql<{ address: string }>`
    select one.value as address from ${eachText($.keys, 'one')}
    where exists (
      select 1 from (
        select seq from message_viewers where thread_id = ${$.threadId} and address = one.value
        order by seq desc limit 200) named
      join message_viewers seen on seen.thread_id = ${$.threadId} and seen.address = ${$.reader}
        and seen.seq = named.seq)`,
);

/** Older mail of a thread is hardly ever quoted by itself. */
const NEWEST_QUOTABLE = 50;

type FoundQuotable = Omit<QuotableMail, 'isOwn' | 'isOurs'> & { readonly isOwn: number; readonly isOurs: number };

const quotable = compiledQuery<{ threadId: string; sender: string }>()(
  (_: Reader, $) => sql<FoundQuotable>`
    select m.seq, m.message_id, m.from_address,
      ${asFlag(sql`m.direction = 'in' and m.from_address = ${$.sender} and m.tier <> 'unauthenticated'`)} as "isOwn",
      ${asFlag(sql`m.direction = 'out'`)} as "isOurs", w.words,
      case when w.words is null then m.text end as text
    from (select seq from message_viewers where thread_id = ${$.threadId} and address = ${$.sender}
      order by seq desc limit ${sql.lit(NEWEST_QUOTABLE)}) seen
    join messages m on m.seq = seen.seq
    left join message_words w on w.seq = m.seq`,
);

const INDEXED_BEFORE_A_SEARCH = 2000;

/** The part of the Store in which a run looks around: its thread, attachments, results, the files it made. */
function reads(db: Kysely<PersonaTables>, transact: Transact<PersonaTables>) {
  // What is lost of the index with a failing machine is only taken into it again.
  const known = nothingKnown();
  const indexMail = (limit: number) => transact((trx) => indexMessages(trx, limit), 'normal');
  const catchUp = async () => {
    if (await isBehind(db)) await indexMail(INDEXED_BEFORE_A_SEARCH);
  };
  return {
    async quotableMails(threadId: string, sender: string): Promise<readonly QuotableMail[]> {
      const { rows } = await quotable(db, { threadId, sender });
      return rows.map(({ isOwn, isOurs, ...row }) => ({ ...row, isOwn: isOwn === 1, isOurs: isOurs === 1 }));
    },
    /** Messages of a thread that the viewer may see, newest first, from before `beforeSeq`. */
    threadPage: (threadId: string, beforeSeq: number, limit: number, viewer: Viewer): Promise<SeenMessage[]> => {
      const page = { threadId, beforeSeq, limit };
      if (isShared(viewer)) return pageOfSeveral(db, page, viewer);
      const found = viewer ? pageOfViewer(db, { ...page, address: viewer.address }) : threadPage(db, page);
      return found.then(({ rows }) => rows.map((row) => messageOf(row)));
    },
    /** Those of the addresses that stand in a mail of the thread which the reader sent or was sent, in lower case. */
    shownWith: async (asked: {
      threadId: string;
      reader: string;
      addresses: readonly string[];
    }): Promise<ReadonlySet<string>> => {
      const { threadId, reader, addresses } = asked;
      const { rows } = await shownWith(db, { threadId, reader, keys: JSON.stringify(addresses.slice(0, 100)) });
      return new Set(rows.map(({ address }) => address));
    },
    /** How many messages of a thread the viewer may see, counted up to a thousand. */
    async countSeen(threadId: string, viewer: NonNullable<Viewer>): Promise<number> {
      const { address } = viewer;
      if (isShared(viewer)) {
        const seen = sql<{ count: number }>`select count(*) as count from (
          select 1 from messages m where m.thread_id = ${threadId} and ${isSeenBy(viewer)} limit ${MAX_COUNTED}) seen`;
        return (await seen.execute(db)).rows[0]?.count ?? 0;
      }
      const { rows } = await countOfViewer(db, { threadId, address, limit: MAX_COUNTED });
      return rows[0]?.count ?? 0;
    },

    /** Our newest mail of a thread. */
    lastSent: async (threadId: string) => {
      const row = await db
        .selectFrom('messages')
        .select(['message_id', 'references_json'])
        .where('thread_id', '=', threadId)
        .where('direction', '=', 'out')
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row && { message_id: row.message_id, references: referencesOf(row) };
    },

    /** Addresses that an owner put on the thread, or that we wrote to first. */
    async knownParticipants(threadId: string): Promise<ReadonlySet<string>> {
      const { rows } = await knownOnThread(db, { threadId });
      return new Set(rows.map(({ address }) => address));
    },

    toolEventsOfRuns: (runIds: readonly string[]): Promise<StoredToolEvent[]> =>
      runIds.length === 0
        ? Promise.resolve([])
        : db.selectFrom('thread_tool_events').selectAll().where('run_id', 'in', runIds).orderBy('id').execute(),

    search: async (wanted: MailSearch): Promise<FoundMessages> => {
      await catchUp();
      return findMail(db, wanted);
    },
    likelyEpisodes: (wanted: EpisodeSearch) => likelyEpisodes(db, wanted, known),
    episodesAt: (seqs: readonly number[], viewer: Viewer) => episodesAt(db, seqs, viewer),
    indexMail,
    filesToIndex: (limit: number) => filesToIndex(db, limit),
    indexFiles: (seq: number, texts: readonly string[]) => transact((trx) => indexFiles(trx, seq, texts), 'normal'),
    async setThreadPrivate(threadId: string, since: number | null): Promise<void> {
      const hasErased = await transact(async (trx) => {
        const before = await privateSince(trx, threadId);
        if (before === undefined) return false;
        if ((before === null) !== (since === null)) {
          await trx.updateTable('threads').set({ private_since: since }).where('id', '=', threadId).execute();
          await indexThreadAnew(trx, threadId);
        }
        return since !== null && eraseLearned(trx, threadId);
      });
      if (hasErased) await emptyLogOf(db);
    },
    setThreadTaken: (
      threadId: string,
      taken: { readonly by: string; readonly at: number } | null,
      audit: AuditRecord,
    ): Promise<boolean> =>
      transact(async (trx) => {
        const changed = await trx
          .updateTable('threads')
          .set({ taken_by: taken?.by ?? null, taken_at: taken?.at ?? null })
          .where('id', '=', threadId)
          .where('taken_by', taken === null ? 'is not' : 'is', null)
          .executeTakeFirst();
        if (changed.numUpdatedRows === 0n) return false;
        await auditOnce(trx, audit);
        return true;
      }),
    forgetIndex: () => transact(forgetIndex),
    async forgetInIndex(wanted: { readonly messages: readonly number[] } | { readonly person: string }) {
      await transact(async (trx) => {
        await forgetInIndex(trx, wanted);
        await eraseSummaries(trx, await threadsToldOf(trx, wanted));
      });
      await zeroFreePages(transact);
      await emptyLogOf(db);
    },
    compactIndex: (isFirst: boolean) => transact((trx) => compactIndex(trx, isFirst)),
    mergeIndex: (isFirst: boolean) => transact((trx) => mergeIndex(trx, isFirst), 'normal'),
    async zeroFreePages(): Promise<void> {
      await zeroFreePages(transact);
      await emptyLogOf(db);
    },
    wroteItself: async (url: string): Promise<boolean> => {
      await catchUp();
      return wroteItself(db, url);
    },

    openMail: async (messageId: string, viewer: Viewer): Promise<OpenedMessage | undefined> => {
      const row = await db
        .selectFrom('messages as m')
        .selectAll('m')
        .where('m.message_id', '=', messageId)
        .where(isSeenBy(viewer))
        .orderBy('m.seq')
        .limit(1)
        .executeTakeFirst();
      return row && { message: messageOf(row), attachments: await attachmentsOf(db, row.id) };
    },

    /** An attachment of a message that the viewer may see. */
    findAttachment: (id: string, viewer: Viewer): Promise<FoundAttachment | undefined> =>
      db
        .selectFrom('attachments')
        .innerJoin('messages as m', 'm.id', 'attachments.message')
        .selectAll('attachments')
        .select(newerOf(viewer).as('newer'))
        .where('attachments.id', '=', id)
        .where(isSeenBy(viewer))
        .executeTakeFirst(),

    findDocument: ({ sha256, part, hint }: DocumentKey): Promise<StoredDocument | undefined> =>
      db
        .selectFrom('documents')
        .selectAll()
        .where('sha256', '=', sha256)
        .where('part', '=', part)
        .where('hint', '=', hint)
        .executeTakeFirst(),
    keepDocument: (document: StoredDocument): Promise<void> =>
      transact(async (trx) => {
        await trx
          .insertInto('documents')
          .values(document)
          .onConflict((conflict) => conflict.columns(['sha256', 'part', 'hint']).doUpdateSet(document))
          .execute();
      }, 'normal'),

    async hasAttachments(): Promise<boolean> {
      return (await anyAttachment(db, {})).rows.length > 0;
    },

    findResult: (query: ResultQuery) => findResult(db, query),

    async madeFileHash(path: string): Promise<string | null> {
      const row = await db.selectFrom('made_files').select('sha256').where('path', '=', path).executeTakeFirst();
      return row?.sha256 ?? null;
    },
    recordMadeFile: (path: string, sha256: string) =>
      transact(async (trx) => {
        await trx
          .insertInto('made_files')
          .values({ path, sha256 })
          .onConflict((conflict) => conflict.column('path').doUpdateSet({ sha256 }))
          .execute();
      }),
  };
}

/** Asked for each run. */
const allFiles = compiledQuery<object>()((db: Reader) => db.selectFrom('knowledge_files').selectAll().orderBy('path'));

/** What the owner put into `knowledge/`. Derived from files, so nothing waits for its flush. */
function knowledgeOperations(db: Kysely<PersonaTables>, transact: Transact<PersonaTables>): KnowledgeStore {
  return {
    knowledgeFiles: async () => (await allFiles(db, {})).rows,

    keepKnowledge: (file, sections) =>
      transact(async (trx) => {
        const { path, sha256, unreadable } = file;
        const before = await trx.selectFrom('knowledge_files').selectAll().where('path', '=', path).executeTakeFirst();
        await trx
          .insertInto('knowledge_files')
          .values(file)
          .onConflict((conflict) => conflict.column('path').doUpdateSet(file))
          .execute();
        if (before?.sha256 === sha256 && before.unreadable === unreadable) return;
        await deleteSections(trx, path);
        for (const [position, { title, text }] of sections.entries()) {
          const row = { path, position, title, text };
          const { id } = await trx
            .insertInto('knowledge_sections')
            .values(row)
            .returning('id')
            .executeTakeFirstOrThrow();
          await sql`insert into knowledge_fts (rowid, path, title, text)
            values (${id}, ${wordsOf(indexed(path))}, ${wordsOf(indexed(title))}, ${wordsOf(indexed(text))})`.execute(
            trx,
          );
        }
      }, 'normal'),

    forgetKnowledge: (paths) =>
      transact(async (trx) => {
        for (const path of paths) {
          await deleteSections(trx, path);
          await trx.deleteFrom('knowledge_files').where('path', '=', path).execute();
        }
      }, 'normal'),

    async findKnowledge({ query, limit }) {
      const terms = termsOf(query);
      if (terms.length === 0) return [];
      const matching = terms.map(({ expression }) => expression).join(' OR ');
      const { rows } = await sql<KnowledgeSection>`
        select ${COLUMNS} from knowledge_fts join knowledge_sections s on s.id = knowledge_fts.rowid
        join knowledge_files f on f.path = s.path
        where ${hasWords('knowledge_fts', matching)}
        order by ${mostFirst('knowledge_fts', [2, 4, 1], matching)}, s.id limit ${limit}`.execute(db);
      return rows.map(({ text, ...section }) => ({ ...section, snippet: snippetOf([text], terms) }));
    },

    async knowledgeSections(ids) {
      if (ids.length === 0) return [];
      const found = await sectionsWhere(db, sql`s.id in (${sql.join(ids)})`);
      return ids.flatMap((id) => found.filter((section) => section.id === id));
    },

    knowledgeTexts: (path) => sectionsWhere(db, path === null ? sql`true` : sql`s.path = ${path}`),
  };
}

async function deleteSections(trx: Trx, path: string): Promise<void> {
  await trx.deleteFrom('knowledge_sections').where('path', '=', path).execute();
}

const COLUMNS = sql.raw('s.id, s.path, s.title, s.text, f.sha256, f.changed_at, f.rewritten_at');

async function sectionsWhere(db: Reader, condition: RawBuilder<unknown>): Promise<readonly KnowledgeSection[]> {
  const { rows } = await sql<KnowledgeSection>`
    select ${COLUMNS} from knowledge_sections s join knowledge_files f on f.path = s.path
    where ${condition} order by s.path, s.position`.execute(db);
  return rows;
}

/** So many mails that wait say how a mailbox sends. */
const LOOKED_AT = 100;

/** What a partial index is to be found by has to be a literal. */
const UNSENT = sql<boolean>`state in ('queued', 'sending', 'failed', 'unknown', 'draft')`;

const selectUnsent = compiledQuery()((db: Reader) =>
  db
    .selectFrom('outbox')
    .select(['state', (all) => all.fn.countAll<number>().as('count')])
    .where(UNSENT)
    .groupBy('state'),
);
const selectWaiting = compiledQuery()((db: Reader) =>
  db
    .selectFrom('outbox')
    .select(['attempts', 'last_error'])
    .where(UNSENT)
    .where('state', '=', sql.lit('queued'))
    .orderBy('id', 'desc')
    .limit(sql.lit(LOOKED_AT)),
);
const selectOpen = compiledQuery()(
  (_: Reader) => sql<Overview['runs'][number]>`
  select case when deferred_code is null then status else 'deferred' end as status, count(*) as count
  from runs ${indexedBy('runs_by_status')} where status in ('queued', 'running', 'waiting_approval') group by 1`,
);
const selectInvitation = compiledQuery()((db: Reader) => db.selectFrom('invitations').select('id').limit(sql.lit(1)));

/**
 * What lists over all personas need of this one. Each statement goes by an index of what is open or newest, so that it costs
 * no more after years. They are no transaction: whoever keeps what was read knows whether anything changed meanwhile.
 */
export async function overviewOf(db: Kysely<PersonaTables>, day: number): Promise<Overview> {
  return {
    runs: (await selectOpen(db, {})).rows,
    outbox: (await selectUnsent(db, {})).rows,
    parts: await countOpen(db),
    parked: await parkedJobs(db),
    deferred: await deferredIn(db),
    waiting: (await selectWaiting(db, {})).rows,
    tasks: await allTasks(db),
    invitations: (await selectInvitation(db, {})).rows.length > 0,
    newest: await newestIn(db),
    day: await dayIn(db, day),
  };
}

async function deferredIn(db: Reader): Promise<DeferredOverview[]> {
  const found: DeferredOverview[] = [];
  for (const row of await countDeferred(db)) {
    const incident = row.code === null ? undefined : await incidentOf(db, row.code);
    const { whose, provider, message } = incident ?? {};
    found.push({
      ...row,
      incident: provider === undefined || message === undefined ? null : { whose: whose ?? null, provider, message },
    });
  }
  return found;
}

/** Of more failed or cancelled runs than this the newest of all runs stands for the newest of them. */
const LOOKED_THROUGH = 1000;

const selectNewest = compiledQuery()(
  (_: Reader) => sql<Omit<NewestIds, 'runs'> & { readonly runs: string }>`
  select
    (select max(id) from runs) as run,
    (select max(created_at) from runs) as "runAt",
    (select ${jsonObjectOf(sql`status`, sql`id`)} from (
      select status, max(id) as id from runs ${indexedBy('runs_by_status')}
      where status in ('queued', 'running', 'waiting_approval') group by status
      union all
      select 'deferred', max(id) from runs ${indexedBy('runs_deferred')} where deferred_code is not null having max(id) is not null
      union all
      select status, case when count(*) < ${sql.lit(LOOKED_THROUGH)} then max(id) else (select max(id) from runs) end from (
        select * from (select status, id from runs ${indexedBy('runs_by_status')} where status = 'failed' limit ${sql.lit(LOOKED_THROUGH)}) failed
        union all
        select * from (select status, id from runs ${indexedBy('runs_by_status')} where status = 'cancelled' limit ${sql.lit(LOOKED_THROUGH)}) cancelled) ended
      group by status) newest) as runs,
    (select max(id) from approvals) as approval,
    (select max(id) from approvals ${indexedBy('approvals_open')} where state = 'pending') as pending,
    (select max(id) from threads) as thread,
    (select max(id) from outbox) as outbox,
    (select max(id) from audit_log) as audit`,
);

async function newestIn(db: Reader): Promise<NewestIds> {
  const [row] = (await selectNewest(db, {})).rows;
  if (row === undefined) throw new Error('a statement without a table has one row');
  return { ...row, runs: JSON.parse(row.runs) };
}

const selectDay = compiledQuery<{ from: number }>()((db: Reader, $) =>
  db
    .selectFrom('runs')
    .select((all) => [all.fn.countAll<number>().as('runs'), sql<number>`coalesce(sum(cost_usd), 0)`.as('cost_usd')])
    .where('created_at', '>=', $.from),
);

async function dayIn(db: Reader, from: number): Promise<Overview['day']> {
  const [sum = { runs: 0, cost_usd: 0 }] = (await selectDay(db, { from })).rows;
  return { from, ...sum };
}
