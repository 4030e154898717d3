import { sql } from 'kysely';
import { termsOf } from '../../search/terms.ts';
import {
  type Clue,
  cluesOf,
  coarseScore,
  fineScore,
  type ReadText,
  readerFor,
  weightOf,
} from '../../search/windows.ts';
import type { EpisodeSearch, LikelyEpisode } from '../../types/recall.ts';
import { compiledQuery } from '../database/compiled-query.ts';
import type { Reader } from '../persona/schema/tables.ts';
import { MAX_WAITING, type Place, type PlacedText, placesAt, textsAt, waitingAfter } from './places.ts';
import { SEQ_OF_ROW } from './write-index.ts';

/** A word that stands in more mails than this tells too little for what it costs, where there are others. */
const COMMON = 300;
/** Of all words together. */
const MAX_HITS = 4000;
/** Words that are looked for in one statement: together they cannot have more. */
const AT_ONCE = Math.floor(MAX_HITS / (COMMON + 1));
/** Where there are none, the newest mails of so many common words are looked at. */
const MOST_COMMON = 2;
/** Mails of which it is asked at once whether they may be seen, and how often at the most. */
const CHUNK = 100;
const CHUNKS = 20;

// As one text: a row of its own for each number takes longer than to find it. A statement of its own for each word does, too.
const rowsHaving = compiledQuery<{ matching: string; limit: number }>()(
  (_: Reader, $) => sql<{ seqs: string | null }>`
    select (select group_concat(seq) from (
      select ${SEQ_OF_ROW} as seq from mail_fts where mail_fts match one.value order by rowid desc limit ${$.limit})) as seqs
    from json_each(${$.matching}) one`,
);
const extent = compiledQuery<object>()(
  (_: Reader) => sql<{ first: number; last: number }>`
    select coalesce((select min(seq) from mail_index), 0) as first,
      coalesce((select max(seq) from mail_index), 0) as last`,
);

/** Words that are known to be common: a mailbox only grows, and to count them again is what costs most. */
export interface CommonWords {
  has(expression: string): boolean;
  add(expression: string): void;
}

/** Where fewer mails have any of the words, common words are looked for as well. */
const FEW = 16;
const MAX_KNOWN = 5000;

export function commonWords(): CommonWords {
  const known = new Set<string>();
  return {
    has: (expression) => known.has(expression),
    add(expression) {
      if (known.size >= MAX_KNOWN) known.clear();
      known.add(expression);
    },
  };
}

/** What of the words there is: each with its weight, and as bits in which mails. */
interface Found {
  readonly clues: readonly Clue[];
  readonly weights: readonly number[];
  readonly bits: ReadonlyMap<number, number>;
}

/**
 * Earlier mail of other threads that has some of the words, best first. Pure reading: what came since the index was
 * written is read itself. Its cost does not grow with the mailbox: common words are left out.
 */
export async function likelyEpisodes(
  db: Reader,
  wanted: EpisodeSearch,
  common: CommonWords,
): Promise<readonly LikelyEpisode[]> {
  const clues = cluesOf(termsOf(wanted.words.join(' ')));
  if (clues.length === 0) return [];
  const { rows } = await extent(db, {});
  const { first, last } = rows[0] ?? { first: 0, last: 0 };
  const found = await having(db, clues, { mails: last - first + 1, common });
  if (found.clues.length === 0) return [];
  const bits = new Map(found.bits);
  const reading = readingFor(found.clues);
  for (const placed of await waitingTexts(db, wanted, last)) {
    const here = reading.of(placed).bits | reading.ofSubject(placed.subject);
    if (here !== 0) bits.set(placed.seq, here);
  }
  const places = await bestPlaces(db, wanted, { ...found, bits });
  return scored(db, wanted, { ...found, bits, places, reading });
}

/** The texts of one search, each read once. */
interface Reading {
  of(placed: Pick<PlacedText, 'seq' | 'text'>): ReadText;
  /** Which clues stand in it, as bits. */
  ofSubject(subject: string): number;
}

function readingFor(clues: readonly Clue[]): Reading {
  const read = readerFor(clues);
  const texts = new Map<number, ReadText>();
  const subjects = new Map<string, number>();
  return {
    of({ seq, text }) {
      const known = texts.get(seq) ?? read(text);
      texts.set(seq, known);
      return known;
    },
    ofSubject(subject) {
      const known = subjects.get(subject) ?? read(subject).bits;
      subjects.set(subject, known);
      return known;
    },
  };
}

async function having(
  db: Reader,
  clues: readonly Clue[],
  { mails, common }: { mails: number; common: CommonWords },
): Promise<Found> {
  const found = { clues: [] as Clue[], weights: [] as number[], bits: new Map<number, number>() };
  const left: Clue[] = [];
  let hits = 0;
  const take = (clue: Clue, seqs: readonly number[]) => {
    const bit = 1 << found.clues.length;
    for (const seq of seqs) found.bits.set(seq, (found.bits.get(seq) ?? 0) | bit);
    found.clues.push(clue);
    found.weights.push(weightOf(clue.share, seqs.length, mails));
    hits += seqs.length;
  };
  for (let from = 0; from < clues.length; from += AT_ONCE) {
    const some = clues.slice(from, from + AT_ONCE);
    const asked = hits >= MAX_HITS ? [] : some.filter((clue) => !common.has(matchingOf(clue)));
    const rows = await seqsHaving(db, asked);
    for (const clue of some) {
      const matching = matchingOf(clue);
      const isKnown = common.has(matching);
      const seqs = isKnown || hits >= MAX_HITS ? [] : (rows.get(clue) ?? []);
      if (isKnown || seqs.length > COMMON) {
        common.add(matching);
        left.push(clue);
      } else take(clue, seqs);
    }
  }
  // Long words are rarer than short ones as a rule.
  const longest = left.toSorted((a, b) => b.expression.length - a.expression.length).slice(0, MOST_COMMON);
  if (found.bits.size < FEW) for (const [clue, seqs] of await seqsHaving(db, longest)) take(clue, seqs);
  return found;
}

