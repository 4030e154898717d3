import type { Language, Wording } from './language.ts';

interface ScheduleWords {
  daily(time: string): string;
  weekdays(time: string): string;
  on(days: string, time: string): string;
  monthly(day: number, time: string): string;
  every(span: string): string;
}

const WORDS: Wording<ScheduleWords> = {
  en: {
    daily: (time) => `every day at ${time}`,
    weekdays: (time) => `Monday to Friday at ${time}`,
    on: (days, time) => `every ${days} at ${time}`,
    monthly: (day, time) => `on day ${day} of each month at ${time}`,
    every: (span) => `every ${span}`,
  },
  de: {
    daily: (time) => `jeden Tag um ${time}`,
    weekdays: (time) => `Montag bis Freitag um ${time}`,
    on: (days, time) => `jeden ${days} um ${time}`,
    monthly: (day, time) => `am ${day}. jedes Monats um ${time}`,
    every: (span) => `alle ${span}`,
  },
  fr: {
    daily: (time) => `chaque jour à ${time}`,
    weekdays: (time) => `du lundi au vendredi à ${time}`,
    on: (days, time) => `chaque ${days} à ${time}`,
    monthly: (day, time) => `le ${day} de chaque mois à ${time}`,
    every: (span) => `toutes les ${span}`,
  },
  es: {
    daily: (time) => `cada día a las ${time}`,
    weekdays: (time) => `de lunes a viernes a las ${time}`,
    on: (days, time) => `cada ${days} a las ${time}`,
    monthly: (day, time) => `el día ${day} de cada mes a las ${time}`,
    every: (span) => `cada ${span}`,
  },
  it: {
    daily: (time) => `ogni giorno alle ${time}`,
    weekdays: (time) => `dal lunedì al venerdì alle ${time}`,
    on: (days, time) => `ogni ${days} alle ${time}`,
    monthly: (day, time) => `il giorno ${day} di ogni mese alle ${time}`,
    every: (span) => `ogni ${span}`,
  },
  nl: {
    daily: (time) => `elke dag om ${time}`,
    weekdays: (time) => `maandag tot en met vrijdag om ${time}`,
    on: (days, time) => `elke ${days} om ${time}`,
    monthly: (day, time) => `op dag ${day} van elke maand om ${time}`,
    every: (span) => `elke ${span}`,
  },
  pt: {
    daily: (time) => `todos os dias às ${time}`,
    weekdays: (time) => `de segunda a sexta às ${time}`,
    on: (days, time) => `cada ${days} às ${time}`,
    monthly: (day, time) => `no dia ${day} de cada mês às ${time}`,
    every: (span) => `a cada ${span}`,
  },
  pl: {
    daily: (time) => `codziennie o ${time}`,
    weekdays: (time) => `od poniedziałku do piątku o ${time}`,
    on: (days, time) => `co tydzień (${days}) o ${time}`,
    monthly: (day, time) => `${day}. dnia każdego miesiąca o ${time}`,
    every: (span) => `co ${span}`,
  },
  ja: {
    daily: (time) => `毎日 ${time}`,
    weekdays: (time) => `月曜日から金曜日 ${time}`,
    on: (days, time) => `毎週${days} ${time}`,
    monthly: (day, time) => `毎月${day}日 ${time}`,
    every: (span) => `${span}ごと`,
  },
  zh: {
    daily: (time) => `每天 ${time}`,
    weekdays: (time) => `周一至周五 ${time}`,
    on: (days, time) => `每${days} ${time}`,
    monthly: (day, time) => `每月 ${day} 日 ${time}`,
    every: (span) => `每 ${span}`,
  },
};

const CRON = /^(\d{1,2}) (\d{1,2}) (\*|\d{1,2}) \* (\*|1-5|[0-7](?:,[0-7]){0,6})$/;
const EVERY = /^every (\d{1,6})([smhd])$/;
const UNITS = { s: 'second', m: 'minute', h: 'hour', d: 'day' } as const;

/** A schedule as people say it; one that people do not say in a few words stays as it is written. */
export function scheduleInWords(schedule: string, language: Language): string {
  const words = WORDS[language];
  const [, count, unit] = EVERY.exec(schedule) ?? [];
  if (count !== undefined) {
    const length = { style: 'unit', unit: UNITS[unit as keyof typeof UNITS], unitDisplay: 'long' } as const;
    return words.every(new Intl.NumberFormat(language, length).format(Number(count)));
  }
  const [, minute = '', hour = '', dayOfMonth = '', days = ''] = CRON.exec(schedule) ?? [];
  if (days === '') return schedule;
  const time = `${hour.padStart(2, '0')}:${minute.padStart(2, '0')}`;
  if (dayOfMonth !== '*') return days === '*' ? words.monthly(Number(dayOfMonth), time) : schedule;
  if (days === '*') return words.daily(time);
  if (days === '1-5') return words.weekdays(time);
  return words.on(weekdays(days, language), time);
}

function weekdays(days: string, language: Language): string {
  const format = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' });
  // 1 November 2026 is a Sunday, and cron counts from there.
  const names = days.split(',').map((day) => format.format(Date.UTC(2026, 10, 1 + (Number(day) % 7))));
  return new Intl.ListFormat(language).format(names);
}
