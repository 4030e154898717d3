import { sql } from 'kysely';
import { greatest } from '../../dialect.ts';
import type { BudgetLimit, BudgetLimits, Reservation, Reserved } from '../../types/budget.ts';
import type { StoredRun } from '../../types/runs.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import type { Reader, Trx } from '../persona/schema/tables.ts';

/**
 * Sets money aside before a model call: checked against the day as it was read, and written only while it still stands
 * so. Where not all fits that a model may answer with, half of what is free is granted: models may answer at a length
 * that nobody's budget was made for, and the next call wants something, too.
 */
export async function reserve(trx: Trx, want: Reservation, limits: BudgetLimits): Promise<Reserved> {
  const run = await trx
    .selectFrom('runs')
    .select(['id', 'cost_usd', 'input_tokens', 'output_tokens', 'reserved_usd', 'reserved_day'])
    .where('id', '=', want.runId)
    .executeTakeFirstOrThrow();
  // Left over from a call that a process died in, maybe on another day.
  await settle(trx, run, { day: want.day, usd: 0, tokens: 0 });
  for (;;) {
    const day = await dayOf(trx, want.day);
    const seen = { usd: day?.usd ?? 0, reserved: day?.reserved_usd ?? 0 };
    const usdPerDay = limits.usd_per_day === null ? null : limits.usd_per_day * (1 + (day?.extra ?? 0));
    const own = grantOf(
      want,
      { ...limits, usd_per_day: usdPerDay },
      {
        usd_per_run: run.cost_usd,
        tokens_per_run: run.input_tokens + run.output_tokens,
        usd_per_day: seen.usd,
        reserved: seen.reserved,
        reservedInTree: 0,
      },
    );
    const all = want.tree
      ? grantOf(want, want.tree, { ...(await treeOf(trx, run.id)), usd_per_day: 0, reserved: 0 })
      : own;
    const granted = stricter(own, all);
    if (granted === 'in_use' || 'spent' in granted) return granted;
    const { rows } = await setAside(trx, { day: want.day, granted: granted.usd, ...seen });
    if (rows.length === 0) continue;
    const patch = { reserved_usd: granted.usd, reserved_day: want.day };
    await trx.updateTable('runs').set(patch).where('id', '=', want.runId).execute();
    return granted;
  }
}

/** No row comes back where the day has changed since it was seen. */
const setAside = compiledQuery<{ day: string; granted: number; usd: number; reserved: number }>()(
  (_: Reader, $) => sql<{ day: string }>`
    insert into budget_days (day, reserved_usd) values (${$.day}, ${$.granted})
    on conflict (day) do update set reserved_usd = budget_days.reserved_usd + excluded.reserved_usd
      where budget_days.usd = ${$.usd} and budget_days.reserved_usd = ${$.reserved}
    returning day`,
);

type Used = Readonly<Record<'usd_per_run' | 'tokens_per_run' | 'usd_per_day', number>>;

/** What all runs that began with one mail have used, and have set aside just now. */
async function treeOf(trx: Trx, runId: string) {
  const { rows } = await sql<{ usd: number; tokens: number; reserved: number }>`
    with recursive above(id, parent) as (
      select id, parent_run_id from runs where id = ${runId}
      union select runs.id, runs.parent_run_id from runs join above on runs.id = above.parent
    ), tree(id) as (
      select id from above where parent is null
      union select runs.id from runs join tree on runs.parent_run_id = tree.id
    )
    select sum(cost_usd) as usd, sum(input_tokens + output_tokens) as tokens, sum(reserved_usd) as reserved
    from runs where id in (select id from tree)`.execute(trx);
  const { usd = 0, tokens = 0, reserved = 0 } = rows[0] ?? {};
  return { usd_per_run: usd, tokens_per_run: tokens, reservedInTree: reserved };
}

/** The one that grants less: nothing, then nothing now, then fewer tokens. */
function stricter(one: Reserved, other: Reserved): Reserved {
  if (one === other || (one !== 'in_use' && 'spent' in one)) return one;
  if (other !== 'in_use' && 'spent' in other) return other;
  if (one === 'in_use' || other === 'in_use') return 'in_use';
  return other.outputTokens < one.outputTokens ? other : one;
}

function grantOf(
  want: Reservation,
  limits: BudgetLimits,
  used: Used & { readonly reserved: number; readonly reservedInTree: number },
): Reserved {
  const tightest = tightestOf(want, limits, used);
  if (tightest.tokens < want.leastOutputTokens) return { spent: tightest.limit };
  const { limit, tokens: free } = tightestOf(want, limits, {
    ...used,
    usd_per_day: used.usd_per_day + used.reserved,
    usd_per_run: used.usd_per_run + used.reservedInTree,
  });
  if (free < want.leastOutputTokens) return 'in_use';
  const isWhole = free >= want.outputTokens;
  const outputTokens = isWhole ? want.outputTokens : Math.max(want.leastOutputTokens, Math.floor(free / 2));
  const usd = want.inputUsd + outputTokens * want.usdPerOutputToken;
  return { outputTokens, usd, capped: isWhole ? null : limit };
}

