const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'sv', 'da', 'ru'];

/** Months by their names, long and short; names come from the platform, not from a list of ours. */
const months = new Map<string, number>();
function monthOf(name: string): number | undefined {
  if (months.size === 0) {
    for (const language of LANGUAGES) {
      for (let month = 0; month < 12; month += 1) {
        for (const style of ['long', 'short'] as const) {
          const parts = new Intl.DateTimeFormat(language, { day: 'numeric', month: style, timeZone: 'UTC' });
          const part = parts.formatToParts(Date.UTC(2023, month, 15)).find(({ type }) => type === 'month');
          const word = (part?.value ?? '').toLowerCase().replace(/\.$/, '');
          if (/^\p{L}{3,}$/u.test(word)) months.set(word, month + 1);
        }
      }
    }
  }
  return months.get(name.toLowerCase().replace(/\.$/, ''));
}

export interface Figures {
  /** Each number with all that its spelling can mean: `1.250` is 1250 or 1.25. */
  readonly numbers: readonly { readonly said: string; readonly values: readonly number[] }[];
  /** `12-01`; a date whose order is open counts as both. */
  readonly dates: readonly { readonly said: string; readonly days: readonly string[] }[];
}

const ISO = /(?<!\d)\d{4}-(\d{2})-(\d{2})(?:T[\d:.]+(?:Z|[+-]\d\d:?\d\d)?)?/g;
const DOTTED = /(?<![\d.])(\d{1,2})[./](\d{1,2})(?:[./](?:\d{4}|\d{2})(?!\d)|\.(?=\s|$|,))/g;
const DAY_MONTH = /(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|º|\.)? (?:de |of )?(\p{L}{3,12})\.?/gu;
const MONTH_DAY = /(?<!\p{L})(\p{L}{3,12})\.? (\d{1,2})(?:st|nd|rd|th)?(?!\d)/gu;
const CLOCK = /(?<!\d)\d{1,2}:\d{2}(?::\d{2})?/g;
const NUMBER = /(?<![\p{L}\d._/-])\d(?:[\d.,'’\u00a0\u202f]*\d)?(?![\p{L}\d/_-])/gu;

/** Dates and numbers of a text; clock times, years and what hangs on letters are neither. */
export function figuresIn(text: string): Figures {
  const dates: { said: string; days: string[] }[] = [];
  const take = (
    pattern: RegExp,
    from: string,
    days: (match: RegExpExecArray | RegExpMatchArray) => string[],
  ): string => {
    // In pieces: to copy the whole text for each of its dates took five seconds for 200 kB of `1.1. `.
    const rest: string[] = [];
    let end = 0;
    for (const match of from.matchAll(pattern)) {
      const found = days(match);
      if (found.length === 0) continue;
      dates.push({ said: match[0], days: found });
      rest.push(from.slice(end, match.index), ' '.repeat(match[0].length));
      end = match.index + match[0].length;
    }
    return rest.join('') + from.slice(end);
  };
  let rest = take(ISO, text, ([, month, day]) => [dayOf(month, day)].flat());
  rest = take(DOTTED, rest, ([, a, b]) => [...dayOf(b, a), ...dayOf(a, b)]);
  rest = take(DAY_MONTH, rest, ([, day, name]) => dayOf(monthOf(name ?? '')?.toString(), day));
  rest = take(MONTH_DAY, rest, ([, name, day]) => dayOf(monthOf(name ?? '')?.toString(), day));
  const numbers = [...rest.replace(CLOCK, (clock) => ' '.repeat(clock.length)).matchAll(NUMBER)]
    .map(([said]) => ({ said, values: valuesOf(said) }))
    .filter(({ values }) => values.length > 0);
  return { numbers, dates };
}

function dayOf(month: string | undefined, day: string | undefined): string[] {
  const isDay = Number(month) >= 1 && Number(month) <= 12 && Number(day) >= 1 && Number(day) <= 31;
  return isDay ? [`${String(Number(month)).padStart(2, '0')}-${String(Number(day)).padStart(2, '0')}`] : [];
}

function valuesOf(said: string): readonly number[] {
  const plain = said.replace(/['’\u00a0\u202f]/g, '');
  const marks = plain.replace(/\d/g, '');
  if (marks === '') return [Number(plain)];
  const last = marks.at(-1) ?? '';
  const groups = new Set(marks).size;
  // Of two kinds of marks the last one is the decimal mark.
  if (groups > 1)
    return [Number(plain.replaceAll(last === ',' ? '.' : ',', '').replace(',', '.'))].filter(Number.isFinite);
  const thousands = /^\d{1,3}(?:[.,]\d{3})+$/.test(plain) ? [Number(plain.replace(/[.,]/g, ''))] : [];
  const decimal = marks.length === 1 ? [Number(plain.replace(',', '.'))] : [];
  return [...thousands, ...decimal];
}

const MOST = 200;

/**
 * Whether a figure can be worked out of others: the same, a sum, a difference, a product, a share in percent, to the
 * precision in which it is given. `null` when there are too many to say.
 */
export function isDerived(value: number, from: readonly number[]): boolean | null {
  const known = [...new Set(from)];
  if (known.includes(value)) return true;
  if (known.length > MOST) return null;
  const close = (other: number) => Math.abs(other - value) <= 0.5 * precisionOf(value) + 1e-9;
  if (close(known.reduce((sum, one) => sum + one, 0)) || close(known.length)) return true;
  return known.some((a) => known.some((b) => pairs(a, b).some(close)));
}

const pairs = (a: number, b: number): readonly number[] => [
  a,
  a + b,
  a - b,
  a * b,
  (a * b) / 100,
  a + (a * b) / 100,
  ...(b === 0 ? [] : [a / b, (a / b) * 100, ((a - b) / b) * 100]),
];

const precisionOf = (value: number): number => 10 ** -(String(value).split('.')[1]?.length ?? 0);
