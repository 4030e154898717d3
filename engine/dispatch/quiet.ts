import { KEPT_DUE_MS } from '../storage/ports/gateway.ts';

/** What was seen when a persona was last looked at. */
export interface Looked {
  /** Of its wakeup; null when it was woken from within and the wakeup was not read. */
  readonly generation: number | null;
  /** Since when nobody has announced anything. */
  readonly since: number;
  /** When its own rows want a worker next. */
  readonly nextDueAt: number | null;
}

/**
 * What a poll does about a persona whose wakeup is due: `leave` it due, work its `rows`, or, when it has been quiet
 * for long enough, `lower` it after one more look. Whoever announces work bumps the wakeup first and commits the work
 * afterwards; a wakeup that is lowered in between would be forgotten with the process, and lowering it after each mail
 * would cost a flush.
 */
export function decideDue(
  wakeup: { readonly generation: number },
  looked: Looked | undefined,
  now: number,
): 'leave' | 'rows' | 'lower' {
  if (looked?.generation !== wakeup.generation) return 'rows';
  if (looked.nextDueAt !== null && looked.nextDueAt <= now) return 'rows';
  return now - looked.since >= KEPT_DUE_MS ? 'lower' : 'leave';
}
