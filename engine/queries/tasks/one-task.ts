import { EngineError } from '#contract';
import { previewRuns } from '../../lib/schedule/preview.ts';
import type { TaskTimeStatus } from '../../storage/types/tasks.ts';
import type { QueryPorts } from '../ports.ts';
import { timesOf } from './history.ts';
import { anchorOf, type ListedTask, listTasks, nextAtOf } from './listing.ts';

export interface TaskPage {
  readonly persona: string;
  readonly task: string;
  /** Null: its file is gone, and what it did stays on record. */
  readonly listed: ListedTask | null;
  /** Its next due times. */
  readonly coming: readonly number[];
  /** About what one run costs; null: nobody knows. */
  readonly usd: number | null;
  /** That is the least: no run of it has told yet. */
  readonly isGuess: boolean;
  /** Newest first. */
  readonly times: readonly TaskTimeStatus[];
  /** Who added it, and who paused it last, as far as the newest rows of the log tell. */
  readonly added: Told | null;
  readonly paused: Told | null;
  /** What was due before this stands on the next page; null: nothing. */
  readonly next: number | null;
}

export interface Told {
  /** Unix ms */
  readonly at: number;
  readonly by: string;
}

/** So many of the newest rows of the log are looked through. */
const TOLD = 2000;

const COMING = 5;
const YEAR_MS = 366 * 86_400_000;

/** One task with what became of its due times. Throws `not_found`. */
export async function taskPage(
  ports: QueryPorts,
  { persona, task, before, limit }: { persona: string; task: string; before: number | undefined; limit: number },
): Promise<TaskPage> {
  const isThere = ports.live.personas().get(persona) !== undefined;
  const files = isThere ? await listTasks(ports, persona) : [];
  const listed = files.find(({ entry }) => entry.id === task) ?? null;
  const found = isThere ? await timesOf(ports, { persona, task, before, limit: limit + 1 }) : [];
  if (listed === null && found.length === 0) throw new EngineError('not_found', `no task is named ${persona}/${task}`);
  const times = found.slice(0, limit);
  const now = ports.clock.now();
  const isDue = listed !== null && nextAtOf(listed, now) !== null;
  const { runCost } = await import('./cost.ts');
  const cost = isDue ? await runCost(ports, listed) : { usd: null, isGuess: false };
  return {
    persona,
    task,
    listed,
    coming: isDue ? comingOf(listed, now) : [],
    ...cost,
    times,
    ...(await toldOf(ports, persona, task)),
    next: found.length > limit ? (times.at(-1)?.due_at ?? null) : null,
  };
}

async function toldOf(
  { stores }: QueryPorts,
  persona: string,
  task: string,
): Promise<Pick<TaskPage, 'added' | 'paused'>> {
  if (!stores.exists(persona)) return { added: null, paused: null };
  const rows = await stores.use(persona, (store) => store.listAudit({ limit: TOLD }));
  const last = (event: string): Told | null => {
    const row = rows.find((one) => one.event === event && one.detail.task === task);
    return row ? { at: row.at, by: row.actor } : null;
  };
  return { added: last('task_added'), paused: last('task_paused') };
}

function comingOf(listed: ListedTask, now: number): readonly number[] {
  const { task } = listed.entry;
  if (!task) return [];
  const span = { anchor: anchorOf(listed, now), from: now, to: now + YEAR_MS, limit: COMING };
  return previewRuns(task, span).runs;
}
