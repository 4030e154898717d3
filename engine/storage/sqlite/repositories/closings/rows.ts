import { sql } from 'kysely';
import { z } from 'zod';
import { parseJson } from '../../../../lib/json.ts';
import { asText, eachText, lookingUp } from '../../../dialect.ts';
import type { Closable, Closing, ClosingSearch, KeptClosing } from '../../../ports/memory/closings.ts';
import { closingWords, factWords } from '../../../search/fact-words.ts';
import { compiledQuery } from '../../database/compiled-query.ts';
import { isShared } from '../../database/seen-by.ts';
import type { Reader, Row, Trx } from '../../persona/schema/tables.ts';
import { privateSince } from '../arrivals.ts';
import { securely } from '../facts/securely.ts';
import { threadItems } from '../summaries/items.ts';
import { threadMemory } from '../summaries/rows.ts';

const words = z.array(z.string());

const closingRow = compiledQuery<{ threadId: string }>()((db: Reader, $) =>
  db.selectFrom('thread_closings').selectAll().where('thread_id', '=', $.threadId),
);

const closingFrom = (row: Row<'thread_closings'>): Closing => ({
  threadId: row.thread_id,
  text: row.text,
  watermark: row.watermark,
  items: row.items,
  tags: parseJson(words, row.tags_json),
  keywords: parseJson(words, row.keywords_json),
  tier: row.tier,
  saidBy: row.said_by,
  othersWords: row.others_words === 1,
  lastMailAt: row.last_mail_at,
  closedAt: row.closed_at,
});

export async function closingOf(db: Reader, threadId: string): Promise<Closing | undefined> {
  const [row] = (await closingRow(db, { threadId })).rows;
  return row && closingFrom(row);
}

export async function closingViewers(db: Reader, threadId: string): Promise<readonly string[]> {
  const found = db.selectFrom('thread_closing_viewers').select('address').where('thread_id', '=', threadId);
  return (await found.execute()).map(({ address }) => address);
}

/** A word that more of them have says little of any. */
const ROWS_OF_WORD = 300;
const MAX_WORDS = 24;
/** Of the best, so many are asked whether they may be seen. */
const LOOKED_AT = 200;

const withWord = compiledQuery<{ word: string; limit: number }>()(
  (_: Reader, $) => sql<{ thread_id: string }>`
    select thread_id from closing_words where word = ${$.word} limit ${$.limit}`,
);

const anyWord = compiledQuery<object>()(
  (_: Reader) => sql<{ one: number }>`select 1 as one from closing_words limit 1`,
);

interface Seen {
  readonly threads: string;
  readonly except: string;
  readonly address: string;
  readonly isOwner: number;
  readonly limit: number;
}
const seenOf = compiledQuery<Seen>()(
  (_: Reader, $) => sql<Row<'thread_closings'>>`
    select c.* from ${eachText($.threads, 'one')} ${lookingUp} thread_closings c on c.thread_id = one.value
    where c.thread_id <> ${$.except} and c.text <> ''
      and c.thread_id not in (select id from threads where private_since is not null)
      and (${$.isOwner} = 1 or exists (
        select 1 from thread_closing_viewers v where v.thread_id = c.thread_id and v.address = ${$.address}))
    order by one.key limit ${$.limit}`,
);

