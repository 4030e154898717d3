import { nextDue } from './due-times.ts';
import { parseSchedule } from './schedule.ts';
import { localTime } from './zone.ts';

/**
 * Why a schedule that somebody asks for now would never come, with its cure; null when it will. A file may say so all
 * the same: once its time has come, every `at` is one of those.
 */
export function neverDue({ schedule, timezone }: { schedule: string; timezone: string }, now: number): string | null {
  const parsed = parseSchedule(schedule, timezone);
  if (!parsed.ok || nextDue(parsed.schedule, timezone, now) !== null) return null;
  return `\`${schedule}\` is over: in ${timezone} it is ${localTime(timezone, now)}; give a time that is still to come`;
}
