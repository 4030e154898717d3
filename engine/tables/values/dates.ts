import type { Cell } from '../../documents/types.ts';
import { DAY_MS } from '../../lib/time.ts';

/** ISO 8601: `2026-11-23`, or `2026-11-23T14:30:00` where the cell has a time. Text order is time order. */
export type IsoDate = string;

/** Which comes first where both are written as numbers between slashes or dashes. */
export type DateOrder = 'd/m/y' | 'm/d/y';

export type DateFormat =
  | { readonly kind: 'known'; readonly order: DateOrder }
  | { readonly kind: 'open'; readonly example: string }
  | { readonly kind: 'none' };

const TIME = String.raw`(?:[T ,]+(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:\.\d+)?)?(?:\s*(?<half>[AaPp]\.?[Mm]\.?))?(?:\s*(?:Z|UTC|[+-]\d{2}:?\d{2}))?)?`;
const YEAR_FIRST = new RegExp(String.raw`^(?<y>\d{4})(?<sep>[-/.])(?<m>\d{1,2})\k<sep>(?<d>\d{1,2})${TIME}$`);
const DOTTED = new RegExp(String.raw`^(?<d>\d{1,2})\.\s?(?<m>\d{1,2})\.\s?(?<y>\d{4}|\d{2})${TIME}$`);
const SLASHED = new RegExp(String.raw`^(?<a>\d{1,2})(?<sep>[/-])(?<b>\d{1,2})\k<sep>(?<y>\d{4}|\d{2})${TIME}$`);
const DAY_NAME = new RegExp(
  String.raw`^(?<d>\d{1,2})(?:st|nd|rd|th|\.)?[\s-]+(?:de\s+)?(?<name>\p{L}{3,12})\.?,?[\s-]+(?:de\s+)?(?<y>\d{4}|\d{2})${TIME}$`,
  'u',
);
const NAME_DAY = new RegExp(
  String.raw`^(?<name>\p{L}{3,12})\.?\s+(?<d>\d{1,2})(?:st|nd|rd|th)?,?\s+(?<y>\d{4})${TIME}$`,
  'u',
);

const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'pt', 'pl', 'sv'];
const bare = (name: string) =>
  name
    .normalize('NFD')
    .replace(/[\p{M}.]/gu, '')
    .toLowerCase();
const MONTHS: ReadonlyMap<string, number> = new Map(
  LANGUAGES.flatMap((language) =>
    (['long', 'short'] as const).flatMap((month) => {
      const format = new Intl.DateTimeFormat(language, { day: 'numeric', month, timeZone: 'UTC' });
      return Array.from({ length: 12 }, (_, index): [string, number] => {
        const parts = format.formatToParts(Date.UTC(2026, index, 1));
        return [bare(parts.find(({ type }) => type === 'month')?.value ?? ''), index + 1];
      });
    }),
  ),
);

/** A slashed date as its two numbers; null for all else. */
const slashed = (cell: Cell) =>
  typeof cell === 'string' && cell.length < 40 ? SLASHED.exec(cell.trim())?.groups : undefined;

/** What the cells of one column tell together of their slashed dates. */
export function dateFormatOf(cells: Iterable<Cell>): DateFormat {
  let example: string | null = null;
  const seen = new Set<DateOrder>();
  for (const cell of cells) {
    const found = slashed(cell);
    if (found === undefined) continue;
    const [a, b] = [Number(found.a), Number(found.b)];
    if (a > 12 && b <= 12) seen.add('d/m/y');
    else if (b > 12 && a <= 12) seen.add('m/d/y');
    else if (a !== b && a <= 12) example ??= String(cell).trim();
  }
  const [order] = seen;
  if (seen.size === 1 && order !== undefined) return { kind: 'known', order };
  return example === null ? { kind: 'none' } : { kind: 'open', example };
}

/** Null where the cell holds no date that exists. */
export function dateIn(cell: Cell, format: DateFormat): IsoDate | null {
  if (typeof cell !== 'string' || cell.length > 60 || !/\d/.test(cell)) return null;
  const text = cell.trim();
  const found = (YEAR_FIRST.exec(text) ?? DOTTED.exec(text))?.groups;
  if (found) return isoOf(Number(found.y), Number(found.m), Number(found.d), found);
  const between = slashed(text);
  if (between) {
    const isDayFirst = format.kind === 'known' ? format.order === 'd/m/y' : Number(between.a) > 12;
    const [day, month] = isDayFirst ? [between.a, between.b] : [between.b, between.a];
    return isoOf(Number(between.y), Number(month), Number(day), between);
  }
  const named = (DAY_NAME.exec(text) ?? NAME_DAY.exec(text))?.groups;
  const month = named ? MONTHS.get(bare(named.name ?? '')) : undefined;
  return named && month !== undefined ? isoOf(Number(named.y), month, Number(named.d), named) : null;
}

const two = (value: number): string => String(value).padStart(2, '0');

function isoOf(
  year: number,
  month: number,
  day: number,
  time: Readonly<Record<string, string | undefined>>,
): IsoDate | null {
  const full = year < 100 ? 2000 + year : year;
  const at = new Date(Date.UTC(full, month - 1, day));
  if (at.getUTCMonth() !== month - 1 || at.getUTCDate() !== day || full < 1000) return null;
  const date = `${full}-${two(month)}-${two(day)}`;
  if (time.hour === undefined) return date;
  const late = /^p/i.test(time.half ?? '') && Number(time.hour) < 12 ? 12 : 0;
  const early = /^a/i.test(time.half ?? '') && Number(time.hour) === 12 ? -12 : 0;
  return `${date}T${two(Number(time.hour) + late + early)}:${time.minute}:${time.second ?? '00'}`;
}

export const DATE_PARTS = ['year', 'quarter', 'month', 'week', 'weekday', 'day'] as const;
export type DatePart = (typeof DATE_PARTS)[number];

/** `2026`, `2026-Q4`, `2026-11`, `2026-W48` (ISO 8601: weeks begin on Monday), `1 Monday`, `2026-11-23`. */
export function partOf(date: IsoDate, part: DatePart): string {
  const [year = '', month = ''] = date.split('-');
  const at = new Date(`${date.slice(0, 10)}T00:00:00Z`);
  const weekday = (at.getUTCDay() + 6) % 7;
  switch (part) {
    case 'year':
      return year;
    case 'quarter':
      return `${year}-Q${Math.ceil(Number(month) / 3)}`;
    case 'month':
      return date.slice(0, 7);
    case 'day':
      return date.slice(0, 10);
    case 'weekday':
      return `${weekday + 1} ${WEEKDAYS[weekday]}`;
    case 'week':
      return weekOf(at, weekday);
  }
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** The week belongs to the year of its Thursday. */
function weekOf(at: Date, weekday: number): string {
  const thursday = new Date(at.getTime() + (3 - weekday) * DAY_MS);
  const year = thursday.getUTCFullYear();
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY_MS));
  return `${year}-W${two(week)}`;
}
