import { sql } from 'kysely';
import type { MessageRow, Trx } from '../tables.ts';

export type FoundMessage = Pick<
  MessageRow,
  'message_id' | 'thread_id' | 'direction' | 'from_address' | 'subject' | 'received_at'
> & { snippet: string };

/**
 * Full-text search, newest first: ranking by bm25 would score every match of a common word, while newest-first
 * stops after `limit` rows. `participant` confines it to threads in which that address takes part.
 */
export async function searchMessages(
  trx: Trx,
  options: { query: string; limit: number; participant: string | null },
): Promise<FoundMessage[]> {
  const match = quoteTerms(options.query);
  if (match === '') return [];
  const seen =
    options.participant === null
      ? sql`1`
      : sql`exists (select 1 from thread_participants p where p.thread_id = m.thread_id and p.address = ${options.participant})`;
  const { rows } = await sql<FoundMessage>`
    select m.message_id, m.thread_id, m.direction, m.from_address, m.subject, m.received_at,
      snippet(messages_fts, 1, '', '', '…', 24) as snippet
    from messages_fts join messages m on m.seq = messages_fts.rowid
    where messages_fts match ${match} and ${seen}
    order by messages_fts.rowid desc limit ${options.limit}`.execute(trx);
  return rows;
}

/** Raw user text would be parsed as FTS5 syntax and throw; every word becomes a quoted term, all required. */
function quoteTerms(query: string): string {
  return query
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .slice(0, 20)
    .map((word) => `"${word.replaceAll('"', '""')}"`)
    .join(' ');
}
