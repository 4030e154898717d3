import { FurtherMailError, type FurtherOf } from '../../ports/further-mail.ts';
import type { ArrivalQuery, ArrivalRows, KnownWords, NewArrival } from '../../ports/mail.ts';
import type {
  Cancel,
  ClaimedRun,
  FinishBatch,
  LeftRun,
  LoadedRun,
  NewTest,
  NextDue,
  OpenRun,
  RunsClaim,
  StepBatch,
} from '../../ports/runs.ts';
import type { Store } from '../../ports/store.ts';
import { personaMigrations } from '../../schema/persona.ts';
import type { BudgetLimits, OwnWordsUse, Reservation, ToolUse, UseLimits } from '../../types/budget.ts';
import type { NewJob } from '../../types/jobs.ts';
import { relayOf } from '../../types/jobs.ts';
import type { Holder } from '../../types/leases.ts';
import type { UsedSignatures } from '../../types/mail.ts';
import type { Lease, NewEvent, NewRun } from '../../types/runs.ts';
import { ownEvent } from '../../types/runs.ts';
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
import { compiledQuery } from '../database/compiled-query.ts';
import { openDatabase } from '../database/open.ts';
import { learningOperations } from '../learning/operations.ts';
import { refinementOperations } from '../learning/refinements.ts';
import { activeOperations } from '../repositories/active/rows.ts';
import * as approvals from '../repositories/approvals.ts';
import * as arrivals from '../repositories/arrivals.ts';
import * as budget from '../repositories/budget.ts';
import { claimDueRuns, loadRun } from '../repositories/claimed-runs.ts';
import { closingOperations } from '../repositories/closings/operations.ts';
import { insertDraft } from '../repositories/drafts/rows.ts';
import { eraseLearned } from '../repositories/facts/change.ts';
import { emptyLogOf } from '../repositories/facts/securely.ts';
import { furtherMail, takenInBy } from '../repositories/further-mail.ts';
import { gatherMade } from '../repositories/gathered-notices.ts';
import { invitationOperations } from '../repositories/invitations/operations.ts';
import { addJobs, hurryJob } from '../repositories/jobs.ts';
import * as outbox from '../repositories/outbox.ts';
import * as ownWordsUses from '../repositories/own-words-uses.ts';
import * as ownerActions from '../repositories/owner-actions.ts';
import { ruleOperations } from '../repositories/rules.ts';
import * as runs from '../repositories/runs.ts';
import { isRepeatable, ofRun, patchThread, writeStep } from '../repositories/steps.ts';
import { summaryOperations } from '../repositories/summaries/operations.ts';
import { endChildren } from '../repositories/suspensions/children.ts';
import { closeSuspensions } from '../repositories/suspensions/rows.ts';
import * as tests from '../repositories/tests.ts';
import * as toolUses from '../repositories/tool-uses.ts';
import { indexThreadAnew, indexWaiting } from '../search/write-index.ts';
import { approvalOperations } from './approval-operations.ts';
import { factOperations } from './fact-operations.ts';
import { knowledgeOperations } from './knowledge-operations.ts';
import { listing } from './listing.ts';
import { mailOperations } from './mail-operations.ts';
import { overviewOf } from './overview.ts';
import { rawMailOperations } from './raw-mail.ts';
import { reads } from './reads.ts';
import type { PersonaTables, Reader, Trx } from './schema/tables.ts';
import { suspensionOperations } from './suspension-operations.ts';
import { taskOperations } from './task-operations.ts';
import { trustOf } from './trust.ts';
import { undoOperations } from './undo-operations.ts';
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
  if (arrival.jobs?.length) await addJobs(trx, arrival.jobs);
  return hidden !== null && eraseLearned(trx, hidden);
}

/**
 * What is to leave, and what was said with it: null where nothing was said. What lies in Drafts is said to nobody before
 * somebody sends it.
 */
async function writeReply(
  trx: Trx,
  run: runs.PatchedRun,
  { reply, endsTask, now }: FinishBatch,
): Promise<arrivals.InsertedMessage | null> {
  if (!reply) return null;
  const { message, mail, participants } = reply;
  if (mail) await outbox.insertOutbox(trx, mail.row, mail.recipients);
  if (mail?.row.mode === 'draft') {
    await insertDraft(trx, mail.row.id, message);
    return null;
  }
  const inserted = await arrivals.insertMessage(trx, message, {
    viewers: mail?.recipients,
    ofThread: { last_reply_at: now },
  });
  // The task's owner named its recipients, so their answers are taken in this thread.
  const role = endsTask ? 'known' : 'sender';
  await arrivals.addParticipants(
    trx,
    message.thread_id,
    participants.filter((address) => endsTask || !hasTakenPart(address, run)).map((address) => ({ address, role })),
  );
  if (message.run_id) await countReply(trx, message.run_id, now);
  return inserted;
}

/** Only in a thread that a run began does anybody wait to hear what was answered. */
async function hurryRelay(trx: Trx, { id, begun_by_run: begunBy }: runs.PatchedRun, now: number): Promise<void> {
  if (begunBy !== null) await hurryJob(trx, relayOf(id), now);
}

/** Whoever wrote a mail, and was proven, takes part in its thread since it came. */
const hasTakenPart = (address: string, { kind, sender, tier }: runs.PatchedRun): boolean =>
  kind === 'message' && tier !== 'unauthenticated' && address === sender;

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
        if (arrival.audit?.length) await approvals.audit(trx, arrival.audit);
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
      transact(
        async (trx) => {
          await writeStep(trx, batch);
        },
        isRepeatable(batch) ? 'normal' : 'full',
      ),

    /** The end of a run, its reply and its outbox row: all or nothing. */
    finishRun: (given: FinishBatch): Promise<void> =>
      transact(async (trx) => {
        if (given.unless && (await furtherMail(trx, given.unless)).length > 0)
          throw new FurtherMailError(`run ${given.lease.runId} has another mail to answer`);
        const run = await writeStep(trx, given);
        const batch = ofRun(run, given);
        await indexWaiting(trx, await writeReply(trx, run, batch));
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
        await hurryRelay(trx, run, batch.now);
        if (batch.made || batch.told) await addJobs(trx, await gatherMade(trx, batch));
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
    keepTest: (test: NewTest): Promise<boolean> => transact((trx) => tests.keepTest(trx, test)),
    countTests: (by: string, since: number): Promise<number> => tests.countTests(db, { by, since }),
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
    trust: () => trustOf(db),
    close,
  };
}
