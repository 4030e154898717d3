import { describe, expect, it } from 'vitest';
import type { PlannedTime, TaskPlan, TaskSnapshot } from '../../../engine/storage/types/tasks.ts';
import type { StorageEngine } from '../engine.ts';
import { claim, eachWithAStore, message, NOON } from '../world.ts';

const snapshot = (due: number): TaskSnapshot => ({
  task: 'brief',
  name: 'Brief',
  due_at: due,
  timezone: 'UTC',
  file_sha256: 'f',
  prompt_sha256: 'p',
  deliver: [],
  sticky: false,
  condition: { tool: 'look', args: { deep: [1, null] } },
  pinned: null,
  previous: null,
});

/** A due time that is run; `run` names its run. */
const dueTime = (due: number, run: string): PlannedTime => ({
  dueAt: due,
  decision: 'run',
  code: null,
  count: 1,
  run: {
    newThread: { id: `t-${run}`, kind: 'task', subject: 'Brief' },
    message: message(run, `t-${run}`, { duplicate_key: `task:brief:${due}`, from_address: null, tier: 'owner' }),
    run: {
      id: `r-${run}`,
      thread_id: `t-${run}`,
      message: run,
      message_id: `<${run}@x.example>`,
      kind: 'task',
      status: 'queued',
      tier: 'owner',
      recursion: 3,
      due_at: NOON,
      created_at: NOON,
    },
    snapshot: snapshot(due),
  },
});

const planOf = (times: readonly PlannedTime[]): TaskPlan => ({
  row: {
    task: 'brief',
    file_sha256: 'f',
    schedule_key: 'k',
    anchor_at: 0,
    settled_to: NOON,
    next_at: NOON + 1000,
    paused_reason: null,
    incident_at: null,
    told_at: null,
    thread_id: null,
    pinned: null,
    updated_at: NOON,
  },
  times,
  forgetAfter: null,
  settleWaiting: null,
});

export const taskPromises = (engine: StorageEngine): void => {
  describe('a task', () => {
    const store = eachWithAStore(engine);
    const settle = (run: string, due = NOON) => store().settleTask('brief', NOON, () => planOf([dueTime(due, run)]));

    it('runs a due time once, however many look at it at once', async () => {
      const made = await Promise.all(['one', 'two', 'three'].map((run) => settle(run)));
      expect(made.flat()).toEqual(['r-one']);
      expect(await store().listRuns({ limit: 10 })).toHaveLength(1);
      expect(await store().taskTimes({ task: 'brief', limit: 10 })).toMatchObject([
        { due_at: NOON, run_id: 'r-one', run_status: 'queued', snapshot: snapshot(NOON) },
      ]);
    });

    it('is told by the run what it is a run of', async () => {
      await settle('one');
      expect(await claim(store())).toMatchObject({
        run: { kind: 'task' },
        trigger: { kind: 'task', task: snapshot(NOON) },
      });
    });

    it('counts an end once, whoever hears of it at the same time', async () => {
      await settle('one');
      await store().addJobs([{ id: 'ended', kind: 'task_ended', due_at: NOON, payload: '{}' }]);
      const record = () =>
        store().recordTaskEnd({ jobId: 'ended', runId: 'r-one', now: NOON }, ({ row }) => ({
          patch: { failures: row.failures + 1 },
          jobs: [],
        }));
      await Promise.all([record(), record()]);
      expect(await store().getTask('brief')).toMatchObject({ failures: 1 });
    });

    it('is due when it said, until it is parked or removed', async () => {
      await settle('one');
      expect(await store().dueTasks(NOON + 999)).toEqual([]);
      expect(await store().dueTasks(NOON + 1000)).toEqual(['brief']);
      await store().parkTask('brief');
      expect(await store().dueTasks(NOON + 1e9)).toEqual([]);
      expect(await store().setTaskPaused('brief', null, NOON)).toBe(true);
      expect(await store().dueTasks(NOON)).toEqual(['brief']);
      await store().removeTask('brief', NOON);
      expect(await store().setTaskPaused('brief', null, NOON)).toBe(false);
      expect(await store().taskTimes({ task: 'brief', limit: 10 })).toHaveLength(1);
    });
  });
};
