/** A moment in the words of a language, as attributions and header blocks need it. */
export interface Moment {
  readonly at: Date;
  readonly locale: string;
  readonly day: string;
  readonly day2: string;
  readonly month2: string;
  readonly year: string;
  readonly month: string;
  readonly monthShort: string;
  readonly weekday: string;
  readonly weekdayShort: string;
  readonly time: string;
  /** As in the United States: 10:00 AM. */
  readonly time12: string;
  readonly seconds: string;
}

/** Where all of these owners live; the offset is that of winter. */
const ZONE = { timeZone: 'Europe/Berlin' } as const;

export function momentOf(at: Date, locale: string): Moment {
  const part = (type: Intl.DateTimeFormatPartTypes, options: Intl.DateTimeFormatOptions, of = locale): string =>
    new Intl.DateTimeFormat(of, { ...ZONE, ...options }).formatToParts(at).find((found) => found.type === type)
      ?.value ?? '';
  const two = (type: 'day' | 'month', options: Intl.DateTimeFormatOptions): string =>
    part(type, options, 'en-GB').padStart(2, '0');
  const clock = new Intl.DateTimeFormat('en-GB', { ...ZONE, hour: '2-digit', minute: '2-digit', second: '2-digit' });
  const american = new Intl.DateTimeFormat('en-US', { ...ZONE, hour: 'numeric', minute: '2-digit', hour12: true });
  return {
    at,
    locale,
    day: String(Number(two('day', { day: '2-digit' }))),
    day2: two('day', { day: '2-digit' }),
    month2: two('month', { month: '2-digit' }),
    year: part('year', { year: 'numeric' }, 'en-GB'),
    month: part('month', { day: 'numeric', month: 'long' }),
    monthShort: part('month', { day: 'numeric', month: 'short' }),
    weekday: part('weekday', { weekday: 'long' }),
    weekdayShort: part('weekday', { weekday: 'short' }),
    time: clock.format(at).slice(0, 5),
    time12: american.format(at).replace('\u202f', ' '),
    seconds: clock.format(at),
  };
}

/** RFC 5322 3.3. */
export const headerDate = (at: Date): string => at.toUTCString().replace('GMT', '+0000');
