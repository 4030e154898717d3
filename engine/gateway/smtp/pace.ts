import type { Clock } from '../../lib/clock.ts';

/** The beginning of each mail, and so most mails, is never slowed. */
const FREE_BYTES = 1024 * 1024;
/** What may come at once after a time of rest, in ms of the rate. */
const BURST_MS = 250;

/**
 * How fast the large mails of strangers come in, all of them together: each byte costs the one thread that answers
 * everybody. Who waits is not read from, so his own server waits.
 */
export function createPace({ bytesPerSecond, clock }: { bytesPerSecond: number; clock: Clock }) {
  let freeAt = 0;
  /** Resolves when the next `bytes` may be read of a mail of which `before` were. Rejects when aborted. */
  return async (bytes: number, before: number, signal: AbortSignal): Promise<void> => {
    if (before + bytes <= FREE_BYTES) return;
    const now = clock.now();
    freeAt = Math.max(freeAt, now - BURST_MS) + (bytes / bytesPerSecond) * 1000;
    if (freeAt > now) await clock.sleep(freeAt - now, signal);
  };
}
