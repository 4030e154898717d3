import { backoffMs } from '../../lib/backoff.ts';
import type { Failure } from './client/failure.ts';
import type { Tuning } from './tuning.ts';
import type { RefusedOften } from './types.ts';

/** How far one connection came. */
export interface Lasted {
  /** Ms since the folder was open; null: it never was. */
  readonly openMs: number | null;
  /** It has taken what was new at least once. */
  readonly hasLooked: boolean;
}

/** Logins in a row that a server has refused, over some minutes: it is no accident any more. */
const REFUSED_OFTEN = 4;
/** A refusal that names no cause is that of a busy server, for so long. */
const BUSY_MS = 3_600_000;
/** How far apart such logins are at most: a server that has another reason would lock the account. */
const MAX_UNCLEAR_MS = 900_000;

/** When a mailbox is tried again, by what happened so far. */
export function createRetries(tuning: Tuning, random: () => number) {
  const counts = { network: 0, auth: 0, cut: 0, unclear: 0 };
  const state = { refusedSince: 0, unclearSince: 0, isTold: false };
  const afterUnclear = (failure: Failure, now: number) => {
    counts.unclear += 1;
    if (counts.unclear === 1) Object.assign(state, { unclearSince: now, isTold: false });
    const isOften = now - state.unclearSince >= BUSY_MS && !state.isTold;
    state.isTold ||= isOften;
    const backoff = { attempt: counts.unclear, firstMs: tuning.firstRetryMs, maxMs: MAX_UNCLEAR_MS, random: random() };
    const refused = isOften ? { since: state.unclearSince, error: failure.message } : null;
    return { waitMs: Math.max(failure.waitMs, backoffMs(backoff)), refused };
  };
  return {
    /** `refused`: only the first time of a row of refusals that is no accident any more. */
    after(failure: Failure, lasted: Lasted, now: number): { waitMs: number; refused: RefusedOften | null } {
      if (lasted.openMs !== null) Object.assign(counts, { auth: 0, unclear: 0 });
      if (failure.isUnclear) return afterUnclear(failure, now);
      if (lasted.hasLooked) counts.network = 0;
      if ((lasted.openMs ?? 0) >= tuning.stableMs) counts.cut = 0;
      const kind = lasted.hasLooked && failure.kind === 'network' ? 'cut' : failure.kind;
      counts[kind] += 1;
      if (counts.auth === 1) state.refusedSince = now;
      const isOften = kind === 'auth' && counts.auth === REFUSED_OFTEN && failure.needsLogin !== true;
      return {
        waitMs: Math.max(failure.waitMs, retryMs(kind, counts[kind], tuning, random())),
        refused: isOften ? { since: state.refusedSince, error: failure.message } : null,
      };
    },
  };
}

/** `cut`: it worked, and broke off after a look at the folder. Then it is no worse than a server that is polled. */
function retryMs(kind: Failure['kind'] | 'cut', attempt: number, tuning: Tuning, random: number): number {
  const { firstRetryMs, maxRetryMs, firstAuthRetryMs, maxAuthRetryMs, pollMs } = tuning;
  if (kind === 'auth') return backoffMs({ attempt, firstMs: firstAuthRetryMs, maxMs: maxAuthRetryMs, random });
  const maxMs = kind === 'cut' ? Math.min(pollMs, maxRetryMs) : maxRetryMs;
  return backoffMs({ attempt, firstMs: firstRetryMs, maxMs, random });
}
