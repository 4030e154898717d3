import { sql } from 'kysely';
import type { FoundMessage, Viewer } from '../../types/mail.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import { isSeenBy } from '../repositories/viewers.ts';
import type { Reader, Trx } from './schema/tables.ts';

/** So many wait to be indexed before a run that ends indexes them. */
const WORTH_INDEXING = 16;
const INDEXED_WITH_A_RUN = 32;
const INDEXED_BEFORE_A_SEARCH = 2000;

/**
 * For a run that ends: adds what came since the last time to the full-text index once it is worth it. A message by
 * itself costs the index as much as all else of a mail does, one of many a tenth of that; a search adds the rest.
 */
export async function indexWaiting(trx: Trx): Promise<void> {
  await addToIndex(trx, { limit: INDEXED_WITH_A_RUN, least: WORTH_INDEXING });
}

/** Before a search: adds what is not in the index yet, oldest first. */
async function indexMessages(trx: Trx): Promise<void> {
  await addToIndex(trx, { limit: INDEXED_BEFORE_A_SEARCH, least: 1 });
}

const addToIndex = compiledQuery<{ limit: number; least: number }>()(
  (_: Reader, $) => sql`
    insert into messages_fts (rowid, subject, text)
    select seq, subject, text from messages
    where seq > (select coalesce(max(id), 0) from messages_fts_docsize)
      and (select max(seq) from messages) >= ${$.least} + (select coalesce(max(id), 0) from messages_fts_docsize)
    order by seq limit ${$.limit}`,
);

/**
 * Full-text search, newest first: ranking by bm25 would score every match of a common word, while newest-first
 * stops after `limit` rows. A viewer finds the messages that it sent or that were addressed to it.
 */
export async function searchMessages(
  trx: Trx,
  options: { query: string; limit: number; viewer: Viewer },
): Promise<FoundMessage[]> {
  const match = quoteTerms(options.query);
  if (match === '') return [];
  await indexMessages(trx);
  const { rows } = await sql<FoundMessage>`
    select m.message_id, m.thread_id, m.direction, m.from_address, m.subject, m.received_at,
      snippet(messages_fts, 1, '', '', '…', 24) as snippet
    from messages_fts join messages m on m.seq = messages_fts.rowid
    where messages_fts match ${match} and ${isSeenBy(options.viewer)}
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

/**
 * Whether we have written a mail in which a web address stands, or more of it, that its run had neither been asked
 * about nor read: then it was put together, and is no more anybody else's for being found again.
 */
export async function wroteInMail(trx: Trx, url: string): Promise<boolean> {
  const bare = url.replace(/^\w+:\/\//, '').replace(/\/$/, '');
  const words = bare
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .slice(0, MAX_PHRASE);
  if (words.length === 0) return false;
  await indexMessages(trx);
  const { rows } = await sql<{ one: number }>`
    select 1 as one from messages_fts join messages m on m.seq = messages_fts.rowid
    left join runs r on r.id = m.run_id
    where messages_fts match ${`"${words.join(' ')}"*`} and m.direction = 'out'
      and not exists (select 1 from messages a where a.id = r.message and instr(lower(a.text), lower(${bare})) > 0)
      and not exists (select 1 from thread_tool_events e where e.run_id = m.run_id and e.event_type = 'tool_result'
        and e.tool_name in ('web_fetch', 'read_attachment') and instr(lower(e.payload_json), lower(${bare})) > 0)
    limit 1`.execute(trx);
  return rows.length > 0;
}

const MAX_PHRASE = 60;
