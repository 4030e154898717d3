import { sql } from 'kysely';
import { contains, eachNumber, eachText, indexedBy } from '../../../dialect.ts';
import type { WrongAnswer } from '../../../ports/facts.ts';
import type { Fact, FactListing, FactReader } from '../../../types/facts.ts';
import { compiledQuery } from '../../database/compiled-query.ts';
import type { Reader, Row } from '../../persona/schema/tables.ts';
import { OF_ALL, OF_OWNERS, ofSubject, ofThread } from './change.ts';

const MAX_WORDS = 24;
/** A word that more facts have says little of any. */
const ROWS_OF_WORD = 50;

const factOf = ({ seq: _, ...fact }: Row<'facts'>): Fact => fact;

/** In force at `now`: neither replaced nor over, and settled. */
const isInForce = (now: unknown) =>
  sql<boolean>`f.status = 'kept' and f.superseded_by is null and (f.expires_at is null or f.expires_at > ${now})`;

/** What the reader may be shown, as a condition of a query over `facts f`. */
const isShownTo = ({ address, isOwner, threadId }: Shaped) => sql<boolean>`(
  ${isOwner} = 1 or f.visibility = 'persona'
  or (${address} <> '' and (
    (f.visibility = 'subject' and f.subject = ${address})
    or (f.visibility = 'thread' and f.thread_id = ${threadId} and exists (
      select 1 from messages m join message_viewers v on v.thread_id = m.thread_id and v.seq = m.seq
      where m.id = f.source_message and v.address = ${address})))))`;

interface Shaped {
  readonly address: unknown;
  readonly isOwner: unknown;
  readonly threadId: unknown;
}

interface OfReader {
  readonly address: string;
  readonly isOwner: number;
  readonly threadId: string | null;
  readonly now: number;
  readonly limit: number;
}

const shaped = ({ address, isOwner, threadId }: FactReader) => ({
  address: address.toLowerCase(),
  isOwner: isOwner ? 1 : 0,
  threadId,
});

const withWord = compiledQuery<{ reader: string; word: string; limit: number }>()(
  (_: Reader, $) => sql<{ fact: number }>`
    select fact from fact_words where reader = ${$.reader} and word = ${$.word} order by fact desc limit ${$.limit}`,
);

/** Facts by how many of the words they have; a word that many have counts less. */
async function byWords(
  db: Reader,
  readers: readonly string[],
  words: readonly string[],
): Promise<ReadonlyMap<number, number>> {
  const scores = new Map<number, number>();
  for (const reader of readers) {
    for (const word of words.slice(0, MAX_WORDS)) {
      const { rows } = await withWord(db, { reader, word, limit: ROWS_OF_WORD });
      for (const { fact } of rows) scores.set(fact, (scores.get(fact) ?? 0) + 1 / (1 + Math.log(rows.length)));
    }
  }
  return scores;
}

/** Read beyond the limit, since some of them are over by now. */
const SPARE = 3;

const best = (scores: ReadonlyMap<number, number>, count: number): readonly number[] =>
  [...scores]
    .sort(([a, ofA], [b, ofB]) => ofB - ofA || b - a)
    .slice(0, count)
    .map(([seq]) => seq);

const shownOf = compiledQuery<OfReader & { seqs: string }>()(
  (_: Reader, $) => sql<Row<'facts'>>`
    select f.* from ${eachNumber($.seqs, 'one')} join facts f on f.seq = one.value
    where ${isInForce($.now)} and ${isShownTo($)} order by one.key limit ${$.limit}`,
);
const newestShown = compiledQuery<OfReader & { subject: string }>()(
  (_: Reader, $) => sql<Row<'facts'>>`
    select f.* from facts f ${indexedBy('facts_live')}
    where f.subject = ${$.subject} and f.superseded_by is null and f.status <> 'forgotten'
      and ${isInForce($.now)} and ${isShownTo($)}
    order by f.seq desc limit ${$.limit}`,
);

interface Asked {
  readonly words: readonly string[];
  readonly now: number;
  readonly limit: number;
}

export async function factsFor(db: Reader, reader: FactReader, asked: Asked): Promise<Fact[]> {
  const { words, now, limit } = asked;
  const of = { ...shaped(reader), now, limit };
  const readers = reader.isOwner
    ? [OF_OWNERS, OF_ALL]
    : [
        ...(of.address === '' ? [] : [ofSubject(of.address)]),
        ...(of.address === '' || of.threadId === null ? [] : [ofThread(of.threadId)]),
        OF_ALL,
      ];
  const seqs = JSON.stringify(best(await byWords(db, readers, words), limit * SPARE));
  const found = (await shownOf(db, { ...of, seqs })).rows;
  const subjects = [...(of.address === '' ? [] : [of.address]), 'persona'];
  const rest = new Map(found.map((fact) => [fact.seq, fact]));
  for (const subject of subjects) {
    if (rest.size >= limit) break;
    for (const fact of (await newestShown(db, { ...of, subject })).rows) rest.set(fact.seq, fact);
  }
  return [...rest.values()].slice(0, limit).map(factOf);
}

