/** Why the watcher looks again. */
export type Wake = 'news' | 'time';

/** Wakes one waiter; a ring while nobody waits is kept for the next wait. */
export interface Bell {
  ring(): void;
  /** Shortens the present wait, if there is one, to at most `ms` from now. */
  hurry(ms: number): void;
  /** `news` when rung, `time` after `ms`. */
  wait(ms: number): Promise<Wake>;
}

export function createBell(): Bell {
  const state: { rung: boolean; wake: ((wake: Wake) => void) | null; timers: NodeJS.Timeout[] } = {
    rung: false,
    wake: null,
    timers: [],
  };
  // Not unref'd: imapflow's own timers are, and between two connections nothing else keeps the process alive.
  const wakeAfter = (ms: number, wake: (wake: Wake) => void) =>
    void state.timers.push(setTimeout(() => wake('time'), ms));
  return {
    ring() {
      state.rung = true;
      state.wake?.('news');
    },
    hurry(ms) {
      if (state.wake) wakeAfter(ms, state.wake);
    },
    async wait(ms) {
      const { promise, resolve } = Promise.withResolvers<Wake>();
      wakeAfter(ms, resolve);
      state.wake = resolve;
      if (state.rung) resolve('news');
      const wake = await promise;
      for (const timer of state.timers.splice(0)) clearTimeout(timer);
      state.wake = null;
      state.rung = false;
      return wake;
    },
  };
}
