// Long because one recorder keeps all that a step stages.

import type { Json, ToolCall, Usage } from '#contract';
import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import type { Ids } from '../lib/ids.ts';
import { UNDO_MS } from '../lib/undo-window.ts';
import type { Blobs } from '../storage/blobs.ts';
import type { FinishBatch, LoadedRun, StepBatch, ToolMail } from '../storage/ports/runs.ts';
import { FencedError } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { Waiting } from '../storage/ports/waiting.ts';
import { deferredPatch } from '../storage/ports/waiting.ts';
import type { Approval, ApprovalState } from '../storage/types/approvals.ts';
import type { NewJob } from '../storage/types/jobs.ts';
import type { NewEvent, NewToolEvent, RunEventType, RunPatch } from '../storage/types/runs.ts';

import type { AuditEntry } from './audit.ts';
import { taskEndedJob, undoNoticeJob } from './job-kinds.ts';

const MAX_PAYLOAD_CHARS = 32_768;

export type Recorder = ReturnType<typeof createRecorder>;

/**
 * The only writer of messages, run_events and thread_tool_events while a run is under way. Events are staged and
 * leave together with the change they tell of, in one transaction that fails when the lease was lost.
 */
export function createRecorder(options: {
  store: Pick<Store, 'commitStep' | 'holdRun' | 'finishRun' | 'parkRun' | 'bookLate'>;
  loaded: LoadedRun;
  artifacts: Blobs;
  ids: Ids;
  clock: Clock;
  leaseMs: number;
  /** The day that costs are booked on. */
  day: string;
  pass: PassCrashPoint;
}) {
  const { store, loaded, artifacts, ids, clock, leaseMs, day, pass } = options;
  const { run, message } = loaded;
  const claimedAt = clock.now();
  let nextSeq = (loaded.events.at(-1)?.seq ?? -1) + 1;
  let nextStep = (loaded.toolEvents.at(-1)?.step_index ?? -1) + 1;
  let events: NewEvent[] = [];
  let toolEvents: NewToolEvent[] = [];

  const stageTool = (eventType: 'tool_call' | 'tool_result', call: ToolCall, payload: unknown) => {
    toolEvents.push({
      id: ids.next(),
      thread_id: run.thread_id,
      parent_message_id: run.message_id,
      run_id: run.id,
      step_index: nextStep,
      event_type: eventType,
      tool_name: call.name,
      tool_call_id: call.id,
      payload_json: boundedJson(payload, artifacts),
      created_at: clock.now(),
    });
    nextStep += 1;
  };

  const totals = {
    model_calls: run.model_calls,
    tool_calls: run.tool_calls,
    input_tokens: run.input_tokens,
    output_tokens: run.output_tokens,
    cached_tokens: run.cached_tokens,
    cost_usd: run.cost_usd,
  };
  let approvals: NonNullable<StepBatch['approvals']>[number][] = [];
  let outgoing: NonNullable<StepBatch['outgoing']>[number][] = [];
  let undo: NonNullable<StepBatch['undo']>[number][] = [];
  let auditRows: NonNullable<StepBatch['audit']>[number][] = [];
  let pinned: { settings_sha256: string | null } | null = null;
  let hasAnswer = false;
  let forgivenMs = 0;
  let context: NonNullable<StepBatch['context']> | null = null;
  let spent: NonNullable<StepBatch['spent']> | null = null;

  const takeBatch = (patch: RunPatch): StepBatch => {
    const now = clock.now();
    const batch: StepBatch = {
      lease: { runId: run.id, fence: run.fence },
      firstSeq: nextSeq,
      events,
      toolEvents,
      patch: {
        ...patch,
        ...pinned,
        ...totals,
        active_ms: activeMs(),
        // What it had waited for is over: a later wait is another one.
        ...(hasAnswer && run.deferred_at !== null ? { deferred_at: null } : {}),
      },
      now,
      ...(spent ? { spent } : {}),
      ...(context ? { context } : {}),
      approvals,
      outgoing,
      audit: auditRows,
      undo,
      ...(undo.length > 0 ? { jobs: [undoNoticeJob(now)] } : {}),
    };
    approvals = [];
    outgoing = [];
    auditRows = [];
    undo = [];
    spent = null;
    context = null;
    pinned = null;
    nextSeq += events.length;
    events = [];
    toolEvents = [];
    return batch;
  };

  const passEvents = (batch: StepBatch): void => {
    for (const type of new Set(batch.events.map((event) => event.type))) {
      // A run is over by the time its hooks are.
      if (type !== 'hook_ended') pass(`run.event.${type}`);
    }
  };

  /** What a model has answered is paid, also where the run was taken away meanwhile and the answer is thrown away. */
  const paid = async ({ spent }: StepBatch, committed: Promise<void>): Promise<void> => {
    try {
      await committed;
    } catch (error) {
      if (error instanceof FencedError && spent) await store.bookLate({ runId: run.id, ...spent });
      throw error;
    }
  };

  /** One that was answered nothing begins anew. */
  const unpin = (): void => {
    if (totals.model_calls > 0) return;
    pinned = { settings_sha256: null };
    context = null;
  };

  /** Time this run was worked on, over all claims; waiting does not count. */
  const activeMs = () => run.active_ms + clock.now() - claimedAt - forgivenMs;

  return {
    runId: run.id,
    threadId: run.thread_id,
    parentMessageId: message.message_id,
    activeMs,

    event(type: RunEventType, payload: unknown): void {
      const json = JSON.stringify(payload);
      const stored = json.length > MAX_PAYLOAD_CHARS ? { artifact: artifacts.put(Buffer.from(json)) } : payload;
      events.push({ type, payload: stored });
    },
    /** What the model will be shown; committed with the events staged beside it. */
    pin(built: { settingsSha256: string; context: NonNullable<StepBatch['context']> }): void {
      pinned = { settings_sha256: built.settingsSha256 };
      context = built.context;
    },
    /** A model call was answered: its tokens and its cost (null: nobody knows the price). */
    spend(usage: Usage, costUsd: number | null): void {
      hasAnswer = true;
      totals.model_calls += 1;
      totals.input_tokens += usage.input;
      totals.output_tokens += usage.output;
      totals.cached_tokens += usage.cached;
      totals.cost_usd += costUsd ?? 0;
      spent = {
        day,
        usd: (spent?.usd ?? 0) + (costUsd ?? 0),
        tokens: (spent?.tokens ?? 0) + usage.input + usage.output,
      };
    },
    /** Time that does not count as work. */
    forgive(ms: number): void {
      forgivenMs += ms;
    },
    /** A model call failed: what was set aside for it is free again. */
    release(): void {
      spent ??= { day, usd: 0, tokens: 0 };
    },
    toolCall(call: ToolCall): void {
      totals.tool_calls += 1;
      stageTool('tool_call', call, { arguments: call.arguments ?? call.rawArguments ?? null });
    },
    toolResult: (call: ToolCall, payload: { ok: boolean; result?: Json; error?: Json; artifact?: string | null }) =>
      stageTool('tool_result', call, payload),

    /** A step of an approval's state; the audit log tells of each. */
    approval(step: { id: string; from: ApprovalState; to: ApprovalState; reason?: string }): void {
      approvals.push(step);
      const detail = step.reason === undefined ? {} : { reason: step.reason };
      this.audit({
        actor: 'engine',
        event: 'approval_state',
        tool: null,
        decision: step.to,
        approvalId: step.id,
        detail,
      });
    },
    /** A call that succeeded and can be taken back: stored with its result, so that one is never without the other. */
    undoable(call: ToolCall, args: unknown, result: Json): void {
      const result_json = JSON.stringify(result);
      if (result_json.length > MAX_PAYLOAD_CHARS) return;
      const now = clock.now();
      undo.push({
        id: ids.next(),
        run_id: run.id,
        thread_id: run.thread_id,
        call_id: call.id,
        tool: call.name,
        arguments_json: JSON.stringify(args),
        result_json,
        state: 'open',
        number: null,
        notice_id: null,
        until: now + UNDO_MS,
        decided_by: null,
        created_at: now,
        updated_at: now,
      });
    },
    /** A mail that a tool wrote; it leaves with the tool's result or not at all. */
    outgoing: (mail: ToolMail): void => void outgoing.push(mail),
    outgoingCount: (): number => outgoing.length,
    keepOutgoing: (count: number): void => void outgoing.splice(count),
    audit(entry: AuditEntry): void {
      const { approvalId, detail, ...row } = entry;
      auditRows.push({
        id: ids.next(),
        at: clock.now(),
        run_id: run.id,
        approval_id: approvalId ?? null,
        detail_json: JSON.stringify(detail),
        ...row,
      });
    },

    /** What is to be committed by somebody else, together with a change of theirs. */
    staged: () => ({ events, toolEvents }),

    /**
     * The run is put back with all that it has done until what it waits for is over. One that has done nothing begins
     * anew then, with the settings and the date of that time. `uncount`: the day of whose runs it is none.
     */
    async park(waiting: Waiting, uncount: string | null): Promise<void> {
      const { code, until } = waiting;
      unpin();
      this.event('deferred', { code, until, ...(uncount === null ? {} : { uncounted: true }) });
      const patch = { ...deferredPatch(run.deferred_at, waiting), leased_by: null, leased_until: null };
      const batch = takeBatch(patch);
      await paid(batch, store.parkRun(batch, { run, waiting, uncount }));
      passEvents(batch);
      pass('deferred.parked');
    },
    /** The same for one that waits for a model of its own: it asks by itself, and nobody is told. */
    async waitAlone({ code, until, now }: Pick<Waiting, 'code' | 'now'> & { until: number }): Promise<void> {
      unpin();
      this.event('deferred', { code, until });
      const since = run.deferred_at ?? now;
      await this.commit({ status: 'queued', due_at: until, deferred_at: since, leased_by: null, leased_until: null });
    },
    /** The run stops here until owners have decided. */
    async hold(held: readonly Approval[], jobs: readonly NewJob[], waitingFor: 'approval' | 'answer'): Promise<void> {
      const patch = {
        status: 'waiting_approval',
        waiting_for: waitingFor,
        leased_by: null,
        leased_until: null,
      } as const;
      const batch = takeBatch(patch);
      await paid(batch, store.holdRun({ ...batch, held, jobs: [...(batch.jobs ?? []), ...jobs] }));
      passEvents(batch);
    },
    async commit(patch: RunPatch = {}): Promise<void> {
      const batch = takeBatch({ leased_until: clock.now() + leaseMs, ...patch });
      await paid(batch, store.commitStep(batch));
      passEvents(batch);
    },
    async finish(
      patch: RunPatch,
      more: Pick<FinishBatch, 'reply' | 'jobs' | 'closing' | 'made' | 'told'>,
    ): Promise<void> {
      const { reply, jobs, closing, made, told } = more;
      // Left over from a life of this run that ended within a model call.
      if (run.reserved_usd > 0) spent ??= { day, usd: 0, tokens: 0 };
      const batch = takeBatch({ leased_by: null, leased_until: null, ...patch });
      const end = {
        ...batch,
        ...(reply ? { reply } : {}),
        jobs: [
          ...(batch.jobs ?? []),
          ...(jobs ?? []),
          ...(run.kind === 'task' ? [taskEndedJob(run.id, batch.now)] : []),
        ],
        ...(closing ? { closing } : {}),
        ...(made ? { made } : {}),
        ...(told ? { told } : {}),
        endsTask: run.kind === 'task',
      };
      await paid(batch, store.finishRun(end));
      passEvents(batch);
    },
  };
}

function boundedJson(payload: unknown, artifacts: Blobs): string {
  const json = JSON.stringify(payload);
  if (json.length <= MAX_PAYLOAD_CHARS) return json;
  const ok = (payload as { ok?: boolean }).ok;
  return JSON.stringify({ ...(ok === undefined ? {} : { ok }), artifact: artifacts.put(Buffer.from(json)) });
}

/** An event's payload, fetched from its artifact where it was too large for the row. */
export function payloadOf(json: string, artifacts: Blobs): unknown {
  const payload: unknown = JSON.parse(json);
  if (typeof payload === 'object' && payload !== null && 'artifact' in payload && Object.keys(payload).length === 1) {
    return JSON.parse(Buffer.from(artifacts.getSync(String(payload.artifact))).toString('utf8'));
  }
  return payload;
}
