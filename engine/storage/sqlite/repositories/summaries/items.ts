import { type RawBuilder, sql } from 'kysely';
import { asFlag } from '../../../dialect.ts';
import type { ItemsAsked, ThreadItem } from '../../../ports/memory/summaries.ts';
import type { Tier } from '../../../types/mail.ts';
import type { Reader } from '../../persona/schema/tables.ts';

/** Nobody proved to have written it, so nobody is told of it as anybody's. */
const UNPROVEN = sql.join([sql.lit('unauthenticated'), sql.lit('stranger')]);

/** What is to be forgotten, or said something that is. */
const isForgotten = (message: RawBuilder<unknown>, seq: RawBuilder<unknown>) => sql<boolean>`(
  exists (select 1 from forgotten_messages f where f.seq = ${seq})
  or exists (select 1 from facts f where f.source_message = ${message} and f.status = 'forgotten'))`;

interface ItemRow {
  readonly seq: number;
  readonly direction: 'in' | 'out';
  readonly from_address: string | null;
  readonly tier: Tier | null;
  readonly author: string | null;
  readonly others_words: number;
  readonly received_at: number;
  readonly text: string;
}

export async function threadItems(db: Reader, asked: ItemsAsked): Promise<readonly ThreadItem[]> {
  const { threadId, after, before, limit } = asked;
  const { rows } = await sql<ItemRow>`
    select m.seq, m.direction, m.from_address, m.received_at, coalesce(nullif(m.new_text, ''), m.text) as text,
      case m.direction when 'in' then m.tier else a.tier end as tier,
      lower(case m.direction when 'in' then m.from_address else a.from_address end) as author,
      ${asFlag(sql`case m.direction when 'in' then m.new_text = '' else (coalesce(m.clean, 0) = 0 or a.id is null) end`)} as others_words
    from messages m left join runs r on r.id = m.run_id and m.direction = 'out'
      left join messages a on a.id = r.message and a.direction = 'in'
    where m.thread_id = ${threadId} and m.seq > ${after} and m.seq < ${before}
      and coalesce(m.tier, '') not in (${UNPROVEN}) and coalesce(a.tier, '') not in (${UNPROVEN})
      and exists (select 1 from message_viewers v where v.thread_id = m.thread_id and v.seq = m.seq)
      and not ${isForgotten(sql.ref('m.id'), sql.ref('m.seq'))}
      and (a.id is null or not ${isForgotten(sql.ref('a.id'), sql.ref('a.seq'))})
    order by m.seq limit ${limit}`.execute(db);
  const readers = await readersOf(db, threadId, rows);
  return rows.map(({ others_words, received_at: at, from_address: from, ...row }) => ({
    ...row,
    from,
    at,
    othersWords: others_words === 1,
    viewers: readers.get(row.seq) ?? [],
  }));
}

async function readersOf(
  db: Reader,
  threadId: string,
  rows: readonly ItemRow[],
): Promise<ReadonlyMap<number, readonly string[]>> {
  const [first, last] = [rows[0]?.seq, rows.at(-1)?.seq];
  if (first === undefined || last === undefined) return new Map();
  const found = await db
    .selectFrom('message_viewers')
    .select(['seq', 'address'])
    .where('thread_id', '=', threadId)
    .where('seq', '>=', first)
    .where('seq', '<=', last)
    .execute();
  return new Map([...Map.groupBy(found, ({ seq }) => seq)].map(([seq, all]) => [seq, all.map((one) => one.address)]));
}
