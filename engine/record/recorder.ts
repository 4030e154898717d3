import type { Json, ToolCall, Usage } from '#contract';
import type { Clock } from '../lib/clock.ts';
import type { PassCrashPoint } from '../lib/crash-points.ts';
import type { Ids } from '../lib/ids.ts';
import type { Blobs } from '../storage/blobs.ts';
import { FurtherMailError, type FurtherOf, type TakenIn } from '../storage/ports/further-mail.ts';
import {
  FencedError,
  type FinishBatch,
  type LeftCalls,
  type LoadedRun,
  type StepBatch,
  type ToolMail,
} from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import { deferredPatch, type Waiting } from '../storage/ports/waiting.ts';
import { type Approval, type ApprovalState, type AuditRecord, openUndo } from '../storage/types/approvals.ts';
import type { FactChange } from '../storage/types/facts.ts';
import type { NewJob } from '../storage/types/jobs.ts';
import { type RunPatch, WAITING } from '../storage/types/runs.ts';
import type { NewDelegation, Suspension } from '../storage/types/suspensions.ts';
import type { CallTally } from './call-tally.ts';
import { encodeEvent, encodeToolPayload, MAX_PAYLOAD_CHARS } from './codec/run-events.ts';
import { apply, type EventType, type PayloadOf } from './events.ts';
import { applyFinding, type FoundBesideEvents, foldEvents } from './fold.ts';
import { undoNoticeJob } from './jobs/job-kinds.ts';
import { type RunLog, readLog } from './run-log.ts';
import type { LoopState } from './state.ts';
import { endedJobs } from './trigger.ts';

/** The writes of a run under way. Only the recorder is given them. */
export type RunWrites = Pick<Store, 'commitStep' | 'holdRun' | 'finishRun' | 'parkRun' | 'bookLate'>;
/** What every other stage of a run is given. */
export type RunReads = Omit<Store, keyof RunWrites>;

/**
 * The only writer of messages, run_events and thread_tool_events while a run is under way. Events are staged and
 * leave together with the change they tell of, in one transaction that fails when the lease was lost.
 */
export interface Recorder extends Staging {
  readonly runId: string;
  readonly threadId: string;
  readonly parentMessageId: string;
  /** What was on record when the run was claimed. */
  readonly log: RunLog;
  /** Folded from the log; each event that is staged is applied to it. */
  readonly state: LoopState;
  /** What follows from rows and settings, which no event tells. */
  found(finding: FoundBesideEvents): void;
  /** Time this run was worked on, over all claims, in ms; waiting does not count. */
  activeMs(): number;
  /** Time that does not count as work. */
  forgive(ms: number): void;
  /** What the model will be shown; committed with the events staged beside it. */
  pin(built: {
    settingsSha256: string;
    playbookVersion?: string | null;
    context: NonNullable<StepBatch['context']>;
  }): void;
  /** A model call was answered: its tokens and its cost (null: nobody knows the price). `guess`: which of them is an estimate. */
  spend(usage: Usage, costUsd: number | null, guess?: Guess): void;
  /** The same for a call beside the loop: it is paid, and what the run waits for has not come with it. */
  spendBeside(usage: Usage, costUsd: number | null, guess?: Guess): void;
  /** A model call failed: what was set aside for it is free again. */
  release(): void;
  /** What is to be committed by somebody else, together with a change of theirs. */
  staged(): LeftCalls;
  /**
   * The run is put back with all that it has done until what it waits for is over. One that has done nothing begins
   * anew then, with the settings and the date of that time. `uncount`: the day of whose runs it is none.
   */
  park(waiting: Waiting, uncount: string | null): Promise<void>;
  /** The same for one that waits for a model of its own: it asks by itself, and nobody is told. */
  waitAlone(waiting: Pick<Waiting, 'code' | 'now'> & { until: number }): Promise<void>;
  /** The run stops here until owners have decided, or until what it waits for has come. */
  hold(held: readonly Approval[], jobs: readonly NewJob[], waitingFor: string): Promise<void>;
  commit(patch?: RunPatch): Promise<void>;
  /**
   * Asks, at the end of the run, whether such mail has come. If it has, `finish` writes only what was staged before this call,
   * and throws `FurtherMailError`: the end does not count.
   */
  endsUnless(furtherMail: FurtherOf): void;
  /** Mails of the same sender become part of the run, and their own runs end; nothing of that where one of them is in other hands. */
  takeIn(told: PayloadOf<'mail_taken_in'>, mails: readonly TakenIn[]): Promise<void>;
  finish(
    patch: RunPatch,
    more: Pick<FinishBatch, 'reply' | 'jobs' | 'closing' | 'made' | 'told' | 'held'>,
  ): Promise<void>;
}

