/** A lease that is extended while its holder works, and given up when somebody else has the row. */
export interface HeldLease {
  /** Aborts when the lease is lost. */
  readonly lost: AbortSignal;
  /** Before an effect that cannot be taken back. Extends a lease that is nearly over; throws when it is lost. */
  assertHeld(): Promise<void>;
  stop(): void;
}

/**
 * Looks every `lookMs` whether the lease is still held (`isHeld`), and extends it when a third of it is over: a process
 * that was stopped finds out before it goes on. `extend` resolves with false when somebody else has the row.
 */
export function holdLease(options: {
  readonly leaseMs: number;
  readonly lookMs: number;
  readonly now: () => number;
  extend(until: number): Promise<boolean>;
  isHeld?(): Promise<boolean>;
  /** What it is aborted with. */
  makeLost(): Error;
}): HeldLease {
  const { leaseMs, now } = options;
  const lost = new AbortController();
  const held = { until: now() + leaseMs };

  const extend = async (): Promise<void> => {
    const until = now() + leaseMs;
    if (await options.extend(until)) held.until = until;
    else lost.abort(options.makeLost());
  };
  const look = async (): Promise<void> => {
    if (lost.signal.aborted) return;
    if (held.until - now() <= (leaseMs * 2) / 3) return extend();
    if (options.isHeld && !(await options.isHeld())) lost.abort(options.makeLost());
  };
  const timer = setInterval(() => void look().catch(() => {}), options.lookMs).unref();
  return {
    lost: lost.signal,
    async assertHeld() {
      if (held.until - now() <= leaseMs / 3) await extend();
      lost.signal.throwIfAborted();
    },
    stop: () => clearInterval(timer),
  };
}
