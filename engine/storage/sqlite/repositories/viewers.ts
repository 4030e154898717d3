import { sql } from 'kysely';
import { compiledQuery } from '../database/compiled-query.ts';
import { viewerKey } from '../database/seen-by.ts';
import type { Reader, Trx } from '../persona/schema/tables.ts';

/** Everybody else whom a mail names is told of it by whoever else named them; a list of thousands is no conversation. */
const MAX_VIEWERS = 500;

// One text: a list as long as its mail has viewers would be another statement for each length.
const insertRows = compiledQuery<{ threadId: string; seq: number; keys: string }>()(
  (_: Reader, $) => sql`
    insert into message_viewers (thread_id, address, seq)
    select ${$.threadId}, value, ${$.seq} from json_each(${$.keys})`,
);

/** Writes down who may see a message: as it was when it came or left, whoever joins the thread later. */
export async function addViewers(
  trx: Trx,
  message: { readonly threadId: string; readonly seq: number },
  addresses: readonly string[],
): Promise<void> {
  const keys = [...new Set(addresses.map(viewerKey))].filter((key) => key !== '').slice(0, MAX_VIEWERS);
  if (keys.length > 0) await insertRows(trx, { ...message, keys: JSON.stringify(keys) });
}
