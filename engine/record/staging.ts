import type { Json, ToolCall } from '#contract';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { UNDO_MS } from '../lib/undo-window.ts';
import type { Blobs } from '../storage/blobs.ts';
import type { LoadedRun, StepBatch, ToolMail } from '../storage/ports/runs.ts';
import type { ApprovalState, AuditRecord } from '../storage/types/approvals.ts';
import type { FactChange } from '../storage/types/facts.ts';
import type { NewJob } from '../storage/types/jobs.ts';
import type { NewDelegation, Suspension } from '../storage/types/suspensions.ts';
import { encodeEvent, MAX_PAYLOAD_CHARS } from './codec/run-events.ts';
import { encodeToolPayload } from './codec/tool-events.ts';
import type { EventType, PayloadOf } from './events.ts';

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
export interface Staging {
  event<Type extends EventType>(type: Type, payload: PayloadOf<Type>): void;
  toolCall(call: ToolCall): void;
  toolResult(call: ToolCall, outcome: ToolOutcome): void;
  /** A step of an approval's state; the audit log tells of each. */
  approval(step: { id: string; from: ApprovalState; to: ApprovalState; reason?: string }): void;
  /** A call that succeeded and can be taken back: stored with its result, so that one is never without the other. */
  undoable(call: ToolCall, args: unknown, result: Json): void;
  /** A call whose result comes later: stored with the job that looks after it. */
  suspend(row: Suspension, job: NewJob): void;
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
export type Staged = Required<
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
export function createStaging(options: {
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
        rows.undo.push({
          id: ids.next(),
          run_id: run.id,
          thread_id: run.thread_id,
          call_id: call.id,
          tool: call.name,
          arguments: Object.fromEntries(Object.entries(args ?? {})),
          result,
          state: 'open',
          number: null,
          notice_id: null,
          until: now + UNDO_MS,
          decided_by: null,
          created_at: now,
          updated_at: now,
        });
      },
      suspend(row, job) {
        rows.suspended.push(row);
        rows.jobs.push(job);
      },
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
