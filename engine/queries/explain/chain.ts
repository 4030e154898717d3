import type { Json, ToolCall } from '#contract';
import type { Inside } from '../../policy/sensor.ts';
import type { ModelCallEnded, Observation } from '../../record/fold.ts';
import type { Approval } from '../../storage/types/approvals.ts';
import type { RunEventType, StoredToolEvent } from '../../storage/types/runs.ts';

/** One thing on record of a run, its payload read. */
export interface Recorded {
  readonly seq: number;
  readonly type: RunEventType;
  readonly at: number;
  readonly data: Fields;
}

export type Fields = { readonly [key: string]: unknown };

export interface Step {
  /** What the model was asked: the mark of the whole request and of its parts. */
  readonly input: Fields | null;
  readonly reply: { readonly text: string; readonly finish: string | null; readonly error: string | null };
  readonly calls: readonly CallLink[];
  /** What was decided of the reply, then of the results of its calls. */
  readonly decisions: readonly { readonly decision: string; readonly reason: string }[];
}

export interface CallLink {
  readonly call_id: string;
  readonly tool: string;
  readonly arguments: Json;
  readonly permission: { readonly verdict: string; readonly by: string; readonly code: string | null } | null;
  readonly approval: { readonly id: string; readonly state: string; readonly decided_by: string | null } | null;
  /** Null for a call that never ran. */
  readonly ran: { readonly latency_ms: number; readonly source: string; readonly inside: Inside } | null;
  readonly result: { readonly ok: boolean; readonly code: string | null; readonly artifact: string | null } | null;
  /** Of an approved plan: its steps, as far as they were begun. */
  readonly steps: readonly CallLink[];
  readonly observation: {
    readonly source: Json;
    readonly observed_at: string | null;
    readonly truncated: boolean;
    readonly ref: string | null;
    readonly artifact: string | null;
    readonly shown: string;
  } | null;
}

export interface Chain {
  readonly claims: readonly Json[];
  readonly steps: readonly Step[];
  /** What the gateway itself said below the answer of what was done and what was not; null where there was nothing. */
  readonly receipt: Fields | null;
  /** What the prompt was made of, before the first model call. */
  readonly context: Fields | null;
  /** Links that should be there and are not. */
  readonly missing: readonly string[];
}

/** The way from a run's answer back to what its model was given. Pure: everything is in the records. */
export function chainOf(
  events: readonly Recorded[],
  stored: { rows: readonly StoredToolEvent[]; approvals: readonly Approval[]; isOver: boolean },
): Chain {
  const steps: Step[] = [];
  for (const [index, event] of events.entries()) {
    if (event.type !== 'model_call_ended') continue;
    const before = events.slice(0, index).findLast(({ type }) => type === 'model_call_started');
    const end = events.findIndex(({ type }, at) => at > index && type === 'model_call_ended');
    const after = events.slice(index + 1, end < 0 ? undefined : end);
    steps.push(stepOf(event.data as unknown as ModelCallEnded, before?.data ?? null, after, stored));
  }
  const context = events.find(({ type }) => type === 'context_built')?.data ?? null;
  const receipt = events.findLast(({ type }) => type === 'receipt')?.data ?? null;
  const chain = { claims: claimsIn(events), steps, receipt, context };
  return { ...chain, missing: stored.isOver ? missingIn(chain, events) : [] };
}

function stepOf(
  ended: ModelCallEnded,
  input: Fields | null,
  after: readonly Recorded[],
  stored: Parameters<typeof chainOf>[1],
): Step {
  const { response } = ended;
  return {
    input,
    reply: {
      text: response?.text ?? '',
      finish: response?.finish ?? null,
      error: ended.ok ? null : (ended.code ?? null),
    },
    calls: (response?.toolCalls ?? []).map((call) => linkOf(call, after, stored)),
    decisions: after
      .filter(({ type }) => type === 'decision')
      .map(({ data }) => ({ decision: String(data.decision), reason: String(data.reason) })),
  };
}

