import type { Fact, FactKind } from '../../storage/types/facts.ts';

const DAY_MS = 86_400_000;
const MOST_MS = 90 * DAY_MS;
const MOST_GROWTH_MS = 3 * DAY_MS;

/** How long what was said once is fresh, in ms; null: until somebody says otherwise. */
const FRESH_MS: Readonly<Record<FactKind, number | null>> = {
  preference: null,
  instruction: null,
  plan: 90 * DAY_MS,
  state: 30 * DAY_MS,
  identity: 7 * DAY_MS,
  relation: 7 * DAY_MS,
};
/** A candidate that nobody says again within a week was no matter to be remembered. */
const CANDIDATE_MS = 7 * DAY_MS;

interface Asked {
  readonly asked: boolean;
}
type Freshness = Pick<Fact, 'refreshed_at' | 'fresh_ms' | 'expires_at'>;

const keptFor = (kind: FactKind, asked: boolean): number | null =>
  asked && (kind === 'identity' || kind === 'relation') ? MOST_MS : FRESH_MS[kind];

/** `asked`: somebody asked for it to be kept, and counts on that. */
export function freshFrom(kind: FactKind, at: number, { status, asked }: Pick<Fact, 'status'> & Asked): Freshness {
  const fresh_ms = status === 'candidate' ? CANDIDATE_MS : keptFor(kind, asked);
  return { refreshed_at: at, fresh_ms, expires_at: fresh_ms === null ? null : at + fresh_ms };
}

/** Said again at `at`: from then on it is fresh for a tenth longer, three days at most, and never for more than 90 days. */
export function refreshed(
  fact: Pick<Fact, 'kind' | 'status' | 'fresh_ms' | 'expires_at'>,
  { at, asked }: { readonly at: number } & Asked,
): Freshness {
  if (fact.status === 'candidate') return freshFrom(fact.kind, at, { status: 'kept', asked });
  const { fresh_ms: before } = fact;
  if (before === null) return { refreshed_at: at, fresh_ms: null, expires_at: null };
  const longer = before + Math.min(Math.floor(before / 10), MOST_GROWTH_MS);
  const fresh_ms = Math.min(MOST_MS, Math.max(longer, (asked ? keptFor(fact.kind, asked) : 0) ?? 0));
  // A mail that was long on its way shortens nothing.
  return { refreshed_at: at, fresh_ms, expires_at: Math.max(fact.expires_at ?? 0, at + fresh_ms) };
}
