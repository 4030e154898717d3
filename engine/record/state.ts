import type { ModelMessage, ProviderCode, ToolCall, ToolResult } from '#contract';
import { canonicalJson } from '../lib/canonical-json.ts';
import type { BudgetLimit } from '../storage/types/budget.ts';

import type { GapKind, PartialCode, Snapshot } from './decisions.ts';
import { ANSWER, answerIn, type Declared } from './declared.ts';
import type { Exposed } from './exposed.ts';
import type { Observation } from './fold.ts';
import type { ResultFacts } from './result-facts.ts';
import type { Target } from './target.ts';

/** The loop's memory of a run: folded from its events at claim, then kept up to date step by step. */
export interface LoopState {
  /** This run's own turns, after the mail. */
  messages: ModelMessage[];
  /** The newest model turn while some of its calls have no result yet. */
  pending: PendingTurn | null;
  modelCalls: number;
  toolCalls: number;
  toolTurns: number;
  /** Turns in which at least one call was executed. */
  toolSteps: number;
  consecutiveFailures: number;
  /** By call of the newest turn: in how many turns in a row it was made. */
  streaks: ReadonlyMap<string, number>;
  anySucceeded: boolean;
  repairs: number;
  /** What the model was told that its answer lacks. */
  gapsNamed: GapKind[];
  lastCall: PartialCode | null;
  /** The limit that stands in the way of the next model call. */
  budgetSpent: BudgetLimit | null;
  /** An approved call of the turn under way has failed. */
  approvedFailed: boolean;
  /** The models that took the place of the pinned ones, which did not answer; null: they are as pinned. */
  targets: readonly Target[] | null;
  /** Which of the targets is in use, and how often it failed since it last answered. */
  target: number;
  providerFailures: number;
  lastProviderCode: ProviderCode | null;
  /** It was put back because no model answered, and none has since. */
  isWaiting: boolean;
  /** What the newest model call was shown; null while none was made. */
  exposed: Exposed | null;
  /** One compaction per run. */
  compacted: boolean;
  lastText: string;
  /** What the newest turn says of its answer; null where it is none, or a plain text. */
  declared: Declared | null;
  outcomes: CallOutcome[];
  /** What tools declared of their results, by call. */
  facts: Map<string, ResultFacts>;
}

export interface PendingTurn {
  readonly calls: readonly ToolCall[];
  readonly results: Map<string, ToolResult>;
  /** Risk by call whose intent was committed: after a crash a mutating one of these may or may not have happened. */
  readonly intended: Map<string, string>;
  /** By call that says the same as an earlier one of its turn: that one. Only the earlier is executed. */
  readonly twins: ReadonlyMap<string, string>;
  /** What stood in the way of calls that policy refused, by call. */
  readonly denied: Map<string, string>;
  /** The newest question to owners about a call, by call. */
  readonly questions: Map<string, string>;
  /** What the calls that were begun touch, by call. */
  readonly targets: Map<string, readonly string[]>;
  /** Calls that owners were asked about. Ids may be the same in another turn, so approvals of others do not count. */
  readonly asked: Set<string>;
  /** Steps of an approved plan that were begun, and what became of them. */
  readonly begun: Map<string, BegunStep>;
  readonly steps: Map<string, Observation>;
}

export interface BegunStep {
  readonly call: ToolCall;
  /** The call of the model's turn that it is a step of. */
  readonly plan: string;
  readonly risk: string;
}

/** What became of one call; what was called more than once in a turn with the same words counts once. */
export interface CallOutcome {
  readonly tool: string;
  readonly ok: boolean;
  readonly code: string | null;
  readonly made?: MadeCall;
}

/** For the receipt: the call itself, and how far it came. */
export interface MadeCall {
  readonly call: ToolCall;
  /** With the risk that it was begun; null for one that never was. */
  readonly risk: string | null;
  readonly targets: readonly string[];
  /** As the model got it. */
  readonly content: string;
  /** The newest question to owners about it. */
  readonly approval: string | null;
  /** What of the policy refused it. */
  readonly deniedBy: string | null;
}

export const emptyState = (): LoopState => ({
  messages: [],
  pending: null,
  modelCalls: 0,
  toolCalls: 0,
  toolTurns: 0,
  toolSteps: 0,
  consecutiveFailures: 0,
  streaks: new Map(),
  anySucceeded: false,
  repairs: 0,
  gapsNamed: [],
  lastCall: null,
  budgetSpent: null,
  approvedFailed: false,
  targets: null,
  target: 0,
  providerFailures: 0,
  lastProviderCode: null,
  isWaiting: false,
  exposed: null,
  compacted: false,
  lastText: '',
  declared: null,
  outcomes: [],
  facts: new Map(),
});

/** A task's answer that there is nothing to tell: empty, or this one word, whatever marks stand around it. */
export const saysNothing = (text: string): boolean =>
  text.trim() === '' || (text.length < 40 && text.replace(/[\p{P}\s]/gu, '') === 'NOTHING');

/** Calls are the same when name and arguments are, whatever the order of the keys. */
function callKey(call: ToolCall): string {
  return `${call.name} ${canonicalJson(call.arguments ?? call.rawArguments ?? null)}`;
}

