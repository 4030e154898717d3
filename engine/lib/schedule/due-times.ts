import type { CronWalls } from './cron-walls.ts';
import { parseSchedule, type Schedule } from './schedule.ts';
import { instantOf, localTime, setBackBefore, wallAt } from './zone.ts';

/**
 * The one calculation of due times: what runs now, what was missed, what comes next, the preview. Every wall time that
 * a schedule names is due once: at its first coming when the clocks are set back, at the first minute after the gap
 * when they are set forward. Several that fall into one gap are one due time. All times are epoch milliseconds.
 */

/** The due times in (from, to], earliest first; of more than `limit` the earliest. */
export function dueTimes(schedule: Schedule, zone: string, from: number, to: number, limit = 1000): number[] {
  return take(forward(schedule, zone, from), (due) => due <= to, limit);
}

/** The same interval, but of more than `limit` the latest; earliest first again. */
export function latestDueTimes(schedule: Schedule, zone: string, from: number, to: number, limit = 1000): number[] {
  return take(backward(schedule, zone, to), (due) => due > from, limit).reverse();
}

/** The first due time after `after`; null when none will come. */
export function nextDue(schedule: Schedule, zone: string, after: number): number | null {
  return forward(schedule, zone, after).next().value ?? null;
}

/** How many due times lie in (from, to]; of more than `atMost` no more are counted. */
export function countDueTimes(schedule: Schedule, zone: string, from: number, to: number, atMost: number): number {
  if (schedule.kind !== 'every') return latestDueTimes(schedule, zone, from, to, atMost).length;
  const { anchor, everyMs } = schedule;
  const until = (instant: number) => Math.max(0, Math.floor((instant - anchor) / everyMs));
  return Math.min(atMost, Math.max(0, until(to) - until(from)));
}

function take(times: Iterable<number>, wanted: (due: number) => boolean, limit: number): number[] {
  const taken: number[] = [];
  if (limit <= 0) return taken;
  for (const due of times) {
    if (!wanted(due)) break;
    taken.push(due);
    if (taken.length >= limit) break;
  }
  return taken;
}

/** Due times after `from`, ascending. */
function* forward(schedule: Schedule, zone: string, from: number): Generator<number, undefined> {
  if (schedule.kind === 'every') {
    const { anchor, everyMs } = schedule;
    for (let n = Math.max(1, Math.floor((from - anchor) / everyMs) + 1); ; n += 1) yield anchor + n * everyMs;
  }
  if (schedule.kind === 'at') {
    const due = instantOf(zone, schedule.wall);
    if (due > from) yield due;
    return;
  }
  let last = from;
  // While an hour is repeated its walls have all been due: they are looked at and left.
  for (const wall of wallsFrom(schedule.walls, wallAt(zone, from))) {
    const due = instantOf(zone, wall);
    if (due > last) {
      last = due;
      yield due;
    }
  }
}

/** Due times up to and with `to`, descending. */
function* backward(schedule: Schedule, zone: string, to: number): Generator<number, undefined> {
  if (schedule.kind === 'every') {
    const { anchor, everyMs } = schedule;
    for (let n = Math.floor((to - anchor) / everyMs); n >= 1; n -= 1) yield anchor + n * everyMs;
    return;
  }
  if (schedule.kind === 'at') {
    const due = instantOf(zone, schedule.wall);
    if (due <= to) yield due;
    return;
  }
  let last = to + 1;
  for (const wall of wallsUntil(schedule.walls, wallAt(zone, to) + setBackBefore(zone, to))) {
    const due = instantOf(zone, wall);
    if (due < last) {
      last = due;
      yield due;
    }
  }
}

function* wallsFrom(walls: CronWalls, after: number): Generator<number, undefined> {
  for (let wall = walls.after(after); wall !== null; wall = walls.after(wall)) yield wall;
}

function* wallsUntil(walls: CronWalls, until: number): Generator<number, undefined> {
  for (let wall = walls.before(until + 1); wall !== null; wall = walls.before(wall)) yield wall;
}

/**
 * Why a schedule that somebody asks for now would never come, with its cure; null when it will. A file may say so all
 * the same: once its time has come, every `at` is one of those.
 */
export function neverDue({ schedule, timezone }: { schedule: string; timezone: string }, now: number): string | null {
  const parsed = parseSchedule(schedule, timezone);
  if (!parsed.ok || nextDue(parsed.schedule, timezone, now) !== null) return null;
  return `\`${schedule}\` is over: in ${timezone} it is ${localTime(timezone, now)}; give a time that is still to come`;
}
