import { SINCE } from './frame-words.ts';
import { anyOf, plain } from './text.ts';

/** The stretch of time that a mail asks about. */
export interface TimeRange {
  /** As the mail says it. */
  readonly said: string;
  /** ISO dates in the persona's zone; null where the stretch is open. */
  readonly from: string | null;
  readonly until: string | null;
}

const DAY_MS = 86_400_000;
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'sv', 'da', 'ru'];

/** Weekdays by their names in each language, Sunday 0; names come from the platform, not from a list of ours. */
const weekdays = new Map<string, number>();
function weekdayOf(name: string): number | undefined {
  if (weekdays.size === 0) {
    for (const language of LANGUAGES) {
      const format = new Intl.DateTimeFormat(language, { weekday: 'long', timeZone: 'UTC' });
      // The first of January 2023 was a Sunday.
      for (let day = 0; day < 7; day += 1) weekdays.set(format.format(Date.UTC(2023, 0, 1 + day)).toLowerCase(), day);
    }
  }
  return weekdays.get(name) ?? weekdays.get(`${name}a`.replace(/[уы]а$/u, 'а'));
}

const AFTER_SINCE = new RegExp(`${anyOf(SINCE).source} ([\\p{L}\\p{N}.:/-]{0,59}[\\p{L}\\p{N}/-])`, 'u');
const LAST_DAYS =
  /(?:last|past|letzten|vergangenen|derniers|últimos|ultimi|laatste|ostatnich|senaste|sidste|последние) (\d{1,3}) (days?|tagen?|jours|días|dias|giorni|dagen|dni|dagar|dage|дней|weeks?|wochen|semaines|semanas|settimane|weken|tygodni|veckor|uger|недель)/u;

/** The first stretch of time that is named; null when none is, or none that is surely understood. */
export function rangeOf(text: string, today: string): TimeRange | null {
  const said = plain(text);
  const back = LAST_DAYS.exec(said);
  if (back) {
    const days = Number(back[1]) * (/^(?:d|t|j|g|д)/u.test(back[2] ?? '') && !/^tyg/u.test(back[2] ?? '') ? 1 : 7);
    return { said: back[0], from: daysBefore(today, days), until: null };
  }
  const since = AFTER_SINCE.exec(said);
  const from = since ? dateOf(since[1] ?? '', today) : null;
  return since && from ? { said: since[0], from, until: null } : null;
}

function dateOf(name: string, today: string): string | null {
  const iso = /^(\d{4})-(\d{2})-(\d{2})/.exec(name);
  if (iso) return iso[0];
  const dotted = /^(\d{1,2})\.(\d{1,2})\.?(\d{4})?$/.exec(name);
  if (dotted) {
    const [, day = '', month = '', year = today.slice(0, 4)] = dotted;
    return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  }
  const weekday = weekdayOf(name);
  if (weekday === undefined) return null;
  const now = new Date(`${today}T00:00:00Z`).getUTCDay();
  return daysBefore(today, (now - weekday + 7) % 7 || 7);
}

const daysBefore = (today: string, days: number): string =>
  new Date(Date.parse(`${today}T00:00:00Z`) - days * DAY_MS).toISOString().slice(0, 10);
