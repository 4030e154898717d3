import type { Clock } from '../../../../engine/lib/clock.ts';

export interface YearClock extends Clock {
  /** Lets time pass at once; whoever sleeps until then wakes. */
  jump(ms: number): void;
}

/** A clock that starts at `startAt` (Unix ms), runs as fast as the machine's and jumps when it is told to. */
export function yearClock(startAt: number): YearClock {
  const state = { ahead: startAt - Date.now() };
  const sleepers = new Set<{ readonly at: number; wake(): void }>();
  const now = () => Date.now() + state.ahead;
  return {
    now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const end = () => {
          clearTimeout(timer);
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', stop);
        };
        const stop = () => {
          end();
          reject(signal?.reason);
        };
        const sleeper = {
          at: now() + ms,
          wake() {
            end();
            resolve();
          },
        };
        const timer = setTimeout(sleeper.wake, ms);
        sleepers.add(sleeper);
        signal?.addEventListener('abort', stop, { once: true });
      }),
    jump(ms) {
      state.ahead += ms;
      for (const sleeper of [...sleepers]) if (sleeper.at <= now()) sleeper.wake();
    },
  };
}
