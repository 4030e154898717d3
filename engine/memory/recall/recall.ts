import { HOUR_MS } from '../../lib/time.ts';
import type { Asker } from '../../policy/viewer.ts';
import type { MailStore } from '../../storage/ports/mail.ts';
import { comparedWords } from '../../storage/search/read-text.ts';
import { type Extent, extentOf } from '../../storage/search/snippet.ts';
import { type Term, termsOf } from '../../storage/search/terms.ts';
import type { Viewer } from '../../storage/types/mail.ts';
import type { Episode, LikelyEpisode, Words } from '../../storage/types/recall.ts';
import { blockOf, type Excerpt, isForeign, type Recalled } from './block.ts';
import { SaidAlready } from './said-already.ts';

export type { Recalled, RecalledFrom } from './block.ts';

const MAX_EPISODES = 3;
/** Who wrote within this time knows it still, and open conversations are told of by themselves: it would push out what is forgotten. */
const JUST_NOW_MS = HOUR_MS;
/** Among which they are chosen. */
export const LIKELY = 32;
const MAX_CHARS = 200;
/** What is as like the mail itself as this tells nothing that the mail does not. */
const SAME = 0.8;
/** What has less of what was asked about is there by chance. */
export const MIN_SHARE = 0.1;

interface Recalling {
  readonly store: Pick<MailStore, 'likelyEpisodes' | 'episodesAt'>;
  /** With whose eyes earlier mail is looked at. */
  readonly viewer: Viewer;
  /** Whose words need nobody else's. */
  readonly asker: Asker;
  /** `at`: when it came, Unix ms. */
  readonly mail: { readonly threadId: string; readonly text: string; readonly at: number };
  /** What it is about (content-words.ts). */
  readonly words: readonly string[];
  readonly timezone: string;
  /** The run may open attachments of what it is shown. */
  readonly mayOpen?: boolean;
  /** What it is known to be about besides: only this time where any mail is of it, and more words to look for. */
  readonly about?: { readonly from: number; readonly until: number; readonly words: readonly string[] } | null;
}

/**
 * What earlier mail of other threads may have to do with a mail: at most three excerpts of 200 characters; one that
 * asks something comes with what stands beside it, which may be the answer. Null where there is none. Pure reading.
 */
export async function recall({
  store,
  viewer,
  asker,
  mail,
  words: own,
  timezone,
  mayOpen = false,
  about = null,
}: Recalling): Promise<Recalled | null> {
  // Whoever is only known sees their own thread alone, which is shown anyway; an unproven address sees nothing.
  if (viewer !== null && (viewer.address === '' || viewer.threadId !== null)) return null;
  const words = [...new Set([...own, ...(about?.words ?? [])])];
  if (words.length === 0) return null;
  const before = mail.at - JUST_NOW_MS;
  const likely = await store.likelyEpisodes({
    words,
    viewer,
    exceptThread: mail.threadId,
    limit: LIKELY,
    before,
    minShare: MIN_SHARE,
  });
  const ofTime = about === null ? likely : await withinTime(likely, about, { store, viewer });
  const chosen = tellingOf(ofTime, mail.text, MAX_EPISODES);
  if (chosen.length === 0) return null;
  const episodes = await withBeside(chosen, async (seqs) =>
    (await store.episodesAt(seqs, viewer)).filter((episode) => !episode.taken_back && episode.written_at < before),
  );
  const excerpts = excerptsOf(chosen, episodes, { words, mail: mail.text });
  return excerpts.length === 0
    ? null
    : blockOf(excerpts, { foreignBy: (episode) => isForeign(episode, asker), timezone, mayOpen });
}

/** Those of the mails that tell something that the mail itself does not. */
export function tellingOf(likely: readonly LikelyEpisode[], mail: string, limit: number): readonly LikelyEpisode[] {
  const likeness = likenessTo(comparedWords(mail));
  return chooseDiverse(
    likely.filter(({ share, words: own }) => share >= MIN_SHARE && likeness(own) < SAME),
    limit,
  );
}

/**
 * The same again, from what is on record of it and from the mail itself. What was forgotten since, or is private now, is
 * not in it any more: in its place stands that it was.
 */
