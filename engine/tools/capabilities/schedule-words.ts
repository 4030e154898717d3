import type { TaskDefinition } from '../../config/types.ts';
import type { Language } from '../../languages/language.ts';
import { say } from '../../languages/say.ts';
import { dayAndTime } from '../../languages/times.ts';
import { previewRuns } from '../../lib/schedule/preview.ts';
import { localTime } from '../../lib/schedule/zone.ts';
import { estimateRunCost, pastCosts } from '../../models/estimate.ts';
import type { PricedTarget } from '../../models/target-price.ts';
import { targetName } from '../../models/targets.ts';
import type { Store } from '../../storage/ports/store.ts';

// What an owner is shown of a task before agreeing to it.

interface Known {
  readonly store: Pick<Store, 'getTask' | 'usage' | 'taskTimes'>;
  readonly language: Language;
  readonly now: number;
  priceFor(pinned: string | null): PricedTarget;
}

const SHOWN_RUNS = 5;
const DAYS_30_MS = 30 * 86_400_000;
/** Five leap days come within that. */
const YEARS_30_MS = 30 * 366 * 86_400_000;

/** The next runs in the task's own zone, each with its offset; none when it is switched off or past. */
export const nextRuns = (task: TaskDefinition | null, now: number): string[] =>
  task === null ? [] : nextOf(task, now).map((at) => localTime(task.timezone, at));

const nextOf = (task: TaskDefinition, now: number): readonly number[] =>
  task.enabled ? previewRuns(task, { anchor: now, from: now + 1, to: now + YEARS_30_MS, limit: SHOWN_RUNS }).runs : [];

export async function runsInWords(task: TaskDefinition | null, known: Known): Promise<string> {
  if (!task) return '';
  const place = { language: known.language, zone: task.timezone };
  const next = nextOf(task, known.now).map((at) => `  ${dayAndTime(at, place, true)}`);
  const runs =
    next.length === 0
      ? [say(known.language, 'previews.noRuns')]
      : [say(known.language, 'previews.nextRuns', { zone: task.timezone }), ...next];
  return [...runs, say(known.language, 'previews.cost', { said: await costInWords(task, known) })].join('\n');
}

/** What its runs cost so far, or else this persona's: nothing else is known of a prompt that never ran. */
async function costInWords(task: TaskDefinition, { store, language, now, priceFor }: Known): Promise<string> {
  const row = await store.getTask(task.id);
  const { target, price } = priceFor(row?.file_sha256 === task.sha256 ? row.pinned : null);
  // Its runs stand in the books with 0, which is not what they cost.
  if (price === null) return say(language, 'previews.noPrice', { model: targetName(target) });
  // A model of one's own: what its runs cost says nothing more.
  if (price.input === 0 && price.output === 0) return '0 USD';
  const own = await pastCosts(store, task.id);
  const about = (past: readonly number[]) =>
    say(language, 'previews.aRun', { usd: estimateRunCost({ past, texts: [], price })?.toFixed(4) ?? '?' });
  if (own.length > 0) return `${about(own)}, ${say(language, 'previews.asItsLast', { runs: own.length })}`;
  const [all] = await store.usage(now - DAYS_30_MS, now + 1, null);
  if (!all || all.runs === 0) return say(language, 'previews.neverRun');
  return `${about([all.cost_usd / all.runs])}, ${say(language, 'previews.asOthers')}`;
}
