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
}

/** Somebody reads this, and a task may be due every five seconds. */
const MOST_OCCURRENCES = 10_000;

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
