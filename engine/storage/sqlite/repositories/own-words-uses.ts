import { sql } from 'kysely';
import { HOUR_MS } from '../../../lib/time.ts';
import type { OwnWordsUse } from '../../types/budget.ts';
import type { Trx } from '../persona/schema/tables.ts';

/** So many acts within an hour, and so many deletions in one run; whatever is more, owners are asked about. */
export const MOST_BY_OWN_WORDS = { hour: 10, deletions: 5 } as const;

const KEEP_MS = 48 * HOUR_MS;
const MOST_AT_ONCE = 20;

/** In one transaction with the look at those before, so that calls side by side cannot all see the same free one. */
export async function use(trx: Trx, { runId, turn, callId, kind, at }: OwnWordsUse): Promise<boolean> {
  const own = await trx
    .selectFrom('own_words_uses')
    .select('call_id')
    .where('run_id', '=', runId)
    .where('turn', '=', turn)
    .where('call_id', '=', callId)
    .executeTakeFirst();
  if (own) return true;
  const uses = trx.selectFrom('own_words_uses').select((row) => row.fn.countAll<number>().as('count'));
  const { count: ofHour } = await uses.where('at', '>', at - HOUR_MS).executeTakeFirstOrThrow();
  if (ofHour >= MOST_BY_OWN_WORDS.hour) return false;
  const { count: deletions } = await uses
    .where('run_id', '=', runId)
    .where('kind', '=', 'undoable')
    .executeTakeFirstOrThrow();
  if (kind === 'undoable' && deletions >= MOST_BY_OWN_WORDS.deletions) return false;
  await prune(trx, at);
  await trx.insertInto('own_words_uses').values({ run_id: runId, turn, call_id: callId, kind, at }).execute();
  return true;
}

/** Deletes the rows of runs that are over; a run that waits for an owner may go on after days. */
async function prune(trx: Trx, now: number): Promise<void> {
  await sql`
    delete from own_words_uses where (run_id, turn, call_id) in (
      select u.run_id, u.turn, u.call_id from own_words_uses u left join runs on runs.id = u.run_id
      where u.at < ${now - KEEP_MS} and (runs.id is null or runs.status in ('done', 'failed', 'cancelled'))
      order by u.at limit ${MOST_AT_ONCE})`.execute(trx);
}
