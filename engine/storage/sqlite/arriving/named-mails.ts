import { sql } from 'kysely';
import { asFlag, eachText } from '../../dialect.ts';
import type { ArrivalQuery, FoundThread } from '../../ports/mail.ts';
import type { StoredThread } from '../../types/mail.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import type { Reader, Trx } from '../persona/schema/tables.ts';

/** Of one thread: a conversation begins once, and whoever takes part in it could name any number. */
const MOST_OF_THREAD = 100;
const MOST_FOUND = 10;

type Row = StoredThread & { readonly role: FoundThread['role']; readonly named: number };

const threadsNaming = compiledQuery<{ ids: string; sender: string; limit: number }>()(
  (_: Reader, $) => sql<Row>`
    select t.*, p.role as role,
      ${asFlag(sql`exists (select 1 from message_viewers v where v.thread_id = t.id and v.address = ${$.sender})`)} as named
    from (select thread_id, min(place.key) as nearest from ${eachText($.ids, 'place')}
        join named_mails n on n.id = place.value
        group by thread_id order by nearest limit ${$.limit}) found
      join threads t on t.id = found.thread_id
      left join thread_participants p on p.thread_id = t.id and p.address = ${$.sender}
    order by found.nearest`,
);

/** Threads whose mails name a mail that this one names, or this one itself, nearest first; but for those known otherwise. */
export async function threadsByAncestor(
  db: Reader,
  { ancestors = [], sender, proven }: ArrivalQuery,
  known: readonly FoundThread[],
): Promise<readonly FoundThread[]> {
  // Nobody who is not proven joins anything.
  if (ancestors.length === 0 || !proven) return [];
  const { rows } = await threadsNaming(db, {
    ids: JSON.stringify(ancestors),
    sender: sender ?? '',
    limit: MOST_FOUND,
  });
  return rows
    .filter((row) => !known.some(({ id }) => id === row.id))
    .map((row) => ({ ...row, named: row.named === 1, by: 'ancestor' }));
}

const insertNames = compiledQuery<{ threadId: string; ids: string; most: number }>()(
  (_: Reader, $) => sql`
    insert into named_mails (id, thread_id)
    select lower(value), ${$.threadId} from ${eachText($.ids, 'one')}
    where not exists (select 1 from messages where message_id = value)
      and (select count(*) from named_mails where thread_id = ${$.threadId}) < ${$.most}
    on conflict do nothing`,
);

/** What a mail of the thread names and never came here. */
export async function nameMails(trx: Trx, threadId: string, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await insertNames(trx, { threadId, ids: JSON.stringify(ids), most: MOST_OF_THREAD });
}
