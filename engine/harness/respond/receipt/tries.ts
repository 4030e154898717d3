import type { Under } from '../../../languages/say.ts';

/** The kinds of effect that a receipt has words for. */
export type Act = Under<'receipt.acts', '.some'>;

interface Try {
  readonly attempt: {
    readonly tool: string;
    readonly args: unknown;
    readonly code: string | null;
    readonly state: 'done' | 'not_done' | 'waiting' | 'unclear';
    /** Which of the model's turns with calls it was made in. */
    readonly turn: number;
  };
  readonly described: { readonly act: Act };
}

/**
 * Calls in a form that the tool does not take, which the model made again in a later turn: what became of the later one
 * is what there is to tell. Each later call stands for one such try, and only where the longest of what the try gave
 * stands in it too: that somebody else was written to does not tell what became of the first mail.
 */
export function madeAnew<One extends Try>(tries: readonly One[]): ReadonlySet<One> {
  const again = new Set<One>();
  for (const [at, { attempt }] of tries.entries()) {
    const earlier = tries
      .slice(0, at)
      .find((one) => isMalformed(one) && !again.has(one) && one.attempt.turn < attempt.turn && isRepeat(one, attempt));
    if (earlier) again.add(earlier);
  }
  return again;
}

/** Of all others the entry says what they are about. */
const isMalformed = ({ attempt, described }: Try): boolean =>
  attempt.state === 'not_done' &&
  attempt.code === 'invalid_arguments' &&
  (described.act === 'other' || described.act === 'remembered');

function isRepeat({ attempt }: Try, later: Try['attempt']): boolean {
  if (attempt.tool !== later.tool) return false;
  const longest = leavesOf(attempt.args).reduce((most, leaf) => (leaf.length > most.length ? leaf : most), '');
  const given = leavesOf(later.args);
  // What a model wrote that is no JSON holds what it meant.
  if (typeof attempt.args === 'string') return given.some((leaf) => leaf.length > 2 && longest.includes(leaf));
  return longest === '' || given.includes(longest);
}

function leavesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}

export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
