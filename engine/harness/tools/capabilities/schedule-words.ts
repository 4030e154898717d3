import type { TaskDefinition } from '../../../config/types.ts';
import { previewRuns } from '../../../lib/schedule/preview.ts';
import { localTime } from '../../../lib/schedule/zone.ts';
import type { Store } from '../../../storage/store.ts';
import { estimateRunCost, pastCosts } from '../../providers/estimate.ts';
import type { PricedTarget } from '../../providers/target-price.ts';
import { targetName } from '../../providers/targets.ts';

// What an owner is shown of a task before agreeing to it.

interface Known {
  readonly store: Store;
  readonly now: number;
  priceFor(pinned: string | null): PricedTarget;
}

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

export async function runsInWords(task: TaskDefinition | null, known: Known): Promise<string> {
  if (!task) return '';
  const next = nextRuns(task, known.now).map((at) => `  ${at}`);
  const runs = next.length === 0 ? ['Next runs: none'] : [`Next runs (${task.timezone}):`, ...next];
  return [...runs, `Estimated cost: ${await costInWords(task, known)}`].join('\n');
}

/** What its runs cost so far, or else this persona's: nothing else is known of a prompt that never ran. */
async function costInWords(task: TaskDefinition, { store, now, priceFor }: Known): Promise<string> {
  const row = await store.getTask(task.id);
  const { target, price } = priceFor(row?.file_sha256 === task.sha256 ? row.pinned : null);
  // Its runs stand in the books with 0, which is not what they cost.
  if (price === null) return `unknown, as nobody knows the price of ${targetName(target)}`;
  const own = await pastCosts(store, task.id);
  const about = (past: readonly number[]) =>
    `about ${estimateRunCost({ past, texts: [], price })?.toFixed(4)} USD a run`;
  if (own.length > 0) return `${about(own)}, as its last ${own.length}`;
  const [all] = await store.usage(now - DAYS_30_MS, now + 1, null);
  if (!all || all.runs === 0) return 'unknown, nothing was run yet';
  return `${about([all.cost_usd / all.runs])}, as this persona's runs of the last 30 days`;
}