/** The vendor's ids may come again in a later turn, so only what was recorded before that turn is this call's. */
function linkOf(call: ToolCall, after: readonly Recorded[], stored: Parameters<typeof chainOf>[1]): CallLink {
  const of = (type: RunEventType) =>
    after.filter((event) => event.type === type && event.data.call_id === call.id).at(-1)?.data;
  const permission = of('permission');
  const ended = of('tool_call_ended');
  const seen = of('observation') as unknown as Observation | undefined;
  const asked = after.flatMap(({ type, data }) =>
    type === 'approval_requested' ? (data.items as readonly Fields[]) : [],
  );
  const approvalId = asked.findLast((item) => idsOf(item).includes(call.id))?.approval_id;
  const approval = stored.approvals.find(({ id }) => id === approvalId);
  const sensed = ended?.sensed as CallLink['ran'] | undefined;
  const row = stored.rows.some(
    ({ tool_call_id, event_type }) => tool_call_id === call.id && event_type === 'tool_result',
  );
  return {
    call_id: call.id,
    tool: call.name,
    arguments: call.arguments ?? call.rawArguments ?? null,
    permission: permission
      ? {
          verdict: String(permission.verdict),
          by: String(permission.by),
          code: (permission.code as string | null) ?? null,
        }
      : null,
    approval: approval ? { id: approval.id, state: approval.state, decided_by: approval.decided_by } : null,
    ran: sensed ?? null,
    steps: stepsOf(call.id, after, stored),
    result: ended && row ? { ok: ended.ok === true, code: seen?.code ?? null, artifact: seen?.artifact ?? null } : null,
    observation: seen ? observationOf(seen) : null,
  };
}

/** Those that an owner was asked about together. */
const idsOf = ({ call_id, calls = [call_id] }: Fields): readonly unknown[] => (Array.isArray(calls) ? calls : []);

/** A step is on record before it is made; what was never begun has nothing to show. */
function stepsOf(plan: string, after: readonly Recorded[], stored: Parameters<typeof chainOf>[1]): readonly CallLink[] {
  return after
    .filter(({ type, data }) => type === 'tool_call_intended' && data.step_of === plan)
    .map(({ data }) => {
      const call = { id: String(data.call_id), name: String(data.tool), arguments: (data.arguments ?? null) as Json };
      return linkOf(call, after, stored);
    });
}

function observationOf(seen: Observation): NonNullable<CallLink['observation']> {
  const { source = null, observed_at, truncated } = JSON.parse(seen.content) as { readonly [key: string]: Json };
  return {
    source,
    observed_at: typeof observed_at === 'string' ? observed_at : null,
    truncated: truncated === true,
    ref: seen.ref ?? null,
    artifact: seen.artifact,
    shown: seen.content,
  };
}

/** Stored with the decision on the final text, where that made any. */
const claimsIn = (events: readonly Recorded[]): readonly Json[] =>
  (events.findLast(({ data }) => Array.isArray(data.claims))?.data.claims as readonly Json[]) ?? [];

function missingIn(
  { steps, context }: Pick<Chain, 'steps' | 'context'>,
  events: readonly Recorded[],
): readonly string[] {
  const has = (type: RunEventType) => events.some((event) => event.type === type);
  const missing: string[] = [];
  if (steps.length > 0 && context === null) missing.push('what the prompt was made of');
  if (!has('run_ended')) missing.push('the end of the run');
  for (const [index, step] of steps.entries()) {
    const at = `step ${index + 1}`;
    if (step.input === null) missing.push(`${at}: what the model was asked`);
    if (step.reply.error === null && step.decisions.length === 0) missing.push(`${at}: what was decided of the reply`);
    for (const { tool, call_id, result, observation } of step.calls.flatMap((call) => [call, ...call.steps])) {
      if (result === null) missing.push(`${at}: the result of ${tool} (${call_id})`);
      if (observation === null) missing.push(`${at}: what the model saw of ${tool} (${call_id})`);
    }
  }
  return missing;
}
