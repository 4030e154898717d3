import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseTask } from '../../../../engine/config/tasks/task-file.ts';
import type { Configs, Persona, TaskEntry } from '../../../../engine/config/types.ts';
import { createDispatcher, type Dispatcher } from '../../../../engine/dispatch/dispatcher.ts';
import { createJobsLane } from '../../../../engine/dispatch/jobs-lane.ts';
import { createSchedule } from '../../../../engine/dispatch/schedule/schedule.ts';
import { createTaskEnded } from '../../../../engine/dispatch/schedule/task-ended.ts';
import { createWorkQueue } from '../../../../engine/dispatch/work-queue.ts';
import { passThrough } from '../../../../engine/lib/crash-points.ts';
import { randomIds } from '../../../../engine/lib/ids.ts';
import { silentLog } from '../../../../engine/lib/log/log.ts';
import { taskEndedJob } from '../../../../engine/record/jobs/job-kinds.ts';
import { handleJobs } from '../../../../engine/record/jobs/jobs.ts';
import { notice } from '../../../../engine/record/jobs/notice-job.ts';
import type { Store } from '../../../../engine/storage/ports/store.ts';
import { openGatewayStore } from '../../../../engine/storage/sqlite/gateway/store.ts';
import { createStores } from '../../../../engine/storage/sqlite/stores.ts';
import { ownEvent } from '../../../../engine/storage/types/runs.ts';
import { timeStatus } from '../../../../engine/tasks/time-status.ts';

const ADA = {
  id: 'ada',
  name: 'Ada',
  address: 'ada@agents.localhost',
  owners: ['owner@example.com'],
  timezone: 'UTC',
} as Persona;

const CONFIGS = {
  gateway: { domain: 'agents.localhost' },
  inference: { recursion_depth: 3 },
  system: { admin_contact: null },
} as Configs;

export type ScheduleRig = Awaited<ReturnType<typeof openSchedule>>;

/**
 * The schedule, its lane and the dispatcher as the gateway builds them, over real databases, with a clock that only the
 * test moves: the real process takes its clock from the system. `at` is when they begin.
 */
export async function openSchedule(at: string, tasks: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'epistle-schedule-'));
  const gateway = openGatewayStore(join(folder, 'gateway.db'));
  const stores = createStores({ dataDir: folder, maxOpen: 8 });
  const time = { now: Date.parse(at), steady: 0 };
  const clock = { now: () => time.now, sleep: () => Promise.resolve() };
  const entries = Object.entries(tasks).map(([id, text]) => entryOf(id, text));
  const notices: string[] = [];
  const instance = 'me';
  const ids = randomIds(clock.now);
  const findPersona = () => ({ id: 'ada', state: 'ready' as const, persona: ADA, folder: 'personas/ada' });
  const common = { gateway, stores, clock, ids, log: silentLog, pass: passThrough, findPersona };
  const queue = createWorkQueue({
    wakeups: gateway,
    clock,
    pass: passThrough,
    onAnnounced: (id) => dispatcher.wake(id),
  });
  const schedule = createSchedule({
    ...common,
    live: { tasksOf: () => entries, personasWithTasks: () => ['ada'] },
    configs: () => CONFIGS,
    monotonic: () => time.steady,
    announce: queue.announce,
  });
  const holder = { instance, deadHolders: 'all others' } as const;
  const jobs = createJobsLane({
    name: 'jobs',
    ...common,
    holder,
    random: () => 0.5,
    handlers: async () => [
      createTaskEnded({ clock }),
      handleJobs(notice, async (_persona, { id, payload }, store) => {
        if ('subject' in payload) notices.push(payload.subject);
        await store.endJob(id);
      }),
    ],
  });
  const dispatcher: Dispatcher = createDispatcher({ ...common, queue, lanes: [jobs, schedule.lane], holder });
  dispatcher.start();
  await schedule.syncAll();
  await dispatcher.idle();

  const use = <Result>(work: (store: Store) => Promise<Result>) => stores.use('ada', work);
  return {
    gateway,
    schedule,
    notices,
    use,
    now: () => time.now,
    /** Time passes, as it does while nobody sets the clock, and what is due by then is worked. */
    async pass(ms: number) {
      time.now += ms;
      time.steady += ms;
      await dispatcher.idle();
    },
    /** Somebody sets the clock; what is due by it is worked. */
    async setClock(to: string) {
      time.now = Date.parse(to);
      await dispatcher.idle();
    },
    /** The once-a-minute look. */
    async minuteTick() {
      await schedule.recheck();
      await dispatcher.idle();
    },
    /** Another life of the process, which finds the rows of the one before. */
    async startAgain() {
      await gateway.makeAllDue(time.now);
      await schedule.syncAll();
      await dispatcher.idle();
    },
    /** Every run that is open ends like this. */
    async endRuns(end: { status: 'done' | 'failed'; outcome: string; code?: string }) {
      for (;;) {
        const [loaded] = await use((store) =>
          store.claimRuns({ ...holder, now: time.now, leaseMs: 60_000, day: '2026-11-23', limit: 1 }),
        );
        if (!loaded) break;
        const { run, events } = loaded;
        await use((store) =>
          store.finishRun({
            lease: { runId: run.id, fence: run.fence },
            firstSeq: events.length,
            events: [ownEvent('run_ended', end)],
            patch: { code: null, ...end, ended_at: time.now, leased_by: null, leased_until: null },
            endsTask: true,
            jobs: [taskEndedJob(run.id, time.now)],
            now: time.now,
          }),
        );
        await gateway.bumpWakeup('ada', time.now);
      }
      await dispatcher.idle();
    },
    /** What became of each due time, oldest first: `09:00:00 ran`. */
    history: async (task?: string) =>
      (await use((store) => store.taskTimes({ task, limit: 1000 })))
        .map((row) => {
          const { state, code } = timeStatus(row);
          return [new Date(row.due_at).toISOString().slice(11, 19), state, code].filter(Boolean).join(' ');
        })
        .toReversed(),
    async close() {
      await dispatcher.stop(0);
      await stores.close();
      await gateway.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function entryOf(id: string, text: string): TaskEntry {
  const file = `personas/ada/tasks/${id}.md`;
  const read = parseTask({ id, file, text, zone: 'UTC' });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return { id, file, task: read.task, problems: [] };
}
