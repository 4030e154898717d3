import type ICAL from 'ical.js';
import { DAY_MS } from '../lib/time.ts';

/** What one reading may still count out. Shared by all series of a file. */
export interface Budget {
  steps: number;
}

/** A file may look at so many days in all: every day of a hundred years is a quarter of it. */
export const MAX_STEPS = 150_000;

/** A series that is too long to be counted out to where it is asked for. */
export class TooLong extends Error {
  override readonly name = 'TooLong';
}

const SECOND_STEPS: Readonly<Record<string, number>> = { HOURLY: 3600, MINUTELY: 60, SECONDLY: 1 };
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

interface Parts {
  readonly freq: string;
  readonly interval: number;
  readonly months: readonly number[];
  readonly weeks: readonly number[];
  readonly yearDays: readonly number[];
  readonly monthDays: readonly number[];
  readonly weekdays: readonly { readonly nth: number; readonly day: number }[];
  readonly positions: readonly number[];
  /** Of the day, in seconds, ascending. */
  readonly times: readonly number[];
  /** 0 is Sunday. */
  readonly weekStart: number;
}

/**
 * Wall times of a recurrence rule (RFC 5545, 3.3.10) from its beginning on, in order, without COUNT and UNTIL. Written
 * anew: the iterator of ical.js 2.2.1 never ends for the 30th of February (its issue 1038) and counts weeks of the year
 * and last days of a month wrongly. Each day that is looked at costs a step; throws `TooLong` when there is none left.
 */
export function* wallsOfRule(rule: ICAL.Recur, start: number, budget: Budget): Generator<number> {
  const parts = partsOf(rule, start);
  const seconds = SECOND_STEPS[parts.freq];
  if (seconds !== undefined) {
    yield* withinDays(rule, parts, { start, stepMs: seconds * 1000 * parts.interval, budget });
    return;
  }
  for (let index = 0; ; index += 1) {
    const days = periodOf(parts, start, index).filter((day) => {
      spend(budget);
      return isOn(parts, day);
    });
    const walls = days.flatMap((day) => parts.times.map((second) => day + second * 1000));
    for (const wall of atPositions(walls, parts.positions)) if (wall >= start) yield wall;
  }
}

function spend(budget: Budget): void {
  budget.steps -= 1;
  if (budget.steps < 0) throw new TooLong('the series is too long to be counted out');
}

function partsOf(rule: ICAL.Recur, start: number): Parts {
  const date = new Date(start);
  const { freq, interval } = rule;
  const numbers = (name: string): number[] => rule.getComponent(name).map(Number).filter(Number.isInteger);
  const [weeks, yearDays] = [numbers('BYWEEKNO'), numbers('BYYEARDAY')];
  const [months, monthDays] = [numbers('BYMONTH'), numbers('BYMONTHDAY')];
  const weekdays = rule.getComponent('BYDAY').flatMap((text) => {
    const [, nth = '', day = ''] = /^([+-]?\d{0,2})(SU|MO|TU|WE|TH|FR|SA)$/.exec(String(text)) ?? [];
    return day === '' ? [] : [{ nth: Number(nth), day: WEEKDAYS.indexOf(day) }];
  });
  const saysNoDay = weeks.length + yearDays.length + monthDays.length + weekdays.length === 0;
  const fromStart = saysNoDay && (freq === 'YEARLY' || freq === 'MONTHLY');
  return {
    freq,
    interval: Math.max(1, interval),
    months: saysNoDay && freq === 'YEARLY' && months.length === 0 ? [date.getUTCMonth() + 1] : months,
    weeks,
    yearDays,
    monthDays: fromStart ? [date.getUTCDate()] : monthDays,
    weekdays: saysNoDay && freq === 'WEEKLY' ? [{ nth: 0, day: date.getUTCDay() }] : weekdays,
    positions: numbers('BYSETPOS'),
    times: timesOf(date, numbers),
    weekStart: Number(rule.wkst) - 1,
  };
}

function timesOf(date: Date, numbers: (name: string) => number[]): number[] {
  const or = (name: string, otherwise: number) => {
    const found = [...new Set(numbers(name))].filter((value) => value >= 0 && value < 60);
    return found.length > 0 ? found : [otherwise];
  };
  const hours = or('BYHOUR', date.getUTCHours());
  const minutes = or('BYMINUTE', date.getUTCMinutes());
  const seconds = or('BYSECOND', date.getUTCSeconds());
  const times = hours.flatMap((h) => minutes.flatMap((m) => seconds.map((s) => h * 3600 + m * 60 + s)));
  // A day with more is nobody's.
  return times.slice(0, 1440).sort((a, b) => a - b);
}