/** Of what was spent: the tokens were counted by us, or the price is a guess. */
interface Guess {
  readonly usage: boolean;
  readonly price: boolean;
}

const tallied = (
  tally: Pick<CallTally, 'tool' | 'model'> | undefined,
  ...[type, payload]: Parameters<Recorder['event']>
): void => {
  if (type === 'tool_call_ended') {
    const ended = payload as PayloadOf<'tool_call_ended'>;
    // What an owner is asked about was not called yet.
    if (ended.code !== WAITING) tally?.tool(ended);
  }
  if (type === 'model_call_ended') tally?.model(payload as PayloadOf<'model_call_ended'>);
};

export function createRecorder(options: {
  store: RunWrites;
  loaded: LoadedRun;
  artifacts: Blobs;
  ids: Ids;
  clock: Clock;
  leaseMs: number;
  /** The day that costs are booked on. */
  day: string;
  /** Hears of calls that have ended. Absent: nobody counts them. */
  tally?: Pick<CallTally, 'tool' | 'model'>;
  pass: PassCrashPoint;
}): Recorder {
  const { store, loaded, artifacts, ids, clock, leaseMs, day, pass } = options;
  const { run, message } = loaded;
  const claimedAt = clock.now();
  const log = readLog(loaded.events, artifacts);
  const state = foldEvents(log);
  const { stage, ...rows } = createStaging({ loaded, nextSeq: log.nextSeq, artifacts, ids, clock });

  const totals = {
    model_calls: run.model_calls,
    tool_calls: run.tool_calls,
    input_tokens: run.input_tokens,
    output_tokens: run.output_tokens,
    cached_tokens: run.cached_tokens,
    cost_usd: run.cost_usd,
    estimated_tokens: run.estimated_tokens,
    estimated_usd: run.estimated_usd,
  };
  let pinned: Pick<RunPatch, 'settings_sha256' | 'harness_version_id'> | null = null;
  let hasAnswer = false;
  let forgivenMs = 0;
  let onlyReads = true;
  let context: NonNullable<StepBatch['context']> | null = null;
  let spent: NonNullable<StepBatch['spent']> | null = null;
  let end: { readonly unless: FurtherOf; readonly step: StepBatch } | null = null;

  const activeMs = () => run.active_ms + clock.now() - claimedAt - forgivenMs;

  const isRead = (callId = ''): boolean => state.pending?.intended.get(callId) === 'read';

  const event: Recorder['event'] = (type, payload) => {
    stage.event(type, payload);
    if (type === 'tool_call_ended' && !('call_id' in payload && isRead(payload.call_id))) onlyReads = false;
    apply(state, type, payload);
    tallied(options.tally, type, payload);
  };

  const batchOf = (taken: Staged, patch: RunPatch): StepBatch => {
    const now = clock.now();
    return {
      lease: { runId: run.id, fence: run.fence },
      ...taken,
      onlyReads,
      jobs: taken.undo.length > 0 ? [...taken.jobs, undoNoticeJob(now)] : taken.jobs,
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
    };
  };

  const takeBatch = (patch: RunPatch): StepBatch => {
    const batch = batchOf(rows.take(), patch);
    spent = null;
    context = null;
    pinned = null;
    onlyReads = true;
    return batch;
  };

  /** What is staged so far, as a step that could be committed now. */
  const stepSoFar = (): StepBatch => {
    const { firstSeq, ...staged } = rows.staged();
    const copies = Object.entries(staged).map(([name, list]) => [name, [...list]]);
    return batchOf({ firstSeq, ...Object.fromEntries(copies) }, { leased_until: clock.now() + leaseMs });
  };

  /** Writes the step without what another mail has overtaken; whoever works the run then goes on from the record. */
  const writeOr = async (step: StepBatch, batch: StepBatch, committed: Promise<void>): Promise<void> => {
    try {
      await write(batch, committed);
    } catch (error) {
      if (error instanceof FurtherMailError) await write(step, store.commitStep(step));
      throw error;
    }
  };

  /** What a model has answered is paid, also where the run was taken away meanwhile and the answer is thrown away. */
  const write = async (batch: StepBatch, committed: Promise<void>): Promise<void> => {
    try {
      await committed;
    } catch (error) {
      if (error instanceof FencedError && batch.spent) await store.bookLate({ runId: run.id, ...batch.spent });
      throw error;
    }
    for (const type of new Set(batch.events.map(({ type }) => type))) {
      // A run is over by the time its hooks are.
      if (type !== 'hook_ended') pass(`run.event.${type}`);
    }
  };

  const commit = async (patch: RunPatch = {}): Promise<void> => {
    const batch = takeBatch({ leased_until: clock.now() + leaseMs, ...patch });
    await write(batch, store.commitStep(batch));
  };

  const spendBeside: Recorder['spendBeside'] = (usage, costUsd, guess) => {
    totals.input_tokens += usage.input;
    totals.output_tokens += usage.output;
    totals.cached_tokens += usage.cached;
    totals.cost_usd += costUsd ?? 0;
    if (guess?.usage) totals.estimated_tokens += usage.input + usage.output;
    if (guess?.usage || guess?.price) totals.estimated_usd += costUsd ?? 0;
    spent = {
      day,
      usd: (spent?.usd ?? 0) + (costUsd ?? 0),
      tokens: (spent?.tokens ?? 0) + usage.input + usage.output,
    };
  };

  /** One that was answered nothing begins anew. */
  const unpin = (): void => {
    if (totals.model_calls > 0 || state.messages.length > 0) return;
    pinned = { settings_sha256: null, harness_version_id: null };
    context = null;
  };

  return {
    ...stage,
    runId: run.id,
    threadId: run.thread_id,
    parentMessageId: message.message_id,
    log,
    state,
    activeMs,
    event,
    found: (finding) => applyFinding(state, finding),
    forgive(ms) {
      forgivenMs += ms;
    },
    toolCall(call) {
      totals.tool_calls += 1;
      stage.toolCall(call);
    },
    pin(built) {
      const { playbookVersion: version } = built;
      pinned = { settings_sha256: built.settingsSha256, ...(version ? { harness_version_id: version } : {}) };
      context = built.context;
    },
    spend(usage, costUsd, guess) {
      hasAnswer = true;
      totals.model_calls += 1;
      spendBeside(usage, costUsd, guess);
    },
    spendBeside,
    release() {
      spent ??= { day, usd: 0, tokens: 0 };
    },
    staged: () => rows.staged(),
    async park(waiting, uncount) {
      const { code, until } = waiting;
      unpin();
      event('deferred', { code, until, ...(uncount === null ? {} : { uncounted: true }) });
      const batch = takeBatch({ ...deferredPatch(run.deferred_at, waiting), leased_by: null, leased_until: null });
      await write(batch, store.parkRun(batch, { run, waiting, uncount }));
      pass('deferred.parked');
    },
    async waitAlone({ code, until, now }) {
      unpin();
      event('deferred', { code, until });
      const since = run.deferred_at ?? now;
      await commit({ status: 'queued', due_at: until, deferred_at: since, leased_by: null, leased_until: null });
    },
    async hold(held, jobs, waitingFor) {
      const batch = takeBatch({
        status: 'waiting_approval',
        waiting_for: waitingFor,
        leased_by: null,
        leased_until: null,
      });
      await write(batch, store.holdRun({ ...batch, held, jobs: [...(batch.jobs ?? []), ...jobs] }));
    },
    commit,
    endsUnless(unless) {
      end = { unless, step: stepSoFar() };
    },
    async takeIn(told, mails) {
      const step = stepSoFar();
      event('mail_taken_in', told);
      const batch = { ...takeBatch({ leased_until: clock.now() + leaseMs }), takenIn: mails };
      await writeOr(step, batch, store.commitStep(batch));
    },
    async finish(patch, { reply, jobs, closing, made, told, held }) {
      // Left over from a life of this run that ended within a model call.
      if (run.reserved_usd > 0) spent ??= { day, usd: 0, tokens: 0 };
      const batch = takeBatch({ leased_by: null, leased_until: null, ...patch });
      const finish: FinishBatch = {
        ...batch,
        ...(end ? { unless: { ...end.unless, now: batch.now } } : {}),
        ...(reply ? { reply } : {}),
        jobs: [...(batch.jobs ?? []), ...(jobs ?? []), ...endedJobs(run, batch.now)],
        ...(closing ? { closing } : {}),
        ...(made ? { made } : {}),
        ...(told ? { told } : {}),
        ...(held?.length ? { held } : {}),
        endsTask: run.kind === 'task',
      };
      const written = store.finishRun(finish);
      await (end ? writeOr(end.step, batch, written) : write(batch, written));
    },
  };
}

