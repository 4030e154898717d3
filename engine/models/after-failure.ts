import type { ProviderCode, Retry, Whose } from '#contract';

export type AfterFailure =
  | { readonly next: 'retry'; readonly afterMs: number; readonly coolMs: number }
  | { readonly next: 'next_target'; readonly coolMs: number }
  | { readonly next: 'compact'; readonly coolMs: 0 }
  /** The same without what a vendor may not take of it. */
  | { readonly next: 'plainer'; readonly coolMs: 0; readonly plain: 1 | 2 }
  | { readonly next: 'exhausted'; readonly coolMs: number };

const COOLDOWN_MS = 60_000;
/** A vendor that asks for more patience than this is out for this run. */
const MAX_WAIT_MS = 15 * 60_000;
const ONCE: Record<ProviderCode, number> = {
  rate_limited: 1,
  overloaded: 1,
  timeout: 1,
  unavailable: 1,
  auth: 1,
  bad_request: 1,
  context_overflow: 1,
  unparsable: 1,
  content_refused: 1,
  model_gone: 1,
  no_credit: 1,
  no_price: 1,
};
/** How often one target is asked at once, when there is nobody else to ask; then the run waits for it. */
const MAX_ATTEMPTS: Record<ProviderCode, number> = {
  ...ONCE,
  rate_limited: 3,
  overloaded: 3,
  timeout: 2,
  unavailable: 3,
};
/** Attempts before the next model is asked: a busy or slow model is not asked twice, an unavailable one may be chance. */
const MAX_ATTEMPTS_BEFORE_NEXT: Record<ProviderCode, number> = { ...ONCE, unavailable: 2 };

/** What follows a failed model call. Pure; `backoffMs` is our own wait, used when the vendor names none that is longer. */
export function afterFailure(failure: {
  code: ProviderCode;
  retry: Retry;
  /** Only a vendor's lets the provider rest. */
  whose: Whose;
  /** Failures of this target in a row, this one included. */
  attempts: number;
  backoffMs: number;
  hasNext: boolean;
  compacted: boolean;
  /** It asks for all the mail that waits for the model: there is no haste, and one answer is enough. */
  isProbe?: boolean;
}): AfterFailure {
  const { code, retry, whose, attempts, hasNext } = failure;
  if (code === 'context_overflow' && !failure.compacted) return { next: 'compact', coolMs: 0 };
  const wanted = retry === 'never' ? 0 : retry.afterMs;
  const coolMs = whose === 'vendor' ? Math.max(COOLDOWN_MS, wanted) : 0;
  // Another vendor is not asked for what one has declined.
  if (code === 'content_refused') return { next: 'exhausted', coolMs: 0 };
  if (hasNext && attempts >= MAX_ATTEMPTS_BEFORE_NEXT[code]) return { next: 'next_target', coolMs };
  const isLast = failure.isProbe === true || attempts >= MAX_ATTEMPTS[code];
  if (isLast || wanted > MAX_WAIT_MS) return { next: 'exhausted', coolMs };
  return { next: 'retry', afterMs: Math.max(wanted, failure.backoffMs), coolMs: 0 };
}
