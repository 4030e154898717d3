import { type ComparedText, readerFor } from '../../search/read-text.ts';
import { termsOf } from '../../search/terms.ts';
import { type Clue, cluesOf, coarseScore, fineScore, weightOf } from '../../search/windows.ts';
import type { Viewer } from '../../types/mail.ts';
import type { EpisodeSearch, LikelyEpisode } from '../../types/recall.ts';
import type { Reader } from '../persona/schema/tables.ts';
import { extentOf, type IndexExtent, mailsHaving, mailsNaming } from './having-words.ts';
import { type MailOfViewers, mailOfViewers } from './mail-of-viewer.ts';
import { MAX_WAITING, type PlacedText, placesAt, type ThreadPlace, textsAt } from './places.ts';

/** Of all words together. */
const MAX_HITS = 4000;
/** Where there are none, the newest mails of so many common words are looked at. */
const MOST_COMMON = 2;
/** So many of them that have one, of the newest that there are. */
const NEWEST_HAVING = 32;
const NEWEST = 20_000;
/** Mails of which it is asked at once whether they may be seen, and how often at the most. */
const CHUNK = 100;
/** Of the first ones hardly any is of the mail's own thread, private or to be forgotten. */
const FIRST_CHUNK = 40;
const CHUNKS = 20;

/** Where fewer mails have any of the words, common words are looked for as well. */
const FEW = 16;

/** What one look leaves for the next: whose mail is whose, and which mails have which words. */
interface Known {
  readonly words: KnownWords;
  readonly ofViewers: MailOfViewers;
}

export const nothingKnown = (): Known => ({ words: knownWords(), ofViewers: mailOfViewers() });

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
  known: Known,
): Promise<readonly LikelyEpisode[]> {
  const clues = cluesOf(termsOf(wanted.words.join(' ')));
  if (clues.length === 0) return [];
  const extent = await extentOf(db);
  const found = await having(db, clues, { viewer: wanted.viewer, extent, known });
  if (found.clues.length === 0) return [];
  const bits = new Map(found.bits);
  const reading = readingFor(found.clues);
  for (const placed of await textsAt(db, extent.waiting, { ...wanted, limit: MAX_WAITING })) {
    const here = reading.of(placed).bits | reading.ofSubject(placed.subject);
    if (here !== 0) bits.set(placed.seq, here);
  }
  const least = wanted.minShare * sumOf(found.weights, -1);
  const places = await bestPlaces(db, wanted, { ...found, bits, least });
  return places.length === 0 ? [] : scored(db, wanted, { ...found, bits, least, places, reading });
}

/** The texts of one search, each read once. */
interface Reading {
  of(placed: Pick<PlacedText, 'seq' | 'text'>): ComparedText;
  /** Which clues stand in it, as bits. */
  ofSubject(subject: string): number;
}

function readingFor(clues: readonly Clue[]): Reading {
  const read = readerFor(clues);
  const texts = new Map<number, ComparedText>();
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

/** The words that few mails have, and by which mails; where these are too few, the newest that have common ones. */
async function having(
  db: Reader,
  clues: readonly Clue[],
  { viewer, extent, known }: { viewer: Viewer; extent: IndexExtent; known: Known },
): Promise<Found> {
  const { last } = extent;
  const mails = last - extent.first + 1;
  const maySee = viewer === null ? null : await known.ofViewers.of(db, viewer.address, last);
  const seen = (seqs: readonly number[]) => (maySee === null ? seqs : seqs.filter(maySee));
  const found = { clues: [] as Clue[], weights: [] as number[], bits: new Map<number, number>() };
  const take = (clue: Clue, many: number, seqs: readonly number[]) => {
    const bit = 1 << found.clues.length;
    for (const seq of seqs) found.bits.set(seq, (found.bits.get(seq) ?? 0) | bit);
    found.clues.push(clue);
    found.weights.push(weightOf(clue.share, many, mails));
  };
  const left: (KnownWord & { readonly clue: Clue })[] = [];
  let hits = 0;
  for (const [clue, one] of await known.words.of(db, clues, extent)) {
    if (one.mails > COMMON || hits >= MAX_HITS) left.push({ clue, ...one });
    else {
      hits += one.mails;
      take(clue, one.mails, seen(one.seqs));
    }
  }
  if (found.bits.size >= FEW) return found;
  const rarest = left.sort((a, b) => a.mails - b.mails).slice(0, MOST_COMMON);
  const newest = rarest.map(({ clue, mails: many, seqs }) => ({
    clue,
    many,
    seqs: seen(seqs).slice(0, NEWEST_HAVING),
  }));
  const isEnough = newest.reduce((all, { seqs }) => all + seqs.length, found.bits.size) >= FEW;
  const theirs =
    isEnough || viewer === null
      ? null
      : await mailsNaming(
          db,
          newest.map(({ clue }) => clue),
          { address: viewer.address, limit: NEWEST_HAVING, after: last - NEWEST },
        );
  for (const { clue, many, seqs } of newest) take(clue, many, seen(theirs?.get(clue) ?? seqs));
  return found;
}

/** The mails that have most of it and that may be seen, newer ones first where two are alike. */
async function bestPlaces(
  db: Reader,
  wanted: EpisodeSearch,
  { weights, bits, least }: Found & { readonly least: number },
): Promise<readonly ThreadPlace[]> {
  const byMask = Map.groupBy(bits.keys(), (seq) => bits.get(seq) ?? 0);
  const masks = [...byMask.keys()].map((mask) => ({ mask, sum: sumOf(weights, mask) })).sort((a, b) => b.sum - a.sum);
  const most = masks[0]?.sum ?? 0;
  const hits: number[] = [];
  for (const { mask, sum } of masks) {
    // Not even with what was asked before it.
    if (sum + most < least) break;
    hits.push(...(byMask.get(mask) ?? []).sort((a, b) => b - a));
    if (hits.length >= CHUNK * CHUNKS) break;
  }
  const places: ThreadPlace[] = [];
  for (let from = 0, to = FIRST_CHUNK; from < hits.length && places.length < wanted.limit; from = to, to += CHUNK) {
    if (from >= CHUNK * CHUNKS) break;
    const seqs = hits.slice(from, to);
    places.push(...(await placesAt(db, seqs, { ...wanted, limit: wanted.limit - places.length })));
  }
  return places;
}

/** Of the clues of a mail together. */
function sumOf(weights: readonly number[], mask: number): number {
  let sum = 0;
  for (let at = 0; at < weights.length; at += 1) if (mask & (1 << at)) sum += weights[at] ?? 0;
  return sum;
}

/** With what stands beside them, which may be what was meant: the best of all of these by their texts. */
async function scored(
  db: Reader,
  wanted: EpisodeSearch,
  found: Found & { readonly least: number; readonly places: readonly ThreadPlace[]; readonly reading: Reading },
): Promise<readonly LikelyEpisode[]> {
  const { weights, bits, least, places, reading } = found;
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
    .filter(([seq, { before }]) => sumOf(weights, bitsAt(seq) | bitsAt(before)) >= least)
    .map(([seq, beside]) => ({
      seq,
      beside,
      coarse: coarseScore(weights, { own: bitsAt(seq), ...bitsBeside(beside) }),
    }))
    .sort((a, b) => b.coarse - a.coarse || b.seq - a.seq)
    .slice(0, wanted.limit);
  if (likely.length === 0) return [];
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
        seq,
        ...beside,
        words,
        asks: placed.text.includes('?'),
        share: all === 0 ? 0 : sumOf(weights, own | askedBefore) / all,
        score: fineScore(weights, counted, { own: length, average }),
      };
    })
    .sort((a, b) => b.score - a.score || b.seq - a.seq);
}

