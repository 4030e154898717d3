import { wrong } from './value.ts';

const DAY_MS = 86_400_000;
const MOST_DAYS = 1_000_000;
const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

const timeOf = (day: string): number => Date.parse(`${day}T00:00:00Z`);

function dayAt(time: number): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime()) || at.getUTCFullYear() < 1 || at.getUTCFullYear() > 9999)
    throw wrong('the date is out of range');
  return at.toISOString().slice(0, 10);
}

export const daysBetween = (from: string, to: string): number => Math.round((timeOf(to) - timeOf(from)) / DAY_MS);

export const addDays = (day: string, count: number): string => dayAt(timeOf(day) + count * DAY_MS);

/** The same day of the month, or its last one: a month after 31 January is 28 February. */
export function addMonths(day: string, count: number): string {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const first = Date.UTC(year, month - 1 + count, 1);
  const last = new Date(Date.UTC(year, month + count, 0)).getUTCDate();
  return dayAt(first + (Math.min(date, last) - 1) * DAY_MS);
}

export const weekdayOf = (day: string): string => WEEKDAYS[new Date(timeOf(day)).getUTCDay()] ?? '';

const isWorkday = (time: number): boolean => new Date(time).getUTCDay() % 6 !== 0;

/** Mondays to Fridays after `from` up to `to`; holidays are not known. */
export function workdaysBetween(from: string, to: string): number {
  if (to < from) return -workdaysBetween(to, from);
  const days = daysBetween(from, to);
  const weeks = Math.floor(days / 7);
  let count = weeks * 5;
  for (let day = weeks * 7 + 1; day <= days; day += 1) if (isWorkday(timeOf(from) + day * DAY_MS)) count += 1;
  return count;
}

export function addWorkdays(day: string, count: number): string {
  if (Math.abs(count) > MOST_DAYS) throw wrong(`at most ${MOST_DAYS} days can be added`);
  const step = Math.sign(count) * DAY_MS;
  let time = timeOf(day) + Math.trunc(count / 5) * 7 * DAY_MS;
  // A weekend that whole weeks lead to is left in the direction of counting.
  let left = Math.abs(count % 5);
  if (left === 0 && count !== 0 && !isWorkday(time)) {
    time -= 7 * step;
    left = 5;
  }
  while (left > 0) {
    time += step;
    if (isWorkday(time)) left -= 1;
  }
  return dayAt(time);
}
