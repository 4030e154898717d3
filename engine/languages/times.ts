import type { Language } from './language.ts';
import { say } from './say.ts';

/** As people of the language write days; English as most of the world writes it. */
const LOCALES: Readonly<Partial<Record<Language, string>>> = { en: 'en-GB' };

export interface ReaderLocale {
  readonly language: Language;
  /** IANA zone. */
  readonly zone: string;
}

type Part = 'time' | 'day' | 'dated' | 'short' | 'ofYear';

const PARTS: Readonly<Record<Part, Intl.DateTimeFormatOptions>> = {
  time: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  day: { weekday: 'short', day: 'numeric', month: 'short' },
  dated: { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' },
  short: { day: 'numeric', month: 'short', year: 'numeric' },
  ofYear: { day: 'numeric', month: 'long' },
};

/** Making a formatter costs a hundred times what using it does. There are some hundreds of zones and ten languages. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** What was said last of each: mails of one minute are told the same. */
const newest = new Map<string, { readonly minute: number; readonly text: string }>();

function format(at: number, part: Part, { language, zone }: ReaderLocale): string {
  const key = `${part} ${language} ${zone}`;
  const minute = Math.floor(at / 60_000);
  const known = newest.get(key);
  if (known?.minute === minute) return known.text;
  const text = formatterOf(key, part, { language, zone }).format(at);
  newest.set(key, { minute, text });
  return text;
}

function formatterOf(key: string, part: Part, { language, zone }: ReaderLocale): Intl.DateTimeFormat {
  const known = formatters.get(key);
  if (known) return known;
  const made = new Intl.DateTimeFormat(LOCALES[language] ?? language, { timeZone: zone, ...PARTS[part] });
  formatters.set(key, made);
  return made;
}

export const clockTime = (at: number, place: ReaderLocale): string => format(at, 'time', place);

/** The day alone on the clocks of a zone: `Sun 29 Nov`. */
export const dayOf = (at: number, place: ReaderLocale): string => format(at, 'day', place);

/** `Sun, 29 Nov 2026` */
export const dayWithYear = (at: number, place: ReaderLocale): string => format(at, 'dated', place);

/** A day that was said without a clock: `2026-12-04`. */
export const dateInWords = (day: string, language: Language): string =>
  dayWithYear(Date.parse(`${day}T12:00:00Z`), { language, zone: 'UTC' });

/** A day that comes every year: `24 December`. */
export const dayInWords = (at: number, place: ReaderLocale): string => format(at, 'ofYear', place);

/** Day and time on the clocks of a zone: `Sun 29 Nov, 12:32`. */
export const dayAndTime = (at: number, place: ReaderLocale, withYear = false): string =>
  say(place.language, 'mails.at', { day: format(at, withYear ? 'dated' : 'day', place), time: clockTime(at, place) });

/** The same for a narrow column, with its year: `29 Nov 2026, 12:32`. */
export const shortDayAndTime = (at: number, place: ReaderLocale): string =>
  say(place.language, 'mails.at', { day: format(at, 'short', place), time: clockTime(at, place) });

/** The same in a mail that is written at `now`: `today at 11:32` where it is the same day. */
export function whenSeenFrom(now: number, at: number, place: ReaderLocale): string {
  const day = (instant: number) => dayWithYear(instant, place);
  return day(now) === day(at)
    ? say(place.language, 'mails.today', { time: clockTime(at, place) })
    : dayAndTime(at, place);
}

/** The day and the time that an ISO time says, on the clocks that it was written by. Null where it is none. */
export function wallInWords(iso: string, language: Language): string | null {
  const at = wallOf(iso);
  return at === null ? null : dayAndTime(at, { language, zone: 'UTC' }, true);
}

/** `Tue 1 Dec 2026, 15:00 – 16:00`, from two ISO times on the same clocks, or from days alone. What is neither stays. */
export function spanInWords(from: string, to: string | null, language: Language): string {
  const place = { language, zone: 'UTC' };
  const [start, end] = [wallOf(from), to === null ? null : wallOf(to)];
  if (start === null)
    return [from, to]
      .filter((each) => each !== null)
      .map((each) => isoDayInWords(each, place))
      .join(' – ');
  const begins = dayAndTime(start, place, true);
  if (end === null) return begins;
  const isSameDay = format(start, 'dated', place) === format(end, 'dated', place);
  return `${begins} – ${isSameDay ? clockTime(end, place) : dayAndTime(end, place, true)}`;
}

const WALL = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?$/;

function wallOf(iso: string): number | null {
  const [, wall] = WALL.exec(iso) ?? [];
  const at = wall === undefined ? Number.NaN : Date.parse(`${wall}:00Z`);
  return Number.isNaN(at) ? null : at;
}

const isoDayInWords = (day: string, place: ReaderLocale): string => {
  const at = /^\d{4}-\d\d-\d\d$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(at) ? day : format(at, 'dated', place);
};
