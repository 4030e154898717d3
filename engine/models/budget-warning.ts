import type { Persona } from '../config/types.ts';
import { waitingNotice } from '../record/jobs/job-kinds.ts';
import type { Store } from '../storage/ports/store.ts';

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
