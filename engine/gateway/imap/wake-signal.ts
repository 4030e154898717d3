/** Why the watcher looks again. */
type Wake = 'news' | 'time';

/** Wakes one waiter; a notification while nobody waits is kept for the next wait. */
export interface WakeSignal {
  notify(): void;
  /** Shortens the present wait, if there is one, to at most `ms` from now. */
  shorten(ms: number): void;
  /** `news` when notified, `time` after `ms`. */
  wait(ms: number): Promise<Wake>;
}

export function createWakeSignal(): WakeSignal {
  const state: { notified: boolean; wake: ((wake: Wake) => void) | null; timers: NodeJS.Timeout[] } = {
    notified: false,
    wake: null,
    timers: [],
  };
  // Not unref'd: imapflow's own timers are, and between two connections nothing else keeps the process alive.
  const wakeAfter = (ms: number, wake: (wake: Wake) => void) =>
    void state.timers.push(setTimeout(() => wake('time'), ms));
  return {
    notify() {
      state.notified = true;
      state.wake?.('news');
    },
    shorten(ms) {
      if (state.wake) wakeAfter(ms, state.wake);
    },
    async wait(ms) {
      const { promise, resolve } = Promise.withResolvers<Wake>();
      wakeAfter(ms, resolve);
      state.wake = resolve;
      if (state.notified) resolve('news');
      const wake = await promise;
      for (const timer of state.timers.splice(0)) clearTimeout(timer);
      state.wake = null;
      state.notified = false;
      return wake;
    },
  };
}
