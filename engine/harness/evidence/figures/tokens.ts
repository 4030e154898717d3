/** What the months are called where figures come from, short forms as well, from January on; lower case, no full stop. */
const NAMES = [
  'january jan januar jänner jän janvier janv enero ene gennaio gen januari janeiro styczeń stycznia sty',
  'february feb februar febr février févr fév febrero febbraio februari fevereiro fev luty lutego lut',
  'march mar märz mär mrz mars marzo maart mrt março marzec marca',
  'april apr avril avr abril abr aprile kwiecień kwietnia kwi',
  'may mai mayo maggio mag mei maio maj maja',
  'june jun juni juin junio giugno giu junho czerwiec czerwca cze',
  'july jul juli juillet juil julio luglio lug julho lipiec lipca lip',
  'august aug août aou agosto ago augustus sierpień sierpnia sie',
  'september sep sept septembre septiembre settembre set setembro wrzesień września wrz',
  'october oct oktober okt octobre octubre ottobre ott outubro out październik października paź',
  'november nov novembre noviembre novembro listopad listopada lis',
  'december dec dezember dez décembre déc diciembre dic dicembre desember dezembro grudzień grudnia gru',
];

/** Words of other meanings: a month only where a year follows. */
const DOUBTFUL: ReadonlySet<string> = new Set('may mar out set ago mag dic gen ene sie lis lip gru cze lut'.split(' '));

const MONTHS: ReadonlyMap<string, number> = new Map(
  NAMES.flatMap((names, at) => names.split(' ').map((name): [string, number] => [name, at + 1])),
);

/** One way to read a place in a text that means a value. */
export type ReadValue =
  | {
      readonly kind: 'number';
      readonly value: number;
      /** The last digit that was written, as a power of ten: 0.01, 1; 100,000 for "1.2 million". */
      readonly step: number;
      readonly unit: string | null;
      /** Where the number alone leaves open which sign its decimals have: the one that this reading takes. */
      readonly by: FigureDecimalSign | null;
    }
  | { readonly kind: 'date'; readonly year: number | null; readonly month: number; readonly day: number | null }
  | { readonly kind: 'time'; readonly minutes: number }
  | { readonly kind: 'word'; readonly word: string };

