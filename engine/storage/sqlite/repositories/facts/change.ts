import { sql } from 'kysely';
import { asNumber, eachText, indexedBy } from '../../../dialect.ts';
import { factWords } from '../../../search/fact-words.ts';
import type { Fact, FactChange } from '../../../types/facts.ts';
import { compiledQuery } from '../../database/compiled-query.ts';
import type { Reader, Row, Trx } from '../../persona/schema/tables.ts';
import { markActive } from '../active/rows.ts';
import { privateSince } from '../arrivals.ts';
import { eraseSummaries } from '../summaries/erase.ts';
import { securely } from './securely.ts';

/** A fact's readers, as its words are looked for. */
export const OF_OWNERS = 'owner';
export const OF_ALL = 'all';
export const ofSubject = (address: string): string => `s:${address}`;
export const ofThread = (id: string): string => `t:${id}`;

const READERS: Readonly<Record<Fact['visibility'], (fact: Fact) => readonly string[]>> = {
  subject: ({ subject }) => [ofSubject(subject), OF_OWNERS],
  thread: ({ thread_id: id }) => (id === null ? [OF_OWNERS] : [ofThread(id), OF_OWNERS]),
  persona: () => [OF_ALL],
  owner: () => [OF_OWNERS],
};

const insertFact = compiledQuery<{ fact: Fact }>()((db: Reader, $) =>
  db.insertInto('facts').values($.fact).returning('seq'),
);
const insertWords = compiledQuery<{ readers: string; words: string; fact: number }>()(
  (_: Reader, $) => sql`
    insert into fact_words (reader, word, fact)
    select reader.value, word.value, ${$.fact} from ${eachText($.readers, 'reader')}, ${eachText($.words, 'word')}
    where true on conflict do nothing`,
);
const deleteWords = compiledQuery<{ readers: string; words: string; fact: number }>()(
  (_: Reader, $) => sql`
    delete from fact_words where (reader, word, fact) in (
      select reader.value, word.value, ${asNumber($.fact)} from ${eachText($.readers, 'reader')}, ${eachText($.words, 'word')})`,
);
const selectFact = compiledQuery<{ id: string }>()((db: Reader, $) =>
  db.selectFrom('facts').selectAll().where('id', '=', $.id),
);

const wordRows = (fact: Row<'facts'>) => ({
  readers: JSON.stringify(READERS[fact.visibility](fact)),
  words: JSON.stringify(factWords(`${fact.text}\n${fact.quote}`)),
  fact: fact.seq,
});

/** Lapsed candidates that each change deletes. */
const LAPSED_AT_ONCE = 50;

/**
 * Changes what is remembered. What is deleted on the way is overwritten with zeros, so that nothing lies in a free page
 * by the time somebody wants it forgotten.
 */
export async function changeFacts(trx: Trx, changes: readonly FactChange[]): Promise<void> {
  await securely(trx, async () => {
    for (const change of changes) await changeOne(trx, change);
  });
}

async function changeOne(trx: Trx, change: FactChange): Promise<void> {
  if (change.change === 'forget') return eraseFacts(trx, [change.id]);
  if (change.change === 'add') {
    await addFact(trx, change.fact, change.replaces);
    return markCorrected(trx, change);
  }
  const { id, refreshed_at, fresh_ms, expires_at, keep } = change;
  await trx
    .updateTable('facts')
    .set({ refreshed_at, fresh_ms, expires_at, ...(keep ? { status: 'kept' as const } : {}) })
    .where('id', '=', id)
    .where('status', '<>', 'forgotten')
    .execute();
}

async function addFact(trx: Trx, fact: Fact, replaces: string | null): Promise<void> {
  // It may have been made private since its mail was looked at.
  if (fact.thread_id !== null && (await isPrivate(trx, fact.thread_id))) return;
  const { rows } = await insertFact(trx, { fact });
  const [added] = rows;
  // A fact that was replaced already is not replaced again: its own successor stays the newest.
  const old = replaces === null ? undefined : (await selectFact(trx, { id: replaces })).rows[0];
  if (old && old.status !== 'forgotten' && old.superseded_by === null) {
    await trx
      .updateTable('facts')
      .set({ superseded_by: fact.id, valid_to: fact.valid_from })
      .where('id', '=', old.id)
      .execute();
    await deleteWords(trx, wordRows(old));
    await settleDisputes(trx, old.id, fact.id);
  }
  if (added) await insertWords(trx, wordRows({ ...fact, seq: added.seq }));
  if ([fact, old].some((row) => row?.visibility === 'persona')) await markActive(trx, fact.recorded_at);
  await dropLapsed(trx, fact.recorded_at);
}

