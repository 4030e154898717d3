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

export type BudgetLimit = keyof BudgetLimits;

/**
 * Sets money aside before a model call. Returns the limit that stands in the way, `in_use` when only what other runs
 * have set aside does, or null once reserved. In one transaction with the check, so that fifty parallel runs cannot
 * all see the same free dollar.
 */
export async function reserve(
  trx: Trx,
  want: Reservation,
  limits: BudgetLimits,
): Promise<BudgetLimit | 'in_use' | null> {
  const run = await trx
    .selectFrom('runs')
    .select(['cost_usd', 'reserved_usd', 'input_tokens', 'output_tokens'])
    .where('id', '=', want.runId)
    .executeTakeFirstOrThrow();
  if (exceeds(run.cost_usd + want.usd, limits.usd_per_run)) return 'usd_per_run';
  if (exceeds(run.input_tokens + run.output_tokens + want.tokens, limits.tokens_per_run)) return 'tokens_per_run';
  if (limits.usd_per_day !== null) {
    const day = await trx.selectFrom('budget_days').selectAll().where('day', '=', want.day).executeTakeFirst();
    const wanted = (day?.usd ?? 0) + want.usd;
    if (exceeds(wanted, limits.usd_per_day)) return 'usd_per_day';
    if (exceeds(wanted + (day?.reserved_usd ?? 0) - run.reserved_usd, limits.usd_per_day)) return 'in_use';
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

/** Counts a run that begins and returns its number on that day, from 1. */
export async function countRun(trx: Trx, day: string): Promise<number> {
  await addToDay(trx, day, { runs: 1, tokens: 0, usd: 0, reservedUsd: 0 });
  return (await dayOf(trx, day))?.runs ?? 1;
}

/** Marks the day as spent; true for the first run that finds it so, also when that run asks again after a crash. */
export async function markExhausted(trx: Trx, spent: { day: string; runId: string; now: number }): Promise<boolean> {
  const { day, runId, now } = spent;
  await sql`
    insert into budget_days (day, exhausted_at, exhausted_by) values (${day}, ${now}, ${runId})
    on conflict (day) do update set exhausted_at = excluded.exhausted_at, exhausted_by = excluded.exhausted_by
      where exhausted_by is null`.execute(trx);
  return (await dayOf(trx, day))?.exhausted_by === runId;
}