export async function findClosings(db: Reader, wanted: ClosingSearch): Promise<readonly Closing[]> {
  const { viewer, exceptThread, limit } = wanted;
  // Whoever is only known sees their own thread alone; an unproven address sees nothing, and several at once are recalled nothing.
  if (viewer !== null && (viewer.address === '' || viewer.threadId !== null || isShared(viewer))) return [];
  // Where nothing is summarised there are none, and a mail asks by some twenty words.
  if ((await anyWord(db, {})).rows.length === 0) return [];
  const asked = factWords(wanted.words.join(' ')).slice(0, MAX_WORDS);
  const found = new Map<string, { held: number; score: number }>();
  for (const word of asked) {
    const { rows } = await withWord(db, { word, limit: ROWS_OF_WORD + 1 });
    if (rows.length > ROWS_OF_WORD && asked.length > 1) continue;
    for (const { thread_id: id } of rows) {
      const { held, score } = found.get(id) ?? { held: 0, score: 0 };
      found.set(id, { held: held + 1, score: score + 1 / (1 + Math.log(rows.length)) });
    }
  }
  const least = Math.min(2, asked.length);
  const best = [...found].filter(([, { held }]) => held >= least).sort(([, a], [, b]) => b.score - a.score);
  if (best.length === 0) return [];
  const threads = JSON.stringify(best.slice(0, LOOKED_AT).map(([id]) => id));
  const address = viewer?.address ?? '';
  const of = { threads, except: exceptThread ?? '', address, isOwner: viewer === null ? 1 : 0, limit };
  return (await seenOf(db, of)).rows.map(closingFrom);
}

export async function threadsToClose(
  db: Reader,
  { before, below, scan }: { readonly before: number; readonly below: string | null; readonly scan: number },
): Promise<{ readonly threads: readonly Closable[]; readonly next: string | null }> {
  const { rows } = await sql<{ id: string; run: string | null }>`
    select t.id, case when t.updated_at < ${before} and t.private_since is null
        and (c.thread_id is null or c.last_mail_at is distinct from t.updated_at)
      then (select r.id from runs r where r.thread_id = t.id order by r.created_at desc limit 1) end as run
    from threads t left join thread_closings c on c.thread_id = t.id
    where (${asText(below)} is null or t.id < ${below}) order by t.id desc limit ${scan}`.execute(db);
  const threads = rows.flatMap(({ id, run }) => (run === null ? [] : [{ threadId: id, runId: run }]));
  return { threads, next: rows.length < scan ? null : (rows.at(-1)?.id ?? null) };
}

/** Whether what it was made of is what it would be made of now, and it may be kept at all. */
async function isStillSo(
  trx: Trx,
  { state, from, asked, seqs }: NonNullable<KeptClosing['closing']>,
): Promise<boolean> {
  if ((await privateSince(trx, state.threadId)) !== null) return false;
  if (((await closingOf(trx, state.threadId))?.watermark ?? 0) !== from.closing) return false;
  if (from.memory > 0 && (await threadMemory(trx, state.threadId, null))?.watermark !== from.memory) return false;
  const now = await threadItems(trx, asked);
  return seqs.every((seq, at) => seq === now[at]?.seq);
}

export async function keepClosing(trx: Trx, closing: NonNullable<KeptClosing['closing']>): Promise<void> {
  if (!(await isStillSo(trx, closing))) return;
  const { state, viewers } = closing;
  const { threadId: thread_id, text, tags, keywords, watermark, items, tier } = state;
  const row = {
    thread_id,
    text,
    tags_json: JSON.stringify(tags),
    keywords_json: JSON.stringify(keywords),
    watermark,
    items,
    tier,
    said_by: state.saidBy,
    others_words: state.othersWords ? 1 : 0,
    last_mail_at: state.lastMailAt,
    closed_at: state.closedAt,
  };
  const found = closingWords([...tags, ...keywords, text].join('\n'));
  await securely(trx, async () => {
    for (const table of ['thread_closings', 'thread_closing_viewers', 'closing_words'] as const)
      await sql`delete from ${sql.table(table)} where thread_id = ${thread_id}`.execute(trx);
    await trx.insertInto('thread_closings').values(row).execute();
    await sql`insert into thread_closing_viewers (thread_id, address)
      select ${thread_id}, value from ${eachText(JSON.stringify(viewers), 'one')}`.execute(trx);
    await sql`insert into closing_words (word, thread_id)
      select value, ${thread_id} from ${eachText(JSON.stringify(found), 'one')}`.execute(trx);
  });
}
