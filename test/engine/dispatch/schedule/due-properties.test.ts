import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countDueTimes, dueTimes, latestDueTimes, nextDue } from '../../../../engine/lib/schedule/due-times.ts';
import { anchored, parseSchedule, type Schedule } from '../../../../engine/lib/schedule/schedule.ts';
import { type DueRow, planDue } from '../../../../engine/tasks/plan-due.ts';
import { dueByHand, walk } from './oracle.ts';

const HOUR_MS = 3_600_000;
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'America/Havana',
  'Africa/Casablanca',
  'UTC',
];

/** A field as somebody may write it: anything, a step, a list or a range. */
const field = (low: number, high: number): fc.Arbitrary<string> => {
  const value = fc.integer({ min: low, max: high });
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant('*') },
    value.map(String),
    fc.integer({ min: 2, max: Math.min(20, high) }).map((step) => `*/${step}`),
    fc.array(value, { minLength: 1, maxLength: 4 }).map((values) => values.join(',')),
    fc.tuple(value, value).map(([one, other]) => `${Math.min(one, other)}-${Math.max(one, other)}`),
  );
};
const cron = fc
  .tuple(field(0, 59), field(0, 23), field(1, 28), field(1, 12), field(0, 7))
  .map((fields) => fields.join(' '));
const schedule = fc.oneof(
  { weight: 4, arbitrary: cron },
  fc.tuple(fc.integer({ min: 5, max: 900 }), fc.constantFrom('s', 'm', 'h')).map(([n, unit]) => `every ${n}${unit}`),
  fc.integer({ min: 0, max: 365 * 24 * 60 }).map((minutes) => {
    const wall = new Date(Date.UTC(2026, 0, 1) + minutes * 60_000);
    return `at ${wall.toISOString().slice(0, 16)}`;
  }),
);
const zone = fc.constantFrom(...ZONES);
const instant = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 11, 31) });
const ANCHOR = Date.UTC(2026, 0, 1, 0, 0, 11);

function read(text: string, inZone: string): Schedule {
  const parsed = parseSchedule(text, inZone);
  if (!parsed.ok) throw new Error(`${text}: ${parsed.message}`);
  return anchored(parsed.schedule, ANCHOR);
}

describe('due times of any schedule', () => {
  it('rise, lie in what was asked for, and are the same in parts as in one', () => {
    const property = fc.property(
      schedule,
      zone,
      instant,
      fc.nat(2000),
      fc.nat(1000),
      (text, inZone, from, hours, part) => {
        const read_ = read(text, inZone);
        const to = from + hours * HOUR_MS;
        const middle = from + Math.floor(((to - from) * part) / 1000);
        const whole = dueTimes(read_, inZone, from, to, 60);
        expect(whole).toEqual([...new Set(whole)].sort((one, other) => one - other));
        expect(whole.every((due) => due > from && due <= to)).toBe(true);
        const parts = [...dueTimes(read_, inZone, from, middle, 60), ...dueTimes(read_, inZone, middle, to, 60)];
        expect(parts.slice(0, 60)).toEqual(whole);
        expect(whole[0]).toBe(hours === 0 ? undefined : inside(nextDue(read_, inZone, from), to));
      },
    );
    fc.assert(property, { seed: 20261122, numRuns: 300 });
  });

  it('backwards are the same as forwards, and as many as are counted', () => {
    const property = fc.property(schedule, zone, instant, fc.nat(60), (text, inZone, from, hours) => {
      const read_ = read(text, inZone);
      const to = from + hours * HOUR_MS;
      const all = dueTimes(read_, inZone, from, to, 400);
      if (all.length < 400) {
        expect(latestDueTimes(read_, inZone, from, to, 400)).toEqual(all);
        expect(latestDueTimes(read_, inZone, from, to, 5)).toEqual(all.slice(-5));
      }
      expect(countDueTimes(read_, inZone, from, to, 400)).toBe(all.length);
    });
    fc.assert(property, { seed: 20261122, numRuns: 150 });
  });

  it('of any cron are those of a walk minute by minute', () => {
    const days = [
      ['Europe/Berlin', '2026-03-29'],
      ['Europe/Berlin', '2026-10-25'],
      ['America/New_York', '2026-03-08'],
      ['America/Havana', '2026-11-01'],
      ['Australia/Lord_Howe', '2026-04-05'],
      ['Australia/Lord_Howe', '2026-10-04'],
      ['Africa/Casablanca', '2024-03-10'],
      ['UTC', '2026-02-28'],
    ] as const;
    const walks = days.map(([inZone, day]) => {
      const [from, to] = [Date.parse(`${day}T00:00Z`) - 12 * HOUR_MS, Date.parse(`${day}T00:00Z`) + 30 * HOUR_MS];
      return { inZone, from, to, steps: walk(inZone, from, to) };
    });
    const property = fc.property(fc.constantFrom(...walks), cron, ({ inZone, from, to, steps }, text) => {
      const expected = dueByHand(steps, text, 0).filter((due) => due > from && due <= to);
      expect(dueTimes(read(text, inZone), inZone, from, to, 400)).toEqual(expected.slice(0, 400));
    });
    fc.assert(property, { seed: 20261122, numRuns: 400 });
  });
});

const inside = (due: number | null, to: number): number | undefined => (due === null || due > to ? undefined : due);

describe('a task that is looked at, at any times, by a clock that now and then is set back', () => {
  it('has each due time decided once', () => {
    const looks = fc.array(fc.integer({ min: -2 * HOUR_MS, max: 9 * HOUR_MS }), { minLength: 1, maxLength: 30 });
    const property = fc.property(schedule, zone, instant, looks, (text, inZone, start, steps) => {
      const rows: DueRow[] = [];
      let [now, lastDue] = [start, start];
      for (const step of steps) {
        now += step;
        const plan = planDue({
          schedule: read(text, inZone),
          zone: inZone,
          anchor: ANCHOR,
          lastDue,
          enabledSince: start,
          now,
          missed: 'all',
          maxAgeMs: HOUR_MS,
          window: null,
          overlap: 'skip',
          running: false,
        });
        expect(plan.settledTo).toBeGreaterThanOrEqual(lastDue);
        expect(plan.nextAt ?? Number.POSITIVE_INFINITY).toBeGreaterThan(plan.settledTo);
        expect(plan.rows.filter(({ state }) => state === 'ran').length).toBeLessThanOrEqual(1);
        rows.push(...plan.rows);
        lastDue = plan.settledTo;
      }
      const times = rows.map(({ dueAt }) => dueAt);
      expect(times).toEqual([...new Set(times)].sort((one, other) => one - other));
      // Where nothing had to be summed up, the rows are the due times, no more and no less.
      const isWhole = rows.every(({ code }) => code !== 'too_many');
      if (isWhole && times.length <= 500) {
        expect(times).toEqual(dueTimes(read(text, inZone), inZone, start, lastDue, 501));
      }
    });
    fc.assert(property, { seed: 20261122, numRuns: 200 });
  });
});
