import { EngineError } from '#contract';
import { describeProblem, didYouMean } from '../../config/problems/problem.ts';
import type { Persona, TaskEntry } from '../../config/types.ts';
import { iso } from '../../lib/clock.ts';
import { nextDue } from '../../lib/schedule/due-times.ts';
import { anchored, parseSchedule } from '../../lib/schedule/schedule.ts';
import { nearestOf } from '../../lib/text/nearest.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { TaskState } from '../../storage/types/tasks.ts';
import { personaNamed } from '../find-across.ts';
import type { QueryPorts } from '../ports.ts';

export interface ListedTask {
  readonly persona: Persona;
  readonly entry: TaskEntry;
  /** Absent until a gateway has seen the file. */
  readonly row: TaskState | undefined;
}

/** Every task file of the workspace, or of one persona, as it was looked at last. */
export async function listTasks(ports: QueryPorts, personaId?: string): Promise<ListedTask[]> {
  const { live, overviews, clock } = ports;
  const ids = personaId === undefined ? live.personasWithTasks() : [personaNamed(ports, personaId).id];
  const known = await overviews.of(ids, Math.floor(clock.now() / DAY_MS) * DAY_MS);
  const found: ListedTask[] = [];
  for (const id of ids) {
    const owner = live.personas().get(id);
    if (owner?.state !== 'ready') continue;
    const rows = known.get(id)?.tasks ?? [];
    for (const entry of live.tasksOf(id)) {
      found.push({ persona: owner.persona, entry, row: rows.find(({ task }) => task === entry.id) });
    }
  }
  return found;
}

/** The task of the id `<persona>/<task>`, or of `<task>` where only one persona has it. Throws `not_found`, `usage`. */
export async function findTask(ports: QueryPorts, name: string): Promise<ListedTask> {
  const all = await listTasks(ports);
  const found = all.filter(({ persona, entry }) => name === `${persona.id}/${entry.id}` || name === entry.id);
  const [one] = found;
  if (found.length > 1) {
    const ids = found.map(({ persona, entry }) => `${persona.id}/${entry.id}`).join(' and ');
    throw new EngineError('usage', `${name} is the name of several tasks: ${ids}`);
  }
  if (one) return one;
  const nearest = nearestOf(
    name,
    all.map(({ persona, entry }) => `${persona.id}/${entry.id}`),
  );
  throw new EngineError('not_found', `no task is named ${name}${didYouMean(nearest) || '; see `epistle tasks list`'}`);
}

/** When it is due next: as the gateway keeps it, or, until one has seen the file, as it would be from now on. */
export function nextAtOf({ entry: { task }, row }: ListedTask, now: number): number | null {
  if (!task?.enabled || (row?.paused_reason ?? null) !== null) return null;
  const parsed = parseSchedule(task.schedule, task.timezone);
  if (!parsed.ok) return null;
  const seen = row?.schedule_key === task.scheduleKey;
  const schedule = anchored(parsed.schedule, anchorOf({ entry: { task }, row }, now));
  return nextDue(schedule, task.timezone, seen ? Math.max(row.settled_to, now) : now);
}

/** From when `every` counts: since a gateway has first seen the schedule, or from now on. */
export function anchorOf({ entry: { task }, row }: AnchorOfTask, now: number): number {
  return row && task && row.schedule_key === task.scheduleKey ? row.anchor_at : now;
}

type AnchorOfTask = { readonly entry: Pick<TaskEntry, 'task'>; readonly row: TaskState | undefined };

interface TaskShape {
  /** `<persona>/<task>` */
  readonly id: string;
  readonly name: string;
  readonly schedule: string | null;
  readonly timezone: string | null;
  readonly enabled: boolean;
  readonly next_at: string | null;
  readonly paused_reason: string | null;
  readonly file: string;
  readonly error: string | null;
}

export function taskShape(listed: ListedTask, now: number): TaskShape {
  const { persona, entry, row } = listed;
  const { task } = entry;
  const nextAt = nextAtOf(listed, now);
  return {
    id: `${persona.id}/${entry.id}`,
    name: task?.name ?? entry.id,
    schedule: task?.schedule ?? null,
    timezone: task?.timezone ?? null,
    enabled: task?.enabled ?? false,
    next_at: nextAt === null ? null : iso(nextAt),
    paused_reason: row?.paused_reason ?? null,
    file: entry.file,
    error: entry.problems[0] ? entry.problems.map(describeProblem).join('; ') : null,
  };
}
