import { parseTask } from '../../../../engine/config/tasks/task-file.ts';
import type { Persona, TaskDefinition } from '../../../../engine/config/types.ts';
import { randomIds } from '../../../../engine/lib/ids.ts';
import { FencedError } from '../../../../engine/storage/ports/runs.ts';
import { openStore } from '../../../../engine/storage/sqlite/persona/store.ts';
import { planTask } from '../../../../engine/tasks/plan-task.ts';
import type { TaskText, Tick, Ticked } from './ticks.ts';

/** One of several processes that look after the same tasks in the same database, as the schedule and its lane do. */

const LEASE_MS = 20_000;
/** Settled runs go on while somebody waits for them; more of them than this are left to the next tick. */
const MOST_RUNS = 5;

const [, , file = '', tasksJson = '[]'] = process.argv;
const store = openStore(file);
const ids = randomIds(Date.now);

const read = ({ id, text }: TaskText): TaskDefinition => {
  const parsed = parseTask({ id, file: `${id}.md`, text, zone: 'UTC' });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.task;
};
const tasks = (JSON.parse(tasksJson) as TaskText[]).map(read);

const persona = { id: 'ada', name: 'Ada', address: 'ada@agents.localhost', owners: ['o@example.com'] } as Persona;

async function settle(task: TaskDefinition, now: number): Promise<number> {
  const options = {
    task,
    persona,
    adminContact: null,
    domain: 'agents.localhost',
    recursion: 3,
    ids,
    now,
    held: false,
  };
  return (await store.settleTask(task.id, now, (found) => planTask({ ...options, found }))).length;
}

/** Works one run to its end; false when there is none. */
async function work(now: number, ticked: { ended: number; fenced: number }): Promise<boolean> {
  const [loaded] = await store.claimRuns({ instance: 'soak', now, leaseMs: LEASE_MS, day: '2026-03-28', limit: 1 });
  if (!loaded) return false;
  const { run, events } = loaded;
  try {
    await store.finishRun({
      lease: { runId: run.id, fence: run.fence },
      firstSeq: events.length,
      events: [{ type: 'run_ended', v: 1, payload_json: '{"outcome":"final"}' }],
      patch: { status: 'done', outcome: 'final', ended_at: now, leased_by: null, leased_until: null },
      now,
    });
    ticked.ended += 1;
  } catch (error) {
    // Another process took over, since this one was thought to be dead; it is the one that counts.
    if (!(error instanceof FencedError)) throw error;
    ticked.fenced += 1;
  }
  return true;
}

async function tick({ now, all }: Tick): Promise<Ticked> {
  const ticked = { made: 0, ended: 0, fenced: 0, due: 0 };
  const due = all ? tasks.map(({ id }) => id) : await store.dueTasks(now);
  for (const task of tasks) if (due.includes(task.id)) ticked.made += await settle(task, now);
  for (let count = 0; count < MOST_RUNS && (await work(now, ticked)); count += 1);
  return { ...ticked, due: due.length };
}

process.on('message', (message: Tick) => {
  tick(message).then(
    (ticked) => process.send?.(ticked),
    (error: unknown) => {
      process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => void store.close().then(() => process.exit(0)));
