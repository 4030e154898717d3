import { sql } from 'kysely';
import { contains } from '../../dialect.ts';
import { folded, indexed } from '../../search/fold.ts';
import { hasWords } from '../../search/full-text.ts';
import type { Reader } from '../persona/schema/tables.ts';
import { ROWS_OF_MESSAGE, SEQ_OF_ROW } from './write-index.ts';

const MAX_PHRASE = 60;
const PAGE = 100;

/**
 * Whether we have written a web address, or more of it, in a mail or a file, that its run had neither been asked about
 * nor read: then it was put together, and is no more anybody else's for being found again, wherever that is.
 */
export const wroteItself = async (db: Reader, url: string): Promise<boolean> =>
  (await wroteInFile(db, url)) || wroteInMail(db, url);

/** Tools by whose results an address comes from others. */
const READERS = sql.join(['web_fetch', 'web_search', 'read_attachment'].map((name) => sql.lit(name)));

/** By what was written, not by the file as it is: it may be another by now, or have gone out and come back. */
async function wroteInFile(db: Reader, url: string): Promise<boolean> {
  const bare = url.replace(/^\w+:\/\//, '').replace(/\/$/, '');
  const { rows } = await sql<{ found: number }>`
    select 1 as found from thread_tool_events w join runs r on r.id = w.run_id
    where w.event_type = 'tool_call' and w.tool_name in ('write_file', 'edit_file') and r.kind <> 'test'
      and ${contains(sql`lower(w.payload_json)`, sql`lower(${bare})`)}
      and not exists (select 1 from messages a where a.id = r.message and ${contains(sql`lower(a.text)`, sql`lower(${bare})`)})
      and not exists (select 1 from thread_tool_events e where e.run_id = w.run_id and e.event_type = 'tool_result'
        and e.tool_name in (${READERS}) and ${contains(sql`lower(e.payload_json)`, sql`lower(${bare})`)})
    limit 1`.execute(db);
  return rows.length > 0;
}

async function wroteInMail(db: Reader, url: string): Promise<boolean> {
  const bare = url.replace(/^\w+:\/\//, '').replace(/\/$/, '');
  const words = wordsOf(bare).slice(0, MAX_PHRASE);
  if (words.length === 0) return false;
  // Of words the index keeps the stem alone, and of the last one only the beginning may stand here: that is looked at below.
  const phrase = indexed((words.length > 1 ? words.slice(0, -1) : words).join(' '));
  const matching = `{subject own rest} : "${phrase}"${words.length > 1 ? '' : '*'}`;
  for (let before = Number.MAX_SAFE_INTEGER; ; ) {
    const { rows } = await sql<{ seq: number; subject: string; text: string }>`
      select m.seq, m.subject, m.text from mail_fts join messages m on m.seq = ${SEQ_OF_ROW}
      left join runs r on r.id = m.run_id
      where ${hasWords('mail_fts', matching)} and mail_fts.rowid < ${before} and m.direction = 'out'
        and not exists (select 1 from messages a where a.id = r.message and ${contains(sql`lower(a.text)`, sql`lower(${bare})`)})
        and not exists (select 1 from thread_tool_events e where e.run_id = m.run_id and e.event_type = 'tool_result'
          and e.tool_name in (${READERS}) and ${contains(sql`lower(e.payload_json)`, sql`lower(${bare})`)})
      order by mail_fts.rowid desc limit ${PAGE}`.execute(db);
    if (rows.some(({ subject, text }) => hasPhrase(subject, words) || hasPhrase(text, words))) return true;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return false;
    before = last.seq * ROWS_OF_MESSAGE;
  }
}

const wordsOf = (text: string): string[] => folded(text).match(/[\p{L}\p{N}]+/gu) ?? [];

/** The words side by side, whatever stands between them, and more of the last one. */
const hasPhrase = (text: string, words: readonly string[]): boolean =>
  ` ${wordsOf(text).join(' ')}`.includes(` ${words.join(' ')}`);
