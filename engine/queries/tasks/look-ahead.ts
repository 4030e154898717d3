import { previewRuns } from '../../lib/schedule/preview.ts';
import type { QueryPorts } from '../ports.ts';
import { anchorOf, type ListedTask } from './listing.ts';

export interface Occurrence {
  readonly at: number;
  /** `<persona>/<task>` */
  readonly task: string;
  readonly zone: string;
  /** About what it will cost; null when the price of its model is unknown. */
  readonly usd: number | null;
  /** It is the least that it will cost: no run of it has told yet. */
  readonly isGuess?: true;
}

/** Somebody reads this, and a task may be due every five seconds. */
const MOST_OCCURRENCES = 10_000;

/** Of one task that is told of once where it is due more often: every hour of two weeks is less, every half hour more. */
const MOST_EACH = 400;
/** A task that is due each minute of an hour a day is seen to be due in these. */
const MOST_LOOKED_AT = 2000;

/**
 * What they are due in [from, to) as a calendar has it. A task that is due more often than a calendar can tell is among `often`,
 * with its first time, and its times are not computed; `shown` is complete for the others.
 */
export async function outlineAhead(
  ports: QueryPorts,
  listed: readonly ListedTask[],
  { now, from, to }: { now: number; from: number; to: number },
): Promise<{ shown: readonly Occurrence[]; often: readonly Occurrence[] }> {
  const { runCost } = await import('./cost.ts');
  const shown: Occurrence[] = [];
  const often: Occurrence[] = [];
  for (const one of listed.filter(isOn)) {
    const { task } = one.entry;
    if (!task) continue;
    const when = { anchor: anchorOf(one, now), from, to, limit: MOST_EACH, look: MOST_LOOKED_AT };
    const { runs, until } = previewRuns(task, when);
    const [first = until] = runs;
    if (runs.length === 0 && until === to) continue;
    const { usd, isGuess } = await runCost(ports, one);
    const times = until < to ? [first] : runs;
    const id = `${one.persona.id}/${one.entry.id}`;
    for (const at of times)
      (until < to ? often : shown).push({ at, task: id, zone: task.timezone, usd, ...(isGuess ? { isGuess } : {}) });
  }
  return { shown, often };
}

/** All their runs in [from, to), or up to `until` when there would be too many. */
export async function lookAhead(
  ports: QueryPorts,
  listed: readonly ListedTask[],
  { now, from, to }: { now: number; from: number; to: number },
): Promise<{ shown: readonly Occurrence[]; until: number }> {
  const { costPerRun } = await import('./cost.ts');
  const found: Occurrence[] = [];
  let until = to;
  for (const one of listed.filter(isOn)) {
    const { task } = one.entry;
    if (!task) continue;
    const ahead = previewRuns(task, { anchor: anchorOf(one, now), from, to: until, limit: MOST_OCCURRENCES });
    until = Math.min(until, ahead.until);
    const usd = ahead.runs.length > 0 ? await costPerRun(ports, one) : null;
    const id = `${one.persona.id}/${one.entry.id}`;
    for (const at of ahead.runs) found.push({ at, task: id, zone: task.timezone, usd });
  }
  const sorted = found
    .filter(({ at }) => at < until)
    .sort((one, other) => one.at - other.at || one.task.localeCompare(other.task));
  const [first] = sorted.slice(MOST_OCCURRENCES);
  // Cut between two moments, so that what is shown is complete up to there.
  return first ? { shown: sorted.filter(({ at }) => at < first.at), until: first.at } : { shown: sorted, until };
}

export const isOn = ({ entry, row }: ListedTask): boolean => entry.task?.enabled === true && !row?.paused_reason;
