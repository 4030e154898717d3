import { afterEach, describe, expect, it, vi } from 'vitest';
import { startMinuteTick } from '../../../../engine/dispatch/schedule/minute-tick.ts';
import { silentLog } from '../../../../engine/lib/log/log.ts';
import { taskFile } from '../../../flow/task-rig.ts';
import { openSchedule, type ScheduleRig } from './schedule-rig.ts';

const open: { rig?: ScheduleRig } = {};
afterEach(async () => {
  await open.rig?.close();
});

const START = '2026-11-23T08:59:30Z';
const scheduled = async (...file: Parameters<typeof taskFile>) => {
  open.rig = await openSchedule(START, { brief: taskFile(...file) });
  return open.rig;
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const done = { status: 'done', outcome: 'final' } as const;
const EVERY_MINUTE = '"* * * * *"';

describe('while time passes', () => {
  it('a task of every minute has one row and one run for each minute', async () => {
    const rig = await scheduled(EVERY_MINUTE, 'Tick.');
    for (let minute = 0; minute < 4; minute += 1) {
      await rig.pass(30_000);
      await rig.endRuns(done);
      await rig.pass(30_000);
      await rig.minuteTick();
    }
    expect(await rig.history()).toEqual(['09:00:00 ran', '09:01:00 ran', '09:02:00 ran', '09:03:00 ran']);
  });

  it('a task of every five seconds is due at each fifth second since it was first seen, and at no other', async () => {
    const rig = await scheduled('every 5s', 'Tick.');
    for (let second = 0; second < 17; second += 1) {
      await rig.pass(1000);
      await rig.endRuns(done);
    }
    expect(await rig.history()).toEqual(['08:59:35 ran', '08:59:40 ran', '08:59:45 ran']);
  });

  it('the minute tick works what no wakeup led to', async () => {
    const rig = await scheduled(EVERY_MINUTE, 'Tick.');
    await rig.pass(5000);
    const [wakeup] = await rig.gateway.dueWakeups(rig.now() + HOUR, 1);
    await rig.gateway.clearWakeup({ personaId: 'ada', generation: wakeup?.generation ?? 0, dueAt: null });
    await rig.pass(MINUTE);
    expect(await rig.history()).toEqual([]);
    await rig.minuteTick();
    expect(await rig.history()).toEqual(['09:00:00 queued']);
  });
});

describe('the minute tick', () => {
  it('comes once a minute, and not any more once it is stopped', async () => {
    vi.useFakeTimers({ now: Date.parse(START) });
    try {
      const recheck = vi.fn(async () => {});
      const nothing = async () => {};
      const schedule = { syncAll: nothing, sync: nothing, recheck } as unknown as Parameters<
        typeof startMinuteTick
      >[0]['schedule'];
      const tick = startMinuteTick({ schedule, onChange: () => () => {}, log: silentLog });
      await vi.advanceTimersByTimeAsync(5000);
      await vi.dynamicImportSettled();
      await vi.advanceTimersByTimeAsync(24_000);
      expect(recheck).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(2 * MINUTE + 2000);
      expect(recheck).toHaveBeenCalledTimes(3);
      await tick.stop();
      await vi.advanceTimersByTimeAsync(5 * MINUTE);
      expect(recheck).toHaveBeenCalledTimes(3);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a clock that is set forward', () => {
  it.each([
    ['latest', ['09:00:00 missed superseded', '10:00:00 missed superseded', '11:00:00 ran']],
    ['skip', ['09:00:00 missed late', '10:00:00 missed late', '11:00:00 missed late']],
    ['all', ['09:00:00 ran', '10:00:00 ran', '11:00:00 ran']],
  ])('leaves one row for each due time that it jumped over, with `missed: %s`', async (missed, expected) => {
    const rig = await scheduled('0 * * * *', 'Tick.', `missed: ${missed}`);
    await rig.setClock('2026-11-23T11:30:00Z');
    await rig.minuteTick();
    // One after the other: each end makes room for the next.
    for (const _ of expected) await rig.endRuns(done);
    await rig.minuteTick();
    await rig.pass(MINUTE);
    expect(await rig.history()).toEqual(expected);
    await rig.pass(HOUR);
    await rig.endRuns(done);
    expect((await rig.history()).slice(expected.length)).toEqual([
      missed === 'skip' ? '12:00:00 missed late' : '12:00:00 ran',
    ]);
  });
});

describe('a clock that is set back', () => {
  it('runs nothing twice, and goes on where it was', async () => {
    const rig = await scheduled('0 * * * *', 'Tick.');
    await rig.pass(HOUR);
    await rig.endRuns(done);
    expect(await rig.history()).toEqual(['09:00:00 ran']);
    await rig.setClock('2026-11-23T08:45:00Z');
    await rig.minuteTick();
    await rig.pass(20 * MINUTE);
    await rig.minuteTick();
    await rig.startAgain();
    expect(await rig.history()).toEqual(['09:00:00 ran']);
    await rig.pass(HOUR);
    await rig.endRuns(done);
    expect(await rig.history()).toEqual(['09:00:00 ran', '10:00:00 ran']);
  });

  it('after it was wrong by a year does not silence a task for a year', async () => {
    const rig = await scheduled('0 * * * *', 'Tick.', 'missed: skip');
    await rig.setClock('2027-11-23T08:59:30Z');
    await rig.minuteTick();
    await rig.setClock(START);
    await rig.minuteTick();
    expect(await rig.history()).toEqual([]);
    await rig.pass(MINUTE);
    await rig.endRuns(done);
    expect(await rig.history()).toEqual(['09:00:00 ran']);
  });
});

describe('a paused persona', () => {
  it('is not asked again and again for what is due: its task waits for the end of the pause', async () => {
    const rig = await scheduled('0 * * * *', 'Tick.');
    await rig.gateway.setPaused('ada', 'paused');
    await rig.pass(MINUTE);
    await rig.pass(3000);
    expect(await rig.history()).toEqual([]);
    expect(await rig.use((store) => store.dueTasks(rig.now()))).toEqual(['brief']);
    expect(await rig.gateway.nextWakeupAt()).toBeNull();
    await rig.gateway.setPaused('ada', null);
    await rig.gateway.bumpWakeup('ada', rig.now());
    await rig.pass(1000);
    await rig.endRuns(done);
    expect(await rig.history()).toEqual(['09:00:00 ran']);
  });
});

describe('a task that fails again and again', () => {
  it('is paused after five times in a row, told once, and runs again when it is resumed', async () => {
    const rig = await scheduled('every 5s', 'Tick.');
    const failed = { status: 'failed', outcome: 'failed', code: 'auth' } as const;
    for (let time = 0; time < 8; time += 1) {
      await rig.pass(5000);
      await rig.endRuns(failed);
    }
    const times = await rig.history();
    expect(times.map((time) => time.slice(9))).toEqual([
      ...Array.from({ length: 5 }, () => 'failed auth'),
      ...Array.from({ length: 3 }, () => 'skipped paused'),
    ]);
    expect(rig.notices).toEqual(['Task failed: brief', 'Task paused: brief']);
    await rig.use((store) => store.setTaskPaused('brief', null, rig.now()));
    await rig.gateway.bumpWakeup('ada', rig.now());
    await rig.pass(5000);
    await rig.endRuns(done);
    expect((await rig.history()).at(-1)).toMatch(/ran$/);
    expect(rig.notices).toHaveLength(2);
  });
});
