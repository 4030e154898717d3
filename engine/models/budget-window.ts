import type { Persona } from '../config/types.ts';
import { instantOf, wallAt } from '../lib/schedule/zone.ts';
import { DAY_MS } from '../lib/time.ts';
import { waitingNotice } from '../record/jobs/job-kinds.ts';
import type { RunLog } from '../record/run-log.ts';
import type { LoopState } from '../record/state.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import type { Store } from '../storage/ports/store.ts';
import type { BudgetLimit, BudgetLimits } from '../storage/types/budget.ts';

const OF_THE_DAY: ReadonlySet<BudgetLimit> = new Set<BudgetLimit>(['usd_per_day', 'runs_per_day']);

/** Whether a run that has not begun yet is one too many for its day; its number was given to it when it was claimed. */
export async function isOverRunsPerDay(
  {
    run,
    log,
    day,
    store,
  }: Pick<LoadedRun, 'run'> & {
    readonly log: RunLog;
    readonly day: string;
    readonly store: Pick<Store, 'budgetOfDay'>;
  },
  { runs_per_day: most }: BudgetLimits,
): Promise<boolean> {
  if (most === null || run.settings_sha256 !== null) return false;
  const number = log.last('run_started')?.data.run_of_day;
  if (number === undefined || number <= most) return false;
  return number > most * (1 + ((await store.budgetOfDay(day))?.extra ?? 0));
}

/** A run that has done nothing yet waits for the next day's budget; one that has begun to work says what it did. */
export const waitsForMoney = (state: Pick<LoopState, 'modelCalls'>, spent: BudgetLimit): boolean =>
  state.modelCalls === 0 && OF_THE_DAY.has(spent);

/** When the day's budget begins anew in the persona's zone. */
export function nextBudgetAt(now: number, timezone: string): number {
  const wall = wallAt(timezone, now);
  return instantOf(timezone, wall - (((wall % DAY_MS) + DAY_MS) % DAY_MS) + DAY_MS);
}

const NEARLY = 0.8;

/** Tells owners once a day when four fifths of the day's budget are spent, while there is time to raise it. */
export async function warnOfBudget(end: { persona: Persona; store: Store; day: string; now: number }): Promise<void> {
  const { persona, store, day, now } = end;
  const { usd_per_day: usd, runs_per_day: runs } = persona.budget;
  if (usd === null && runs === null) return;
  const spent = await store.budgetOfDay(day);
  if (!spent || spent.warned_at !== null) return;
  const isNear = (used: number, limit: number | null) => limit !== null && used < limit && used >= NEARLY * limit;
  if (!isNear(spent.usd, usd) && !isNear(spent.runs, runs)) return;
  const payload = { code: 'budget', window: day, near: true } as const;
  await store.warnOnce(day, now, waitingNotice.job({ id: `waiting_notice:budget_near:${day}`, due_at: now, payload }));
}