/** A result as the trace keeps it; one that is an artifact already is not stored a second time. */
interface ToolOutcome {
  readonly ok: boolean;
  readonly result?: Json;
  readonly error?: Json;
  readonly artifact?: string | null;
  readonly same_as?: string;
}

/** An audit row before the recorder adds id, time and run. */
export type AuditEntry = Pick<AuditRecord, 'actor' | 'event' | 'tool' | 'decision'> & {
  readonly approvalId?: string;
  readonly detail: AuditRecord['detail'];
};

/** What a run has done since its last transaction. Nothing of it is on disk yet but artifacts. */
interface Staging {
  event<Type extends EventType>(type: Type, payload: PayloadOf<Type>): void;
  toolCall(call: ToolCall): void;
  toolResult(call: ToolCall, outcome: ToolOutcome): void;
  /** A step of an approval's state; the audit log tells of each. */
  approval(step: { id: string; from: ApprovalState; to: ApprovalState; reason?: string }): void;
  /** A call that succeeded and can be taken back: stored with its result, so that one is never without the other. */
  undoable(call: ToolCall, args: unknown, result: Json): void;
  /** A call whose result comes later: stored with the job that looks after it. */
  suspend(row: Suspension, job: NewJob): void;
  /** Something that follows from a call, and is done once its result is on record. */
  job(job: NewJob): void;
  /** A run that a tool has another one begin: stored with the wait for it. */
  delegate(child: NewDelegation): void;
  /** A mail that a tool wrote; it leaves with the tool's result or not at all. */
  outgoing(mail: ToolMail): void;
  outgoingCount(): number;
  /** Drops the mails behind the first `count`. */
  keepOutgoing(count: number): void;
  /** What a tool remembers or forgets: with its result, or not at all. */
  fact(change: FactChange): void;
  factCount(): number;
  /** Drops the changes behind the first `count`. */
  keepFacts(count: number): void;
  audit(entry: AuditEntry): void;
}

