import { PHRASE_LANGUAGES } from '../phrases.ts';
import { foldLine } from './own-lines.ts';

/** What a line can say of when and how much. */
export type ValueKind = 'date' | 'time' | 'amount';

const DATE =
  /(?<!\p{Nd})(?:\d{4}-\d{1,2}-\d{1,2}|(?:3[01]|[12]\d|0?[1-9])[./](?:1[0-2]|0?[1-9])(?:[./](?:\d{4}|\d{2})?|(?![\d./]))|\d{1,2}\s?[月월])/u;
const TIME =
  /(?<!\p{Nd})(?:[01]?\d|2[0-4])(?:[:.h][0-5]\d(?!\p{Nd})|\s?(?:uhr|a\.?m|p\.?m|h|Uhr|時|点|點|시)(?!\p{L}))/iu;
const MONEY = String.raw`(?:[$€£¥₹₽₺₴₩฿]|\b(?:EUR|USD|GBP|CHF|JPY|CNY|SEK|NOK|DKK|PLN|CZK|HUF|RON|RUB|UAH|TRY|INR|AUD|CAD|euros?|dollars?|zł|kr|Kč|Ft|lei|руб|円|元|원))`;
const AMOUNT = new RegExp(
  `${MONEY}\\s?\\d|\\d\\s?${MONEY}|\\d\\s?%|(?<!\\p{Nd})\\d{1,3}(?:[.,'\\u00a0 ]\\d{3})+(?!\\p{Nd})|(?<!\\p{Nd})\\d+,\\d{2}(?!\\p{Nd})`,
  'iu',
);
/** Numbers to call: many digits in groups. */
const PHONE = /(?<!\p{Nd})\+?\(?\d(?:[\s()/–-]{0,3}\d){6,}/gu;
const MIN_NAME = 4;

/** Names of months and days of the week, in all languages that answers are read in, as they are compared. */
const NAMES: ReadonlySet<string> = new Set(
  PHRASE_LANGUAGES.flatMap((language) => {
    const names = new Intl.DateTimeFormat(language, {
      weekday: 'long',
      month: 'long',
      day: 'numeric',
      timeZone: 'UTC',
    });
    return Array.from({ length: 12 }, (_, at) => Date.UTC(2026, at, 1 + at)).flatMap((at) =>
      names
        .formatToParts(at)
        .filter(({ type }) => type === 'weekday' || type === 'month')
        .map(({ value }) => foldLine(value)),
    );
  }).filter((name) => name.length >= MIN_NAME && !/\d/.test(name)),
);

/** Which kinds of value a text holds, by their shape. */
export function valuesIn(text: string): ReadonlySet<ValueKind> {
  const rest = text.slice(0, MAX_CHARS).replace(PHONE, ' ');
  const words = [...rest.matchAll(/[\p{L}\p{M}]+/gu)].map(([word]) => foldLine(word));
  return new Set<ValueKind>([
    ...(DATE.test(rest) || words.some((word) => NAMES.has(word)) ? (['date'] as const) : []),
    ...(TIME.test(rest) ? (['time'] as const) : []),
    ...(AMOUNT.test(rest) ? (['amount'] as const) : []),
  ]);
}

const MAX_CHARS = 200_000;
