import { type Insertable, sql } from 'kysely';
import { likeThis, wordsIn } from '../../../lib/text/likeness.ts';
import { HOUR_MS } from '../../../lib/time.ts';
import type { AlikeLetter, ArrivalQuery } from '../../ports/mail.ts';
import type { CountedLetter, NewCountedLetter } from '../../types/mail.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import type { PersonaTables, Reader, Trx } from '../persona/schema/tables.ts';

/** Nothing hangs on older ones. */
const KEPT_MS = 2 * HOUR_MS;
/** What strangers to each other wrote is compared where it has this many words: "Thank you very much" is everybody's. */
const WORDS = 6;

/**
 * The newest of the sender, of addresses like the sender's, and of all: a flood of others hides nobody's own. No row
 * is read of which there could be more for a longer history.
 */
const newestLike = compiledQuery<{ proven: number; sender: string; family: string }>()(
  (_: Reader, $) => sql<CountedLetter>`
    select * from counted_letters where seq in (
      select seq from (select seq from counted_letters
        where proven = ${$.proven} and sender = ${$.sender} order by seq desc limit 20) of_sender
      union select seq from (select seq from counted_letters
        where proven = ${$.proven} and family = ${$.family} order by seq desc limit 20) of_family
      union select seq from (select seq from counted_letters where proven = ${$.proven} order by seq desc limit 50) of_all)
    order by seq desc`,
);

/** Those that an arriving letter is counted with, as far as they make a difference now. */
export async function lettersLike(
  db: Reader,
  { counted, now }: Pick<ArrivalQuery, 'counted' | 'now'>,
): Promise<readonly AlikeLetter[]> {
  if (!counted) return [];
  const { proven, sender, family, subject, sketch, fastMs } = counted;
  const words = wordsIn(sketch);
  const isLike = likeThis(sketch);
  const { rows } = await newestLike(db, { proven, sender, family });
  return rows.flatMap((row) => {
    // A clock that was ahead and came back must not hold anybody for as long as it was ahead.
    if (Math.abs(now - row.at) >= KEPT_MS) return [];
    const fresh = row.replied_at !== null && Math.abs(now - row.replied_at) < fastMs;
    if (!fresh && row.state === 'answered') return [];
    const isFamily = row.family === family;
    // People whose addresses are alike are people, unless nobody is proven or they say the same.
    const own = row.sender === sender || (proven === 0 && isFamily);
    if (!own && !isFamily && words < WORDS) return [];
    const near = isLike(row.sketch);
    if (!own && !near) return [];
    const { proven: _, sender: __, family: ___, subject: of, sketch: ____, ...letter } = row;
    return [{ ...letter, own, near, sameSubject: of === subject, fresh }];
  });
}

const insertRow = compiledQuery<{ row: Insertable<PersonaTables['counted_letters']> }>()((db: Reader, $) =>
  db.insertInto('counted_letters').values($.row),
);
const dropOld = compiledQuery<{ before: number; ahead: number }>()(
  (_: Reader, $) => sql`
    delete from counted_letters where seq in (select seq from counted_letters order by seq limit 20)
      and (at < ${$.before} or at > ${$.ahead})`,
);

/** Each new one takes a few of the oldest away, so that they end without anybody who looks after them. */
export async function countLetter(trx: Trx, letter: NewCountedLetter, now: number): Promise<void> {
  await dropOld(trx, { before: now - KEPT_MS, ahead: now + KEPT_MS });
  // Whoever is told something has had an answer: what comes back at once is counted, too.
  await insertRow(trx, { row: { ...letter, at: now, replied_at: letter.told > 0 ? now : null } });
}

const markReplied = compiledQuery<{ runId: string; now: number }>()(
  (_: Reader, $) => sql`
    update counted_letters set replied_at = ${$.now}, in_row = case when state = 'later' then 0 else in_row end,
      pace = case when state = 'later' then 0 else pace end where run_id = ${$.runId}`,
);

/** Our answer to it was written. After a pause a row begins anew. */
export async function countReply(trx: Trx, runId: string, now: number): Promise<void> {
  await markReplied(trx, { runId, now });
}

/** An owner goes on with the thread: whoever was stopped in it is listened to again. */
export async function forgetStops(trx: Trx, threadId: string): Promise<void> {
  await stopsOf(trx, { threadId });
}

const stopsOf = compiledQuery<{ threadId: string }>()((db: Reader, $) =>
  db
    .deleteFrom('counted_letters')
    .where('thread_id', '=', $.threadId)
    .where('state', '=', sql.lit('stopped' as const)),
);
