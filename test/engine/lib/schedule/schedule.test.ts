import { describe, expect, it } from 'vitest';
import { dueTimes, nextDue } from '../../../../engine/lib/schedule/due-times.ts';
import { anchored, parseDuration, parseSchedule, type Schedule } from '../../../../engine/lib/schedule/schedule.ts';
import { inWindow, parseWindow } from '../../../../engine/lib/schedule/window.ts';
import { localTime } from '../../../../engine/lib/schedule/zone.ts';
import { computedMs } from '../../../computed.ts';

function schedule(text: string, zone = 'UTC'): Schedule {
  const parsed = parseSchedule(text, zone);
  if (!parsed.ok) throw new Error(parsed.message);
  return parsed.schedule;
}

const local = (text: string, zone: string, from: string, to: string): string[] =>
  dueTimes(schedule(text, zone), zone, Date.parse(from), Date.parse(to)).map((due) => localTime(zone, due));

describe('the schedule of a task', () => {
  it.each([
    ['0 9 * * 1', 'cron'],
    ['*/5 8-18 * * mon-fri', 'cron'],
    ['0 9 * * 5#1', 'cron'],
    ['0 18 L * *', 'cron'],
    ['0 9 * * 7', 'cron'],
    ['every 30m', 'every'],
    ['every 5s', 'every'],
    ['every 2 d', 'every'],
    ['at 2026-12-01T09:00', 'at'],
    ['  at   2028-02-29T00:00:30 ', 'at'],
  ])('`%s` is read', (text, kind) => {
    expect(parseSchedule(text, 'Europe/Berlin')).toMatchObject({ ok: true, schedule: { kind } });
  });

  it.each([
    ['', 'five fields'],
    ['* * * * * *', 'this has 6'],
    ['@daily', 'five fields'],
    ['0 24 * * *', '`0 24 * * *` is no schedule: invalid value for hour: 24'],
    ['60 * * * *', 'minute: 60'],
    ['0 9 0 * *', 'day'],
    ['0 9 * 13 *', 'month'],
    ['0 9 * * 8', 'value for weekday: 8'],
    ['0 9 * * someday', 'the weekday (someday)'],
    ['0 22-2 * * *', '22-2'],
    ['? * * * *', '`?`'],
    ['0 9 * * +1', '`+1`'],
    ['0 9 31 2 *', 'no month has'],
    ['0 9 31 4,6,9,11 *', 'no month has'],
    [`${'1,'.repeat(200)}1 * * * *`, '256'],
    ['every', 'five fields'],
    ['every 4s', '5 seconds'],
    ['every 0m', 'length of time'],
    ['every -5m', 'length of time'],
    ['every 5 minutes', 'length of time'],
    ['every 99999d', 'length of time'],
    ['at tomorrow', 'date and time'],
    ['at 2026-02-30T09:00', 'there is no 2026-02-30'],
    ['at 2026-12-01T24:01', 'there is no'],
    ['at 2026-12-01T09:00Z', 'date and time'],
    ['at 2026-12-01T09:00+02:00', 'date and time'],
  ])('`%s` is refused, with the reason and what was expected', (text, reason) => {
    const parsed = parseSchedule(text, 'Europe/Berlin');
    expect(parsed).toMatchObject({ ok: false, message: expect.stringContaining(reason) });
    expect(parsed).toMatchObject({ expected: expect.stringMatching(/every 30m|every 5s|at 2026-12-01T09:00/) });
  });

  it.each(['', 'Europe/Atlantis', '+02:00', 'GMT+2', '../etc/localtime', 'Europe/Berlin\n'])(
    'the zone `%s` is refused',
    (zone) => {
      expect(parseSchedule('0 9 * * *', zone)).toMatchObject({ ok: false, expected: expect.stringContaining('IANA') });
    },
  );
});

