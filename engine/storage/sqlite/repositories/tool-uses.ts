import { sql } from 'kysely';
import { HOUR_MS } from '../../../lib/time.ts';
import type { ToolLimitSpent, ToolUse, UseLimits } from '../../types/budget.ts';
import type { Trx } from '../persona/schema/tables.ts';

const KEEP_MS = 48 * HOUR_MS;
const MOST_AT_ONCE = 20;

/**
 * Counts a call against its limits, in one transaction with the check, so that calls side by side cannot all see the
 * same free one. The same call a second time is counted once. Without `reserves` it is only asked.
 */
export async function use(
  trx: Trx,
  wanted: ToolUse,
  limits: UseLimits,
  reserves: boolean,
): Promise<ToolLimitSpent | null> {
  await giveBack(trx, wanted);
  const own = await trx
    .selectFrom('tool_uses')
    .select('call_id')
    .where('run_id', '=', wanted.runId)
    .where('turn', '=', wanted.turn)
    .where('call_id', '=', wanted.callId)
    .executeTakeFirst();
  if (own) return null;
  const spent = await spentOf(trx, wanted, limits);
  if (spent || !reserves) return spent;
  await prune(trx, wanted.at);
  const { runId, fence, turn, callId, tool, sender, day, at } = wanted;
  await trx
    .insertInto('tool_uses')
    .values({ run_id: runId, fence, turn, call_id: callId, tool, sender, day, at })
    .execute();
  return null;
}

/** Set aside by a life of the run that ended before the call was on record. */
async function giveBack(trx: Trx, { runId, fence, turn, begun }: ToolUse): Promise<void> {
  const others = trx
    .deleteFrom('tool_uses')
    .where('run_id', '=', runId)
    .where('turn', '=', turn)
    .where('fence', '<>', fence);
  await (begun.length === 0 ? others : others.where('call_id', 'not in', begun)).execute();
}

async function spentOf(trx: Trx, wanted: ToolUse, limits: UseLimits): Promise<ToolLimitSpent | null> {
  const { runId, tool, day, sender, at } = wanted;
  const uses = trx.selectFrom('tool_uses').select((row) => row.fn.countAll<number>().as('count'));
  if (limits.perRun !== null) {
    const { count } = await uses.where('run_id', '=', runId).where('tool', '=', tool).executeTakeFirstOrThrow();
    if (count >= limits.perRun) return { limit: 'max_per_run' };
  }
  if (limits.perDay !== null) {
    const { count } = await uses.where('day', '=', day).where('tool', '=', tool).executeTakeFirstOrThrow();
    if (count >= limits.perDay) return { limit: 'max_per_day' };
  }
  if (limits.perSenderHour === null || sender === null) return null;
  const { count, oldest } = await trx
    .selectFrom('tool_uses')
    .select((row) => [row.fn.countAll<number>().as('count'), row.fn.min('at').as('oldest')])
    .where('sender', '=', sender)
    .where('at', '>', at - HOUR_MS)
    // Dated by a clock that was ahead, it is of no hour that can be waited for.
    .where('at', '<', at + HOUR_MS)
    .executeTakeFirstOrThrow();
  return count >= limits.perSenderHour ? { limit: 'calls_per_sender_per_hour', oldest: oldest ?? at } : null;
}

/** Deletes the rows of runs that are over; a run that waits for an owner may go on after days. */
async function prune(trx: Trx, now: number): Promise<void> {
  await sql`
    delete from tool_uses where id in (
      select tool_uses.id from tool_uses join runs on runs.id = tool_uses.run_id
      where tool_uses.at < ${now - KEEP_MS} and runs.status in ('done', 'failed', 'cancelled')
      order by tool_uses.at limit ${MOST_AT_ONCE})`.execute(trx);
}