/** A model turn has been committed. */
export function addModelTurn(state: LoopState, turn: Extract<ModelMessage, { role: 'assistant' }>): void {
  state.modelCalls += 1;
  state.providerFailures = 0;
  state.lastProviderCode = null;
  state.declared = answerIn(turn.toolCalls);
  state.isWaiting = false;
  const silent = turn.text.trim() === '' && turn.toolCalls.length === 0;
  // Sent back, an answer of nothing would stand last in the next request, which vendors refuse as a prefill.
  if (silent) return;
  state.messages.push(turn);
  if (turn.text.trim() !== '') state.lastText = turn.text;
  if (turn.toolCalls.length === 0) return;
  if (state.declared === null) state.toolTurns += 1;
  else state.lastText = state.declared.text;
  state.approvedFailed = false;
  state.pending = {
    calls: turn.toolCalls,
    results: new Map(),
    intended: new Map(),
    twins: twinsAmong(turn.toolCalls),
    denied: new Map(),
    questions: new Map(),
    targets: new Map(),
    asked: new Set(),
    begun: new Map(),
    steps: new Map(),
  };
  if (state.declared !== null) return;
  const keys = new Set(turn.toolCalls.map(callKey));
  state.streaks = new Map([...keys].map((key) => [key, (state.streaks.get(key) ?? 0) + 1]));
}

function twinsAmong(calls: readonly ToolCall[]): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  const twins = new Map<string, string>();
  for (const call of calls) {
    const key = callKey(call);
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, call.id);
    else twins.set(call.id, earlier);
  }
  return twins;
}

/** The intent of a call has been committed. */
export function addIntent(state: LoopState, callId: string, risk: string, targets: readonly string[] = []): void {
  const { pending } = state;
  if (!pending) return;
  pending.targets.set(callId, targets);
  if (pending.intended.size === 0) state.toolSteps += 1;
  pending.intended.set(callId, risk);
}

/** A step of an approved plan has its result; the plan's own result is that of the model's call. */
export function addStep(state: LoopState, seen: Observation): void {
  const { pending } = state;
  pending?.steps.set(seen.call_id, seen);
  const { tool, ok, code, content } = seen;
  const begun = pending?.begun.get(seen.call_id);
  const made = begun && pending ? { made: madeCall(pending, begun.call, content, begun.risk) } : {};
  state.outcomes.push({ tool, ok, code, ...made });
}

/** A call's result has been committed; the last one of its turn goes back to the model with the others. */
export function addResult(
  state: LoopState,
  result: ToolResult,
  code: string | null,
  sameAs?: string,
  facts?: ResultFacts,
): void {
  const { pending } = state;
  if (!pending) return;
  if (facts) state.facts.set(result.callId, facts);
  pending.results.set(result.callId, result);
  // What was executed once counts once, however often it was asked for.
  if (sameAs === undefined) countResult(state, pending, result, code);
  if (pending.results.size < pending.calls.length) return;
  const results = pending.calls.flatMap((call) => pending.results.get(call.id) ?? []);
  state.messages.push({ role: 'tool', results });
  state.pending = null;
}

function countResult(state: LoopState, pending: PendingTurn, result: ToolResult, code: string | null): void {
  // An answer is no work that was done.
  if (result.name === ANSWER) return;
  const call = pending.calls.find(({ id }) => id === result.callId);
  const risk = pending.intended.get(result.callId) ?? null;
  const made = call ? { made: madeCall(pending, call, result.content, risk) } : {};
  state.outcomes.push({ tool: result.name, ok: !result.isError, code, ...made });
  if (code === 'skipped') return;
  state.toolCalls += 1;
  // An owner's no is an answer, not a failure: the model still gets to say what it means for the sender.
  const isNo = code === 'policy_denied' && pending.asked.has(result.callId);
  if (!isNo) state.consecutiveFailures = result.isError ? state.consecutiveFailures + 1 : 0;
  if (result.isError) return;
  state.anySucceeded = true;
}

const madeCall = (pending: PendingTurn, call: ToolCall, content: string, risk: string | null): MadeCall => ({
  call,
  risk,
  targets: pending.targets.get(call.id) ?? [],
  content,
  approval: pending.questions.get(call.id) ?? null,
  deniedBy: pending.denied.get(call.id) ?? null,
});

/** The model is told something of its answer: as the result of its call where the answer was one. */
export function addNote(state: LoopState, note: string): void {
  if (state.pending === null) state.messages.push({ role: 'user', content: [{ type: 'text', text: note }] });
}

export function snapshotOf(
  state: LoopState,
  run: Pick<Snapshot, 'cancelled' | 'crashes' | 'activeMs' | 'held' | 'metByState'>,
  limits: Snapshot['limits'],
): Snapshot {
  const { toolTurns, toolSteps, toolCalls, consecutiveFailures, anySucceeded, repairs, gapsNamed, pending } = state;
  return {
    ...run,
    toolTurns,
    toolSteps,
    toolCalls,
    consecutiveFailures,
    sameCallStreak: state.streaks.size === 0 ? 0 : Math.min(...state.streaks.values()),
    anySucceeded,
    repairs,
    gapsNamed,
    lastCall: state.lastCall,
    budgetSpent: state.budgetSpent !== null,
    unresolved: [...(pending?.asked ?? [])].filter((id) => !pending?.results.has(id)).length,
    limits,
  };
}