describe('due times when the clocks change', () => {
  it('a time in the gap is due at the first minute after it, and once', () => {
    expect(local('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00Z', '2026-03-30T12:00Z')).toEqual([
      '2026-03-28T02:30:00+01:00',
      '2026-03-29T03:00:00+02:00',
      '2026-03-30T02:30:00+02:00',
    ]);
    expect(local('*/20 2,3 * * *', 'Europe/Berlin', '2026-03-29T00:00Z', '2026-03-29T12:00Z')).toEqual([
      '2026-03-29T03:00:00+02:00',
      '2026-03-29T03:20:00+02:00',
      '2026-03-29T03:40:00+02:00',
    ]);
    expect(local('at 2026-03-29T02:30', 'Europe/Berlin', '2026-03-01T00:00Z', '2026-04-01T00:00Z')).toEqual([
      '2026-03-29T03:00:00+02:00',
    ]);
  });

  it('a time that comes twice is due at its first coming alone, however often it is asked for', () => {
    expect(local('*/20 2 * * *', 'Europe/Berlin', '2026-10-24T12:00Z', '2026-10-25T12:00Z')).toEqual([
      '2026-10-25T02:00:00+02:00',
      '2026-10-25T02:20:00+02:00',
      '2026-10-25T02:40:00+02:00',
    ]);
    expect(local('at 2026-10-25T02:30', 'Europe/Berlin', '2026-10-01T00:00Z', '2026-12-01T00:00Z')).toEqual([
      '2026-10-25T02:30:00+02:00',
    ]);
    const midOfSecondRound = Date.parse('2026-10-25T01:10Z');
    expect(nextDue(schedule('*/20 2 * * *'), 'Europe/Berlin', midOfSecondRound)).toBe(Date.parse('2026-10-26T01:00Z'));
  });

  it('half an hour on Lord Howe, midnight in São Paulo, and a day that Samoa left out', () => {
    expect(local('10 2 * * *', 'Australia/Lord_Howe', '2026-10-03T00:00Z', '2026-10-04T20:00Z')).toEqual([
      '2026-10-04T02:30:00+11:00',
      '2026-10-05T02:10:00+11:00',
    ]);
    expect(local('0 0 * * *', 'America/Sao_Paulo', '2018-11-03T12:00Z', '2018-11-05T12:00Z')).toEqual([
      '2018-11-04T01:00:00-02:00',
      '2018-11-05T00:00:00-02:00',
    ]);
    expect(local('30 12 * * *', 'Pacific/Apia', '2011-12-29T12:00Z', '2011-12-31T12:00Z')).toEqual([
      '2011-12-29T12:30:00-10:00',
      '2011-12-31T00:00:00+14:00',
      '2011-12-31T12:30:00+14:00',
    ]);
  });

  it('`every` counts elapsed time from its anchor and takes no notice', () => {
    const anchor = Date.parse('2026-10-25T00:10Z');
    const every = anchored(schedule('every 40m'), anchor);
    expect(dueTimes(every, 'Europe/Berlin', anchor, Date.parse('2026-10-25T03:00Z'))).toEqual(
      [1, 2, 3, 4].map((count) => anchor + count * 2_400_000),
    );
    expect(nextDue(every, 'Europe/Berlin', anchor - 86_400_000)).toBe(anchor + 2_400_000);
  });
});

describe('a hostile question', () => {
  it('costs no more than its limit', () => {
    const started = computedMs();
    expect(dueTimes(anchored(schedule('every 5s'), 0), 'UTC', 0, 4e12, 50)).toHaveLength(50);
    expect(dueTimes(schedule('* * * * *'), 'Europe/Berlin', 0, 4e12, 50)).toHaveLength(50);
    expect(dueTimes(schedule('0 0 29 2 *'), 'Europe/Berlin', 0, 4e12, 3)).toHaveLength(3);
    expect(computedMs() - started).toBeLessThan(2000);
  });

  it('about no time at all gets none', () => {
    expect(dueTimes(schedule('* * * * *'), 'UTC', 10_000_000, 10_000_000)).toEqual([]);
    expect(dueTimes(schedule('* * * * *'), 'UTC', 10_000_000, 5_000_000)).toEqual([]);
    expect(dueTimes(schedule('* * * * *'), 'UTC', 0, 10_000_000, 0)).toEqual([]);
    expect(nextDue(schedule('at 2020-01-01T00:00'), 'UTC', Date.parse('2026-01-01'))).toBeNull();
  });
});

describe('the window of a task', () => {
  const inside = (text: string, zone: string, at: string): boolean | undefined => {
    const window = parseWindow(text);
    return window ? inWindow(window, zone, Date.parse(at)) : undefined;
  };

  it('is wall time in the zone, ends included', () => {
    expect(inside('08:00-12:00', 'Europe/Berlin', '2026-01-05T07:00Z')).toBe(true);
    expect(inside('08:00-12:00', 'Europe/Berlin', '2026-07-05T07:00Z')).toBe(true);
    expect(inside('08:00-12:00', 'Europe/Berlin', '2026-01-05T11:00Z')).toBe(true);
    expect(inside('08:00-12:00', 'Europe/Berlin', '2026-01-05T11:00:01Z')).toBe(false);
    expect(inside('08:00-12:00', 'Europe/Berlin', '2026-01-05T06:59Z')).toBe(false);
  });

  it('may go over midnight', () => {
    expect(inside('22:00-06:00', 'Asia/Kathmandu', '2026-01-05T16:15Z')).toBe(true);
    expect(inside('22:00-06:00', 'Asia/Kathmandu', '2026-01-05T00:15Z')).toBe(true);
    expect(inside('22:00-06:00', 'Asia/Kathmandu', '2026-01-05T06:15Z')).toBe(false);
    expect(inside('18:00-24:00', 'UTC', '2026-01-05T23:59:59Z')).toBe(true);
  });

  it.each(['', '8-12', '08:00', '08:00-08:00', '24:00-06:00', '08:60-09:00', '25:00-26:00', '08:00-12:00-13:00'])(
    '`%s` is none',
    (text) => expect(parseWindow(text)).toBeNull(),
  );
});

describe('a length of time', () => {
  it.each([
    ['30m', 1_800_000],
    ['5s', 5000],
    [' 12 h ', 43_200_000],
    ['2d', 172_800_000],
  ])('`%s` is read', (text, ms) => expect(parseDuration(text)).toBe(ms));

  it.each(['', '30', 'm', '1.5h', '-1h', '0s', '5M', '1h30m', '3651d', '1e3s', '99999999999s'])(
    '`%s` is none',
    (text) => expect(parseDuration(text)).toBeNull(),
  );
});
