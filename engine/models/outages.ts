import type { Whose } from '#contract';
import { backoffMs } from '../lib/backoff.ts';
import type { Target } from '../record/settings.ts';
import { targetName } from './targets.ts';
import { createVerdicts, type FailedCall } from './whose.ts';

/** What is known of the models that a persona may ask, one after the other, by their names. */
type Condition =
  /** Nothing yet, in this process: one mail finds out. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'works' }
  /**
   * None of them answers; nobody asks before `until`, and then one mail does. `inDoubt`: one mail alone has found that,
   * and it may be the mail; whoever has not asked yet may.
   */
  | {
      readonly kind: 'down';
      readonly until: number;
      readonly cause: Cause;
      readonly inDoubt: boolean;
      /** The run that failed last: it asks for the others only where there is no other. */
      readonly failedRun: string;
    };

/** Whether one mail alone has failed so far. */
const isInDoubt = (condition: Condition): boolean => condition.kind === 'down' && condition.inDoubt;

/** The failure that it was known by last: its code, at which provider, whose it was, and its words. */
export interface Cause {
  readonly cause: string;
  readonly provider: string;
  readonly message: string;
  readonly whose: Whose;
}

export interface Outages {
  of(chain: string, now: number): Condition;
  /** Whether none of them answered just now: not where somebody is asking, or is about to. */
  isCertain(chain: string, now: number): boolean;
  /** True for one caller: its mail is the one that asks, for all the others. */
  takeProbe(chain: string, now: number, atMostMs: number): boolean;
  /** Whose the failure of one call is, as far as what other mails met tells. */
  judge(call: FailedCall): Whose;
  failed(chain: string, failure: { now: number; retry: Patience; askedMs: number; cause: Cause; run: string }): number;
  /** Whoever asked was refused for its own sake, which tells nothing of the others: the next one may ask. */
  refused(chain: string, now: number): void;
  answered(chain: string, by: { readonly target: string; readonly run: string }): void;
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
  inDoubt: boolean;
  failedRun: string;
}

const UNKNOWN: Cause = { cause: 'unavailable', provider: '', message: '', whose: 'unclear' };

/**
 * The breaker before dead models: while they are down one mail asks now and then, in place of all that wait; the first
 * answer lets all of them go on. In memory: after a start one mail asks at once. `onAnswered` is called when an outage
 * is over, or may be.
 */
export function createOutages(options: { random: () => number; onAnswered(): void }): Outages {
  const known = new Map<string, Down | 'works'>();
  const verdicts = createVerdicts();
  const isDown = (state: Down | 'works' | undefined): state is Down => state !== undefined && state !== 'works';
  return {
    of(chain, now) {
      const state = known.get(chain);
      if (state === undefined) return { kind: 'unknown' };
      if (state === 'works') return { kind: 'works' };
      // While somebody asks the others look again when that is over, or are woken.
      const { cause, inDoubt, failedRun } = state;
      return { kind: 'down', until: Math.max(state.nextAt, state.probeUntil, now), cause, inDoubt, failedRun };
    },
    isCertain(chain, now) {
      const state = known.get(chain);
      return isDown(state) && state.failures > 0 && state.nextAt > now && state.probeUntil <= now;
    },
    takeProbe(chain, now, atMostMs) {
      const found = known.get(chain);
      // Of what nobody knows anything of everybody who has not waited may ask.
      const state = isDown(found) ? found : { ...unknownSince(now), inDoubt: true };
      if (state.nextAt > now || state.probeUntil > now) return false;
      known.set(chain, { ...state, probeUntil: now + atMostMs });
      return true;
    },
    judge: verdicts.judge,
    failed(chain, { now, retry, askedMs, cause, run }) {
      const found = known.get(chain);
      const before = isDown(found) ? found : unknownSince(0);
      // What nobody else bears out yet does not outweigh what others did.
      const inDoubt = cause.whose === 'unclear' && (before.failures === 0 || before.inDoubt);
      // Mails that were under way when it broke down fail one after the other: that is one failure, not fifty.
      if (before.failures > 0 && before.nextAt > now && before.probeUntil <= now) {
        known.set(chain, { ...before, cause, inDoubt, failedRun: run });
        return before.nextAt;
      }
      const failures = before.failures + 1;
      const own = backoffMs({
        attempt: failures,
        firstMs: retry.firstRetryMs,
        maxMs: retry.maxRetryMs,
        random: options.random(),
      });
      const nextAt = now + Math.max(own, Math.min(askedMs, retry.maxRetryMs));
      known.set(chain, { failures, nextAt, probeUntil: 0, cause, inDoubt, failedRun: run });
      return nextAt;
    },
    refused(chain, now) {
      const found = known.get(chain);
      if (!isDown(found) || found.probeUntil <= now) return;
      known.set(chain, { ...found, probeUntil: 0, nextAt: Math.min(found.nextAt, now) });
      options.onAnswered();
    },
    answered(chain, { target, run }) {
      verdicts.answered(target, run);
      const before = known.get(chain);
      known.set(chain, 'works');
      if (isDown(before)) options.onAnswered();
    },
    forget() {
      known.clear();
      verdicts.forget();
      options.onAnswered();
    },
    isAnyDown: () => [...known.values()].some(isDown),
  };
}

const unknownSince = (now: number): Down => ({
  failures: 0,
  nextAt: now,
  probeUntil: 0,
  cause: UNKNOWN,
  inDoubt: false,
  failedRun: '',
});

/** What one run tells of its models, and asks about them. */
export const outagesFor = (outages: Outages, chain: string, run: string, now: () => number) => ({
  answered: (target: Target) => outages.answered(chain, { target: targetName(target), run }),
  refused: () => outages.refused(chain, now()),
  judge: (call: Omit<FailedCall, 'run'>) => outages.judge({ ...call, run }),
  isInDoubt: () => isInDoubt(outages.of(chain, now())),
});

/** Providers that asked for a pause. Kept on disk too, so that `status` knows of them, and the next start. */
export interface Cooldowns {
  /** Resolves when it is kept. */
  rest(provider: string, until: number): Promise<void>;
  isResting(provider: string, now: number): boolean;
  list(now: number): readonly Resting[];
}

interface Resting {
  readonly provider: string;
  readonly until: number;
}

/** `known` was kept by an earlier process; `keep` stores what is new. */
export function createCooldowns(known: readonly Resting[], keep: (resting: Resting) => Promise<void>): Cooldowns {
  const untilByProvider = new Map(known.map(({ provider, until }) => [provider, until]));
  return {
    async rest(provider, wanted) {
      const until = Math.max(wanted, untilByProvider.get(provider) ?? 0);
      untilByProvider.set(provider, until);
      await keep({ provider, until });
    },
    isResting: (provider, now) => (untilByProvider.get(provider) ?? 0) > now,
    list: (now) =>
      [...untilByProvider].filter(([, until]) => until > now).map(([provider, until]) => ({ provider, until })),
  };
}
