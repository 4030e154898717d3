import type { Json, ToolCall } from '#contract';
import type { InsideMail } from '../../policy/sensor.ts';
import type { Observation } from '../../record/codec/fields.ts';
import { shownIn } from '../../record/codec/run-events.ts';
import { type EventType, hasLines, type PayloadOf } from '../../record/events.ts';
import type { OwnWords } from '../../record/own-words.ts';
import { type RunLog, type Turn, turnsOf } from '../../record/run-log.ts';
import type { Approval } from '../../storage/types/approvals.ts';
import type { StoredToolEvent } from '../../storage/types/runs.ts';
import type { RememberedShape } from './memory-sources.ts';

export interface Step {
  /** What the model was asked: the mark of the whole request and of its parts. */
  readonly input: PayloadOf<'model_call_started'> | null;
  readonly reply: { readonly text: string; readonly finish: string | null; readonly error: string | null };
  readonly calls: readonly CallLink[];
  /** What was decided of the reply, then of the results of its calls. */
  readonly decisions: readonly { readonly decision: string; readonly reason: string }[];
}

export interface CallLink {
  readonly call_id: string;
  readonly tool: string;
  readonly arguments: Json;
  /** `source`: the server that the tool is of, as `mcp:<name>`; `reason`: what a hook said; absent where there is none. */
  readonly permission: {
    readonly verdict: string;
    readonly by: string;
    readonly code: string | null;
    readonly source?: string;
    readonly reason?: string;
    /** The owner's words that were the yes to it, or why they were not; absent where nobody looked for any. */
    readonly own_words?: OwnWords;
  } | null;
  readonly approval: { readonly id: string; readonly state: string; readonly decided_by: string | null } | null;
  /** Null for a call that never ran. */
  readonly ran: { readonly latency_ms: number; readonly source: string; readonly inside: InsideMail } | null;
  /** What it waited for after it was made, and how that ended; absent where its result came at once. */
  readonly suspension?: {
    readonly id: string;
    readonly kind: string;
    readonly state: 'open' | 'resolved' | 'timed_out';
  };
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

/** `estimated`: the vendor did not say how much it was, or cannot have meant what it said. */
interface CallCost {
  readonly provider: string;
  readonly model: string;
  readonly tokens: { readonly input: number; readonly output: number } | null;
  readonly usage: 'known' | 'estimated' | null;
  /** What the vendor said, where that is not what was booked. */
  readonly said: { readonly input: number; readonly output: number } | null;
  /** `estimated`: nobody has said what the model costs. Null: it cost nothing that could be said. */
  readonly price: 'known' | 'estimated' | null;
  /** Null: nobody knows the price, or nothing was used. */
  readonly cost_usd: number | null;
}

export interface Chain extends RememberedShape {
  readonly claims: readonly unknown[];
  /** Sections of the knowledge that the answer opened or cites, graded. */
  readonly citations: readonly unknown[];
  readonly steps: readonly Step[];
  /** What each call of a model used and cost, in order. */
  readonly costs: readonly CallCost[];
  /** What the gateway itself said below the answer of what was done and what was not; null where there was nothing. */
  readonly receipt: PayloadOf<'receipt'> | null;
  /** What the prompt was made of, before the first model call. */
  readonly context: PayloadOf<'context_built'> | null;
  /** What else is on record of it that an owner is told, in order; absent where that is nothing. */
  readonly noted?: readonly Noted[];
  /** Links that should be there and are not. */
  readonly missing: readonly string[];
}

/** An event that is a link by itself. */
interface Noted {
  readonly seq: number;
  readonly type: EventType;
  readonly data: PayloadOf<EventType>;
}

interface Stored {
  readonly rows: readonly StoredToolEvent[];
  readonly approvals: readonly Approval[];
  readonly isOver: boolean;
  readonly remembered: RememberedShape;
}

/** The way from a run's answer back to what its model was given. Pure: everything is in the records. */
export function chainOf(log: RunLog, stored: Stored): Chain {
  const noted = notedIn(log);
  const chain = {
    claims: lastOf(log, 'claims'),
    citations: lastOf(log, 'citations'),
    steps: turnsOf(log).map((turn) => stepOf(turn, stored)),
    costs: log.of('model_call_ended').map(({ data }) => costOf(data)),
    receipt: log.last('receipt')?.data ?? null,
    context: log.first('context_built')?.data ?? null,
    ...stored.remembered,
    ...(noted.length === 0 ? {} : { noted }),
  };
  return { ...chain, missing: stored.isOver ? missingIn(chain, log) : [] };
}

/** What an owner is told of these has a place of its own in the chain. */
const PLACED: ReadonlySet<string> = new Set<EventType>(['model_call_started', 'receipt', 'context_built']);
const hasNoPlace = (type: string): boolean => hasLines(type) && !PLACED.has(type);

/** A new event is told of by what stands with its schema. */
const notedIn = (log: RunLog): readonly Noted[] =>
  log.select(hasNoPlace).map(({ seq, type, data }) => ({ seq, type, data }));

function costOf({
  provider,
  model,
  response,
  booked,
  cost_usd = null,
  price,
}: PayloadOf<'model_call_ended'>): CallCost {
  const used = response?.usage ?? booked;
  const tokens = used ? { input: used.input, output: used.output } : null;
  const known = response ? (response.usageBasis ?? 'known') : 'estimated';
  const { usageSaid: said } = response ?? {};
  return {
    provider,
    model,
    tokens,
    usage: tokens === null ? null : known,
    cost_usd,
    price: cost_usd === null ? null : (price ?? 'known'),
    said: said ? { input: said.input, output: said.output } : null,
  };
}

function stepOf({ started, ended, after }: Turn, stored: Stored): Step {
  const { response } = ended.data;
  return {
    input: started?.data ?? null,
    reply: {
      text: response?.text ?? '',
      finish: response?.finish ?? null,
      error: ended.data.ok ? null : (ended.data.code ?? null),
    },
    calls: (response?.toolCalls ?? []).map((call) => linkOf(call, after, stored)),
    decisions: after.of('decision').map(({ data: { decision, reason } }) => ({ decision, reason })),
  };
}

/** The vendor's ids may come again in a later turn, so only what was recorded before that turn is this call's. */
function linkOf(call: ToolCall, after: RunLog, stored: Stored): CallLink {
  const permission = after.lastOfCall('permission', call.id)?.data;
  const ended = after.lastOfCall('tool_call_ended', call.id)?.data;
  const seen = after.lastOfCall('observation', call.id)?.data;
  const asked = after.of('approval_requested').flatMap(({ data }) => data.items);
  const approvalId = asked.findLast(({ call_id, calls = [call_id] }) => calls.includes(call.id))?.approval_id;
  const approval = stored.approvals.find(({ id }) => id === approvalId);
  const suspended = after.lastOfCall('suspended', call.id)?.data;
  const row = stored.rows.some(
    ({ tool_call_id, event_type }) => tool_call_id === call.id && event_type === 'tool_result',
  );
  return {
    call_id: call.id,
    tool: call.name,
    arguments: call.arguments ?? call.rawArguments ?? null,
    permission: permission ? permissionOf(permission) : null,
    approval: approval ? { id: approval.id, state: approval.state, decided_by: approval.decided_by } : null,
    ran: ended?.sensed ?? suspended?.sensed ?? null,
    ...(suspended ? { suspension: suspensionOf(suspended, after) } : {}),
    steps: stepsOf(call.id, after, stored),
    result: ended && row ? { ok: ended.ok, code: seen?.code ?? null, artifact: seen?.artifact ?? null } : null,
    observation: seen ? observationOf(seen) : null,
  };
}

function permissionOf({ verdict, by, code = null, asked }: PayloadOf<'permission'>): CallLink['permission'] {
  const said = [...(asked?.restrictions ?? []), ...(asked?.surface ? [asked.surface] : [])];
  const reason = said.find((one) => one.by === by)?.reason;
  return {
    verdict,
    by,
    code,
    ...(asked?.source === undefined ? {} : { source: asked.source }),
    ...(reason === undefined ? {} : { reason }),
    ...(asked?.ownWords === undefined ? {} : { own_words: asked.ownWords }),
  };
}

const suspensionOf = ({ suspension_id: id, kind }: PayloadOf<'suspended'>, after: RunLog) => {
  const ended = after.of('resumed').find(({ data }) => data.suspension_id === id);
  return { id, kind, state: ended?.data.state ?? ('open' as const) };
};

/** A step is on record before it is made; what was never begun has nothing to show. */
const stepsOf = (plan: string, after: RunLog, stored: Stored): readonly CallLink[] =>
  after
    .of('tool_call_intended')
    .filter(({ data }) => data.step_of === plan)
    .map(({ data }) => linkOf({ id: data.call_id, name: data.tool, arguments: data.arguments ?? null }, after, stored));

function observationOf(seen: Observation): NonNullable<CallLink['observation']> {
  const { source = null, observed_at, truncated } = shownIn(seen.content);
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
const lastOf = (log: RunLog, name: 'claims' | 'citations'): readonly unknown[] =>
  log.of('decision').findLast(({ data }) => data[name] !== undefined)?.data[name] ?? [];

function missingIn({ steps, context }: Pick<Chain, 'steps' | 'context'>, log: RunLog): readonly string[] {
  const missing: string[] = [];
  if (steps.length > 0 && context === null) missing.push('what the prompt was made of');
  if (!log.has('run_ended')) missing.push('the end of the run');
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
