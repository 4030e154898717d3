import type { BudgetLimit } from '../storage/types/budget.ts';
import { WAITING } from '../storage/types/runs.ts';
import type { Snapshot } from './decisions.ts';
import { apply, isFolded } from './events.ts';
import type { RunLog } from './run-log.ts';
import type { Target } from './settings.ts';
import { emptyState, type Folding, type LoopState, type PendingTurn } from './state.ts';

/** Its row in the trace: nobody who reads there may take it for done. */
export const WAITING_ROW = { ok: false, error: { code: WAITING, message: 'an owner is asked about it' } } as const;

/** A task's answer that there is nothing to tell: empty, or this one word, whatever marks stand around it. */
export const saysNothing = (text: string): boolean =>
  text.trim() === '' || (text.length < 40 && text.replace(/[\p{P}\s]/gu, '') === 'NOTHING');

/** By the one word alone, as models are told; an empty answer may be a failure. */
export const isWordForNothing = (text: string): boolean => text.trim() !== '' && saysNothing(text);

/** Calls of the turn under way that wait for a word or a result from elsewhere. */
export function waitsFor(pending: PendingTurn | null): readonly string[] {
  if (pending === null || pending.asked.size + pending.suspended.size === 0) return [];
  const waiting = new Set([...pending.asked, ...pending.suspended.keys()]);
  return [...waiting].filter((id) => !pending.results.has(id));
}

export function snapshotOf(
  state: LoopState,
  run: Pick<Snapshot, 'cancelled' | 'crashes' | 'activeMs' | 'held' | 'metByState' | 'isDecided'>,
  limits: Snapshot['limits'],
): Snapshot {
  const { toolTurns, toolSteps, toolCalls, anySucceeded, repairs, gapsNamed, pending } = state;
  return {
    ...run,
    toolTurns,
    toolSteps,
    toolCalls,
    consecutiveFailures: limits.byTurns ? state.failedTurns : state.consecutiveFailures,
    sameCallStreak: state.streaks.size === 0 ? 0 : Math.min(...state.streaks.values()),
    anySucceeded,
    repairs,
    continued: state.continued,
    gapsNamed,
    lastCall: state.lastCall,
    budgetSpent: state.budgetSpent !== null,
    unresolved: waitsFor(pending).length,
    waits: state.waits.length,
    limits,
  };
}

// Resuming and replaying apply the events on record; the live loop applies each event as it puts it on record
// (`recorder.ts`). What an event changes stands with its schema, in `events/`.

/** Rebuilds the loop's state from what was committed, and from nothing else. */
export function foldEvents(log: RunLog): Folding {
  const state = emptyState();
  // Payloads of other types are not read.
  for (const { type, data } of log.select(isFolded)) apply(state, type, data);
  return state;
}

/** What rows and settings say of a run beside its events. It is found out anew in each life, so it is not on record. */
export type FoundBesideEvents =
  | { readonly kind: 'budget_spent'; readonly limit: BudgetLimit }
  | { readonly kind: 'approved_call_failed' }
  | { readonly kind: 'models_replaced'; readonly targets: readonly Target[] | null };

export function applyFinding(state: Folding, finding: FoundBesideEvents): void {
  switch (finding.kind) {
    case 'budget_spent':
      state.budgetSpent = finding.limit;
      break;
    case 'approved_call_failed':
      state.approvedFailed = true;
      break;
    case 'models_replaced':
      state.targets = finding.targets;
      break;
  }
}
