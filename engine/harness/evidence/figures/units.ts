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

export const UNIT_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(UNITS).flatMap(([unit, names]) => names.split(' ').map((name): [string, string] => [name, unit])),
);
export const SCALE_OF: ReadonlyMap<string, number> = new Map(
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
