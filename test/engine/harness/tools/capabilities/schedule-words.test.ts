import { describe, expect, it } from 'vitest';
import { parseTask } from '../../../../../engine/config/task-file.ts';
import { nextRuns } from '../../../../../engine/harness/tools/capabilities/schedule-words.ts';

const task = (...front: string[]) => {
  const read = parseTask({ id: 't', file: 't.md', text: `---\n${front.join('\n')}\n---\nDo it.\n`, zone: 'UTC' });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.task;
};
const NOON = Date.parse('2026-11-21T12:00:00Z');

describe('the next runs that an owner is shown', () => {
  it('are five, in the zone of the task, after now', () => {
    expect(nextRuns(task('schedule: 0 12 * * *'), NOON)).toEqual(
      ['22', '23', '24', '25', '26'].map((day) => `2026-11-${day}T12:00:00+00:00`),
    );
    expect(nextRuns(task('schedule: 0 0 29 2 *'), NOON)).toHaveLength(5);
  });

  it('are only those that its window lets run', () => {
    const hourly = task('schedule: 0 * * * *', 'window: 08:00-09:00');
    expect(nextRuns(hourly, NOON).slice(0, 3)).toEqual([
      '2026-11-22T08:00:00+00:00',
      '2026-11-22T09:00:00+00:00',
      '2026-11-23T08:00:00+00:00',
    ]);
  });

  it('are none when it is switched off or past', () => {
    expect(nextRuns(task('schedule: every 1h', 'enabled: false'), NOON)).toEqual([]);
    expect(nextRuns(task('schedule: at 2026-11-21T11:00'), NOON)).toEqual([]);
    expect(nextRuns(null, NOON)).toEqual([]);
  });
});
