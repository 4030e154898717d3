/** Time as an argument, so that tests decide what time it is. */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. Keeps the process alive. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The system's clock; `startAt` (ms) lets it begin elsewhere and run on from there. */
export function systemClock(startAt?: number): Clock {
  const offset = startAt === undefined ? 0 : startAt - Date.now();
  return {
    now: () => Date.now() + offset,
    sleep,
  };
}

/**
 * Not the one of node:timers/promises: that makes an error with a stack for each sleep that ends early, which for the
 * time limit of each mail is nearly every one.
 */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const wake = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', wake);
      resolve();
    }, ms);
    signal?.addEventListener('abort', wake, { once: true });
  });
}

export const iso = (ms: number): string => new Date(ms).toISOString();
