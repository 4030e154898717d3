import { sql } from 'kysely';
import type { Trx } from '../tables.ts';

export interface BudgetLimits {
  readonly usd_per_run: number | null;
  readonly usd_per_day: number | null;
  readonly tokens_per_run: number | null;
  readonly runs_per_day: number | null;
}

export interface Reservation {
  readonly runId: string;
  readonly day: string;
  /** The most that the call can cost: its input tokens and max_output_tokens at list price. */
  readonly usd: number;
  readonly tokens: number;
}

/**
 * Sets money aside before a model call. Returns the limit that stands in the way, or null once reserved. In one
 * transaction with the check, so that fifty parallel runs cannot all see the same free dollar.
 */
export async function reserve(trx: Trx, want: Reservation, limits: BudgetLimits): Promise<keyof BudgetLimits | null> {
  const run = await trx
    .selectFrom('runs')
    .select(['cost_usd', 'reserved_usd', 'input_tokens', 'output_tokens'])
    .where('id', '=', want.runId)
    .executeTakeFirstOrThrow();
  if (exceeds(run.cost_usd + want.usd, limits.usd_per_run)) return 'usd_per_run';
  if (exceeds(run.input_tokens + run.output_tokens + want.tokens, limits.tokens_per_run)) return 'tokens_per_run';
  if (limits.usd_per_day !== null) {
    const day = await trx.selectFrom('budget_days').selectAll().where('day', '=', want.day).executeTakeFirst();
    if (exceeds((day?.usd ?? 0) + (day?.reserved_usd ?? 0) - run.reserved_usd + want.usd, limits.usd_per_day))
      return 'usd_per_day';
  }
  await trx.updateTable('runs').set({ reserved_usd: want.usd }).where('id', '=', want.runId).execute();
  await addToDay(trx, want.day, { runs: 0, tokens: 0, usd: 0, reservedUsd: want.usd - run.reserved_usd });
  return null;
}

const exceeds = (amount: number, limit: number | null) => limit !== null && amount > limit;

/** Replaces the run's reservation by what the call did cost. */
export async function settle(
  trx: Trx,
  spent: { runId: string; day: string; usd: number; tokens: number },
): Promise<void> {
  const run = await trx
    .selectFrom('runs')
    .select('reserved_usd')
    .where('id', '=', spent.runId)
    .executeTakeFirstOrThrow();
  if (run.reserved_usd !== 0) {
    await trx.updateTable('runs').set({ reserved_usd: 0 }).where('id', '=', spent.runId).execute();
  }
  if (spent.usd === 0 && spent.tokens === 0 && run.reserved_usd === 0) return;
  await addToDay(trx, spent.day, { runs: 0, tokens: spent.tokens, usd: spent.usd, reservedUsd: -run.reserved_usd });
}

export async function addToDay(
  trx: Trx,
  day: string,
  amount: { runs: number; tokens: number; usd: number; reservedUsd: number },
): Promise<void> {
  await sql`
    insert into budget_days (day, runs, tokens, usd, reserved_usd)
    values (${day}, ${amount.runs}, ${amount.tokens}, ${amount.usd}, ${amount.reservedUsd})
    on conflict (day) do update set runs = runs + excluded.runs, tokens = tokens + excluded.tokens,
      usd = usd + excluded.usd, reserved_usd = max(0, reserved_usd + excluded.reserved_usd)`.execute(trx);
}

export async function dayOf(trx: Trx, day: string) {
  return trx.selectFrom('budget_days').selectAll().where('day', '=', day).executeTakeFirst();
}

/** Marks the day as spent; true for the first run that finds it so. */
export async function markExhausted(trx: Trx, day: string, now: number): Promise<boolean> {
  const result = await trx
    .updateTable('budget_days')
    .set({ exhausted_at: now })
    .where('day', '=', day)
    .where('exhausted_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