/** The rows of one transaction. */
type Staged = Required<
  Pick<
    StepBatch,
    | 'firstSeq'
    | 'events'
    | 'toolEvents'
    | 'approvals'
    | 'outgoing'
    | 'audit'
    | 'undo'
    | 'suspended'
    | 'delegated'
    | 'facts'
    | 'jobs'
  >
>;

type Collected = {
  -readonly [Name in keyof Staged]: Staged[Name] extends readonly (infer Row)[] ? Row[] : Staged[Name];
};

/** Collects the rows of a run's next transaction. `take` hands them over and begins the next one. */
function createStaging(options: {
  loaded: Pick<LoadedRun, 'run' | 'toolEvents'>;
  nextSeq: number;
  artifacts: Pick<Blobs, 'put'>;
  ids: Ids;
  clock: Clock;
}): { readonly stage: Staging; take(): Staged; staged(): Staged } {
  const { loaded, artifacts, ids, clock } = options;
  const { run } = loaded;
  let nextStep = (loaded.toolEvents.at(-1)?.step_index ?? -1) + 1;
  let rows = noRows(options.nextSeq);

  const trace = (
    event_type: 'tool_call' | 'tool_result',
    call: ToolCall,
    payload: ToolOutcome | { arguments: Json },
  ) => {
    rows.toolEvents.push({
      id: ids.next(),
      thread_id: run.thread_id,
      parent_message_id: run.message_id,
      run_id: run.id,
      step_index: nextStep,
      event_type,
      tool_name: call.name,
      tool_call_id: call.id,
      payload_json: encodeToolPayload({ ...payload }, artifacts),
      created_at: clock.now(),
    });
    nextStep += 1;
  };

  const audit = ({ approvalId, detail, ...row }: AuditEntry): void => {
    rows.audit.push({
      id: ids.next(),
      at: clock.now(),
      run_id: run.id,
      approval_id: approvalId ?? null,
      detail,
      ...row,
    });
  };

  return {
    stage: {
      event: (type, payload) => void rows.events.push(encodeEvent(type, payload, artifacts)),
      toolCall: (call) => trace('tool_call', call, { arguments: call.arguments ?? call.rawArguments ?? null }),
      toolResult: (call, outcome) => trace('tool_result', call, outcome),
      approval(step) {
        rows.approvals.push(step);
        const detail = step.reason === undefined ? {} : { reason: step.reason };
        audit({ actor: 'engine', event: 'approval_state', tool: null, decision: step.to, approvalId: step.id, detail });
      },
      undoable(call, args, result) {
        if (JSON.stringify(result).length > MAX_PAYLOAD_CHARS) return;
        const now = clock.now();
        rows.undo.push(
          openUndo(
            {
              id: ids.next(),
              run_id: run.id,
              thread_id: run.thread_id,
              call_id: call.id,
              tool: call.name,
              arguments: Object.fromEntries(Object.entries(args ?? {})),
              result,
            },
            now,
          ),
        );
      },
      suspend(row, job) {
        rows.suspended.push(row);
        rows.jobs.push(job);
      },
      job: (job) => void rows.jobs.push(job),
      delegate: (child) => void rows.delegated.push(child),
      outgoing: (mail) => void rows.outgoing.push(mail),
      outgoingCount: () => rows.outgoing.length,
      keepOutgoing: (count) => void rows.outgoing.splice(count),
      fact: (change) => void rows.facts.push(change),
      factCount: () => rows.facts.length,
      keepFacts: (count) => void rows.facts.splice(count),
      audit,
    },
    take() {
      const taken = rows;
      rows = noRows(taken.firstSeq + taken.events.length);
      return taken;
    },
    staged: () => rows,
  };
}

const noRows = (firstSeq: number): Collected => ({
  firstSeq,
  events: [],
  toolEvents: [],
  approvals: [],
  outgoing: [],
  audit: [],
  undo: [],
  suspended: [],
  delegated: [],
  facts: [],
  jobs: [],
});
