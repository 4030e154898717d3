import { HOUR_MS } from '../../lib/time.ts';

const LAST = Date.UTC(2100, 0, 1);
const MAX_LENGTH = 200;

/** The first letters of the months, in the languages in which mail programs have written them. */
const MONTHS: readonly (readonly string[])[] = [
  ['jan', 'gen', 'ene', 'янв'],
  ['feb', 'fev', 'fév', 'фев'],
  ['mar', 'mär', 'maa', 'mrt', 'мар'],
  ['apr', 'avr', 'abr', 'апр'],
  ['may', 'mai', 'mei', 'mag', 'maj', 'май', 'мая'],
  ['jun', 'juin', 'giu', 'июн'],
  ['jul', 'juil', 'lug', 'июл'],
  ['aug', 'aoû', 'aou', 'ago', 'авг'],
  ['sep', 'set', 'сен'],
  ['oct', 'okt', 'ott', 'out', 'окт'],
  ['nov', 'ноя'],
  ['dec', 'dez', 'déc', 'dic', 'дек'],
];
/** RFC 5322 section 4.3, and names that mean one zone everywhere. */
const ZONES: Readonly<Record<string, number>> = {
  z: 0,
  ut: 0,
  utc: 0,
  gmt: 0,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
  wet: 0,
  west: 1,
  cet: 1,
  cest: 2,
  mez: 1,
  mesz: 2,
  eet: 2,
  eest: 3,
  msk: 3,
  jst: 9,
  kst: 9,
};

