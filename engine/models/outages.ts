import { backoffMs } from '../lib/backoff.ts';

/** What is known of the models that a persona may ask, one after the other, by the names of their providers. */
export type Condition =
  /** Nothing yet, in this process: one mail finds out. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'works' }
  /** None of them answers; nobody asks before `until`, and then one mail does. */
  | { readonly kind: 'down'; readonly until: number; readonly cause: Cause };

/** The failure that it was known by last: its code, whose it was, and its words. */
export interface Cause {
  readonly cause: string;
  readonly provider: string;
  readonly message: string;
}

export interface Outages {
  of(chain: string, now: number): Condition;
  /** Whether none of them answered just now: not where somebody is asking, or is about to. */
  isCertain(chain: string, now: number): boolean;
  /** True for one caller: its mail is the one that asks, for all the others. */
  takeProbe(chain: string, now: number, atMostMs: number): boolean;
  failed(chain: string, failure: { now: number; retry: Patience; askedMs: number; cause: Cause }): number;
  answered(chain: string): void;
  /** A key or a setting was changed: whatever was down may work now. */
  forget(): void;
  isAnyDown(): boolean;
}

export interface Patience {
  readonly firstRetryMs: number;
  readonly maxRetryMs: number;
}

interface Down {
  failures: number;
  nextAt: number;
  /** Until when somebody is asking. */
  probeUntil: number;
  cause: Cause;
}

const UNKNOWN: Cause = { cause: 'unavailable', provider: '', message: '' };

/**
 * The breaker before dead models: while they are down one mail asks now and then, in place of all that wait; the first
 * answer lets all of them go on. In memory: after a start one mail asks at once. `onAnswered` is called when an outage
 * is over, or may be.
 */
export function createOutages(options: { random: () => number; onAnswered(): void }): Outages {
  const known = new Map<string, Down | 'works'>();
  const isDown = (state: Down | 'works' | undefined): state is Down => state !== undefined && state !== 'works';
  return {
    of(chain, now) {
      const state = known.get(chain);
      if (state === undefined) return { kind: 'unknown' };
      if (state === 'works') return { kind: 'works' };
      // While somebody asks the others look again when that is over, or are woken.
      return { kind: 'down', until: Math.max(state.nextAt, state.probeUntil, now), cause: state.cause };
    },
    isCertain(chain, now) {
      const state = known.get(chain);
      return isDown(state) && state.failures > 0 && state.nextAt > now && state.probeUntil <= now;
    },
    takeProbe(chain, now, atMostMs) {
      const found = known.get(chain);
      const state = isDown(found) ? found : { failures: 0, nextAt: now, probeUntil: 0, cause: UNKNOWN };
      if (state.nextAt > now || state.probeUntil > now) return false;
      known.set(chain, { ...state, probeUntil: now + atMostMs });
      return true;
    },
    failed(chain, { now, retry, askedMs, cause }) {
      const found = known.get(chain);
      const before = isDown(found) ? found : { failures: 0, nextAt: 0, probeUntil: 0 };
      // Mails that were under way when it broke down fail one after the other: that is one failure, not fifty.
      if (before.failures > 0 && before.nextAt > now && before.probeUntil <= now) return before.nextAt;
      const failures = before.failures + 1;
      const own = backoffMs({
        attempt: failures,
        firstMs: retry.firstRetryMs,
        maxMs: retry.maxRetryMs,
        random: options.random(),
      });
      const nextAt = now + Math.max(own, Math.min(askedMs, retry.maxRetryMs));
      known.set(chain, { failures, nextAt, probeUntil: 0, cause });
      return nextAt;
    },
    answered(chain) {
      const before = known.get(chain);
      known.set(chain, 'works');
      if (isDown(before)) options.onAnswered();
    },
    forget() {
      known.clear();
      options.onAnswered();
    },
    isAnyDown: () => [...known.values()].some(isDown),
  };
}