export async function recalledAgain(
  store: Pick<MailStore, 'episodesAt'>,
  { sources, timezone, isBefore }: Pick<Recalled, 'sources' | 'timezone'> & { readonly isBefore: boolean },
): Promise<Recalled> {
  const bySeq = new Map(sources.map((source) => [source.seq, source]));
  const episodes = await store.episodesAt([...bySeq.keys()], null);
  const there = new Map(episodes.map((episode) => [episode.seq, episode]));
  const excerpts = sources.flatMap(({ seq, extent, beside }): Excerpt[] => {
    const episode = there.get(seq);
    return episode ? [{ episode, extent, beside }] : [];
  });
  const gone = sources.length - excerpts.length;
  return blockOf(excerpts, {
    foreignBy: ({ seq }) => bySeq.get(seq)?.foreign ?? true,
    charsOf: ({ seq }) => bySeq.get(seq)?.chars,
    timezone,
    gone,
    isBefore,
  });
}

/** What is of that time; all of it where nothing is. */
async function withinTime(
  likely: readonly LikelyEpisode[],
  { from, until }: NonNullable<Recalling['about']>,
  { store, viewer }: Pick<Recalling, 'store' | 'viewer'>,
): Promise<readonly LikelyEpisode[]> {
  const episodes = await store.episodesAt(
    likely.map(({ seq }) => seq),
    viewer,
  );
  const within = new Set(episodes.filter(({ written_at: at }) => at >= from && at < until).map(({ seq }) => seq));
  return within.size === 0 ? likely : likely.filter(({ seq }) => within.has(seq));
}

/** What follows a question may be its answer; where nothing does, what it is about came before. Anything else stands for itself. */
const besideOf = ({ asks, before, after }: LikelyEpisode): readonly [number | null, number | null] => {
  if (!asks) return [null, null];
  return after === null ? [before, null] : [after, before];
};

/** Those that were chosen, and of what stands beside each what is shown; the other where the viewer may not see that. */
async function withBeside(
  chosen: readonly LikelyEpisode[],
  episodesAt: (seqs: readonly number[]) => Promise<readonly Episode[]>,
): Promise<readonly Episode[]> {
  const wanted = new Set(chosen.flatMap((one) => [one.seq, besideOf(one)[0] ?? one.seq]));
  const episodes = await episodesAt([...wanted]);
  const there = new Set(episodes.map(({ seq }) => seq));
  const others = chosen.flatMap((one) => {
    const [first, other] = besideOf(one);
    return first === null || there.has(first) || other === null || wanted.has(other) ? [] : [other];
  });
  return others.length === 0 ? episodes : [...episodes, ...(await episodesAt([...new Set(others)]))];
}

/** What the mail or another excerpt says in the same words is not said again: it would be paid for and tell nothing. */
function excerptsOf(
  chosen: readonly LikelyEpisode[],
  episodes: readonly Episode[],
  { words, mail }: { readonly words: readonly string[]; readonly mail: string },
): readonly Excerpt[] {
  const bySeq = new Map(episodes.map((episode) => [episode.seq, episode]));
  let terms: readonly Term[] | null = null;
  const extentIn = (text: string): Extent => {
    // Most mails are shown whole.
    if (text.length <= MAX_CHARS - 2) return { from: 0, to: text.length };
    terms ??= termsOf(words.join(' '));
    return extentOf(text, terms, MAX_CHARS - 2);
  };
  const said = new SaidAlready();
  said.add(mail);
  const excerpts = new Map<number, Excerpt>();
  const add = (episode: Episode | undefined, beside: boolean) => {
    // Said again it tells nothing more.
    const isShown =
      beside && [...excerpts.values()].some(({ episode: { new_text } }) => new_text === episode?.new_text);
    if (!episode || excerpts.has(episode.seq) || isShown) return;
    const { new_text: text, seq } = episode;
    const extent = said.newIn(text, extentIn(text));
    if (extent === null) return;
    said.add(text.slice(extent.from, extent.to));
    excerpts.set(seq, { episode, extent, beside });
  };
  for (const { seq } of chosen) add(bySeq.get(seq), false);
  for (const one of chosen) {
    const [first, other] = besideOf(one);
    // Of a question that only says what the mail says, the answer stands for itself.
    add(bySeq.get(first ?? -1) ?? bySeq.get(other ?? -1), excerpts.has(one.seq));
  }
  return [...excerpts.values()];
}

/** How much of a choice is that it fits; the rest is that it says something new. */
const LAMBDA = 0.5;

