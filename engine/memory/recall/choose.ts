import type { Words } from '../../storage/types/recall.ts';
import { numbered } from './numbered.ts';

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
export function likenessTo(one: Words): (other: Words) => number {
  const own = new Set(one);
  return (other) => {
    let common = 0;
    for (let at = 0; at < other.length; at += 1) if (own.has(other[at] ?? 0)) common += 1;
    const all = own.size + other.length - common;
    return all === 0 ? 1 : common / all;
  };
}
