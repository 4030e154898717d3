import { Decimal as Base } from 'decimal.js';

/** Decimal arithmetic of its own: no setting of another user of the package changes a sum. */
export const Decimal = Base.clone({ precision: 60, rounding: Base.ROUND_HALF_UP, toExpNeg: -60, toExpPos: 60 });
export type Decimal = InstanceType<typeof Decimal>;

export type DecimalSign = '.' | ',';

/** A number as it is written in a cell; `digits` with its separators, of which the column says what they mean. */
export interface WrittenAmount {
  readonly isNegative: boolean;
  readonly digits: string;
  /** Currency, `%` or unit of measure, in one spelling; null where the cell has none. */
  readonly unit: string | null;
}

const CURRENCIES: Readonly<Record<string, string>> = {
  '€': 'EUR',
  euro: 'EUR',
  euros: 'EUR',
  '£': 'GBP',
  us$: 'USD',
  a$: 'AUD',
  c$: 'CAD',
  r$: 'BRL',
  '₹': 'INR',
  zł: 'PLN',
  kč: 'CZK',
  '₺': 'TRY',
  '₴': 'UAH',
  '₪': 'ILS',
  'fr.': 'CHF',
  sfr: 'CHF',
};
const CODES = new Set(
  'EUR USD GBP CHF JPY CNY PLN SEK NOK DKK CAD AUD NZD CZK HUF RON BGN TRY UAH INR BRL MXN ZAR SGD HKD KRW ILS AED ISK'.split(
    ' ',
  ),
);

const BEFORE = String.raw`\p{Sc}|(?:US|R|A|C|NZ|HK|S)\$|[A-Z]{3}(?![A-Za-z])|kr\.?|Fr\.|SFr\.?`;
const AFTER = String.raw`%|‰|\p{Sc}|[\p{L}µ°][\p{L}\d²³/°.%]{0,14}`;
const NUMBER = new RegExp(
  String.raw`^(?:(?<open>\()\s*)?(?:(?<sign>[-+])\s*)?(?:(?<before>${BEFORE})\s*)?(?:(?<inner>[-+])\s*)?` +
    String.raw`(?<digits>\d(?:[\d.,' ]*\d)?|[.,]\d+)(?<trailing>[.,]?-{1,2})?(?:\s*(?<after>${AFTER}))?(?:\s*(?<minus>-))?(?:\s*(?<close>\)))?$`,
  'u',
);
const MAX_LENGTH = 80;

/** Odd spaces, apostrophes and minus signs in one spelling. */
const oneSpelling = (text: string): string => (/[^ -~]/.test(text) ? respelled(text) : text.trim());

const respelled = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/[\u200b-\u200f\u2060\ufeff]/g, '')
    .replace(/\s/g, ' ')
    .replace(/[’‘ʼ´`]/g, "'")
    .replace(/[−–—]/g, '-')
    .trim();

/** A currency or `%` in one spelling; other units as they are written. */
export function unitOf(written: string): string {
  const unit = written.trim();
  const code = unit.toUpperCase();
  return CURRENCIES[unit.toLowerCase()] ?? (CODES.has(code) ? code : unit);
}

/** Whether a word is a currency or `%`, as it may stand in the heading of a column. */
export const isUnit = (word: string): boolean =>
  word.trim() === '%' || CODES.has(unitOf(word)) || /^\p{Sc}$/u.test(word.trim());

/** Null where the cell holds no number, such as "n/a", an article number or an address. */
export function writtenNumber(cell: string): WrittenAmount | null {
  if (cell.length > MAX_LENGTH || !/\d/.test(cell)) return null;
  if (/^\d+$/.test(cell)) return { isNegative: false, digits: cell, unit: null };
  const found = NUMBER.exec(oneSpelling(cell))?.groups;
  if (!found) return null;
  const { open, sign, before, inner, digits = '', trailing, after, minus, close } = found;
  const units = [before, after].flatMap((unit) => (unit === undefined ? [] : unitOf(unit)));
  if ((open === undefined) !== (close === undefined) || !areGrouped(digits)) return null;
  if (units.length === 2 && units[0] !== units[1]) return null;
  // Three capitals before digits are a currency or the beginning of an article number.
  if (before !== undefined && /^[A-Z]{3}$/.test(before) && !CODES.has(before)) return null;
  const minuses = [open, sign === '-', inner === '-', minus, trailing === '-'].filter(Boolean).length;
  if (minuses > 1) return null;
  return { isNegative: minuses === 1, digits, unit: units[0] ?? null };
}

/** Blanks and apostrophes stand before each three digits, or the number is several. */
function areGrouped(digits: string): boolean {
  const [whole = ''] = digits.split(/[.,](?=\d*$)/);
  const first = digits.search(/[ ']/);
  if (first < 0) return true;
  if (/[.,]/.test(digits.slice(first, Math.max(digits.lastIndexOf(' '), digits.lastIndexOf("'"))))) return false;
  return /^\d{1,3}(?:([ '])\d{3})(?:\1\d{3})*$/.test(whole);
}

/** What stands before its decimals as far as the number alone tells; `none`: it has neither, `open`: it may be either. */
export function signIn(digits: string): DecimalSign | 'none' | 'open' {
  const plain = digits.replace(/[ ']/g, '');
  const signs = [...new Set(plain.match(/[.,]/g) ?? [])];
  const [sign] = signs;
  if (sign === undefined) return 'none';
  if (signs.length === 2) return plain.lastIndexOf(',') > plain.lastIndexOf('.') ? ',' : '.';
  const parts = plain.split(sign);
  if (parts.length > 2) return sign === '.' ? ',' : '.';
  const isOpen = plain.length === digits.length && parts[1]?.length === 3 && /^[1-9]\d{0,2}$/.test(parts[0] ?? '');
  return isOpen ? 'open' : sign === '.' ? '.' : ',';
}

/** Null where the digits do not fit the sign: 1.234,56 with decimals behind a full stop. */
export function amountOf({ isNegative, digits }: WrittenAmount, sign: DecimalSign): Decimal | null {
  const plain = digits.replace(/[ ']/g, '');
  const group = sign === '.' ? ',' : '.';
  const [whole = '', fraction = '', ...more] = plain.split(sign);
  if (more.length > 0 || fraction.includes(group)) return null;
  const groups = whole.split(group);
  if (groups.length > 1 && !areGroups(groups)) return null;
  const amount = new Decimal(`${groups.join('') || '0'}.${fraction || '0'}`);
  return isNegative ? amount.negated() : amount;
}

/** Threes, or the twos and a three of India. */
const areGroups = ([first = '', ...rest]: readonly string[]): boolean =>
  /^\d{1,3}$/.test(first) &&
  rest.at(-1)?.length === 3 &&
  (rest.every(({ length }) => length === 3) || rest.slice(0, -1).every(({ length }) => length === 2));
