import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../../engine/lib/clock.ts';

export interface ScriptedClock extends Clock {
  /** Lets so much time pass; who sleeps until then wakes in order, each with the time at which it meant to. */
  advance(ms: number): Promise<void>;
  /** How many sleep now. */
  sleeping(): number;
  /** For how long each sleep was asked for, in ms. */
  readonly asked: readonly number[];
}

/** Time that passes only when the test says so. */
export function scriptedClock(startAt = Date.parse('2026-11-23T09:00:00Z')): ScriptedClock {
  const sleepers = new Set<{ readonly at: number; wake(): void }>();
  const asked: number[] = [];
  let now = startAt;
  return {
    asked,
    now: () => now,
    sleeping: () => sleepers.size,
    sleep(ms, signal) {
      asked.push(ms);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const sleeper = { at: now + ms, wake: resolve };
      const stop = () => {
        sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      if (signal?.aborted) stop();
      else {
        sleepers.add(sleeper);
        signal?.addEventListener('abort', stop, { once: true });
      }
      return promise;
    },
    async advance(ms) {
      const until = now + ms;
      for (;;) {
        const [next] = [...sleepers].filter(({ at }) => at <= until).toSorted((a, b) => a.at - b.at);
        if (!next) break;
        now = next.at;
        sleepers.delete(next);
        next.wake();
        await turn();
      }
      now = until;
      await turn();
    },
  };
}
