import { sql } from 'kysely';
import { eachText } from '../../dialect.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import type { Reader, Trx } from '../persona/schema/tables.ts';

/** What stands in another mail's own name is not taken over: nobody's mail is to be read as ours. */
export async function learnMessageId(trx: Trx, messageId: string, other: string): Promise<void> {
  await sql`
    insert into other_ids (id, message_id) select ${other}, ${messageId}
    where not exists (select 1 from messages where message_id = ${other})
    on conflict do nothing`.execute(trx);
}

const idsOf = compiledQuery<{ ids: string }>()(
  (_: Reader, $) => sql<{ id: string; message_id: string }>`
    select id, message_id from other_ids where id in (select value from ${eachText($.ids, 'one')})`,
);

/** Each id as we know it, in the same order. */
export async function withOurIds(db: Reader, ids: readonly string[]): Promise<readonly string[]> {
  const { rows } = await idsOf(db, { ids: JSON.stringify(ids) });
  return ids.map((one) => rows.find(({ id }) => id === one)?.message_id ?? one);
}
