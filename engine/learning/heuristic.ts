import type { JudgedOutcome, PlaybookInForce, PlaybookMode } from '../storage/types/learning/playbooks.ts';

/** How many of the newest outcomes count, and how few say nothing. */
export const WINDOW = 50;
const LEAST = 10;
const HALF_LIFE_MS = 30 * 86_400_000;
/** What somebody says of a run counts beside the run itself. */
const EXTRA = { good: 1, bad: 3 } as const;
const MAX_EXTRA = 10;

/** From where on a playbook may do so much. */
const THRESHOLDS: readonly (readonly [PlaybookMode, number])[] = [
  ['policy', 0.85],
  ['filter', 0.6],
  ['assisted', 0.3],
];

interface Share {
  readonly succeeded: number;
  readonly failed: number;
  readonly followed: number;
  readonly at: number;
}

/**
 * How the runs of a version have gone: `0.2 S + 0.3 (1 − E) + 0.5 R`, each a mean in which an outcome of 30 days ago
 * counts half. From 0 to 1; null below ten outcomes. `outcomes`: newest first; `now`: Unix ms.
 */
export function heuristic(outcomes: readonly JudgedOutcome[], now: number): number | null {
  const newest = outcomes.slice(0, WINDOW);
  if (newest.length < LEAST) return null;
  const shares = [...newest.map(ownShare), ...newest.flatMap(extraShares).slice(0, MAX_EXTRA)];
  const mean = (of: (share: Share) => number): number => {
    const weighed = shares.map((share) => ({ weight: weightOf(share.at, now), value: of(share) }));
    const total = weighed.reduce((sum, { weight }) => sum + weight, 0);
    return weighed.reduce((sum, { weight, value }) => sum + weight * value, 0) / total;
  };
  const h =
    0.2 * mean(({ succeeded }) => succeeded) +
    0.3 * (1 - mean(({ failed }) => failed)) +
    0.5 * mean(({ followed }) => followed);
  // What is added up in another order must not fall short of a threshold by the last bit.
  return Math.min(1, Math.max(0, Math.round(h * 1e9) / 1e9));
}

const weightOf = (at: number, now: number): number => 2 ** (-Math.max(0, now - at) / HALF_LIFE_MS);

/** Whatever the trace says, an answer that somebody calls bad did not succeed. */
const ownShare = ({ succeeded, failed, followed, at, verdict }: JudgedOutcome): Share => ({
  succeeded: verdict === 'bad' ? 0 : succeeded,
  failed,
  followed,
  at,
});

function extraShares({ verdict, followed, at }: JudgedOutcome): readonly Share[] {
  if (verdict === null) return [];
  const good = verdict === 'good';
  const share = { succeeded: good ? 1 : 0, failed: good ? 0 : 1, followed: good ? followed : 0, at };
  return Array.from({ length: EXTRA[verdict] }, () => share);
}

const LADDER: readonly PlaybookMode[] = ['none', ...THRESHOLDS.map(([mode]) => mode).toReversed()];

/** What a playbook may do that has gone so well, `most` at most; the owner's `override` comes first, and is said to be one. */
export function modeOf(
  h: number | null,
  override: PlaybookMode | null,
  most: PlaybookMode = 'policy',
): { readonly mode: PlaybookMode; readonly by: 'outcomes' | 'override' } {
  if (override !== null) return { mode: override, by: 'override' };
  const earned = THRESHOLDS.find(([, least]) => h !== null && h >= least)?.[0] ?? 'none';
  return { mode: LADDER.indexOf(earned) > LADDER.indexOf(most) ? most : earned, by: 'outcomes' };
}

/** How a version is rated, and what it may do by that. */
export interface PlaybookStanding {
  readonly h: number | null;
  readonly mode: PlaybookMode;
  readonly by: 'outcomes' | 'override' | 'examples' | 'owner';
}

/**
 * What the version in force may do. A new one begins where those stood that it was made of. Advice at least is one that an
 * owner has said, and one that was proven over examples until ten runs have tried it: runs without it that fail say nothing of it.
 */
export function standingOf(
  { version, outcomes, inherited = [] }: PlaybookInForce,
  {
    override,
    most,
    now,
  }: { readonly override: PlaybookMode | null; readonly most?: PlaybookMode; readonly now: number },
): PlaybookStanding {
  const h = heuristic(outcomes, now) ?? heuristic([...outcomes, ...inherited], now);
  const merit = modeOf(h, override, most);
  if (merit.by === 'override' || merit.mode !== 'none' || most === 'none') return { h, ...merit };
  if (version.origin === 'owner') return { h, mode: 'assisted', by: 'owner' };
  const isProven = version.origin === 'refined' && version.score !== null;
  const isTried = outcomes.filter(({ used }) => used === 1).length >= LEAST;
  return isProven && !isTried ? { h, mode: 'assisted', by: 'examples' } : { h, ...merit };
}
