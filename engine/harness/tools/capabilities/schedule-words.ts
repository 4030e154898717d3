import type { TaskDefinition } from '../../../config/types.ts';
import { previewRuns } from '../../../lib/schedule/preview.ts';
import { localTime } from '../../../lib/schedule/zone.ts';
import type { Store } from '../../../storage/store.ts';

// What an owner is shown of a task before agreeing to it.

const SHOWN_RUNS = 5;
const DAYS_30_MS = 30 * 86_400_000;
/** Five leap days come within that. */
const YEARS_30_MS = 30 * 366 * 86_400_000;

/** The next runs in the task's own zone, each with its offset; none when it is switched off or past. */
export function nextRuns(task: TaskDefinition | null, now: number): string[] {
  if (!task?.enabled) return [];
  const when = { anchor: now, from: now + 1, to: now + YEARS_30_MS, limit: SHOWN_RUNS };
  return previewRuns(task, when).runs.map((at) => localTime(task.timezone, at));
}

export async function runsInWords(task: TaskDefinition | null, store: Store, now: number): Promise<string> {
  if (!task) return '';
  const next = nextRuns(task, now).map((at) => `  ${at}`);
  const runs = next.length === 0 ? ['Next runs: none'] : [`Next runs (${task.timezone}):`, ...next];
  return [...runs, await costInWords(task.id, store, now)].join('\n');
}

/** What its runs cost so far, or else this persona's: nothing else is known of a prompt that never ran. */
async function costInWords(id: string, store: Store, now: number): Promise<string> {
  const own = (await store.taskTimes({ task: id, limit: 20 })).filter(({ run_status }) => run_status === 'done');
  if (own.length > 0) {
    const average = own.reduce((sum, { cost_usd }) => sum + cost_usd, 0) / own.length;
    return `Estimated cost: about ${average.toFixed(4)} USD a run, as its last ${own.length}`;
  }
  const [all] = await store.usage(now - DAYS_30_MS, now + 1, null);
  if (!all || all.runs === 0) return 'Estimated cost: unknown, nothing was run yet';
  return `Estimated cost: about ${(all.cost_usd / all.runs).toFixed(4)} USD a run, as this persona's runs of the last 30 days`;
}
