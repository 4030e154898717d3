import { afterEach, describe, expect, it, vi } from 'vitest';
import { someOf } from '../size.ts';
import { launchGateway, startGateway } from './gateway.ts';
import { OWNER } from './governance-rig.ts';
import { openTaskOffice, type TaskOffice, taskFile } from './task-rig.ts';

const open: { office?: TaskOffice } = {};
afterEach(async () => {
  await open.office?.closeAll();
});

const at = (iso: string, label?: string) => ({
  NODE_ENV: 'test',
  EPISTLE_TEST_NOW: iso,
  ...(label ? { EPISTLE_CRASH_AT: label } : {}),
});

/** Waits until the gateway has a row for the task file. */
const seen = (office: TaskOffice) =>
  vi.waitFor(async () => expect((await office.cli('tasks', 'show', 'brief')).json.task.model).toBeNull(), {
    timeout: 90_000,
    interval: 250,
  });

describe('a process that is killed while a task is due', () => {
  // Between due time and run, and between run and delivery.
  it.each(someOf(['task.due', 'task.committed', 'run.model_replied', 'run.finished', 'outbox.handed_over'], 3))(
    'at %s runs it once and delivers it once',
    async (label) => {
      const office = await openTaskOffice({
        now: '2026-11-23T08:00:00Z',
        tasks: { brief: taskFile('0 9 * * *', 'What is new?') },
      });
      open.office = office;
      await seen(office);
      // The rest happens in lives of their own.
      await office.stop();
      const dying = launchGateway(office.root, at('2026-11-23T08:59:59Z', label));
      await dying.death();
      const living = await startGateway(office.root, at('2026-11-23T09:00:20Z'));
      try {
        await vi.waitFor(
          async () =>
            expect(await office.history()).toMatchObject([
              { due_at: '2026-11-23T09:00:00.000Z', state: 'ran', delivery: 'sent' },
            ]),
          { timeout: 90_000, interval: 500 },
        );
        expect(await office.left('task', OWNER)).toHaveLength(1);
        const { runs } = (await office.cli('runs', 'list')).json;
        expect(runs).toHaveLength(1);
      } finally {
        await living.end();
      }
    },
  );
});

describe('a process that begins at another time', () => {
  it('makes up for what is newest of the hours that it jumped over, and does nothing twice when it is earlier', async () => {
    const office = await openTaskOffice({
      now: '2026-11-23T08:30:00Z',
      tasks: { brief: taskFile('0 * * * *', 'What is new?') },
    });
    open.office = office;
    await seen(office);
    await office.stop();
    const lines = async () =>
      (await office.history()).map(({ due_at, state, code }) => [due_at.slice(11, 16), state, code].join(' ').trim());
    const standing = (expected: readonly string[]) =>
      vi.waitFor(async () => expect(await lines()).toEqual(expected), { timeout: 90_000, interval: 500 });
    const ahead = await startGateway(office.root, at('2026-11-23T12:30:00Z'));
    const after = ['09:00 missed superseded', '10:00 missed superseded', '11:00 missed superseded', '12:00 ran'];
    await standing(after);
    await ahead.stop();

    const back = await startGateway(office.root, at('2026-11-23T11:59:58Z'));
    try {
      // Its answer to a mail says that noon, which comes a second time, is over.
      await vi.waitFor(
        async () => {
          const sent = await office.cli('send', '--to', 'ada@agents.localhost', '--from', OWNER, '--wait=180');
          const { run } = (await office.cli('runs', 'show', sent.json.results[0].run_id)).json;
          expect(Date.parse(run.created_at)).toBeGreaterThan(Date.parse('2026-11-23T12:00:01Z'));
        },
        { timeout: 90_000, interval: 500 },
      );
      expect(await lines()).toEqual(after);
      expect(await office.left('task', OWNER)).toHaveLength(1);
    } finally {
      await back.end();
    }
  });
});
