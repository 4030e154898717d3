import { afterEach, expect, it } from 'vitest';
import { silentLog } from '../../../../engine/lib/log/log.ts';
import { taskCalendar } from '../../../../engine/queries/tasks/calendar.ts';
import { listTasks } from '../../../../engine/queries/tasks/listing.ts';
import { openWorkspace } from '../../../../engine/workspace.ts';
import { makeWorkspace } from '../../../flow/workspace.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** The calendar of these tasks of one persona, by their schedules. */
async function calendarOf(schedules: Readonly<Record<string, string>>) {
  const files = Object.entries(schedules).map(([id, front]) => [
    `personas/ada/tasks/${id}.md`,
    `---\n${front}\ntimezone: UTC\n---\nWhat is new?\n`,
  ]);
  const folder = makeWorkspace(Object.fromEntries(files));
  const workspace = openWorkspace({
    root: folder.root,
    settings: { testNow: null, crashAt: null } as Parameters<typeof openWorkspace>[0]['settings'],
    makeLog: () => silentLog,
  });
  closers.push(folder.remove, workspace.close);
  const now = Date.parse('2026-11-25T10:00:30Z');
  const { days, often } = await taskCalendar(workspace, await listTasks(workspace), { now, shift: 0 });
  const due = days.flatMap(({ entries }) => entries.filter(({ state }) => state === 'due'));
  return { due, often, now };
}
const everyMinute = 'schedule: "* * * * *"';

it('a calendar has what is due every hour on its days, and what is due every minute once', async () => {
  const { due, often, now } = await calendarOf({
    hourly: 'schedule: "0 * * * *"',
    minutely: everyMinute,
    five: 'schedule: every 5m',
    weekly: 'schedule: "0 8 * * 1"',
    window: `${everyMinute}\nwindow: 02:00-02:01`,
  });
  expect(new Set(due.map(({ task }) => task))).toEqual(new Set(['hourly', 'weekly']));
  const hourly = due.filter(({ task }) => task === 'hourly');
  expect(hourly.map(({ times }) => times).slice(0, 3)).toEqual([13, 24, 24]);
  expect(due.filter(({ task }) => task === 'weekly')).toHaveLength(1);
  expect(often.map(({ task }) => task).toSorted()).toEqual(['five', 'minutely', 'window']);
  expect(often.find(({ task }) => task === 'minutely')?.at).toBe(Math.ceil(now / 60_000) * 60_000);
  expect(often.every(({ at }) => at > now)).toBe(true);
});

it('a task every minute hides nothing that the others have to come', async () => {
  const many = Object.fromEntries(Array.from({ length: 39 }, (_, at) => [`often-${at}`, everyMinute]));
  const { due, often } = await calendarOf({ ...many, weekly: 'schedule: "0 8 * * 1"' });
  expect(often).toHaveLength(39);
  // The last day of the two weeks, too.
  expect(due).toMatchObject([{ task: 'weekly', times: 1 }]);
});