/** They are recalled for nobody any more. One that was corrected before stays so by its first correction. */
async function markCorrected(trx: Trx, { fact, corrects = [] }: Extract<FactChange, { change: 'add' }>): Promise<void> {
  for (const message of corrects) {
    const row = { message, fact: fact.id, at: fact.recorded_at };
    await trx
      .insertInto('corrected_answers')
      .values(row)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

const isPrivate = async (trx: Trx, threadId: string): Promise<boolean> =>
  ((await privateSince(trx, threadId)) ?? null) !== null;

/** What contradicted the old row is settled by whatever took its place. */
async function settleDisputes(trx: Trx, replaced: string, by: string): Promise<void> {
  const { rows } = await sql<Row<'facts'>>`
    select * from facts ${indexedBy('facts_disputed')}
    where status = 'disputed' and superseded_by is null and disputes = ${replaced}`.execute(trx);
  for (const fact of rows) {
    await trx.updateTable('facts').set({ superseded_by: by }).where('seq', '=', fact.seq).execute();
    await deleteWords(trx, wordRows(fact));
  }
}

/** What was said once and never again, and that nobody asked to be kept, goes without a trace. */
async function dropLapsed(trx: Trx, now: number): Promise<void> {
  const { rows } = await sql<Row<'facts'>>`
    select * from facts where status = 'candidate' and expires_at <= ${now} limit ${LAPSED_AT_ONCE}`.execute(trx);
  for (const fact of rows) {
    await deleteWords(trx, wordRows(fact));
    await trx.deleteFrom('facts').where('seq', '=', fact.seq).execute();
  }
}

/** What is left of one: that this mail said something that is not to be remembered again. */
const BLANK: Partial<Fact> = {
  subject: '',
  text: '',
  quote: '',
  said_by: '',
  hash: '',
  phrase: '',
  thread_id: null,
  status: 'forgotten',
  superseded_by: null,
  disputes: null,
  source_message_id: null,
};

/**
 * Takes the words out of the rows, and writes both tables anew: their pages held copies of rows that were moved, which
 * no deletion reaches. That is a matter of some thousand rows, and nothing that a mail waits for.
 */
export async function eraseFacts(trx: Trx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await securely(trx, async () => {
    const all = await trx.selectFrom('facts').selectAll().orderBy('seq').execute();
    const gone = withReplaced(all, ids);
    if (!all.some(({ id }) => gone.has(id))) return;
    await sql`delete from facts`.execute(trx);
    await sql`delete from fact_words`.execute(trx);
    for (const fact of all) {
      const row = gone.has(fact.id) ? { ...fact, ...BLANK } : fact;
      await trx.insertInto('facts').values(row).execute();
      if (row.status !== 'forgotten' && row.superseded_by === null) await insertWords(trx, wordRows(row));
    }
    if (all.some(({ id, visibility }) => gone.has(id) && visibility === 'persona')) await markActive(trx, 0);
    // What a mail said that is forgotten may be told by the summary of its thread.
    const threads = all.flatMap(({ id, thread_id: thread }) => (gone.has(id) && thread !== null ? [thread] : []));
    await eraseSummaries(trx, threads);
  });
}

/** What was learned in a thread, and what was summarised of it, for it is private now. True: there was something. */
export async function eraseLearned(trx: Trx, threadId: string): Promise<boolean> {
  const rows = await trx.selectFrom('facts').select('id').where('thread_id', '=', threadId).execute();
  const ids = rows.map(({ id }) => id);
  await eraseFacts(trx, ids);
  return (await eraseSummaries(trx, [threadId])) || ids.length > 0;
}

/** Adds the facts that each replaced: whoever wants `moved to 11` forgotten does not want `at 9` back. */
function withReplaced(all: readonly Row<'facts'>[], ids: readonly string[]): ReadonlySet<string> {
  const gone = new Set(ids);
  // A row is older than its successor, so one way through from the newest finds them all.
  for (const { id, superseded_by: by } of all.toReversed()) if (by !== null && gone.has(by)) gone.add(id);
  return gone;
}

export const forgetsAny = (changes: readonly FactChange[] = []): boolean =>
  changes.some(({ change }) => change === 'forget');
