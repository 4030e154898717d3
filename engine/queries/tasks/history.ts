import { iso } from '../../lib/clock.ts';
import type { TaskTimeStatus } from '../../storage/types/tasks.ts';
import { type TimeStatus, timeStatus } from '../../tasks/time-status.ts';
import { personaNamed } from '../find-across.ts';
import type { QueryPorts } from '../ports.ts';
import { findTask } from './listing.ts';

/** What became of one due time. */
export interface TimeShape {
  /** `<persona>/<task>` */
  readonly task: string;
  readonly due_at: string;
  readonly state: TimeStatus['state'];
  readonly code: string | null;
  readonly run_id: string | null;
  readonly delivery: TimeStatus['delivery'];
  /** Of several that were decided as one. */
  readonly count?: number;
}

export function timeShape(persona: string, time: TaskTimeStatus): TimeShape {
  const { state, code, delivery } = timeStatus(time);
  return {
    task: `${persona}/${time.task}`,
    due_at: iso(time.due_at),
    state,
    code,
    run_id: time.run_id,
    delivery,
    ...(time.count > 1 ? { count: time.count } : {}),
  };
}

/** Due times of one task, or of all of a persona, newest first; `before`: older than this. */
export async function timesOf(
  { stores }: Pick<QueryPorts, 'stores'>,
  { persona, ...wanted }: { persona: string; task: string | undefined; before?: number | undefined; limit: number },
): Promise<readonly TaskTimeStatus[]> {
  return stores.exists(persona) ? stores.use(persona, (store) => store.taskTimes(wanted)) : [];
}

/** A state is not stored, so as many due times are looked at as may hold the wanted ones. */
const LOOKED_THROUGH = 1000;

/** The newest due times of one task, of one persona or of all. Throws `not_found`. */
export async function taskHistory(
  ports: QueryPorts,
  wanted: { name?: string | undefined; persona?: string | undefined; status?: string | undefined; limit: number },
): Promise<readonly TimeShape[]> {
  const { name, status, limit } = wanted;
  const one = name === undefined ? undefined : await taskEverSeen(ports, name);
  const personas = one
    ? [one.persona]
    : wanted.persona
      ? [personaNamed(ports, wanted.persona).id]
      : [...ports.live.personas().all()].map(({ id }) => id);
  const found: { persona: string; time: TaskTimeStatus }[] = [];
  for (const persona of personas) {
    const most = status === undefined ? limit : LOOKED_THROUGH;
    const times = await timesOf(ports, { persona, task: one?.task, limit: most });
    found.push(...times.map((time) => ({ persona, time })));
  }
  return found
    .sort((a, b) => b.time.due_at - a.time.due_at)
    .map(({ persona, time }) => timeShape(persona, time))
    .filter(({ state }) => status === undefined || state === status)
    .slice(0, limit);
}

/** Also a task whose file is gone: what it did stays on record. */
async function taskEverSeen(ports: QueryPorts, name: string): Promise<{ persona: string; task: string }> {
  const [persona = '', task = ''] = name.split('/');
  if (task !== '' && ports.live.personas().get(persona)) {
    const times = await timesOf(ports, { persona, task, limit: 1 });
    if (times.length > 0) return { persona, task };
  }
  const found = await findTask(ports, name);
  return { persona: found.persona.id, task: found.entry.id };
}
