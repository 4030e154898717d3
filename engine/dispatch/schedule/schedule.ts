import type { Log } from '#contract';
import type { Configs, PersonaEntry, TaskEntry } from '../../config/types.ts';
import type { Clock } from '../../lib/clock.ts';
import type { PassCrashPoint } from '../../lib/crash-points.ts';
import type { Ids } from '../../lib/ids.ts';
import type { Announce } from '../../record/jobs/jobs.ts';
import type { GatewayStore } from '../../storage/ports/gateway.ts';
import type { Store, Stores } from '../../storage/ports/store.ts';
import { planTask } from '../../tasks/plan-task.ts';
import type { Lane, Work } from '../dispatcher.ts';

interface ScheduleDeps {
  readonly stores: Stores;
  readonly gateway: GatewayStore;
  readonly live: { tasksOf(personaId: string): readonly TaskEntry[]; personasWithTasks(): readonly string[] };
  findPersona(id: string): PersonaEntry | undefined;
  configs(): Configs;
  readonly clock: Clock;
  /** Milliseconds of a clock that nobody sets. */
  readonly monotonic?: () => number;
  readonly ids: Ids;
  readonly log: Log;
  readonly pass: PassCrashPoint;
  readonly announce: Announce;
}

export interface TaskClock {
  /** Works due times; each is a row before anything is done about it. */
  readonly lane: Lane;
  /** Takes up what stands in these personas' task files. */
  sync(personaIds: readonly string[]): Promise<void>;
  /** Everybody's; at start, and when the clock was set. */
  syncAll(): Promise<void>;
  /** Once a minute: whether the clock was set, or a due time was passed over. */
  recheck(): Promise<void>;
}

/** Differences of the two clocks below this are the system's own corrections. */
const JUMP_MS = 2000;
const PASSED_OVER_MS = 30_000;

export function createSchedule(deps: ScheduleDeps): TaskClock {
  const { stores, gateway, clock, log, monotonic = () => performance.now() } = deps;
  /** When each persona is due next, as last written: to notice what was passed over. */
  const expected = new Map<string, number>();
  const seen = { now: clock.now(), monotonic: monotonic() };

  /** Looks at one task; the runs that were made. */
  const settle = async (personaId: string, taskId: string, store: Store): Promise<number> => {
    const entry = deps.findPersona(personaId);
    if (entry?.state !== 'ready') return 0;
    const found = deps.live.tasksOf(personaId).find(({ id }) => id === taskId);
    const task = found?.task;
    if (!task) {
      // A file that is wrong may be mended; one that is gone is the end of its task.
      await (found ? store.parkTask(taskId) : store.removeTask(taskId, clock.now()));
      return 0;
    }
    const held = await gateway.isPaused(personaId);
    const now = clock.now();
    const { gateway: mail, inference, system } = deps.configs();
    const runs = await store.settleTask(taskId, now, (found) =>
      planTask({
        task,
        persona: entry.persona,
        adminContact: system.admin_contact,
        domain: mail.domain,
        recursion: inference.recursion_depth,
        ids: deps.ids,
        now,
        found,
        held,
      }),
    );
    if (runs.length > 0) deps.pass('task.committed');
    return runs.length;
  };

  const noteNext = async (personaId: string, store: Store): Promise<void> => {
    const next = (await store.listTasks()).flatMap(({ next_at }) => (next_at === null ? [] : [next_at]));
    if (next.length === 0) expected.delete(personaId);
    else expected.set(personaId, Math.min(...next));
  };

  const syncOne = async (personaId: string): Promise<void> => {
    const entries = deps.live.tasksOf(personaId);
    if (deps.findPersona(personaId)?.state !== 'ready') return;
    // Most personas have no tasks and never had any.
    if (entries.length === 0 && !expected.has(personaId) && !stores.exists(personaId)) return;
    const settleAll = async (store: Store): Promise<void> => {
      for (const { id, task } of entries) if (task) await settle(personaId, id, store);
      const files = new Set(entries.map(({ id }) => id));
      for (const { task } of await store.listTasks()) if (!files.has(task)) await store.removeTask(task, clock.now());
      await noteNext(personaId, store);
    };
    await deps.announce(personaId, clock.now(), () => stores.use(personaId, settleAll));
  };

  const sync = async (personaIds: readonly string[]): Promise<void> => {
    for (const personaId of personaIds) {
      await syncOne(personaId).catch((error: unknown) =>
        log.error({ persona: personaId, error: String(error) }, 'the tasks of a persona could not be taken up'),
      );
    }
  };

  const lane: Lane = {
    name: 'tasks',
    nextDueAt: ({ tasks }) => tasks,
    limits: () => ({ total: 8, perPersona: 1 }),
    isHeld: (personaId) => gateway.isPaused(personaId),
    async claim(personaId, store) {
      if (deps.findPersona(personaId)?.state !== 'ready' || (await gateway.isPaused(personaId))) return [];
      const due = await store.dueTasks(clock.now());
      if (due.length === 0) return [];
      deps.pass('task.due');
      const work: Work = async (working) => {
        for (const task of due) await settle(personaId, task, working);
        await noteNext(personaId, working);
      };
      return [work];
    },
  };

  return {
    lane,
    sync,
    syncAll: () => sync(deps.live.personasWithTasks()),
    async recheck() {
      const now = clock.now();
      const steady = monotonic();
      const jump = now - seen.now - (steady - seen.monotonic);
      Object.assign(seen, { now, monotonic: steady });
      if (Math.abs(jump) > JUMP_MS) {
        log.warn({ ms: Math.round(jump) }, 'the clock was set; all tasks are looked at anew');
        return sync(deps.live.personasWithTasks());
      }
      await sync([...expected].filter(([, at]) => at < now - PASSED_OVER_MS).map(([personaId]) => personaId));
    },
  };
}