/** The days of the period that many steps after the one in which it begins. */
function periodOf({ freq, interval, weekStart }: Parts, start: number, index: number): number[] {
  const first = new Date(start);
  const [year, month, day] = [first.getUTCFullYear(), first.getUTCMonth(), first.getUTCDate()];
  const step = index * interval;
  if (freq === 'YEARLY') return daysBetween(Date.UTC(year + step, 0, 1), Date.UTC(year + step + 1, 0, 1));
  if (freq === 'MONTHLY') return daysBetween(Date.UTC(year, month + step, 1), Date.UTC(year, month + step + 1, 1));
  if (freq === 'WEEKLY') {
    const sinceStart = (first.getUTCDay() - weekStart + 7) % 7;
    const monday = Date.UTC(year, month, day - sinceStart + step * 7);
    return daysBetween(monday, monday + 7 * DAY_MS);
  }
  return [Date.UTC(year, month, day + step)];
}

function daysBetween(from: number, to: number): number[] {
  // Past the last year that is a date.
  if (Number.isNaN(to)) throw new TooLong('the series never comes again');
  return Array.from({ length: Math.round((to - from) / DAY_MS) }, (_, index) => from + index * DAY_MS);
}

/** Whether a day fulfils all that the rule says of days. */
function isOn(parts: Parts, day: number): boolean {
  const date = new Date(day);
  const [year, month, dayOfMonth] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
  const { months, monthDays, yearDays, weeks, weekdays } = parts;
  if (months.length > 0 && !months.includes(month)) return false;
  const inMonth = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (monthDays.length > 0 && !isCounted(monthDays, dayOfMonth, inMonth)) return false;
  const yearStart = Date.UTC(year, 0, 1);
  const inYear = Math.round((Date.UTC(year + 1, 0, 1) - yearStart) / DAY_MS);
  const dayOfYear = Math.round((day - yearStart) / DAY_MS) + 1;
  if (yearDays.length > 0 && !isCounted(yearDays, dayOfYear, inYear)) return false;
  if (weeks.length > 0 && !isInWeek(parts, day, year)) return false;
  if (weekdays.length === 0) return true;
  const perMonth = parts.freq === 'MONTHLY' || (parts.freq === 'YEARLY' && months.length > 0);
  const [at, of] = perMonth ? [dayOfMonth, inMonth] : [dayOfYear, inYear];
  const hasNth = parts.freq === 'MONTHLY' || parts.freq === 'YEARLY';
  return weekdays.some(
    (weekday) =>
      weekday.day === date.getUTCDay() &&
      (weekday.nth === 0 ||
        !hasNth ||
        weekday.nth === Math.ceil(at / 7) ||
        weekday.nth === -Math.ceil((of - at + 1) / 7)),
  );
}

/** Counted from the beginning, or with a minus from the end. */
const isCounted = (wanted: readonly number[], at: number, of: number): boolean =>
  wanted.includes(at) || wanted.includes(at - of - 1);

/** The first week of a year is the first with four of its days; the days of it may be of the year before. */
function isInWeek({ weeks, weekStart }: Parts, day: number, year: number): boolean {
  const first = firstWeek(year, weekStart);
  const next = firstWeek(year + 1, weekStart);
  const own = day < first ? firstWeek(year - 1, weekStart) : day >= next ? next : first;
  const end = own === first ? next : own < first ? first : firstWeek(year + 2, weekStart);
  const [at, of] = [Math.floor((day - own) / DAY_MS / 7) + 1, Math.round((end - own) / DAY_MS / 7)];
  return isCounted(weeks, at, of);
}

function firstWeek(year: number, weekStart: number): number {
  const fourth = new Date(Date.UTC(year, 0, 4));
  return fourth.getTime() - ((fourth.getUTCDay() - weekStart + 7) % 7) * DAY_MS;
}

function atPositions(walls: readonly number[], positions: readonly number[]): readonly number[] {
  if (positions.length === 0) return walls;
  return walls.filter((_, index) => isCounted(positions, index + 1, walls.length));
}

/** Several a day: step by step, over days on which there is none at once. */
function* withinDays(
  rule: ICAL.Recur,
  parts: Parts,
  { start, stepMs, budget }: { readonly start: number; readonly stepMs: number; readonly budget: Budget },
): Generator<number> {
  const named = (name: string): readonly number[] | null => {
    const values = rule.getComponent(name).map(Number);
    return values.length > 0 ? values : null;
  };
  const [hours, minutes, seconds] = [named('BYHOUR'), named('BYMINUTE'), named('BYSECOND')];
  for (let wall = start; ; ) {
    spend(budget);
    const day = wall - (((wall % DAY_MS) + DAY_MS) % DAY_MS);
    if (!isOn(parts, day)) {
      wall += Math.max(1, Math.ceil((day + DAY_MS - wall) / stepMs)) * stepMs;
      continue;
    }
    const date = new Date(wall);
    const fits =
      (hours?.includes(date.getUTCHours()) ?? true) &&
      (minutes?.includes(date.getUTCMinutes()) ?? true) &&
      (seconds?.includes(date.getUTCSeconds()) ?? true);
    if (fits) yield wall;
    wall += stepMs;
  }
}
