import { DOUBTFUL, MONTHS } from './months.ts';
import { amountsOf, type DecimalSign } from './numbers.ts';
import { SCALE_OF, UNIT_OF } from './units.ts';

/** One way to read a place in a text that means a value. */
export type Reading =
  | {
      readonly kind: 'number';
      readonly value: number;
      /** The last digit that was written, as a power of ten: 0.01, 1; 100,000 for "1.2 million". */
      readonly step: number;
      readonly unit: string | null;
      /** Where the number alone leaves open which sign its decimals have: the one that this reading takes. */
      readonly by: DecimalSign | null;
    }
  | { readonly kind: 'date'; readonly year: number | null; readonly month: number; readonly day: number | null }
  | { readonly kind: 'time'; readonly minutes: number }
  | { readonly kind: 'word'; readonly word: string };

export interface Token {
  readonly start: number;
  readonly end: number;
  readonly readings: readonly Reading[];
}

/** Enough for any result that a model was shown. */
const MAX_CHARS = 40_000;

/** Full-width digits, odd spaces and signs in one spelling; so places in it are not those of the text. */
export const oneSpelling = (text: string): string =>
  text
    .slice(0, MAX_CHARS)
    .normalize('NFKC')
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, '')
    .replace(/[−‒–—](?=\s?[\d.,(€$£¥])/g, '-')
    .replace(/[’‘ʼ´`]/g, "'");

const WORD = '\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{N}_';
const NOT_AFTER = `(?<![${WORD}])`;
const NOT_BEFORE = `(?![${WORD}])`;
const alone = (body: string): RegExp => new RegExp(`${NOT_AFTER}(?<![${WORD}][-_/#])(?:${body})${NOT_BEFORE}`, 'giu');
const MONTH = `(${[...MONTHS.keys()].sort((a, b) => b.length - a.length).join('|')})`;

type Match = RegExpExecArray | RegExpMatchArray;
type Reader = readonly [RegExp, (match: Match) => readonly Reading[]];

const number = (text: string | undefined): number => Number(text ?? Number.NaN);
const yearOf = (text: string | undefined): number | null =>
  text === undefined ? null : text.length === 2 ? 2000 + Number(text) : Number(text);

function date(year: number | null, month: number, day: number | null): readonly Reading[] {
  const isDate = month >= 1 && month <= 12 && (day === null || (day >= 1 && day <= 31));
  return isDate ? [{ kind: 'date', year, month, day }] : [];
}

function time(hours: number, minutes: number, half = ''): readonly Reading[] {
  const late = /^p/i.test(half) && hours < 12 ? 12 : 0;
  const early = /^a/i.test(half) && hours === 12 ? -12 : 0;
  return hours <= 24 && minutes < 60 ? [{ kind: 'time', minutes: (hours + late + early) * 60 + minutes }] : [];
}

const monthOf = (name = ''): number => MONTHS.get(name.toLowerCase()) ?? 0;
/** "12 out of 15" is no date. */
const isSure = (name: string, year: string | undefined): boolean =>
  year !== undefined || !DOUBTFUL.has(name.toLowerCase()) || /^(?:May|Mar)$/.test(name);

const DATES: readonly Reader[] = [
  [/(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?=T\d)/gu, ([, y, m, d]) => date(number(y), number(m), number(d))],
  [alone('(\\d{4})[-/.](\\d{1,2})[-/.](\\d{1,2})'), ([, y, m, d]) => date(number(y), number(m), number(d))],
  [
    /(\d{4})年(\d{1,2})月(?:(\d{1,2})日)?/gu,
    ([, y, m, d]) => date(number(y), number(m), d === undefined ? null : number(d)),
  ],
  [/(?<!年)(?<!\d)(\d{1,2})月(\d{1,2})日/gu, ([, m, d]) => date(null, number(m), number(d))],
  [/(?<!\d)(\d{1,2})月(?!\d)/gu, ([, m]) => date(null, number(m), null)],
  [
    alone('(\\d{1,2})([./-])(\\d{1,2})\\2(\\d{4}|\\d{2})'),
    // Day and month can be told apart only where one of them is no month, or by the full stops.
    ([, a, sign, b, y]) => [
      ...date(yearOf(y), number(b), number(a)),
      ...(sign === '.' || a === b ? [] : date(yearOf(y), number(a), number(b))),
    ],
  ],
  [
    alone(
      `(\\d{1,2})(?:st|nd|rd|th|er|º|ª|\\.|-)?(?: ?de| of)? ?-?${MONTH}(?:\\.?,?-?(?: de| del)? ?(\\d{4}|'\\d{2}(?!\\d)))?`,
    ),
    ([, d, name = '', y]) => (isSure(name, y) ? date(yearOf(y?.replace("'", '')), monthOf(name), number(d)) : []),
  ],
  [
    alone(`${MONTH}\\.? (\\d{1,2})(?:st|nd|rd|th)?(?![.,]?\\d)(?:,? (\\d{4}))?`),
    ([, name = '', d, y]) => (isSure(name, y) ? date(yearOf(y), monthOf(name), number(d)) : []),
  ],
  [alone(`${MONTH}\\.?,?(?: de| del)? (\\d{4})`), ([, name, y]) => date(number(y), monthOf(name), null)],
  [alone('(\\d{4})-(0[1-9]|1[0-2])'), ([, y, m]) => date(number(y), number(m), null)],
  [alone('(0?[1-9]|1[0-2])/(\\d{4})'), ([, m, y]) => date(number(y), number(m), null)],
];

const TIMES: readonly Reader[] = [
  [
    /(?<=\dT|^|[^\p{Script=Latin}\p{Script=Cyrillic}\p{N}:.])(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(?: ?([ap])\.?m\b\.?)?(?![\d:])/giu,
    ([, h, m, half]) => time(number(h), number(m), half),
  ],
  [alone('(\\d{1,2}) ?([ap])\\.?m'), ([, h, half]) => time(number(h), 0, half)],
  [alone('(\\d{1,2})(?:[.:](\\d{2}))? ?(?:Uhr|uur)'), ([, h, m]) => time(number(h), number(m ?? '0'))],
  [alone('(\\d{1,2}) ?h ?(\\d{2})'), ([, h, m]) => time(number(h), number(m))],
  [
    /(?<!\d)(午前|午後|上午|下午)?(\d{1,2})[時时点](?!間|间)(?:(\d{1,2})分)?/gu,
    ([, half = '', h, m]) =>
      time(number(h), number(m ?? '0'), /[午下][後午]/.test(half) && half !== '上午' && half !== '午前' ? 'p' : ''),
  ],
];

/** What is written in groups or in one, after its standard: an account, a telephone number. */
const GROUPED = [
  alone('[A-Z]{2}\\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?'),
  /\+(?!\d{1,3}(?: \d{3})+(?![\d -]))\d(?:[ ()/-]{0,2}\d){7,14}(?!\d)/gu,
];

/** With a letter and a digit in it: an id, a name. Numbers inside it are none. */
const ID = new RegExp(`${NOT_AFTER}[${WORD}]+(?:(?:[-_/#]|(?<=\\d)\\.)[${WORD}]+)*${NOT_BEFORE}`, 'gu');
const QUANTITY = /^(?:\d[\d.,]*)[-/]?\p{L}{1,12}$/u;
const DOTTED = /^\d+(?:\.\d+){2,}$/;
const MONEY_FIRST = /^(?:us|eur|usd|chf|gbp|jpy|cny|rmb|pln|sek|nok|dkk)\d/iu;

const isId = (text: string): boolean => {
  if (DOTTED.test(text)) return amountsOf(text).length === 0;
  if (!/\d/.test(text) || !/\p{L}/u.test(text)) return false;
  return !QUANTITY.test(text) && !MONEY_FIRST.test(text);
};

const AMOUNT = `\\d{1,3}(?:[ '.,]\\d{3})+(?!\\d)(?:[.,]\\d+)?|\\d{1,2}(?:,\\d{2})+,\\d{3}(?!\\d)(?:\\.\\d+)?|\\d+(?:[.,]\\d+)?|[.,]\\d+`;
const SIGNS = '€|US\\$|R\\$|\\$|£|¥|₹';
const CODES = 'EUR|USD|CHF|GBP|JPY|CNY|RMB|PLN|SEK|NOK|DKK|CAD|AUD|CZK|INR|BRL|kr\\.?';
const NUMBER = new RegExp(
  `(?<![${WORD}][.,])(?<minus>(?<![${WORD})])- ?)?(?:(?<before>(?:${SIGNS}|${NOT_AFTER}(?:${CODES})) ?)(?<inner>- ?)?)?` +
    `(?<![\\d_\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}]|\\d[.,])(?<amount>${AMOUNT})(?![.,]?\\d)` +
    `(?:[ -]?(?<scale>[kKM](?=€|\\$|£|\\b)|(?:Mio|Mrd|Tsd|mln|mld|bn|mn)\\b\\.?|(?:thousand|tausend|milli[oa]n(?:en|s)?|millones|millón|milioni|milione|miljoen|milhões|milhão|milliards?|milliarden?|miljard|miliardi|billions?)\\b|[千万萬億亿]))?` +
    `(?: ?(?<after>%|${SIGNS}|zł|円|元|Kč|(?:${CODES}|percent|Prozent|procent|pct|euros?|yen|dollars?)(?![\\p{L}])))?`,
  'giu',
);

function readNumber(match: Match, text: string): readonly Reading[] {
  const { minus, before = '', inner, amount = '', scale = '', after = '' } = match.groups ?? {};
  const at = match.index ?? 0;
  const end = at + match[0].length;
  const unit =
    UNIT_OF.get(
      (after || before)
        .trim()
        .toLowerCase()
        .replace(/(?<=kr)\.$/, ''),
    ) ?? null;
  const factor = SCALE_OF.get(scale.toLowerCase().replace('.', '')) ?? 1;
  const amounts = amountsOf(amount);
  const isBracketed = text[at - 1] === '(' && text[end] === ')';
  const isWhole = text.slice(0, at).trim() === (isBracketed ? '(' : '') && /^\)?[-.]?\s*$/.test(text.slice(end));
  const isNegative =
    minus !== undefined || inner !== undefined || (isWhole && text[end] === '-') || (isWhole && isBracketed);
  const [, day, month] = text[end] === '.' ? (/^(\d{1,2})\.(\d{1,2})$/.exec(amount) ?? []) : [];
  const numbers = amounts.flatMap(({ value, decimals }, index): Reading[] => {
    const by = amounts.length === 1 ? null : index === 0 ? '.' : ',';
    const read = (sign: number): Reading => ({
      kind: 'number',
      value: sign * value * factor,
      step: factor * 10 ** -decimals,
      unit,
      by,
    });
    // In running text a number in brackets may be an aside as well as a loss.
    return isNegative ? [read(-1)] : isBracketed ? [read(1), read(-1)] : [read(1)];
  });
  // "24.12." may be a day.
  return day === undefined ? numbers : [...numbers, ...date(null, number(month), number(day))];
}

/** The values in a text, in order: dates, times, ids and numbers, none of them inside another. */
export function tokensOf(written: string): readonly Token[] {
  const text = oneSpelling(written);
  const taken: Token[] = [];
  const isTaken = new Uint8Array(text.length);
  const isFree = (start: number, end: number) => !isTaken.subarray(start, end).includes(1);
  const take = (match: Match, readings: readonly Reading[]) => {
    const start = match.index ?? 0;
    const end = start + match[0].length;
    if (readings.length === 0 || !isFree(start, end)) return;
    taken.push({ start, end, readings });
    isTaken.fill(1, start, end);
  };
  for (const [pattern, read] of [...DATES, ...TIMES])
    for (const match of text.matchAll(pattern)) take(match, read(match));
  for (const pattern of GROUPED)
    for (const match of text.matchAll(pattern))
      take(match, [{ kind: 'word', word: match[0].replace(/\(0\)|[ ()/-]/g, '').toLowerCase() }]);
  for (const match of text.matchAll(ID))
    if (isId(match[0])) take(match, [{ kind: 'word', word: match[0].toLowerCase() }]);
  for (const match of text.matchAll(NUMBER)) take(match, readNumber(match, text));
  return taken.sort((a, b) => a.start - b.start);
}
