import { afterEach, expect, it } from 'vitest';
import { parseTask } from '../../../engine/config/tasks/task-file.ts';
import { decideTaskEnd } from '../../../engine/dispatch/schedule/task-ended.ts';
import { planByHand } from '../../../engine/tasks/plan-task.ts';
import { makeRig } from './rig.ts';

const open: { rig?: Awaited<ReturnType<typeof makeRig>> } = {};
afterEach(async () => {
  await open.rig?.close();
});

it('a task at which the engine fails again and again is told of once: by its schedule, like every other failure', async () => {
  const rig = await makeRig({ models: () => ({ text: 'Words that never leave.' }) });
  open.rig = rig;
  Object.defineProperty(rig.harness, 'recursionSecret', {
    get() {
      throw new TypeError('broken');
    },
  });
  const read = parseTask({ id: 'brief', file: 'brief.md', text: '---\nschedule: 0 9 * * *\n---\nGo.\n', zone: 'UTC' });
  if (!read.ok) throw new Error('no task');
  const { persona, clock, harness } = rig;
  const options = { task: read.task, persona, adminContact: null, domain: 'agents.localhost', recursion: 3 };
  const now = clock.now();
  const [runId = ''] = await rig.withStore((store) =>
    store.settleTask('brief', now, (found) => planByHand({ ...options, ids: harness.ids, now, found, held: true })),
  );
  await rig.drain();
  const { run, outbox, jobs } = await rig.ended(runId);
  expect(run).toMatchObject({ status: 'failed', code: 'repeated_crash' });
  expect(outbox).toEqual([]);
  expect(jobs).toEqual([`task_ended:run:${runId}`]);
  await rig.withStore((store) =>
    store.recordTaskEnd({ jobId: `task_ended:run:${runId}`, runId, now: clock.now() }, (found) =>
      decideTaskEnd(found, 'run', clock.now()),
    ),
  );
  const told = await rig.withStore((store) => store.dueJobs(Number.MAX_SAFE_INTEGER, 10));
  expect(told.map(({ payload }) => JSON.parse(payload))).toMatchObject([{ subject: 'Task failed: brief' }]);
});
