import { describe, expect, it } from 'vitest';
import { previewRuns } from '../../../../engine/lib/schedule/preview.ts';
import { localTime } from '../../../../engine/lib/schedule/zone.ts';

const DAY_MS = 86_400_000;
const from = Date.parse('2026-10-24T07:00Z');

const preview = (schedule: string, days: number, limit = 100, window: string | null = null) =>
  previewRuns(
    { schedule, timezone: 'Europe/Berlin', window },
    { anchor: from - 1000, from, to: from + days * DAY_MS, limit },
  );
const local = (runs: readonly number[]) => runs.map((at) => localTime('Europe/Berlin', at));

describe('the preview of a task', () => {
  it('begins with the first moment, ends before the last, and shows the change of the clocks', () => {
    expect(local(preview('0 9 * * *', 3).runs)).toEqual([
      '2026-10-24T09:00:00+02:00',
      '2026-10-25T09:00:00+01:00',
      '2026-10-26T09:00:00+01:00',
    ]);
    expect(preview('0 9 * * *', 3).until).toBe(from + 3 * DAY_MS);
    expect(preview('0 9 * * *', 1).runs).toHaveLength(1);
    expect(preview('every 1s', 1)).toEqual({ runs: [], until: from + DAY_MS });
  });

  it('leaves out what its window leaves out', () => {
    expect(local(preview('0 * * * *', 1, 100, '10:30-12:30').runs)).toEqual([
      '2026-10-24T11:00:00+02:00',
      '2026-10-24T12:00:00+02:00',
    ]);
  });

  it('says up to when it is complete when there is too much of it', () => {
    const { runs, until } = preview('every 5s', 365, 40);
    expect(runs).toHaveLength(40);
    expect(until).toBe((runs.at(-1) ?? 0) + 5000);
    const never = preview('every 5s', 365, 40, '08:00-08:01');
    expect(never.until).toBeLessThan(from + 2 * DAY_MS);
  });
});
