import { indexed } from '../../storage/search/fold.ts';

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const DIGIT = /\p{N}/u;
/** Nothing but its figures differs, and a figure is what a fact is about. */
const OTHER_FIGURES = 0.9;

/**
 * How much two claims say the same, 0 to 1: the share of words that they have in common, each as often as it stands
 * there. Claims with other figures (`at 9`, `at 11`) are never the same.
 */
export function similarity(a: string, b: string): number {
  const [left, right] = [countsOf(a), countsOf(b)];
  const total = sum(left) + sum(right);
  if (total === 0) return 0;
  let common = 0;
  for (const [word, count] of left) common += Math.min(count, right.get(word) ?? 0);
  const share = (2 * common) / total;
  return figures(left) === figures(right) ? share : Math.min(share, OTHER_FIGURES);
}

function countsOf(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of indexed(text.slice(0, 2000)).match(WORD) ?? []) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((all, one) => all + one, 0);

const figures = (counts: ReadonlyMap<string, number>): string =>
  [...counts.keys()]
    .filter((word) => DIGIT.test(word))
    .sort()
    .join(' ');