/** The limit that leaves the least room for output beside the input: how many tokens, negative where not even that. */
function tightestOf(
  want: Reservation,
  limits: BudgetLimits,
  used: Used,
): { readonly limit: BudgetLimit; readonly tokens: number } {
  const rooms = (['usd_per_run', 'tokens_per_run', 'usd_per_day'] as const).map((limit) => {
    const left = (limits[limit] ?? Number.POSITIVE_INFINITY) - used[limit];
    const tokens = limit === 'tokens_per_run' ? left - want.inputTokens : tokensFor(left - want.inputUsd, want);
    return { limit, tokens };
  });
  return rooms.reduce((least, room) => (room.tokens < least.tokens ? room : least));
}

/** A hair more than the division gives, so that an amount that fits exactly is not lost to rounding. */
function tokensFor(usd: number, { usdPerOutputToken }: Reservation): number {
  if (usdPerOutputToken > 0) return Math.floor(usd / usdPerOutputToken + 1e-6);
  return usd < 0 ? -1 : Number.POSITIVE_INFINITY;
}

/** A run with what it has set aside for its model call under way. */
export type Reserving = Pick<StoredRun, 'id' | 'reserved_usd' | 'reserved_day'>;

interface Paid {
  readonly day: string;
  readonly usd: number;
  readonly tokens: number;
}

/** Replaces the run's reservation by what the call did cost, on the day that it was made: midnight may lie between. */
export async function settle(trx: Trx, run: Reserving, { day, usd, tokens }: Paid): Promise<void> {
  if (run.reserved_usd !== 0) {
    await trx.updateTable('runs').set({ reserved_usd: 0, reserved_day: null }).where('id', '=', run.id).execute();
  }
  if (usd === 0 && tokens === 0 && run.reserved_usd === 0) return;
  await addToDay(trx, run.reserved_day ?? day, { runs: 0, tokens, usd, reservedUsd: -run.reserved_usd });
}

/** A model answered, and nobody wants the answer any more; it is paid all the same. */
export async function bookLate(
  trx: Trx,
  { runId, day, usd, tokens }: Paid & { readonly runId: string },
): Promise<void> {
  await addCost(trx, runId, usd);
  await addToDay(trx, day, { runs: 0, tokens, usd, reservedUsd: 0 });
}

export async function addCost(trx: Trx, runId: string, usd: number): Promise<void> {
  await trx
    .updateTable('runs')
    .set({ cost_usd: sql`cost_usd + ${usd}` })
    .where('id', '=', runId)
    .execute();
}

interface Amount {
  readonly runs: number;
  readonly tokens: number;
  readonly usd: number;
  readonly reservedUsd: number;
}

const addAmount = compiledQuery<Amount & { day: string }>()(
  (_: Reader, $) => sql`
    insert into budget_days (day, runs, tokens, usd, reserved_usd)
    values (${$.day}, ${$.runs}, ${$.tokens}, ${$.usd}, ${$.reservedUsd})
    on conflict (day) do update set runs = budget_days.runs + excluded.runs,
      tokens = budget_days.tokens + excluded.tokens, usd = budget_days.usd + excluded.usd,
      reserved_usd = ${greatest(sql`0`, sql`budget_days.reserved_usd + excluded.reserved_usd`)}`,
);

export async function addToDay(trx: Trx, day: string, amount: Amount): Promise<void> {
  await addAmount(trx, { day, ...amount });
}

const selectDay = compiledQuery<{ day: string }>()((db: Reader, $) =>
  db.selectFrom('budget_days').selectAll().where('day', '=', $.day),
);

export const dayOf = async (trx: Trx, day: string) => (await selectDay(trx, { day })).rows[0];

/** True once a day: its limits hold once more beside what they are. */
export async function extendDay(trx: Trx, day: string): Promise<boolean> {
  const { rows } = await sql<{ day: string }>`
    insert into budget_days (day, extra) values (${day}, 1)
    on conflict (day) do update set extra = 1 where budget_days.extra = 0 returning day`.execute(trx);
  return rows.length > 0;
}

const addRun = compiledQuery<{ day: string }>()(
  (_: Reader, $) => sql<{ runs: number }>`
    insert into budget_days (day, runs) values (${$.day}, 1) on conflict (day) do update set runs = budget_days.runs + 1
    returning runs`,
);

/** Counts a run that begins and returns its number on that day, from 1. */
export const countRun = async (trx: Trx, day: string): Promise<number> =>
  (await addRun(trx, { day })).rows[0]?.runs ?? 1;