interface Token {
  readonly start: number;
  readonly end: number;
  readonly readings: readonly ReadValue[];
  /** Those of them that bear something out; absent: all. Of "27. bis 29. November" the 27 is a day, and a number by chance alone. */
  readonly sure?: readonly ReadValue[];
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
type Reader = readonly [RegExp, (match: Match) => readonly ReadValue[]];

const number = (text: string | undefined): number => Number(text ?? Number.NaN);
const yearOf = (text: string | undefined): number | null =>
  text === undefined ? null : text.length === 2 ? 2000 + Number(text) : Number(text);

function date(year: number | null, month: number, day: number | null): readonly ReadValue[] {
  const isDate = month >= 1 && month <= 12 && (day === null || (day >= 1 && day <= 31));
  return isDate ? [{ kind: 'date', year, month, day }] : [];
}

function time(hours: number, minutes: number, half = ''): readonly ReadValue[] {
  const late = /^p/i.test(half) && hours < 12 ? 12 : 0;
  const early = /^a/i.test(half) && hours === 12 ? -12 : 0;
  return hours <= 24 && minutes < 60 ? [{ kind: 'time', minutes: (hours + late + early) * 60 + minutes }] : [];
}

const monthOf = (name = ''): number => MONTHS.get(name.toLowerCase()) ?? 0;
/** "12 out of 15" is no date. */
const isSure = (name: string, year: string | undefined): boolean =>
  year !== undefined || !DOUBTFUL.has(name.toLowerCase()) || /^(?:May|Mar)$/.test(name);

/**
 * "11 am 29." is a number and a day in German, and "16 am" no time at all; "11 am Montag" may be either, and is read as both. In
 * "11:30 am" the minutes say that it is a time, and the day or its half is left open alike.
 */
function morning(match: Match, hours: number, minutes: string | undefined): readonly ReadValue[] {
  const behind = (match.input ?? '').slice((match.index ?? 0) + match[0].length);
  const isSpaced = / am$/.test(match[0]);
  const isOfDay = isSpaced && (hours > 12 || /^ \d{1,2}\.(?!\d)/.test(behind));
  if (isOfDay) return minutes === undefined ? [] : time(hours, number(minutes));
  const said = hours > 12 ? [] : time(hours, number(minutes ?? '0'), 'a');
  if (!isSpaced || !/^ [\p{L}\d]/u.test(behind)) return said;
  if (minutes !== undefined) return [...said, ...time(hours, number(minutes))];
  return [...said, { kind: 'number', value: hours, step: 1, unit: null, by: null }];
}

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
    // "27-29 November": what stands before the second day is a day, and no id.
    new RegExp(
      `${NOT_AFTER}(?<![\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}_][-_/#]|\\d[_#])(\\d{1,2})(?:st|nd|rd|th|er|º|ª|\\.|-)?(?: ?de| of)? ?-?${MONTH}(?:\\.?,?-?(?: de| del)? ?(\\d{4}|'\\d{2}(?!\\d)))?${NOT_BEFORE}`,
      'giu',
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
    (match) => {
      const [, h, m, half = ''] = match;
      return /^a/i.test(half) ? morning(match, number(h), m) : time(number(h), number(m), half);
    },
  ],
  [
    alone('(\\d{1,2}) ?([ap])\\.?m'),
    (match) => {
      const [, h, half = ''] = match;
      return /^a/i.test(half) ? morning(match, number(h), undefined) : time(number(h), 0, half);
    },
  ],
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

/** "11.8 m" is metres as well as millions; of money it is millions alone. */
function factorsOf(scale: string, unit: string | null): readonly number[] {
  const factor = SCALE_OF.get(scale.toLowerCase().replace('.', '')) ?? 1;
  return scale === 'm' && unit === null ? [1, factor] : [factor];
}

/** "40 m²" in plain letters: the sign of a unit is no id. */
const AREA = /^[cdkm]?m[23]$/;

function readNumber(match: Match, text: string): readonly ReadValue[] {
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
  const factors = factorsOf(scale, unit);
  const amounts = amountsOf(amount);
  const isBracketed = text[at - 1] === '(' && text[end] === ')';
  const isWhole = text.slice(0, at).trim() === (isBracketed ? '(' : '') && /^\)?[-.]?\s*$/.test(text.slice(end));
  const isNegative =
    minus !== undefined || inner !== undefined || (isWhole && text[end] === '-') || (isWhole && isBracketed);
  const [, day, month] = text[end] === '.' ? (/^(\d{1,2})\.(\d{1,2})$/.exec(amount) ?? []) : [];
  const numbers = amounts.flatMap(({ value, decimals }, index): ReadValue[] => {
    const by = amounts.length === 1 ? null : index === 0 ? '.' : ',';
    const read = (sign: number): ReadValue[] =>
      factors.map((factor) => ({
        kind: 'number',
        value: sign * value * factor,
        step: factor * 10 ** -decimals,
        unit,
        by,
      }));
    // In running text a number in brackets may be an aside as well as a loss.
    return isNegative ? read(-1) : isBracketed ? [...read(1), ...read(-1)] : read(1);
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
  const take = (match: Match, readings: readonly ReadValue[]) => {
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
    if (isId(match[0]) && !(AREA.test(match[0]) && /\d ?$/.test(text.slice(0, match.index))))
      take(match, [{ kind: 'word', word: match[0].toLowerCase() }]);
  for (const match of text.matchAll(NUMBER)) take(match, readNumber(match, text));
  return withSharedMonths(
    taken.sort((a, b) => a.start - b.start),
    text,
  );
}

/** By which days are joined that share a month: signs, and words of the languages of the months. */
const JOINTS =
  'bis|und|oder|sowie|through|until|till|to|and|or|au|et|ou|al|y|o|e|ed|a|à|tot en met|tot|t/m|en|of|do|i|lub|til|og|och';
const ORDINAL = '(?:st|nd|rd|th|er|º|ª|\\.)?';
const ARTICLES = 'the|zum|den|dem|el|le|les|il';
const JOINT = new RegExp(`^${ORDINAL}(?: ?[-/&+] ?|, |,? (?:${JOINTS}) (?:(?:${ARTICLES}) )?)$`, 'iu');
const JOINT_BEHIND = /^(?:st|nd|rd|th)?(?: ?[-/&+] ?| (?:through|until|till|to|and|or) (?:the )?)$/iu;
const JOINT_OF_SIGNS = /^(?: ?[-~〜、,和与與至到] ?|から|および|及び|と)$/u;

const BY_COMMA = /^, $/;

/**
 * The days of "27. bis 29. November" and "November 27-29" have one month, and those of "11月27日至29日". A number that nothing but a comma
 * joins to a date may be a day, and may be of anything else ("Room 2, 12 December").
 */
function withSharedMonths(tokens: readonly Token[], text: string): readonly Token[] {
  const shared = [...tokens];
  const isSureDay = (token: Token | undefined) => token?.sure?.some(({ kind }) => kind === 'date') ?? false;
  const share = (at: number, dated: Token | undefined, isSure: boolean) => {
    const token = shared[at];
    if (!token || !dated) return;
    const days = token.readings.flatMap((day) =>
      day.kind !== 'number'
        ? []
        : dated.readings.flatMap((one) =>
            one.kind === 'date' && one.day !== null ? date(one.year, one.month, day.value) : [],
          ),
    );
    if (days.length === 0) return;
    shared[at] = { ...token, readings: [...token.readings, ...days], sure: isSure ? days : token.readings };
  };
  for (let at = shared.length - 2; at >= 0; at -= 1) {
    const [token, behind] = [shared[at], shared[at + 1]];
    if (!token || !behind || !isDayAlone(token, text)) continue;
    const between = text.slice(token.end, behind.start);
    if (JOINT.test(between)) share(at, behind, !BY_COMMA.test(between) || isSureDay(behind));
  }
  // The month before its days: each day behind them is one of the same month.
  let isMonthFirst = false;
  for (const [at, token] of shared.entries()) {
    const before = shared[at - 1];
    const between = text.slice(before?.end, token.start);
    const isJoined =
      text[token.end] === '日' ? JOINT_OF_SIGNS.test(between.replace(/^日/, '')) : JOINT_BEHIND.test(between);
    isMonthFirst = /^(?:\p{L}|\d+月|\d{4}年)/u.test(text.slice(token.start)) || (isMonthFirst && isJoined);
    if (before && isMonthFirst && isJoined && isDayAlone(token, text)) share(at, before, true);
  }
  return shared;
}

const isDayAlone = ({ start, end, readings }: Token, text: string): boolean =>
  /^\d{1,2}$/.test(text.slice(start, end).trim()) &&
  readings.every((one) => one.kind === 'number' && one.value >= 1 && one.value <= 31);

/** What may stand before or behind a number, in one spelling each; of what is not here nothing is compared. */
const UNITS: Readonly<Record<string, string>> = {
  '%': '% percent prozent procent pct pourcent procenta procent',
  EUR: '€ eur euro euros',
  USD: 'usd us$',
  $: '$ dollar dollars',
  GBP: '£ gbp',
  CHF: 'chf sfr fr.',
  JPY: 'jpy 円 yen',
  CNY: 'cny rmb 元',
  '¥': '¥',
  PLN: 'pln zł',
  SEK: 'sek',
  NOK: 'nok',
  DKK: 'dkk',
  kr: 'kr',
  CAD: 'cad',
  AUD: 'aud',
  CZK: 'czk kč',
  INR: 'inr ₹',
  BRL: 'brl r$',
};

/** By which a number is multiplied. */
const SCALES: readonly (readonly [number, string])[] = [
  [1e3, 'k tsd tausend thousand mille mil 千'],
  [1e4, '万 萬'],
  [1e6, 'm mio mln million millions millionen millón millones milioni milione miljoen milhões milhão mn'],
  [1e8, '億 亿'],
  [1e9, 'bn mrd mld billion billions milliarde milliarden milliard milliards miljard miliardi'],
];

const UNIT_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(UNITS).flatMap(([unit, names]) => names.split(' ').map((name): [string, string] => [name, unit])),
);
const SCALE_OF: ReadonlyMap<string, number> = new Map(
  SCALES.flatMap(([scale, names]) => names.split(' ').map((name): [string, number] => [name, scale])),
);

/** Signs that several currencies share. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  $: ['USD', 'CAD', 'AUD'],
  '¥': ['JPY', 'CNY'],
  kr: ['SEK', 'NOK', 'DKK'],
};

/** Whether two numbers may be of the same kind; one without a unit may be of any. */
export const agree = (a: string | null, b: string | null): boolean =>
  a === null || b === null || a === b || (SHARED[a]?.includes(b) ?? false) || (SHARED[b]?.includes(a) ?? false);

/** Which sign stands before the decimals where a number leaves that open: "1.234", "1,234". */
export type FigureDecimalSign = '.' | ',';

interface Amount {
  readonly value: number;
  /** Digits behind the decimal sign, as written. */
  readonly decimals: number;
}

/**
 * What digits with their separators can mean, without sign and unit; two amounts where one separator before three
 * digits may be either, none for what is no number (1.2.3).
 */
function amountsOf(written: string): readonly Amount[] {
  const digits = written.replace(/[ '’]/g, '');
  const isGrouped = digits.length < written.length;
  const signs = [...new Set(digits.match(/[.,]/g) ?? [])];
  if (signs.length === 2) return [amountOf(digits, digits.lastIndexOf(',') > digits.lastIndexOf('.') ? ',' : '.')];
  const [sign] = signs;
  if (sign === undefined) return [amountOf(digits, '.')];
  const parts = digits.split(sign);
  if (parts.length > 2) return areGroups(parts) ? [amountOf(digits, sign === '.' ? ',' : '.')] : [];
  if (isGrouped || parts[1]?.length !== 3 || !/^[1-9]\d{0,2}$/.test(parts[0] ?? ''))
    return [amountOf(digits, sign as FigureDecimalSign)];
  return [amountOf(digits, '.'), amountOf(digits, ',')];
}

/** Threes, or the twos and a three of India. */
const areGroups = ([first = '', ...rest]: readonly string[]): boolean =>
  first.length <= 3 &&
  rest.at(-1)?.length === 3 &&
  rest.slice(0, -1).every(({ length }) => length === 3 || length === 2);

function amountOf(digits: string, decimal: string): Amount {
  const [whole = '', fraction = ''] = digits.replaceAll(decimal === '.' ? ',' : '.', '').split(decimal);
  return { value: Number(`${whole || '0'}.${fraction || '0'}`), decimals: fraction.length };
}

/** The sign that a written number settles for its neighbours; null where it leaves it open. */
export function decimalSignIn(written: string): FigureDecimalSign | null {
  const signs = [...new Set(written.match(/[.,]/g) ?? [])];
  if (signs.length === 2) return written.lastIndexOf(',') > written.lastIndexOf('.') ? ',' : '.';
  const [sign] = signs;
  if (sign === undefined || amountsOf(written).length !== 1) return null;
  const isGroup = written.split(sign).length > 2;
  return (sign === '.') === isGroup ? ',' : '.';
}
