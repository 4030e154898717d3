import { sql } from 'kysely';
import type { KeptThreadMemory, ShownText, ThreadMemory } from '../../../ports/memory/summaries.ts';
import type { Viewer } from '../../../types/mail.ts';
import { compiledQuery } from '../../database/compiled-query.ts';
import { isShared } from '../../database/seen-by.ts';
import { sectionsOf } from '../../persona/schema/rows.ts';
import type { Reader, Row, Trx } from '../../persona/schema/tables.ts';
import { privateSince } from '../arrivals.ts';
import { securely } from '../facts/securely.ts';
import { threadItems } from './items.ts';

const memoryRow = compiledQuery<{ threadId: string }>()((db: Reader, $) =>
  db.selectFrom('thread_memory_states').selectAll().where('thread_id', '=', $.threadId),
);
const memorySeenBy = compiledQuery<{ threadId: string; address: string }>()(
  (_: Reader, $) => sql<Row<'thread_memory_states'>>`
    select s.* from thread_memory_states s join thread_memory_viewers v on v.thread_id = s.thread_id
    where s.thread_id = ${$.threadId} and v.address = ${$.address}`,
);

const memoryOf = (row: Row<'thread_memory_states'>): ThreadMemory => ({
  threadId: row.thread_id,
  sections: sectionsOf(row.sections_json),
  watermark: row.watermark,
  items: row.items,
  tier: row.tier,
  saidBy: row.said_by,
  othersWords: row.others_words === 1,
  updatedAt: row.updated_at,
});

export async function threadMemory(db: Reader, threadId: string, viewer: Viewer): Promise<ThreadMemory | undefined> {
  // An address that nobody proved is nobody's eyes, whatever rows there are.
  if (viewer?.address === '' || (viewer?.threadId ?? threadId) !== threadId) return undefined;
  const { rows } = await (viewer === null
    ? memoryRow(db, { threadId })
    : memorySeenBy(db, { threadId, address: viewer.address }));
  if (!rows[0] || !isShared(viewer)) return rows[0] && memoryOf(rows[0]);
  const told = new Set(await threadMemoryViewers(db, threadId));
  return viewer?.also?.every((address) => told.has(address.toLowerCase())) ? memoryOf(rows[0]) : undefined;
}

export async function threadMemories(db: Reader, limit: number): Promise<readonly ThreadMemory[]> {
  const found = db.selectFrom('thread_memory_states').selectAll().orderBy('updated_at', 'desc').limit(limit);
  return (await found.execute()).map(memoryOf);
}

export async function threadMemoryViewers(db: Reader, threadId: string): Promise<readonly string[]> {
  const found = db.selectFrom('thread_memory_viewers').select('address').where('thread_id', '=', threadId);
  return (await found.execute()).map(({ address }) => address);
}

/** Whether the mails that a summary was made of are still those that one would be made of, and it may be kept at all. */
async function isStillSo(trx: Trx, { state, asked, seqs }: NonNullable<KeptThreadMemory['memory']>): Promise<boolean> {
  if ((await privateSince(trx, state.threadId)) !== null) return false;
  const before = await threadMemory(trx, state.threadId, null);
  if ((before?.watermark ?? 0) !== asked.after) return false;
  const now = await threadItems(trx, asked);
  return seqs.every((seq, at) => seq === now[at]?.seq);
}

export async function keepThreadMemory(trx: Trx, memory: NonNullable<KeptThreadMemory['memory']>): Promise<void> {
  if (!(await isStillSo(trx, memory))) return;
  const { state, viewers } = memory;
  const { threadId: thread_id, sections, watermark, items, tier } = state;
  const values = {
    thread_id,
    sections_json: JSON.stringify(sections),
    watermark,
    items,
    tier,
    said_by: state.saidBy,
    others_words: state.othersWords ? 1 : 0,
    updated_at: state.updatedAt,
  };
  await securely(trx, async () => {
    await trx.deleteFrom('thread_memory_states').where('thread_id', '=', thread_id).execute();
    await trx.deleteFrom('thread_memory_viewers').where('thread_id', '=', thread_id).execute();
    await trx.insertInto('thread_memory_states').values(values).execute();
    const rows = viewers.map((address) => ({ thread_id, address }));
    if (rows.length > 0) await trx.insertInto('thread_memory_viewers').values(rows).execute();
  });
}

const insertShown = compiledQuery<{ row: Row<'shown_texts'> }>()((db: Reader, $) =>
  db
    .insertInto('shown_texts')
    .values($.row)
    .onConflict((conflict) => conflict.columns(['thread_id', 'sha256']).doNothing()),
);

export async function keepShown(trx: Trx, texts: readonly ShownText[]): Promise<void> {
  for (const { threadId: thread_id, sha256, text } of texts)
    await insertShown(trx, { row: { thread_id, sha256, text } });
}

export async function shownTexts(
  db: Reader,
  threadIds: readonly string[],
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (hashes.length === 0) return new Map();
  const found = db.selectFrom('shown_texts').select(['sha256', 'text']).where('sha256', 'in', hashes);
  const rows = await found.where('thread_id', 'in', [...threadIds, '']).execute();
  return new Map(rows.map(({ sha256, text }) => [sha256, text]));
}
