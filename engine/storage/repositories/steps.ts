import type { ApprovalState, AuditRow, UndoRow } from '../approval-tables.ts';
import { kept } from '../sqlite/kept-query.ts';
import type {
  NewMessage,
  NewOutbox,
  NewToolEvent,
  Reader,
  RunPatch,
  ThreadPatch,
  Trx,
} from '../tables.ts';
import * as approvals from './approvals.ts';
import * as arrivals from './arrivals.ts';
import * as budget from './budget.ts';
import { addJobs } from './jobs.ts';
import * as outbox from './outbox.ts';
import * as runs from './runs.ts';

export interface Lease {
  readonly runId: string;
  readonly fence: number;
}
export type { NewEvent } from './runs.ts';
export interface OutgoingMail {
  readonly row: NewOutbox;
  readonly recipients: readonly string[];
}

/** What one step of a run leaves behind, committed at once. */
export interface StepBatch {
  readonly lease: Lease;
  readonly firstSeq: number;
  readonly events: readonly runs.NewEvent[];
  readonly toolEvents?: readonly NewToolEvent[];
  readonly patch: RunPatch;
  readonly spent?: { readonly day: string; readonly usd: number; readonly tokens: number };
  /** What the model was shown; stored once, when the context is built. */
  readonly context?: {
    readonly historyFrom: number;
    readonly prefixSha256: string;
    /** Null where an earlier run has rendered the mail: later mails go on to be shown those bytes. */
    readonly rendered: string | null;
  };
  /** Steps of approvals' states; the batch fails when one of them was taken meanwhile. */
  readonly approvals?: readonly {
    readonly id: string;
    readonly from: ApprovalState;
    readonly to: ApprovalState;
    readonly reason?: string | null;
  }[];
  /** Mail that tools sent: outbox rows of the same transaction as their results. */
  readonly outgoing?: readonly ToolMail[];
  readonly audit?: readonly AuditRow[];
  /** Calls that can be taken back, told to the owners. */
  readonly undo?: readonly UndoRow[];
  readonly now: number;
}

/**
 * Whether nothing is lost with the step but the beginning of a model call, which is begun again then: with the same
 * prompt, and with money set aside for it anew.
 */
export const isRepeatable = (batch: StepBatch): boolean =>
  batch.events.every(({ type }) => type === 'context_built' || type === 'model_call_started') &&
  [batch.toolEvents, batch.approvals, batch.outgoing, batch.audit, batch.undo].every((rows) => !rows?.length) &&
  !batch.spent;

/** A mail that a tool wrote, the message row it becomes, and the thread it starts. */
export interface ToolMail {
  readonly thread: { readonly id: string; readonly kind: 'thread'; readonly subject: string };
  readonly message: NewMessage;
  readonly mail: OutgoingMail;
}

const insertToolEvents = kept<{ rows: readonly NewToolEvent[] }>()((db: Reader, $) =>
  db.insertInto('thread_tool_events').values($.rows),
);

export async function appendToolEvents(trx: Trx, rows: readonly NewToolEvent[]): Promise<void> {
  if (rows.length > 0) await insertToolEvents(trx, { rows });
}

/** Throws FencedError when the lease, or an approval, was lost meanwhile. */
export async function writeStep(trx: Trx, batch: StepBatch): Promise<void> {
  // Settled before the patch: a finished run keeps no reservation.
  await runs.patchFenced(trx, batch.lease, batch.patch);
  if (batch.spent) await budget.settle(trx, { runId: batch.lease.runId, ...batch.spent });
  await runs.appendEvents(trx, batch.lease.runId, batch.firstSeq, batch.events, batch.now, batch.lease.fence);
  await appendToolEvents(trx, batch.toolEvents ?? []);
  for (const step of batch.approvals ?? []) {
    const taken = await approvals.transition(trx, { ...step, now: batch.now });
    if (!taken) throw new runs.FencedError(`approval ${step.id} is not ${step.from} any more`);
  }
  for (const { thread, message, mail } of batch.outgoing ?? []) {
    await arrivals.insertThread(trx, { ...thread, begun_by_run: batch.lease.runId, now: batch.now });
    await arrivals.insertMessage(trx, message, [], mail.recipients);
    const known = mail.recipients.map((address) => ({ address: address.toLowerCase(), role: 'known' as const }));
    await arrivals.addParticipants(trx, thread.id, known);
    await outbox.insertOutbox(trx, mail.row, mail.recipients);
  }
  await approvals.audit(trx, batch.audit ?? []);
  if (batch.undo && batch.undo.length > 0) {
    await trx.insertInto('undo_items').values(batch.undo).execute();
    await addJobs(trx, [{ id: 'undo_notice', kind: 'undo_notice', due_at: batch.now, payload: {} }]);
  }
  if (batch.context) await writeContext(trx, batch.lease.runId, batch.context);
}

const runOf = kept<{ id: string }>()((db: Reader, $) =>
  db.selectFrom('runs').select(['thread_id', 'message']).where('id', '=', $.id),
);
const setRendered = kept<{ id: string; rendered: string | null }>()((db: Reader, $) =>
  db.updateTable('messages').set({ rendered_json: $.rendered }).where('id', '=', $.id),
);

async function writeContext(trx: Trx, runId: string, context: NonNullable<StepBatch['context']>): Promise<void> {
  const run = (await runOf(trx, { id: runId })).rows[0];
  if (!run) throw new Error(`there is no run ${runId}`);
  if (context.rendered !== null) await setRendered(trx, { id: run.message, rendered: context.rendered });
  await patchThread(trx, run.thread_id, { history_from: context.historyFrom, prefix_sha256: context.prefixSha256 });
}

const setThread = kept<{ id: string; patch: ThreadPatch }>()((db: Reader, $) =>
  db.updateTable('threads').set($.patch).where('id', '=', $.id),
);

export async function patchThread(trx: Trx, id: string, patch: ThreadPatch): Promise<void> {
  await setThread(trx, { id, patch });
}