const COMPACT = /\b(\d{4})(\d{2})(\d{2})[T ](\d{2}):?(\d{2}):?(\d{2})?(?=\D|$)/i;
const TIME = /(?<![\d:+-])T?(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(?![\d:])\s{0,3}(?:([ap])\.?m\b\.?)?/i;
const OFFSET = /^\s{0,3}(?:(?:gmt|utc?|z)\s?)?([+-])(\d{1,2})(?::?(\d{2}))?(?![\d:])/i;
const ZONE_NAME = /^\s{0,3}([a-z]{1,5})(?![\p{L}\d])/iu;
/** What would be a number of its own but for its ending. */
const ORDINAL = /(\d)(?:st|nd|rd|th|er|º|ª)\b/gi;

interface Day {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

/**
 * A Date header (RFC 5322 section 3.3) in ms, or one that programs write in its place, where it can be read in one way
 * only: 11/28/2026 is one day, 05/06/2026 is two. Without a zone it is UTC, as RFC 5322 has it. Null when it is none.
 */
export function parseMailDate(header: string): number | null {
  const text = header
    .slice(0, MAX_LENGTH)
    .replace(/\([^()]*\)/g, ' ')
    .replace(/["']/g, ' ')
    .replace(/(\d)\s?[年月]\s?/g, '$1-')
    .replace(/(\d)\s?日/g, '$1 ')
    .replace(
      COMPACT,
      (_, year, month, day, hour, minute, second = '00') => `${year}-${month}-${day} ${hour}:${minute}:${second}`,
    )
    .replace(ORDINAL, '$1')
    .replace(/(\d)T(?=\d)/gi, '$1 ')
    .replace(/\s+/g, ' ')
    .trim();
  const time = TIME.exec(text);
  const clock = time && clockOf(time);
  if (!time || clock === null) return null;
  const after = text.slice(time.index + time[0].length);
  const zone = zoneOf(after);
  if (zone === null) return null;
  const day = dayOf(`${text.slice(0, time.index)} ${after.slice(zone.length)}`);
  if (day === null) return null;
  const ms = Date.UTC(day.year, day.month - 1, day.day) + clock - zone.offsetMs;
  return ms < 0 || ms > LAST ? null : ms;
}

/** Time of day in ms; null where no clock shows it. */
function clockOf([, hours = '', minutes = '', seconds = '0', half]: readonly (string | undefined)[]): number | null {
  const [hour, minute, second] = [Number(hours), Number(minutes), Number(seconds)];
  const isRight = hour <= 23 && minute <= 59 && second <= 60 && !(half && hour === 0);
  if (!isRight) return null;
  const isLate = half?.toLowerCase() === 'p';
  const twelve = half && hour <= 12 ? (hour % 12) + (isLate ? 12 : 0) : hour;
  return half && !isLate && hour > 12 ? null : twelve * HOUR_MS + minute * 60_000 + second * 1000;
}

/** What stands behind the time, and how long it is; null for a zone that is not known, or no zone. */
function zoneOf(text: string): { readonly offsetMs: number; readonly length: number } | null {
  const offset = OFFSET.exec(text);
  if (offset) {
    const [whole, sign, hours = '', minutes = '0'] = offset;
    // `+100` is an hour to some and a hundred minutes to others.
    if (/\D\d{3}$/.test(whole) || Number(hours) > 14 || Number(minutes) > 59) return null;
    const ms = Number(hours) * HOUR_MS + Number(minutes) * 60_000;
    const name = ZONE_NAME.exec(text.slice(whole.length));
    const length = whole.length + (name && ZONES[(name[1] ?? '').toLowerCase()] !== undefined ? name[0].length : 0);
    return { offsetMs: sign === '-' ? -ms : ms, length };
  }
  const [whole = '', name = ''] = ZONE_NAME.exec(text) ?? [];
  const hours = ZONES[name.toLowerCase()];
  if (hours !== undefined) return { offsetMs: hours * HOUR_MS, length: whole.length };
  // `IST` is three zones, and `XYZ` none.
  return name !== '' && name === name.toUpperCase() && monthOf(name) === null ? null : { offsetMs: 0, length: 0 };
}

function dayOf(text: string): Day | null {
  const words = text.match(/\p{L}+|\d+/gu) ?? [];
  const months = words.flatMap((word, at) => (monthOf(word) === null ? [] : [at]));
  // The first of two is a weekday, such as `mar.`
  const at = months.length === 2 && months[0] === 0 ? months[1] : months.length === 1 ? months[0] : undefined;
  const numbers = words.filter((word) => /^\d/.test(word));
  if (months.length === 0) return numbers.length === 3 ? onlyDay(numbers.map(writtenNumber)) : null;
  if (at === undefined || numbers.length !== 2) return null;
  const month = monthOf(words[at] ?? '') ?? 0;
  return besides(month, numbers.map(writtenNumber));
}

function monthOf(word: string): number | null {
  const lower = word.toLowerCase();
  const at = /^\d/.test(word) ? -1 : MONTHS.findIndex((begins) => begins.some((begin) => lower.startsWith(begin)));
  return at < 0 ? null : at + 1;
}

interface WrittenNumber {
  readonly value: number;
  readonly digits: number;
}

const writtenNumber = (digits: string): WrittenNumber => ({ value: Number(digits), digits: digits.length });

/** Day and year beside the name of a month: the year has four digits, or comes last (RFC 822). */
function besides(month: number, [first, second]: readonly WrittenNumber[]): Day | null {
  if (!first || !second) return null;
  const [day, year] = first.digits >= 3 ? [second, first] : [first, second];
  return real({ year: yearOf(year), month, day: day.digits > 2 ? 0 : day.value });
}

/** Three numbers, where one order alone makes a day of them. */
function onlyDay(numbers: readonly WrittenNumber[]): Day | null {
  const orders = [
    [2, 1, 0],
    [2, 0, 1],
    [0, 1, 2],
  ] as const;
  const days = orders.flatMap(([year, month, day]) => {
    const [y, m, d] = [numbers[year], numbers[month], numbers[day]];
    if (!y || !m || !d || m.digits > 2 || d.digits > 2 || (y.digits !== 2 && y.digits !== 4)) return [];
    return real({ year: yearOf(y), month: m.value, day: d.value }) ?? [];
  });
  const [first] = days;
  const isOne = days.every((each) => JSON.stringify(each) === JSON.stringify(first));
  return first && isOne ? first : null;
}

/** RFC 5322 section 4.3. */
const yearOf = ({ value, digits }: WrittenNumber): number =>
  digits >= 4 ? value : digits === 3 || value >= 50 ? 1900 + value : 2000 + value;

/** The day, if the calendar has it. */
function real(day: Day): Day | null {
  const date = new Date(Date.UTC(day.year, day.month - 1, day.day));
  return date.getUTCMonth() === day.month - 1 && date.getUTCDate() === day.day && day.year >= 1970 ? day : null;
}
