import { instantOf, wallAt } from '../lib/schedule/zone.ts';
import type { RunLog } from '../record/run-log.ts';
import type { LoopState } from '../record/state.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import type { BudgetLimit, BudgetLimits } from '../storage/types/budget.ts';

const OF_THE_DAY: ReadonlySet<BudgetLimit> = new Set<BudgetLimit>(['usd_per_day', 'runs_per_day']);
const DAY_MS = 86_400_000;

/** Whether a run that has not begun yet is one too many for its day; its number was given to it when it was claimed. */
export function isOverRunsPerDay(
  { run, log }: Pick<LoadedRun, 'run'> & { readonly log: RunLog },
  limits: BudgetLimits,
): boolean {
  if (limits.runs_per_day === null || run.settings_sha256 !== null) return false;
  const number = log.last('run_started')?.data.run_of_day;
  return number !== undefined && number > limits.runs_per_day;
}

/** A run that has done nothing yet waits for the next day's budget; one that has begun to work says what it did. */
export const waitsForMoney = (state: Pick<LoopState, 'modelCalls'>, spent: BudgetLimit): boolean =>
  state.modelCalls === 0 && OF_THE_DAY.has(spent);

/** When the day's budget begins anew in the persona's zone. */
export function nextBudgetAt(now: number, timezone: string): number {
  const wall = wallAt(timezone, now);
  return instantOf(timezone, wall - (((wall % DAY_MS) + DAY_MS) % DAY_MS) + DAY_MS);
}
