import { type CronWalls, readCron } from './cron-walls.ts';
import { EXPECTED_ZONE, isTimeZone } from './zone.ts';

/** When a task is due. Cron and `at` follow the clock on the wall of the task's zone, `every` counts elapsed time. */
export type Schedule =
  | { readonly kind: 'cron'; readonly text: string; readonly walls: CronWalls }
  /** Due at `anchor` + n × `everyMs`, n from 1 on. */
  | { readonly kind: 'every'; readonly text: string; readonly everyMs: number; readonly anchor: number }
  /** `wall` as in `zone.ts`. */
  | { readonly kind: 'at'; readonly text: string; readonly wall: number };

type ParsedSchedule =
  | { readonly ok: true; readonly schedule: Schedule }
  | { readonly ok: false; readonly message: string; readonly expected: string };

const SHORTEST_EVERY_MS = 5000;
const EXPECTED = 'five cron fields such as `0 9 * * 1`, `every 30m` (s, m, h or d), or `at 2026-12-01T09:00`';

/** Reads what stands behind `schedule:` in a task file; `timezone` is checked along with it. */
export function parseSchedule(text: string, timezone: string): ParsedSchedule {
  if (!isTimeZone(timezone)) {
    return { ok: false, message: `\`${timezone.slice(0, 64)}\` is no time zone`, expected: EXPECTED_ZONE };
  }
  const trimmed = text.trim();
  const [, word, rest = ''] = /^(every|at)\s+(.*)$/s.exec(trimmed) ?? [];
  if (word === 'every') return parseEvery(trimmed, rest);
  if (word === 'at') return parseAt(trimmed, rest);
  const read = readCron(trimmed);
  if (!read.ok) {
    return { ok: false, message: `\`${trimmed.slice(0, 64)}\` is no schedule: ${read.message}`, expected: EXPECTED };
  }
  return { ok: true, schedule: { kind: 'cron', text: trimmed, walls: read.walls } };
}

/** `every` counted from `anchor` (ms); the other kinds stand by themselves. Without it the count is from 1970 on. */
export function anchored(schedule: Schedule, anchor: number): Schedule {
  return schedule.kind === 'every' ? { ...schedule, anchor } : schedule;
}

function parseEvery(text: string, rest: string): ParsedSchedule {
  const everyMs = parseDuration(rest);
  if (everyMs === null) {
    return { ok: false, message: `\`${rest.slice(0, 64)}\` is no length of time`, expected: EXPECTED };
  }
  if (everyMs < SHORTEST_EVERY_MS) {
    return { ok: false, message: 'a task may run every 5 seconds at most', expected: '`every 5s` or longer' };
  }
  return { ok: true, schedule: { kind: 'every', text, everyMs, anchor: 0 } };
}

function parseAt(text: string, rest: string): ParsedSchedule {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d)?)$/.exec(rest) ?? [];
  const expected = 'the time in the zone of the task, without an offset: `at 2026-12-01T09:00`';
  if (date === undefined || time === undefined) {
    return { ok: false, message: `\`${rest.slice(0, 64)}\` is no date and time`, expected };
  }
  const wall = Date.parse(`${date}T${time}Z`);
  // Date.parse takes 31 February for 3 March.
  if (Number.isNaN(wall) || new Date(wall).toISOString().slice(0, 10) !== date) {
    return { ok: false, message: `there is no ${date} ${time}`, expected };
  }
  return { ok: true, schedule: { kind: 'at', text, wall } };
}

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const LONGEST_MS = 3650 * UNIT_MS.d;

const isUnit = (text: string | undefined): text is keyof typeof UNIT_MS => text !== undefined && text in UNIT_MS;

/** Milliseconds of `30m` (s, m, h or d; at most ten years); null when the text is none. A day is 24 hours here. */
export function parseDuration(text: string): number | null {
  const [, amount, unit] = /^\s*(\d{1,9})\s?([smhd])\s*$/.exec(text) ?? [];
  if (!isUnit(unit)) return null;
  const ms = Number(amount) * UNIT_MS[unit];
  return ms > 0 && ms <= LONGEST_MS ? ms : null;
}
