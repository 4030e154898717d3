import type { Persona, SystemConfig } from '../../config/types.ts';
import { nextDue } from '../../lib/schedule/due-times.ts';
import { parseSchedule } from '../../lib/schedule/schedule.ts';
import { DAY_MS } from '../../lib/time.ts';
import type { NewJob } from '../../storage/types/jobs.ts';
import { weeklyMail } from './job-kinds.ts';

type Settings = SystemConfig['weekly_mail'];

/** The persona's word counts before the workspace's, key by key. */
export const weeklyOf = (
  persona: Pick<Persona, 'weekly_mail'>,
  system: Pick<SystemConfig, 'weekly_mail'>,
): Settings => ({
  enabled: persona.weekly_mail.enabled ?? system.weekly_mail.enabled,
  day: persona.weekly_mail.day ?? system.weekly_mail.day,
  at: persona.weekly_mail.at ?? system.weekly_mail.at,
});

const DAYS: readonly Settings['day'][] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** When the week ends in which this time lies. */
export function endOfWeek({ day, at }: Settings, zone: string, time: number): number {
  const [hour, minute] = at.split(':').map(Number);
  const read = parseSchedule(`${minute} ${hour} * * ${DAYS.indexOf(day)}`, zone);
  // Each week has that day and that hour, but for one that the clock jumps over.
  return (read.ok ? nextDue(read.schedule, zone, time) : null) ?? time + 7 * DAY_MS;
}

/**
 * The mail about the week in which something happens: one for each week, however often it is asked for. A week in which
 * nothing happens asks for none.
 */
export function weeklyJobs(
  { persona, system }: { readonly persona: Persona; readonly system: Pick<SystemConfig, 'weekly_mail'> },
  now: number,
): readonly NewJob[] {
  const settings = weeklyOf(persona, system);
  if (!settings.enabled) return [];
  const until = endOfWeek(settings, persona.timezone, now);
  return [weeklyMail.job({ id: `weekly_mail:${until}`, due_at: until, payload: { until } })];
}
