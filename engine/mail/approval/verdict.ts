import type { Decision } from './statement.ts';

export type Answer =
  | { readonly kind: 'approve'; readonly items: readonly number[] }
  | { readonly kind: 'deny'; readonly items: readonly number[]; readonly reason: string | null }
  | {
      readonly kind: 'mixed';
      readonly approve: readonly number[];
      readonly deny: readonly number[];
      readonly reason: string | null;
    }
  /** Changes to the arguments of one call, keys as the sender wrote them. */
  | { readonly kind: 'edit'; readonly item: number; readonly changes: Readonly<Record<string, string>> }
  /** Something like an answer that must be asked about; `why` can be shown to the sender. */
  | { readonly kind: 'ambiguous'; readonly why: string }
  /** The text says nothing about the items. */
  | { readonly kind: 'none' };

export const ambiguous = (why: string): Answer => ({ kind: 'ambiguous', why });

/** Holds what was decided against the numbers that the notice lists. */
export function verdictOf(decisions: readonly Decision[], items: readonly number[]): Answer {
  const approvals = decisions.filter(({ verb }) => verb === 'approve');
  const named = approvals.filter(({ target }) => target !== 'none');
  // "Yes." and then "Approve 1.": the narrower one says what the yes was about.
  const approve = collect(named.length > 0 ? named : approvals, items);
  const deny = collect(
    decisions.filter(({ verb }) => verb === 'deny'),
    items,
  );
  if (approve === null || deny === null) return ambiguous('the answer names items that the notice does not list');
  if (approvals.length > 0 && named.length === 0 && items.length > 1) {
    return ambiguous('several items wait, and the answer does not say which: "approve all" or "approve 1,3"');
  }
  const reason = reasonOf(decisions);
  if (deny.length === 0) return { kind: 'approve', items: approve };
  if (approve.length === 0) return { kind: 'deny', items: deny, reason };
  return approve.some((item) => deny.includes(item))
    ? ambiguous('the answer approves and denies the same item')
    : { kind: 'mixed', approve, deny, reason };
}

/** In the order of the notice; null when a number is unknown. A no without a number is a no to everything. */
function collect(decisions: readonly Decision[], items: readonly number[]): number[] | null {
  const chosen = new Set<number>();
  for (const { target } of decisions) {
    const numbers = typeof target === 'string' ? items : target;
    if (target === 'both' && items.length !== 2) return null;
    if (numbers.some((number) => !items.includes(number))) return null;
    for (const number of numbers) chosen.add(number);
  }
  return items.filter((item) => chosen.has(item));
}

function reasonOf(decisions: readonly Decision[]): string | null {
  const reasons = new Set(decisions.flatMap(({ reason }) => reason ?? []));
  return reasons.size > 0 ? [...reasons].join('\n') : null;
}
