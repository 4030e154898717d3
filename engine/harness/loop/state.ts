import type { ModelMessage, ProviderCode, ToolCall, ToolResult } from '#contract';
import type { BudgetLimit } from '../../storage/store.ts';
import type { PartialCode, Snapshot } from './decide.ts';

/** The loop's memory of a run: folded from its events at claim, then kept up to date step by step. */
export interface LoopState {
  /** This run's own turns, after the mail. */
  messages: ModelMessage[];
  /** The newest model turn while some of its calls have no result yet. */
  pending: PendingTurn | null;
  modelCalls: number;
  toolCalls: number;
  toolTurns: number;
  consecutiveFailures: number;
  sameCallStreak: number;
  lastCallKey: string | null;
  anySucceeded: boolean;
  repairs: number;
  lastCall: PartialCode | null;
  /** The limit that stands in the way of the next model call. */
  budgetSpent: BudgetLimit | null;
  /** An approved call of the turn under way has failed. */
  approvedFailed: boolean;
  /** Which of the pinned targets is in use, and how often it failed since it last answered. */
  target: number;
  providerFailures: number;
  lastProviderCode: ProviderCode | null;
  /** One compaction per run. */
  compacted: boolean;
  lastText: string;
  outcomes: CallOutcome[];
}

export interface PendingTurn {
  readonly calls: readonly ToolCall[];
  readonly results: Map<string, ToolResult>;
  /** Calls whose intent was committed: after a crash a mutating one of these may or may not have happened. */
  readonly intended: Set<string>;
  /** Calls that wait for an owner. */
  readonly held: Set<string>;
  /** Calls that owners were asked about. Ids may be the same in another turn, so approvals of others do not count. */
  readonly asked: Set<string>;
}

/** For the reply of a run that did not finish: what was done and what was not. */
export interface CallOutcome {
  readonly tool: string;
  readonly ok: boolean;
  readonly code: string | null;
}

export const emptyState = (): LoopState => ({
  messages: [],
  pending: null,
  modelCalls: 0,
  toolCalls: 0,
  toolTurns: 0,
  consecutiveFailures: 0,
  sameCallStreak: 0,
  lastCallKey: null,
  anySucceeded: false,
  repairs: 0,
  lastCall: null,
  budgetSpent: null,
  approvedFailed: false,
  target: 0,
  providerFailures: 0,
  lastProviderCode: null,
  compacted: false,
  lastText: '',
  outcomes: [],
});

/** Calls are the same when name and arguments are, whatever the order of the keys. */
export function callKey(call: ToolCall): string {
  return `${call.name} ${canonicalJson(call.arguments ?? call.rawArguments ?? null)}`;
}

export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** A model turn has been committed. */
export function addModelTurn(state: LoopState, turn: Extract<ModelMessage, { role: 'assistant' }>): void {
  state.modelCalls += 1;
  state.providerFailures = 0;
  state.lastProviderCode = null;
  const silent = turn.text.trim() === '' && turn.toolCalls.length === 0;
  // Sent back, an answer of nothing would stand last in the next request, which vendors refuse as a prefill.
  if (silent) return;
  state.messages.push(turn);
  if (turn.text.trim() !== '') state.lastText = turn.text;
  if (turn.toolCalls.length === 0) return;
  state.toolTurns += 1;
  state.approvedFailed = false;
  state.pending = {
    calls: turn.toolCalls,
    results: new Map(),
    intended: new Set(),
    held: new Set(),
    asked: new Set(),
  };
  for (const call of turn.toolCalls) {
    const key = callKey(call);
    state.sameCallStreak = key === state.lastCallKey ? state.sameCallStreak + 1 : 1;
    state.lastCallKey = key;
  }
}

/** A call's result has been committed; the last one of its turn goes back to the model with the others. */
export function addResult(state: LoopState, result: ToolResult, code: string | null): void {
  const { pending } = state;
  if (!pending) return;
  pending.results.set(result.callId, result);
  pending.held.delete(result.callId);
  state.outcomes.push({ tool: result.name, ok: !result.isError, code });
  if (code !== 'skipped') {
    state.toolCalls += 1;
    // An owner's no is an answer, not a failure: the model still gets to say what it means for the sender.
    const isNo = code === 'policy_denied' && pending.asked.has(result.callId);
    if (!isNo) state.consecutiveFailures = result.isError ? state.consecutiveFailures + 1 : 0;
    state.anySucceeded ||= !result.isError;
  }
  if (pending.results.size < pending.calls.length) return;
  const results = pending.calls.flatMap((call) => pending.results.get(call.id) ?? []);
  state.messages.push({ role: 'tool', results });
  state.pending = null;
}

export function snapshotOf(
  state: LoopState,
  run: { cancelled: boolean; crashes: number; activeMs: number },
  limits: Snapshot['limits'],
): Snapshot {
  const { toolTurns, toolCalls, consecutiveFailures, sameCallStreak, anySucceeded, repairs, lastCall, budgetSpent } =
    state;
  return {
    ...run,
    toolTurns,
    toolCalls,
    consecutiveFailures,
    sameCallStreak,
    anySucceeded,
    repairs,
    lastCall,
    budgetSpent: budgetSpent !== null,
    held: state.pending?.held.size ?? 0,
    limits,
  };
}
