import type { Asker } from '../../policy/viewer.ts';
import type { MailStore } from '../../storage/ports/mail.ts';
import { comparedWords } from '../../storage/search/read-text.ts';
import { type Extent, extentOf } from '../../storage/search/snippet.ts';
import { type Term, termsOf } from '../../storage/search/terms.ts';
import type { Viewer } from '../../storage/types/mail.ts';
import type { Episode, LikelyEpisode } from '../../storage/types/recall.ts';
import { blockOf, type Excerpt, isForeign, type Recalled } from './block.ts';
import { chooseDiverse, likenessTo } from './choose.ts';

export type { Recalled, Source } from './block.ts';

const MAX_EPISODES = 8;
/** Among which they are chosen. */
export const LIKELY = 32;
const MAX_CHARS = 500;
/** What is as like the mail itself as this tells nothing that the mail does not. */
const SAME = 0.8;
/** What has less of what was asked about is there by chance. */
export const MIN_SHARE = 0.1;

export interface Recalling {
  readonly store: Pick<MailStore, 'likelyEpisodes' | 'episodesAt'>;
  /** With whose eyes earlier mail is looked at. */
  readonly viewer: Viewer;
  /** Whose words need nobody else's. */
  readonly asker: Asker;
  readonly mail: { readonly threadId: string; readonly text: string };
  /** What it is about (content-words.ts). */
  readonly words: readonly string[];
  readonly timezone: string;
  /** What it is known to be about besides: only this time where any mail is of it, and more words to look for. */
  readonly about?: { readonly from: number; readonly until: number; readonly words: readonly string[] } | null;
}

/**
 * What earlier mail of other threads may have to do with a mail: at most eight excerpts of 500 characters, each with one
 * mail that stands beside it. Null where there is none. Pure reading.
 */
export async function recall({
  store,
  viewer,
  asker,
  mail,
  words: own,
  timezone,
  about = null,
}: Recalling): Promise<Recalled | null> {
  // Whoever is only known sees their own thread alone, which is shown anyway; an unproven address sees nothing.
  if (viewer !== null && (viewer.address === '' || viewer.threadId !== null)) return null;
  const words = [...new Set([...own, ...(about?.words ?? [])])];
  if (words.length === 0) return null;
  const likely = await store.likelyEpisodes({
    ...{ words, viewer, exceptThread: mail.threadId },
    ...{ limit: LIKELY, minShare: MIN_SHARE },
  });
  const ofTime = about === null ? likely : await withinTime(likely, about, { store, viewer });
  const chosen = tellingOf(ofTime, mail.text, MAX_EPISODES);
  if (chosen.length === 0) return null;
  const episodes = await withBeside(chosen, async (seqs) =>
    (await store.episodesAt(seqs, viewer)).filter((episode) => !episode.taken_back),
  );
  return blockOf(excerptsOf(chosen, episodes, words), { foreignBy: (episode) => isForeign(episode, asker), timezone });
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
  { sources, timezone }: Pick<Recalled, 'sources' | 'timezone'>,
): Promise<Recalled> {
  const bySeq = new Map(sources.map((source) => [source.seq, source]));
  const episodes = await store.episodesAt([...bySeq.keys()], null);
  const there = new Map(episodes.map((episode) => [episode.seq, episode]));
  const excerpts = sources.flatMap(({ seq, extent, beside }): Excerpt[] => {
    const episode = there.get(seq);
    return episode ? [{ episode, extent, beside }] : [];
  });
  const gone = sources.length - excerpts.length;
  return blockOf(excerpts, { foreignBy: ({ seq }) => bySeq.get(seq)?.foreign ?? true, timezone, gone });
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

/** What follows a question may be its answer; what comes before anything else, what it is about. The other where that is not there. */
const besideOf = ({ asks, before, after }: LikelyEpisode): readonly [number | null, number | null] => {
  const [one, other] = asks ? [after, before] : [before, after];
  return one === null ? [other, null] : [one, other];
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

function excerptsOf(
  chosen: readonly LikelyEpisode[],
  episodes: readonly Episode[],
  words: readonly string[],
): readonly Excerpt[] {
  const bySeq = new Map(episodes.map((episode) => [episode.seq, episode]));
  let terms: readonly Term[] | null = null;
  const extentIn = (text: string): Extent => {
    // Most mails are shown whole.
    if (text.length <= MAX_CHARS - 2) return { from: 0, to: text.length };
    terms ??= termsOf(words.join(' '));
    return extentOf(text, terms, MAX_CHARS - 2);
  };
  const excerpts = new Map<number, Excerpt>();
  const add = (episode: Episode | undefined, beside: boolean) => {
    if (!episode || excerpts.has(episode.seq)) return;
    excerpts.set(episode.seq, { episode, extent: extentIn(episode.new_text), beside });
  };
  for (const { seq } of chosen) add(bySeq.get(seq), false);
  for (const one of chosen) {
    const [first, other] = besideOf(one);
    add(bySeq.get(first ?? -1) ?? bySeq.get(other ?? -1), true);
  }
  return [...excerpts.values()];
}
