import { dueTimes } from './due-times.ts';
import { anchored, parseSchedule } from './schedule.ts';
import { inWindow, parseWindow } from './window.ts';

interface Previewed {
  readonly schedule: string;
  readonly timezone: string;
  readonly window: string | null;
}

interface Preview {
  /** Earliest first. */
  readonly runs: readonly number[];
  /** Up to before here there are no others; earlier than asked for when there would be too many. */
  readonly until: number;
}

/** Due times are looked at so many at a time, and so many in all: two weeks of every minute. */
const PORTION = 500;
const MOST_LOOKED_AT = 20_000;

/**
 * When a task will run in [from, to): its due times, without those that its window leaves out. Pure; of a schedule that
 * cannot be read there are none.
 */
export function previewRuns(
  task: Previewed,
  when: {
    readonly anchor: number;
    readonly from: number;
    readonly to: number;
    readonly limit: number;
    /** Due times that are looked at, also those that the window leaves out. */
    readonly look?: number;
  },
): Preview {
  const parsed = parseSchedule(task.schedule, task.timezone);
  if (!parsed.ok) return { runs: [], until: when.to };
  const schedule = anchored(parsed.schedule, when.anchor);
  const window = task.window === null ? null : parseWindow(task.window);
  const runs: number[] = [];
  // Without a window every due time is a run, and one more than are wanted says where the next would be.
  const portion = window ? PORTION : Math.min(PORTION, when.limit + 1);
  let last = when.from - 1;
  for (let lookedAt = 0; lookedAt < (when.look ?? MOST_LOOKED_AT); lookedAt += portion) {
    const due = dueTimes(schedule, task.timezone, last, when.to - 1, portion);
    for (const at of due) {
      if (window && !inWindow(window, task.timezone, at)) continue;
      if (runs.length === when.limit) return { runs, until: at };
      runs.push(at);
    }
    if (due.length < portion) return { runs, until: when.to };
    last = due.at(-1) ?? when.to;
  }
  return { runs, until: last + 1 };
}
