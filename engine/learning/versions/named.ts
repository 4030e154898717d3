import type { PlaybookVersion } from '../../storage/types/learning/playbooks.ts';

export type RefProblem = 'INVALID_GRAMMAR' | 'NO_VERSIONS' | 'NOT_FOUND';

/** A version of a list with how its runs have gone. */
export interface RatedVersion {
  readonly version: PlaybookVersion;
  /** Null: too few. */
  readonly h: number | null;
}

/** The one that a person names: `latest`, `best`, `v3` or an id. Pure. */
export function versionNamed<Rated extends RatedVersion>(rated: readonly Rated[], ref: string): Rated | RefProblem {
  if (ref.trim() === '' || /[\s]/.test(ref)) return 'INVALID_GRAMMAR';
  if (rated.length === 0) return 'NO_VERSIONS';
  if (ref === 'latest') return rated.at(-1) ?? 'NO_VERSIONS';
  if (ref === 'best') return bestOf(rated) ?? 'NO_VERSIONS';
  const number = /^v(\d{1,9})$/.exec(ref)?.[1];
  if (/^v\d/.test(ref) && number === undefined) return 'INVALID_GRAMMAR';
  const found = rated.find(({ version }) =>
    number === undefined ? version.id === ref : version.number === Number(number),
  );
  return found ?? 'NOT_FOUND';
}

/** Whose runs have gone best, the newest of equals; null: there is none. */
function bestOf<Rated extends RatedVersion>(rated: readonly Rated[]): Rated | null {
  return rated.reduce<Rated | null>(
    (best, one) => (best === null || (one.h ?? -1) >= (best.h ?? -1) ? one : best),
    null,
  );
}

/**
 * Versions that are let go when one more is kept: the newest, the best, the pinned one and the parents of the best stay,
 * and of the others as many of the newest as there is room for. Pure.
 */
export function versionsToDrop(rated: readonly RatedVersion[], pinned: string | null, most: number): readonly string[] {
  const byId = new Map(rated.map((one) => [one.version.id, one.version]));
  const kept = new Set<string>(pinned === null ? [] : [pinned]);
  const newest = rated.at(-1)?.version.id;
  if (newest !== undefined) kept.add(newest);
  let ancestor = bestOf(rated)?.version;
  while (ancestor && !kept.has(ancestor.id)) {
    kept.add(ancestor.id);
    ancestor = ancestor.parent_id === null ? undefined : byId.get(ancestor.parent_id);
  }
  const others = rated.filter(({ version }) => !kept.has(version.id)).map(({ version }) => version.id);
  // One place is for the version that is about to come.
  const room = Math.max(0, most - 1 - kept.size);
  return others.slice(0, Math.max(0, others.length - room));
}

/** Lines that one text has and the other has not, in their order: `- ` of the first, `+ ` of the second. Pure. */
export function differenceOf(before: string, after: string): readonly string[] {
  const [from, to] = [before.split('\n'), after.split('\n')];
  const common = commonLines(from, to);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  for (const same of [...common, undefined]) {
    while (i < from.length && from[i] !== same) lines.push(`- ${from[i++]}`);
    while (j < to.length && to[j] !== same) lines.push(`+ ${to[j++]}`);
    [i, j] = [i + 1, j + 1];
  }
  return lines;
}

/** The longest row of lines that both have in this order. */
function commonLines(from: readonly string[], to: readonly string[]): readonly string[] {
  // By how many lines of `to` are used up: the longest row so far, and its lines as a chain.
  type Chain = { readonly line: string; readonly before: Chain; readonly length: number } | null;
  let best: Chain[] = new Array<Chain>(to.length + 1).fill(null);
  for (const line of from) {
    const next: Chain[] = [null];
    for (const [j, other] of to.entries()) {
      const before = best[j] ?? null;
      const [above, left] = [best[j + 1] ?? null, next[j] ?? null];
      const longer = (above?.length ?? 0) >= (left?.length ?? 0) ? above : left;
      next.push(line === other ? { line, before, length: (before?.length ?? 0) + 1 } : longer);
    }
    best = next;
  }
  const lines: string[] = [];
  for (let chain = best.at(-1) ?? null; chain !== null; chain = chain.before) lines.unshift(chain.line);
  return lines;
}
