import type { BudgetLimit, BudgetLimits, LoadedRun, Store } from '../../storage/store.ts';
import type { EndDecision } from '../loop/loop.ts';
import type { LoopState } from '../loop/state.ts';

const OF_THE_DAY: ReadonlySet<BudgetLimit> = new Set<BudgetLimit>(['usd_per_day', 'runs_per_day']);

/** Whether a run that has not begun yet is one too many for its day; its number was given to it at its first claim. */
export function isOverRunsPerDay({ run, events }: LoadedRun, limits: BudgetLimits): boolean {
  if (limits.runs_per_day === null || run.settings_sha256 !== null) return false;
  const started = events.find(({ type }) => type === 'run_started');
  const { run_of_day: number } = JSON.parse(started?.payload_json ?? '{}') as { run_of_day?: number };
  return number !== undefined && number > limits.runs_per_day;
}

/**
 * One reply a day says that the day's budget is spent, later mail of that day is recorded in silence: a budget that
 * is spent must not become a mail generator. A run that has begun to work always says what it did.
 */
export async function isSilencedByBudget(options: {
  state: LoopState;
  decision: EndDecision;
  store: Store;
  runId: string;
  day: string;
  now: number;
}): Promise<boolean> {
  const { state, decision, store, runId, day, now } = options;
  if (decision.decision !== 'FINAL_PARTIAL' || decision.reason !== 'budget') return false;
  if (state.budgetSpent === null || !OF_THE_DAY.has(state.budgetSpent)) return false;
  const isFirst = await store.markExhausted({ day, runId, now });
  return !isFirst && state.modelCalls === 0;
}
