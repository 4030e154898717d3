import type { Language } from './language.ts';
import { say } from './say.ts';

const CRON = /^(\d{1,2}) (\d{1,2}) (\*|\d{1,2}) \* (\*|1-5|[0-7](?:,[0-7]){0,6})$/;
const EVERY = /^every (\d{1,6})([smhd])$/;
const UNITS = { s: 'second', m: 'minute', h: 'hour', d: 'day' } as const;

/** A schedule as people say it; one that people do not say in a few words stays as it is written. */
export function scheduleInWords(schedule: string, language: Language): string {
  const [, count, unit] = EVERY.exec(schedule) ?? [];
  if (count !== undefined) {
    const length = { style: 'unit', unit: UNITS[unit as keyof typeof UNITS], unitDisplay: 'long' } as const;
    return say(language, 'schedule.every', { span: new Intl.NumberFormat(language, length).format(Number(count)) });
  }
  const [, minute = '', hour = '', dayOfMonth = '', days = ''] = CRON.exec(schedule) ?? [];
  if (days === '') return schedule;
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (dayOfMonth !== '*')
    return days === '*' ? say(language, 'schedule.monthly', { day: Number(dayOfMonth), time }) : schedule;
  if (days === '*') return say(language, 'schedule.daily', { time });
  if (days === '1-5') return say(language, 'schedule.weekdays', { time });
  return say(language, 'schedule.on', { days: weekdays(days, language), time });
}

function weekdays(days: string, language: Language): string {
  const format = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' });
  // 1 November 2026 is a Sunday, and cron counts from there.
  const names = days.split(',').map((day) => format.format(Date.UTC(2026, 10, 1 + (Number(day) % 7))));
  return new Intl.ListFormat(language).format(names);
}
