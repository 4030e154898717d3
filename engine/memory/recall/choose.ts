/** How much of a choice is that it fits; the rest is that it says something new. */
const LAMBDA = 0.7;

/**
 * The best of what was found that do not say the same (maximal marginal relevance, likeness by common words): three mails
 * that say one thing leave room for others. In the order in which they were chosen.
 */
export function chooseDiverse<Found extends { readonly score: number; readonly words: ReadonlySet<string> }>(
  found: readonly Found[],
  limit: number,
): readonly Found[] {
  const best = found.reduce((most, { score }) => Math.max(most, score), 0);
  const left = found.map((one) => ({ one, fits: best === 0 ? 0 : one.score / best, words: one.words, like: 0 }));
  const chosen: Found[] = [];
  while (chosen.length < limit && left.length > 0) {
    const worth = left.map(({ fits, like }) => LAMBDA * fits - (1 - LAMBDA) * like);
    const at = worth.indexOf(Math.max(...worth));
    const [next] = left.splice(at, 1);
    if (!next) break;
    chosen.push(next.one);
    for (const other of left) other.like = Math.max(other.like, likeness(other.words, next.words));
  }
  return chosen;
}

/** The share of the words of both that are in both. */
export function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let common = 0;
  for (const word of a) if (b.has(word)) common += 1;
  const all = a.size + b.size - common;
  return all === 0 ? 1 : common / all;
}
