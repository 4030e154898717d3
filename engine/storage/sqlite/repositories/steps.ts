import type { InvitationAnswer } from '../../ports/invitations.ts';
import type { FinishBatch, StepBatch, ToolMail } from '../../ports/runs.ts';
import { FencedError } from '../../ports/runs.ts';
import type { UndoItem } from '../../types/approvals.ts';
import type { ThreadPatch } from '../../types/mail.ts';
import { isTest, type StoredToolEvent } from '../../types/runs.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import { rowOfUndo } from '../persona/schema/rows.ts';

import type { Reader, Trx } from '../persona/schema/tables.ts';
import * as approvals from './approvals.ts';
import * as arrivals from './arrivals.ts';
import * as budget from './budget.ts';
import { changeFacts } from './facts/change.ts';
import { takeIn } from './further-mail.ts';
import { addJobs } from './jobs.ts';
import * as outbox from './outbox.ts';
import * as runs from './runs.ts';
import { keepShown } from './summaries/rows.ts';
import { insertChild } from './suspensions/children.ts';
import { suspend } from './suspensions/rows.ts';

/** What the beginning of a model call consists of: the decision to make it follows from what was on record before. */
const BEGINNING: ReadonlySet<string> = new Set(['context_built', 'gather_part', 'decision', 'model_call_started']);
/** What the results of calls consist of. */
const RESULTS: ReadonlySet<string> = new Set(['tool_call_ended', 'observation']);

/**
 * Whether nothing is lost with the step but what is done again then: the beginning of a model call, with the same
 * prompt and with money set aside for it anew, and calls that only read.
 */
export const isRepeatable = (batch: StepBatch): boolean =>
  batch.events.every(({ type }) => BEGINNING.has(type) || (batch.onlyReads === true && RESULTS.has(type))) &&
  (batch.onlyReads === true || !batch.toolEvents?.length) &&
  [
    batch.approvals,
    batch.outgoing,
    batch.audit,
    batch.undo,
    batch.suspended,
    batch.delegated,
    batch.facts,
    batch.jobs,
  ].every((rows) => !rows?.length) &&
  !batch.spent;

const insertToolEvents = compiledQuery<{ rows: readonly StoredToolEvent[] }>()((db: Reader, $) =>
  db.insertInto('thread_tool_events').values($.rows),
);

export async function appendToolEvents(trx: Trx, rows: readonly StoredToolEvent[]): Promise<void> {
  if (rows.length > 0) await insertToolEvents(trx, { rows });
}

/** What a step of a test leaves: its own record, and what it cost. Whoever wrote more into it wrote what must not be. */
export function ofRun(run: Pick<runs.PatchedRun, 'kind'>, batch: FinishBatch): FinishBatch {
  if (!isTest(run)) return batch;
  const { made: _, told: __, reply, ...rest } = batch;
  return { ...rest, ...NOTHING_FOLLOWS, ...(reply ? { reply: { ...reply, mail: null, participants: [] } } : {}) };
}

const NOTHING_FOLLOWS = {
  outgoing: [],
  undo: [],
  suspended: [],
  delegated: [],
  facts: [],
  takenIn: [],
  jobs: [],
  held: [],
} as const satisfies Partial<FinishBatch>;

/** Throws FencedError when the lease, or an approval, was lost meanwhile. */
export async function writeStep(trx: Trx, given: StepBatch): Promise<runs.PatchedRun> {
  // Settled before the patch: a finished run keeps no reservation.
  const run = await runs.patchFenced(trx, given.lease, given.patch);
  const batch = ofRun(run, given);
  if (batch.spent) await budget.settle(trx, run, batch.spent);
  await runs.appendEvents(trx, batch.lease.runId, batch.firstSeq, batch.events, batch.now, batch.lease.fence);
  await appendToolEvents(trx, batch.toolEvents ?? []);
  for (const step of batch.approvals ?? []) {
    const taken = await approvals.transition(trx, { ...step, now: batch.now });
    if (!taken) throw new FencedError(`approval ${step.id} is not ${step.from} any more`);
  }
  for (const mail of batch.outgoing ?? []) await insertToolMail(trx, mail, batch);
  if (batch.audit?.length) await approvals.audit(trx, batch.audit);
  if (batch.undo?.length) await addUndo(trx, batch.undo);
  if (batch.suspended?.length) await suspend(trx, batch.suspended);
  for (const child of batch.delegated ?? []) await insertChild(trx, child);
  if (batch.facts?.length) await changeFacts(trx, batch.facts);
  if (batch.takenIn?.length) await takeIn(trx, batch);
  if (batch.jobs?.length) await addJobs(trx, batch.jobs);
  if (batch.context) await writeContext(trx, run, batch.context);
  return run;
}

async function insertToolMail(
  trx: Trx,
  { thread, message, mail, answers, invites }: ToolMail,
  { lease, now }: Pick<StepBatch, 'lease' | 'now'>,
): Promise<void> {
  if (thread) await arrivals.insertThread(trx, { ...thread, begun_by_run: lease.runId, now });
  await arrivals.insertMessage(trx, message, { viewers: mail.recipients });
  const known = mail.recipients.map((address) => ({ address: address.toLowerCase(), role: 'known' as const }));
  if (thread) await arrivals.addParticipants(trx, thread.id, known);
  await outbox.insertOutbox(trx, mail.row, mail.recipients);
  if (answers) await keepAnswer(trx, answers);
  if (invites) await trx.insertInto('invitations').values(invites).execute();
}

const setRendered = compiledQuery<{ id: string; rendered: string | null }>()((db: Reader, $) =>
  db.updateTable('messages').set({ rendered_json: $.rendered }).where('id', '=', $.id),
);

async function writeContext(trx: Trx, run: runs.PatchedRun, context: NonNullable<StepBatch['context']>): Promise<void> {
  if (context.rendered !== null) await setRendered(trx, { id: run.message, rendered: context.rendered });
  if (context.shown?.length) await keepShown(trx, context.shown);
  await patchThread(trx, run.thread_id, { history_from: context.historyFrom, prefix_sha256: context.prefixSha256 });
}

const setThread = compiledQuery<{ id: string; patch: ThreadPatch }>()((db: Reader, $) =>
  db.updateTable('threads').set($.patch).where('id', '=', $.id),
);

export async function patchThread(trx: Trx, id: string, patch: ThreadPatch): Promise<void> {
  await setThread(trx, { id, patch });
}

/** Keeps an answer; one that was written before what is there changes nothing (RFC 5546, 2.1.5). */
export async function keepAnswer(trx: Trx, answer: InvitationAnswer): Promise<void> {
  const { uid, recurrence_id, attendee, ...said } = answer;
  await trx
    .insertInto('invitation_answers')
    .values(answer)
    .onConflict((conflict) =>
      conflict
        .columns(['uid', 'recurrence_id', 'attendee'])
        .doUpdateSet(said)
        .where('invitation_answers.answered_at', '<=', answer.answered_at),
    )
    .execute();
}

/** What can be taken back from now on. */
export async function addUndo(trx: Trx, items: readonly UndoItem[]): Promise<void> {
  if (items.length > 0) await trx.insertInto('undo_items').values(items.map(rowOfUndo)).execute();
}
