import type { ScheduledTask } from 'node-cron';
import type { Log } from '#contract';
import type { TaskClock } from './schedule.ts';

/** Not while somebody waits for the start: to load node-cron and begin takes it a tenth of that. */
const BEGINS_AFTER_MS = 5000;

/**
 * Takes up task files at start and when they change, and looks once a minute whether the clock was set or something
 * was passed over. What is due in time is worked by the dispatcher, which waits for the next due time itself.
 */
export function startMinuteTick(options: {
  schedule: TaskClock;
  /** Calls back with the personas whose files changed; returns the way to stop. */
  onChange(
    listener: (change: { personas: ReadonlySet<string>; tasks: ReadonlySet<string>; configs: boolean }) => void,
  ): () => void;
  log: Log;
}): { stop(): Promise<void> } {
  const { schedule, log } = options;
  const state = { working: Promise.resolve(), stopped: false, tick: null as ScheduledTask | null };
  // One after the other: two looks at the same persona would only wait for each other's transactions.
  const enqueue = (work: () => Promise<void>): Promise<void> => {
    state.working = state.working
      .then(() => (state.stopped ? undefined : work()))
      .catch((error: unknown) => log.error({ error: String(error) }, 'the tasks could not be looked at'));
    return state.working;
  };
  const unlisten = options.onChange(({ tasks, personas }) => {
    const changed = new Set([...tasks, ...personas]);
    if (changed.size > 0) void enqueue(() => schedule.sync([...changed]));
  });
  void enqueue(schedule.syncAll);
  const begin = async () => {
    const cron = await import('node-cron');
    if (state.stopped) return;
    state.tick = cron.schedule('* * * * *', () => enqueue(schedule.recheck), {
      name: 'tasks',
      noOverlap: true,
      timezone: 'UTC',
      suppressMissedWarning: true,
    });
  };
  const beginning = setTimeout(() => void enqueue(begin), BEGINS_AFTER_MS);
  return {
    async stop() {
      state.stopped = true;
      unlisten();
      clearTimeout(beginning);
      await state.tick?.destroy();
      await state.working;
    },
  };
}
