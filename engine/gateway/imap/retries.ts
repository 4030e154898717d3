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

/** When a mailbox is tried again, by what happened so far. */
export function createRetries(tuning: Tuning, random: () => number) {
  const counts = { network: 0, auth: 0, cut: 0 };
  const state = { refusedSince: 0 };
  return {
    /** `refused`: only the first time of a row of refusals that is no accident any more. */
    after(failure: Failure, lasted: Lasted, now: number): { waitMs: number; refused: RefusedOften | null } {
      if (lasted.openMs !== null) counts.auth = 0;
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
