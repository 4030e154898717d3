import { sql } from 'kysely';
import type { Gather, GatheredKind, GatheredNotices, MadeJob, NewJob, ToldGathered } from '../../types/jobs.ts';

import type { Trx } from '../persona/schema/tables.ts';

const GATHERED_MS = 3_600_000;

/**
 * The notice that is to be written. Who can make the gateway write one notice could make it write thousands, so the
 * first of a kind is written at once, and what comes within the hour after it is only counted: at the end of the hour
 * one notice tells how many and shows the newest. Its job is asked for each time, since one that fails for long is
 * given up.
 */
export async function gatherNotice(
  trx: Trx,
  notice: Omit<NewJob, 'gather'>,
  { kind, later }: Gather,
): Promise<Omit<NewJob, 'gather'>> {
  const now = notice.due_at;
  const row = await gatheredOf(trx, kind);
  // Since before the clock was set back is no hour to wait for.
  const isOver = !row || now - row.since >= GATHERED_MS || now < row.since;
  if (isOver && (row?.count ?? 0) === 0) {
    await putGathered(trx, { kind, since: now, count: 0, first_at: null, newest_json: null });
    return notice;
  }
  const since = row?.since ?? now;
  await trx
    .updateTable('gathered_notices')
    .set({
      count: sql`count + 1`,
      first_at: sql`coalesce(first_at, ${now})`,
      newest_json: `{"notice":${notice.payload}}`,
    })
    .where('kind', '=', kind)
    .execute();
  return later({ kind, since, dueAt: since + GATHERED_MS });
}

const DAY_MS = 24 * GATHERED_MS;

/** What a persona made in answers to others, where no owner was asked: counted, and told once a day, or beside another answer. */
export async function gatherMade(
  trx: Trx,
  { made, told, now }: { readonly made?: MadeJob; readonly told?: ToldGathered; readonly now: number },
): Promise<readonly NewJob[]> {
  const counted = made ? await countMade(trx, made, now) : null;
  const left = told ? await tellGathered(trx, told) : null;
  return [counted, left].filter((notice) => notice !== null);
}

async function countMade(trx: Trx, { count, later }: MadeJob, now: number): Promise<NewJob> {
  const kind = 'made_for_others';
  const before = await gatheredOf(trx, kind);
  const since = before && before.count > 0 ? before.since : now;
  const row = {
    kind,
    since,
    count: (before?.count ?? 0) + count,
    first_at: before?.first_at ?? now,
    newest_json: null,
  } as const;
  await putGathered(trx, row);
  return later({ kind, since, dueAt: since + DAY_MS });
}

const putGathered = (trx: Trx, row: GatheredNotices) =>
  trx
    .insertInto('gathered_notices')
    .values(row)
    .onConflict((conflict) => conflict.column('kind').doUpdateSet(row))
    .execute();

export const gatheredOf = (trx: Trx, kind: GatheredKind): Promise<GatheredNotices | undefined> =>
  trx.selectFrom('gathered_notices').selectAll().where('kind', '=', kind).executeTakeFirst();

/** What was gathered is being told: a new hour begins. The notice about what came while it was written, if anything. */
export async function tellGathered(trx: Trx, { kind, later, count, now }: ToldGathered): Promise<NewJob | null> {
  const row = await gatheredOf(trx, kind);
  const left = Math.max(0, (row?.count ?? 0) - count);
  const rest = left === 0 ? { first_at: null, newest_json: null } : { first_at: now };
  await trx
    .updateTable('gathered_notices')
    .set({ since: now, count: left, ...rest })
    .where('kind', '=', kind)
    .execute();
  return left === 0 ? null : later({ kind, since: now, dueAt: now + GATHERED_MS });
}
