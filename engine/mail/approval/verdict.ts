import { BY_NUMBER } from './grammar.ts';
import type { AskedAct, LineDecision } from './statement.ts';

/** Why an answer is asked back about. What a person is told of it: `clarify.why` of `languages/`. */
export type Unclear =
  | 'nothing'
  | 'praise'
  | 'too_long'
  | 'question'
  | 'condition'
  | 'both'
  | 'more_words'
  /** Something stands below or beside the answer that may change it: the detail. */
  | 'beside'
  /** A mark that a program sends at a touch. */
  | 'reaction'
  /** The mail that was answered is none of ours. */
  | 'another_mail'
  | 'which'
  | 'unknown_item'
  | 'contradiction'
  | 'other_act'
  | 'edit_command'
  | 'edit_empty'
  | 'edit_line'
  | 'edit_keys'
  | 'edit_hidden'
  | 'edit_below'
  | 'edit_unknown_key'
  | 'plan_edit'
  | 'plan_parts';

/** What is known of the call that an item is about. */
export interface AboutCall {
  /** Its arguments by name, and those whose text has several lines. */
  readonly keys: readonly string[];
  readonly long: readonly string[];
  /** Lines of such texts as they are now; absent: none. */
  readonly lines?: ReadonlySet<string>;
  /** Arguments by what the question calls them, in small letters, where that is not their name; absent: none. */
  readonly labels?: ReadonlyMap<string, string>;
  /** Words of the addresses that it would reach; absent: none. */
  readonly people?: readonly string[];
  /** What it does, in a word that people use for it; null where there is none. */
  readonly act: AskedAct | null;
}

export type AnswerToItems =
  /** `beside`, of each: what stands beside the answer and is no part of it. */
  | { readonly kind: 'approve'; readonly items: readonly number[]; readonly beside?: string }
  | {
      readonly kind: 'deny';
      readonly items: readonly number[];
      readonly reason: string | null;
      readonly beside?: string;
    }
  | {
      readonly kind: 'mixed';
      readonly approve: readonly number[];
      readonly deny: readonly number[];
      readonly reason: string | null;
      readonly beside?: string;
    }
  | {
      readonly kind: 'edit';
      readonly item: number;
      /** To the arguments of the call; keys as the call has them. */
      readonly changes: Readonly<Record<string, string>>;
      /** What stood above it about other items. */
      readonly beside?: Extract<AnswerToItems, { kind: 'approve' | 'deny' | 'mixed' }>;
    }
  /** Something like an answer that must be asked about; `detail` is a word of it. */
  | {
      readonly kind: 'ambiguous';
      readonly why: Unclear;
      readonly detail?: string;
      readonly beside?: string;
    }
  /** The text says nothing about the items. */
  | { readonly kind: 'none' };

export const ambiguous = (why: Unclear, detail?: string): Extract<AnswerToItems, { kind: 'ambiguous' }> => ({
  kind: 'ambiguous',
  why,
  ...(detail === undefined ? {} : { detail }),
});

type Decided = Extract<AnswerToItems, { kind: 'approve' | 'deny' | 'mixed' | 'ambiguous' }>;

/** Holds what was decided against the numbers that the notice lists. */
export function verdictOf(
  decisions: readonly LineDecision[],
  items: readonly number[],
  about: (item: number) => AboutCall | undefined,
): Decided {
  const approvals = decisions.filter(({ verb }) => verb === 'approve');
  const named = approvals.filter(({ target }) => target !== 'none');
  // "Yes." and then "Approve 1.": the narrower one says what the yes was about.
  const approve = collect(named.length > 0 ? named : approvals, items);
  const deny = collect(
    decisions.filter(({ verb }) => verb === 'deny'),
    items,
  );
  if (approve === null || deny === null) return ambiguous('unknown_item');
  if (approvals.length > 0 && named.length === 0 && items.length > 1 && !areAllSaid(approvals, items, about)) {
    return ambiguous('which');
  }
  // "1 yes, 2 no", where there is a third.
  const isByNumber = decisions.some(({ rule }) => rule === BY_NUMBER.name);
  if (isByNumber && approve.length > 0 && new Set([...approve, ...deny]).size < items.length) return ambiguous('which');
  // "Yes, delete it" to a question about a mail: whoever writes it was asked something else.
  const acts = new Set(approvals.flatMap(({ act }) => act ?? []));
  const known = approve.flatMap((item) => about(item) ?? []);
  if (known.some(({ act }) => acts.size > 0 && (act === null || !acts.has(act)))) return ambiguous('other_act');
  if ([...acts].some((act) => known.length > 0 && known.every((each) => each.act !== act)))
    return ambiguous('other_act');
  const reason = reasonOf(decisions);
  if (deny.length === 0) return { kind: 'approve', items: approve };
  if (approve.length === 0) return { kind: 'deny', items: deny, reason };
  return approve.some((item) => deny.includes(item))
    ? ambiguous('contradiction')
    : { kind: 'mixed', approve, deny, reason };
}

/** "Send it and delete the draft", where a mail and a deletion are asked about, one of each: what each of them is was said. */
function areAllSaid(
  approvals: readonly LineDecision[],
  items: readonly number[],
  about: (item: number) => AboutCall | undefined,
): boolean {
  const said = new Set(approvals.flatMap(({ act }) => act ?? []));
  const asked = items.map((item) => about(item)?.act ?? null);
  return (
    said.size === asked.length &&
    asked.every((act) => act !== null && said.has(act)) &&
    new Set(asked).size === asked.length
  );
}

/** In the order of the notice; null when a number is unknown. A no without a number is a no to everything. */
function collect(decisions: readonly LineDecision[], items: readonly number[]): number[] | null {
  const chosen = new Set<number>();
  for (const { target } of decisions) {
    const numbers = typeof target === 'string' ? items : target;
    if (target === 'both' && items.length !== 2) return null;
    if (target === 'three' && items.length !== 3) return null;
    if (numbers.some((number) => !items.includes(number))) return null;
    for (const number of numbers) chosen.add(number);
  }
  return items.filter((item) => chosen.has(item));
}

function reasonOf(decisions: readonly LineDecision[]): string | null {
  const reasons = new Set(decisions.flatMap(({ reason }) => reason ?? []));
  return reasons.size > 0 ? [...reasons].join('\n') : null;
}