/** A word that stands in more mails than this tells too little for what it costs, where there are others. */
const COMMON = 300;
/** Of these, 5 MB at the most. */
const MAX_KNOWN = 2000;

/** A word and the mails that have it. */
interface KnownWord {
  /** In how many, when it was last looked for, which was when this was the newest one. */
  readonly mails: number;
  readonly last: number;
  /** The newest of them, whoever may see them. */
  readonly seqs: readonly number[];
}

/** Which mails have the words that were looked for, kept at hand: to find them again is what costs most. */
interface KnownWords {
  /** Of each clue, in how many mails it is, and the newest of these; of words that are known to be common, as it was. */
  of(db: Reader, clues: readonly Clue[], extent: IndexExtent): Promise<ReadonlyMap<Clue, KnownWord>>;
}

export function knownWords(): KnownWords {
  const words = new Map<string, KnownWord>();
  const seen = { state: '' };
  const keep = (clue: Clue, word: KnownWord): void => {
    if (words.size >= MAX_KNOWN) words.clear();
    words.set(clue.expression, word);
  };
  return {
    async of(db, clues, extent) {
      const state = JSON.stringify([extent.first, extent.version, extent.hidden]);
      // Other mails than newer ones came into it or were taken out.
      if (state !== seen.state) words.clear();
      seen.state = state;
      const counts = new Map<Clue, KnownWord>();
      const asked: Clue[] = [];
      for (const clue of clues) {
        const known = words.get(clue.expression);
        if (known && isFresh(known, extent.last)) counts.set(clue, known);
        else asked.push(clue);
      }
      const before = (clue: Clue) => words.get(clue.expression);
      for (const [clue, word] of await lookedUp(db, asked, { before, extent })) {
        counts.set(clue, word);
        keep(clue, word);
      }
      return counts;
    },
  };
}

/** The mails of words anew, and of those that were known before only the newer ones. */
async function lookedUp(
  db: Reader,
  clues: readonly Clue[],
  { before, extent }: { before(clue: Clue): KnownWord | undefined; extent: IndexExtent },
): Promise<readonly (readonly [Clue, KnownWord])[]> {
  const limit = COMMON + 1;
  const anew = await mailsHaving(
    db,
    clues.filter((clue) => !before(clue)),
    { limit, after: -1 },
  );
  const known = clues.flatMap((clue) => {
    const word = before(clue);
    return word ? [{ clue, word }] : [];
  });
  const newer = await mailsHaving(
    db,
    known.map(({ clue }) => clue),
    { limit, after: Math.min(...known.map(({ word }) => word.last)) },
  );
  const further = known.map(({ clue, word }) => {
    // The index may have grown between the look at its extent and the look for the word.
    const newest = Math.max(word.last, word.seqs[0] ?? -1);
    const seqs = [...(newer.get(clue) ?? []).filter((seq) => seq > newest), ...word.seqs].slice(0, limit);
    return [clue, wordOf(seqs, extent)] as const;
  });
  return [...[...anew].map(([clue, seqs]) => [clue, wordOf(seqs, extent)] as const), ...further];
}

function wordOf(seqs: readonly number[], { first, last }: IndexExtent): KnownWord {
  const mails = last - first + 1;
  // As often as in the newest mails, in all of them.
  const many = seqs.length > COMMON ? Math.round((seqs.length * mails) / (last - (seqs.at(-1) ?? 0) + 1)) : seqs.length;
  return { mails: many, last, seqs };
}

/** A common word until a fourth of the newest mails that have it are others; any other until there are newer mails. */
const isFresh = ({ last: then, seqs }: KnownWord, last: number): boolean =>
  then === last || (seqs.length > COMMON && (last - then) * 3 < then - (seqs.at(-1) ?? 0));