const live = compiledQuery<{ subject: string; now: number; limit: number }>()(
  (_: Reader, $) => sql<Row<'facts'>>`
    select f.* from facts f ${indexedBy('facts_live')}
    where f.subject = ${$.subject} and f.superseded_by is null and f.status <> 'forgotten'
      and (f.expires_at is null or f.expires_at > ${$.now})
    order by f.seq desc limit ${$.limit}`,
);
const liveOf = compiledQuery<{ seqs: string; subject: string; now: number; limit: number }>()(
  (_: Reader, $) => sql<Row<'facts'>>`
    select f.* from ${eachNumber($.seqs, 'one')} join facts f on f.seq = one.value
    where f.subject = ${$.subject} and f.superseded_by is null and f.status <> 'forgotten'
      and (f.expires_at is null or f.expires_at > ${$.now})
    order by one.key limit ${$.limit}`,
);

/** By the engine alone, to compare: whoever reads them for somebody asks `factsFor`. */
export async function nearestFacts(db: Reader, subject: string, { words, now, limit }: Asked): Promise<Fact[]> {
  const scores = await byWords(db, [OF_OWNERS, OF_ALL], words);
  const seqs = JSON.stringify(best(scores, limit * SPARE));
  const found = (await liveOf(db, { seqs, subject, now, limit })).rows;
  const rest = found.length < limit ? (await live(db, { subject, now, limit })).rows : [];
  const near = new Map([...found, ...rest].map((fact) => [fact.seq, fact]));
  return [...near.values()].slice(0, limit).map(factOf);
}

const openDisputes = compiledQuery<{ limit: number }>()(
  (_: Reader, $) => sql<Row<'facts'>>`
    select f.* from facts f ${indexedBy('facts_disputed')}
    where f.status = 'disputed' and f.superseded_by is null order by f.seq desc limit ${$.limit}`,
);

/** For owners alone. */
export const disputedFacts = async (db: Reader, limit: number): Promise<Fact[]> =>
  (await openDisputes(db, { limit })).rows.map(factOf);

export async function factsByIds(db: Reader, ids: readonly string[]): Promise<Fact[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<Row<'facts'>>`
    select f.* from ${eachText(JSON.stringify(ids), 'one')} join facts f on f.id = one.value
    order by one.key`.execute(db);
  return rows.map(factOf);
}

export async function listFacts(db: Reader, { subject, status, all, after, limit, now }: FactListing): Promise<Fact[]> {
  let query = db.selectFrom('facts as f').selectAll('f').orderBy('f.seq', 'desc').limit(limit);
  if (subject !== undefined) query = query.where('f.subject', '=', subject.toLowerCase());
  if (status !== undefined) query = query.where('f.status', '=', status);
  else if (all !== true) query = query.where(isInForce(now));
  if (after !== undefined) {
    query = query.where('f.seq', '<', (eb) => eb.selectFrom('facts as a').select('a.seq').where('a.id', '=', after));
  }
  return (await query.execute()).map(factOf);
}

export async function countFacts(db: Reader, subject: string, now: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from facts f ${indexedBy('facts_live')}
    where f.subject = ${subject} and f.superseded_by is null and f.status <> 'forgotten'
      and (f.expires_at is null or f.expires_at > ${now})`.execute(db);
  return rows[0]?.count ?? 0;
}

const saidOf = compiledQuery<{ phrase: string; subject: string; limit: number }>()(
  (_: Reader, $) => sql<{ subject: string }>`
    select distinct subject from facts where phrase = ${$.phrase} and subject <> ${$.subject} limit ${$.limit}`,
);

export const countSayers = async (db: Reader, phrase: string, subject: string, limit: number): Promise<number> =>
  (await saidOf(db, { phrase, subject, limit })).rows.length;

/** Of a correction nobody waits long for an answer that is older than these runs. */
const RUNS_LOOKED_AT = 500;

export async function answersWith(db: Reader, fact: string): Promise<WrongAnswer[]> {
  // What a run was shown stands in its event; an id is no part of another one.
  const { rows } = await sql<{ message: string; address: string | null }>`
    select distinct m.id as message, m.seq, v.address
    from (select id, seq from runs where kind <> 'test' order by seq desc limit ${RUNS_LOOKED_AT}) r
    join run_events e on e.run_id = r.id and e.type = 'context_built'
    join messages m on m.run_id = r.id and m.direction = 'out'
    left join message_viewers v on v.thread_id = m.thread_id and v.seq = m.seq
    where ${contains(sql.ref('e.payload_json'), JSON.stringify(fact))}
    order by m.seq desc`.execute(db);
  const found = new Map<string, string[]>();
  for (const { message, address } of rows) {
    const recipients = found.get(message) ?? [];
    if (address !== null) recipients.push(address);
    found.set(message, recipients);
  }
  return [...found].map(([message, recipients]) => ({ message, recipients }));
}
