import type { Language } from '../languages/language.ts';
import { toolInWords } from '../languages/tools.ts';
import {
  APPROVED_STATES,
  type Approval,
  type Likeness,
  type LikeQuestion,
  likenessIn,
} from '../storage/types/approvals.ts';
import type { Tier } from '../storage/types/mail.ts';
import { MOST_RULES, type Rule, taughtIn } from '../storage/types/rules.ts';

// That calls an owner has said yes to again and again may go without a question from now on, which a question offers.

/** So many yeses in a row, and the next question offers. */
export const YESES_BEFORE_OFFER = 10;
/** For so many days such a rule holds. */
export const TAUGHT_DAYS = 90;

/**
 * Whether a question offers that such calls go without one from now on: the newest ten that were decided about calls like it are
 * yeses of owners to what stood there, for whoever asks now, with the tool as it is now. `before`: the newest first.
 */
export function mayOffer(
  asked: Pick<Approval, 'state' | 'kind' | 'likeness' | 'teaches' | 'fingerprint'> & { readonly tier: Tier },
  {
    before,
    rules,
    isOwner,
    now,
  }: {
    readonly before: readonly LikeQuestion[];
    /** Those that hold, and those that were ended. */
    readonly rules: readonly Rule[];
    isOwner(address: string): boolean;
    readonly now: number;
  },
): boolean {
  const { state, kind, likeness, teaches, tier, fingerprint } = asked;
  if (state !== 'pending' || kind !== 'call' || likeness === null || teaches !== 1) return false;
  const newest = before.slice(0, YESES_BEFORE_OFFER);
  if (newest.length < YESES_BEFORE_OFFER) return false;
  const holds = ({ ended_at, until }: Rule) => ended_at === null && (until === null || until > now);
  if (rules.filter((rule) => rule.said_tier === 'owner' && holds(rule)).length >= MOST_RULES) return false;
  // Whoever has taken such a rule back is not offered it by the yeses from before that.
  const endedAt = Math.max(
    0,
    ...rules.flatMap((rule) => (taughtIn(rule)?.likeness === likeness ? (rule.ended_at ?? []) : [])),
  );
  return newest.every(
    (one) =>
      APPROVED_STATES.includes(one.state) &&
      one.teaches === 1 &&
      !one.isUndone &&
      one.tier === tier &&
      one.fingerprint === fingerprint &&
      one.created_at > endedAt &&
      one.decided_by !== null &&
      isOwner(one.decided_by),
  );
}

/** What a rule of that likeness lets go: the tool, and whom it goes to or what it changes. */
export function likenessInWords({ tool, whom, target }: Likeness, language: Language): string {
  const named = target === null ? whom.join(', ') : target;
  return `${toolInWords(tool, language)} (${named})`;
}

/** The same of a question; null where it offers nothing. */
export const offeredInWords = (
  { offered_at: at, likeness }: Pick<Approval, 'offered_at' | 'likeness'>,
  language: Language,
): string | null => (at === null || likeness === null ? null : likenessInWords(likenessIn(likeness), language));
