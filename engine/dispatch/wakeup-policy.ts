import { KEPT_DUE_MS } from '../storage/ports/gateway.ts';

/** What the last check of a persona found. */
export interface LastCheck {
  /** Generation of the wakeup; null when this process woke the persona and did not read the wakeup. */
  readonly generation: number | null;
  /** Since when nobody has announced anything. */
  readonly since: number;
  /** When its own rows want a worker next. */
  readonly nextDueAt: number | null;
}

/**
 * What becomes of a wakeup that is due: `skip` it, `serve` its persona, or, when nobody has announced anything for long
 * enough, check the persona once more and `clear` it. Whoever announces work bumps the wakeup first and commits the work
 * afterwards; a wakeup that is cleared in between would be forgotten with the process, and clearing it after each mail
 * would cost a flush. Pure.
 */
export function decideWakeup(
  wakeup: { readonly generation: number },
  last: LastCheck | undefined,
  now: number,
): 'skip' | 'serve' | 'clear' {
  if (last?.generation !== wakeup.generation) return 'serve';
  if (last.nextDueAt !== null && last.nextDueAt <= now) return 'serve';
  return now - last.since >= KEPT_DUE_MS ? 'clear' : 'skip';
}