/**
 * The best of what was found that do not say the same (maximal marginal relevance). What is new in a mail are its words
 * that nothing chosen has; a word of few of those that were found tells more than one of all. So what everybody writes
 * leaves room for what only one mail says. In the order in which they were chosen.
 */
export function chooseDiverse<Found extends { readonly score: number; readonly words: Words }>(
  found: readonly Found[],
  limit: number,
): readonly Found[] {
  const { of: numbers, many } = numbered(found.map(({ words }) => words));
  const telling = many.map((one) => Math.log(1 + found.length / one));
  const best = found.reduce((most, { score }) => Math.max(most, score), 0);
  const fits = found.map(({ score }) => (best === 0 ? 0 : score / best));
  const newsOf = (words: Int32Array): number => {
    let news = 0;
    for (let at = 0; at < words.length; at += 1) news += telling[words[at] ?? 0] ?? 0;
    return news;
  };
  const news = numbers.map(newsOf);
  const average = news.reduce((sum, one) => sum + one, 0) / Math.max(1, found.length);
  const worthOf = (at: number): number => {
    const much = news[at] ?? 0;
    return LAMBDA * (fits[at] ?? 0) + (1 - LAMBDA) * (much <= 0 ? 0 : much / (much + average));
  };
  /** As they were when they were last looked at: with each choice they can only become less. */
  const worth = Float64Array.from(numbers, (_, at) => worthOf(at));
  const lookedAt = new Int32Array(numbers.length);
  const chosen: number[] = [];
  const most = Math.min(limit, found.length);
  while (chosen.length < most) {
    const next = largest(worth);
    if (lookedAt[next] === chosen.length) {
      chosen.push(next);
      worth[next] = GONE;
      // Its words are new in no other any more.
      for (const word of numbers[next] ?? EMPTY) telling[word] = 0;
    } else {
      news[next] = newsOf(numbers[next] ?? EMPTY);
      worth[next] = worthOf(next);
      lookedAt[next] = chosen.length;
    }
  }
  return chosen.flatMap((at) => found[at] ?? []);
}

const EMPTY = new Int32Array();
const GONE = -1;

/** Where the first of the largest stands. */
function largest(worth: Float64Array): number {
  let most = 0;
  for (let at = 1; at < worth.length; at += 1) if ((worth[at] ?? GONE) > (worth[most] ?? GONE)) most = at;
  return most;
}

/** The share of the words of both that are in both. */
function likenessTo(one: Words): (other: Words) => number {
  const own = new Set(one);
  return (other) => {
    let common = 0;
    for (let at = 0; at < other.length; at += 1) if (own.has(other[at] ?? 0)) common += 1;
    const all = own.size + other.length - common;
    return all === 0 ? 1 : common / all;
  };
}

/** A table of numbers, emptied by counting on: to make one anew for each choice would cost more than to use it. */
let slots = new Int32Array(4096);
let takenBy = new Int32Array(4096);
let places = new Int32Array(4096);
const round = { number: 0 };

function emptied(least: number): number {
  if (slots.length < least) {
    const size = 2 ** Math.ceil(Math.log2(least));
    [slots, takenBy, places] = [new Int32Array(size), new Int32Array(size), new Int32Array(size)];
  }
  round.number += 1;
  return slots.length - 1;
}

/** The words of each as places from 0 on, and of each place in how many it stands. */
function numbered(texts: readonly Words[]): { readonly of: readonly Int32Array[]; readonly many: Float64Array } {
  const all = texts.reduce((sum, words) => sum + words.length, 0);
  const mask = emptied(all * 2);
  const many = new Float64Array(all);
  let next = 0;
  const placeOf = (word: number): number => {
    let slot = (word ^ (word >>> 15)) & mask;
    while (takenBy[slot] === round.number) {
      if (slots[slot] === word) return places[slot] ?? 0;
      slot = (slot + 1) & mask;
    }
    takenBy[slot] = round.number;
    slots[slot] = word;
    places[slot] = next;
    next += 1;
    return next - 1;
  };
  const of = texts.map((words) => {
    const own = new Int32Array(words.length);
    for (let at = 0; at < words.length; at += 1) {
      const place = placeOf(words[at] ?? 0);
      own[at] = place;
      many[place] = (many[place] ?? 0) + 1;
    }
    return own;
  });
  return { of, many: many.subarray(0, next) };
}