const matchingOf = ({ expression }: Clue): string => `{subject own} : ${expression}`;

/** The newest of the mails that have each, and one more than is common. */
async function seqsHaving(db: Reader, clues: readonly Clue[]): Promise<ReadonlyMap<Clue, readonly number[]>> {
  if (clues.length === 0) return new Map();
  const matching = JSON.stringify(clues.map(matchingOf));
  const { rows } = await rowsHaving(db, { matching, limit: COMMON + 1 });
  return new Map(clues.map((clue, at) => [clue, rows[at]?.seqs?.split(',').map(Number) ?? []]));
}

async function waitingTexts(db: Reader, wanted: EpisodeSearch, last: number) {
  const { rows } = await waitingAfter(db, { last, limit: MAX_WAITING });
  const seqs = rows.map(({ seq }) => seq);
  return textsAt(db, seqs, { ...wanted, limit: MAX_WAITING });
}

/** The mails that have most of it and that may be seen, newer ones first where two are alike. */
async function bestPlaces(db: Reader, wanted: EpisodeSearch, { weights, bits }: Found): Promise<readonly Place[]> {
  const byMask = Map.groupBy(bits.keys(), (seq) => bits.get(seq) ?? 0);
  const masks = [...byMask.keys()].map((mask) => ({ mask, sum: sumOf(weights, mask) })).sort((a, b) => b.sum - a.sum);
  const hits: number[] = [];
  for (const { mask } of masks) {
    hits.push(...(byMask.get(mask) ?? []).sort((a, b) => b - a));
    if (hits.length >= CHUNK * CHUNKS) break;
  }
  const places: Place[] = [];
  for (let chunk = 0; chunk < CHUNKS && places.length < wanted.limit; chunk += 1) {
    const seqs = hits.slice(chunk * CHUNK, (chunk + 1) * CHUNK);
    if (seqs.length === 0) break;
    places.push(...(await placesAt(db, seqs, { ...wanted, limit: wanted.limit - places.length })));
  }
  return places;
}

/** Of the clues of a mail together. */
const sumOf = (weights: readonly number[], mask: number): number =>
  weights.reduce((all, weight, at) => all + (mask & (1 << at) ? weight : 0), 0);

/** With what stands beside them, which may be what was meant: the best of all of these by their texts. */
async function scored(
  db: Reader,
  wanted: EpisodeSearch,
  { weights, bits, places, reading }: Found & { readonly places: readonly Place[]; readonly reading: Reading },
): Promise<readonly LikelyEpisode[]> {
  const seen = new Map<number, { before: number | null; after: number | null }>();
  for (const { seq, before, after } of places) {
    // Of what is seen only as a neighbour the other neighbour is not known, and need not be.
    if (before !== null && !seen.has(before)) seen.set(before, { before: null, after: seq });
    if (after !== null && !seen.has(after)) seen.set(after, { before: seq, after: null });
  }
  for (const { seq, before, after } of places) seen.set(seq, { before, after });
  const own = new Set(places.map(({ seq }) => seq));
  // Only by what may be seen is it known that something stands beside it.
  const bitsAt = (seq: number | null): number => (seq !== null && own.has(seq) ? (bits.get(seq) ?? 0) : 0);
  const bitsBeside = ({ before, after }: { before: number | null; after: number | null }) => ({
    before: bitsAt(before),
    after: bitsAt(after),
  });
  const likely = [...seen]
    .map(([seq, beside]) => ({
      seq,
      beside,
      coarse: coarseScore(weights, { own: bitsAt(seq), ...bitsBeside(beside) }),
    }))
    .sort((a, b) => b.coarse - a.coarse || b.seq - a.seq)
    .slice(0, wanted.limit);
  const texts = await textsAt(
    db,
    likely.map(({ seq }) => seq),
    { ...wanted, limit: wanted.limit },
  );
  const average = texts.reduce((sum, { length }) => sum + length, 0) / texts.length;
  const all = sumOf(weights, -1);
  const besideOf = new Map(likely.map(({ seq, beside }) => [seq, beside]));
  const readOf = new Map(texts.map((placed) => [placed.seq, reading.of(placed)]));
  return texts
    .map((placed): LikelyEpisode => {
      const { seq, length } = placed;
      const beside = besideOf.get(seq) ?? { before: null, after: null };
      const { times, words, bits: own } = reading.of(placed);
      const askedBefore = readOf.get(beside.before ?? -1)?.asked ?? 0;
      const counted = { own: times, subject: reading.ofSubject(placed.subject), askedBefore, ...bitsBeside(beside) };
      return {
        ...{ seq, ...beside, words, share: all === 0 ? 0 : sumOf(weights, own | askedBefore) / all },
        score: fineScore(weights, counted, { own: length, average }),
      };
    })
    .sort((a, b) => b.score - a.score || b.seq - a.seq);
}
