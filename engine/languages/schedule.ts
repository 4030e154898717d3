import type { Language } from './language.ts';
import { say } from './say.ts';
import { dayInWords, wallInWords } from './times.ts';

const EVERY = /^every (\d{1,6})([smhd])$/;
const ONCE = /^at (\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)/;
const STEP = /^\*\/(\d{1,2})$/;
const UNITS = { s: 'second', m: 'minute', h: 'hour', d: 'day' } as const;
const DAY_NAMES = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
/** So many are said one by one; more nobody would read. */
const MAX_SAID = 6;

/**
 * A schedule as people say it, and never as it is written: of one that takes more than a few words it is said that it has
 * times of its own, and the next of them stand beside it wherever somebody has to decide about it.
 */
export function scheduleInWords(schedule: string, language: Language): string {
  const written = schedule.trim().toLowerCase();
  const [, count, unit] = EVERY.exec(written) ?? [];
  if (count !== undefined) return every(Number(count), UNITS[unit as keyof typeof UNITS], language);
  const [, day = '', clock = ''] = ONCE.exec(schedule.trim()) ?? [];
  if (day !== '') return say(language, 'schedule.once', { when: wallInWords(`${day}T${clock}`, language) ?? day });
  return cronInWords(written.split(/\s+/), language) ?? say(language, 'schedule.other');
}

function every(count: number, unit: (typeof UNITS)[keyof typeof UNITS], language: Language): string {
  const length = { style: 'unit', unit, unitDisplay: 'long' } as const;
  return say(language, 'schedule.every', { span: new Intl.NumberFormat(language, length).format(count) });
}

/** Null where it is no cron line, or one that people do not say in a few words. */
function cronInWords(fields: readonly string[], language: Language): string | null {
  if (fields.length !== 5) return null;
  const [minute = '', hour = '', date = '', month = '', weekday = ''] = fields;
  const isDaily = date === '*' && month === '*' && weekday === '*';
  const step = isDaily ? stepOf(minute, hour) : null;
  if (step !== null) return every(step.count, step.unit, language);
  const time = timesOf(minute, hour, language);
  if (time === null) return null;
  if (month !== '*') return yearly({ date, month, weekday, time }, language);
  if (weekday !== '*') return date === '*' ? weekly(weekday, time, language) : null;
  if (date === '*') return say(language, 'schedule.daily', { time });
  const dates = numbersIn(date, 1, 31);
  return dates && say(language, 'schedule.monthly', { day: listed(dates.map(String), language), time });
}

/** Every so many minutes or hours, where that is the same all day long. */
function stepOf(minute: string, hour: string): { readonly count: number; readonly unit: 'minute' | 'hour' } | null {
  const stepIn = (field: string) => (field === '*' ? 1 : Number(STEP.exec(field)?.[1] ?? Number.NaN));
  if (hour === '*' && 60 % stepIn(minute) === 0) return { count: stepIn(minute), unit: 'minute' };
  return minute === '0' && 24 % stepIn(hour) === 0 ? { count: stepIn(hour), unit: 'hour' } : null;
}

function weekly(weekday: string, time: string, language: Language): string | null {
  const days = numbersIn(named(weekday), 0, 7);
  if (days?.join() === '1,2,3,4,5') return say(language, 'schedule.weekdays', { time });
  return days && say(language, 'schedule.on', { days: weekdays(days, language), time });
}

function yearly(
  { date, month, weekday, time }: { date: string; month: string; weekday: string; time: string },
  language: Language,
): string | null {
  const [days, months] = [numbersIn(date, 1, 31), numbersIn(month, 1, 12)];
  if (weekday !== '*' || days?.length !== 1 || months?.length !== 1) return null;
  const day = dayInWords(Date.UTC(2024, Number(months[0]) - 1, Number(days[0])), { language, zone: 'UTC' });
  return say(language, 'schedule.yearly', { day, time });
}

/** `08:30 and 17:30`. */
function timesOf(minute: string, hour: string, language: Language): string | null {
  const [minutes, hours] = [numbersIn(minute, 0, 59), numbersIn(hour, 0, 23)];
  if (!minutes || !hours || minutes.length * hours.length > MAX_SAID) return null;
  const two = (count: number) => String(count).padStart(2, '0');
  return listed(
    hours.flatMap((each) => minutes.map((past) => `${two(each)}:${two(past)}`)),
    language,
  );
}

/** The numbers of a field, in their order: `1,15`, `1-5`. Null where it says anything else. */
function numbersIn(field: string, least: number, most: number): readonly number[] | null {
  const found: number[] = [];
  for (const part of field.split(',')) {
    const [, from = '', to = from] = /^(\d{1,2})(?:-(\d{1,2}))?$/.exec(part) ?? [];
    if (from === '' || Number(from) < least || Number(to) > most || Number(from) > Number(to)) return null;
    for (let at = Number(from); at <= Number(to); at += 1) found.push(at);
  }
  return [...new Set(found)];
}

const named = (weekday: string): string =>
  weekday.replace(/[a-z]{3}/g, (name) => (DAY_NAMES.includes(name) ? String(DAY_NAMES.indexOf(name)) : name));

const listed = (items: readonly string[], language: Language): string => new Intl.ListFormat(language).format(items);

function weekdays(days: readonly number[], language: Language): string {
  const format = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' });
  // 1 November 2026 is a Sunday, and cron counts from there.
  return listed(
    days.map((day) => format.format(Date.UTC(2026, 10, 1 + (day % 7)))),
    language,
  );
}

/** When something of a task comes next, as a tool says it: its schedule, an ISO time, or both with `; ` between them. */
export function whenInWords(when: string, language: Language): string {
  const parts = when.split('; ').filter((part) => part !== '');
  const times = parts.flatMap((part) => wallInWords(part, language) ?? []);
  const schedules = parts.filter((part) => wallInWords(part, language) === null);
  const [next] = times;
  const said = schedules.map((part) => scheduleInWords(part, language)).join(', ');
  if (next === undefined) return said;
  // A single time is its own next one.
  if (said === '' || schedules.some((part) => ONCE.test(part)))
    return say(language, 'schedule.nextAlone', { when: next });
  return say(language, 'schedule.next', { said, when: next });
}
