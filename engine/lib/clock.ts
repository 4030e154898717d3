import { setTimeout as sleep } from 'node:timers/promises';

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
    sleep: (ms, signal) => sleep(ms, undefined, signal ? { signal } : {}),
  };
}

export const iso = (ms: number): string => new Date(ms).toISOString();
