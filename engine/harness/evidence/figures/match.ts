import type { ShownCell, ShownResult } from './shown.ts';
import { agree, oneSpelling, type ReadValue, tokensOf } from './tokens.ts';

export type Numeric = Extract<ReadValue, { kind: 'number' }>;

/** What a cell can mean; a number of JSON means itself. */
export const readingsOf = (cell: ShownCell): readonly (readonly ReadValue[])[] =>
  typeof cell === 'number'
    ? [[{ kind: 'number', value: cell, step: stepOf(cell), unit: null, by: null }]]
    : tokensOf(cell).map(({ readings }) => readings);

const stepOf = (value: number): number => 10 ** -(/\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0);

/** Whether what is shown is what stands there: the same, or the same rounded as it is shown. */
export function isShownAs(shown: ReadValue, there: ReadValue): boolean {
  if (shown.kind === 'number' && there.kind === 'number') return isSameNumber(shown, there);
  if (shown.kind === 'date' && there.kind === 'date') {
    const sameYear = shown.year === null || there.year === null || shown.year === there.year;
    return sameYear && shown.month === there.month && (shown.day === null || shown.day === there.day);
  }
  if (shown.kind === 'time' && there.kind === 'time') return shown.minutes === there.minutes;
  return shown.kind === 'word' && there.kind === 'word' && shown.word === there.word;
}

function isSameNumber(shown: Numeric, there: Numeric): boolean {
  if (!agree(shown.unit, there.unit)) return false;
  if (isRounded(shown, there.value, there.step)) return true;
  // A share may stand as 0.12 and be shown as 12 %, or the other way round.
  if (shown.unit === '%' && there.unit === null) return isRounded(shown, there.value * 100, there.step * 100);
  return there.unit === '%' && shown.unit === null && isRounded(shown, there.value / 100, there.step / 100);
}

/** `step`: how finely `value` is known; what is known no finer than it is shown has to be the same. */
export function isRounded(shown: Numeric, value: number, step = 0): boolean {
  const slack = step < shown.step ? shown.step / 2 : 0;
  return Math.abs(shown.value - value) <= slack + 1e-9 * Math.max(1, Math.abs(value));
}

/**
 * Whether a number of a formula stands among these values. 20 % is its decimal forms as well: 0.2, and 0.8 and 1.2 for what it is
 * taken from or added to.
 */
export const standsAmong = (value: number, there: readonly ReadValue[]): boolean =>
  there.some(
    (one) =>
      one.kind === 'number' &&
      formsOf(one).some((form) => Math.abs(form - value) < 1e-9 * Math.max(1, Math.abs(value))),
  );

const formsOf = ({ value, unit }: Numeric): readonly number[] =>
  unit === '%' ? [value, value / 100, 1 - value / 100, 1 + value / 100] : [value];

/** Whether each value in `shown` is one of the cell's. */
export function cellShows(shown: ShownCell, cell: ShownCell): boolean {
  const wanted = readingsOf(shown);
  if (wanted.length === 0) return sameText(String(shown), String(cell));
  // "Bolt M8" and "Nut M8" have an id in common, and are not the same.
  if (wanted.every(([first]) => first?.kind === 'word'))
    return standsIn(String(shown), String(cell)) || standsIn(String(cell), String(shown));
  const there = readingsOf(cell).flat();
  return wanted.every((readings) => readings.some((one) => there.some((other) => isShownAs(one, other))));
}

/** An answer may have a hundred figures from one source. */
const known = new WeakMap<ShownResult, readonly ReadValue[]>();

/** All that stands in a source as a value of its own. */
export function valuesIn(source: ShownResult): readonly ReadValue[] {
  const values = known.get(source) ?? readValues(source);
  known.set(source, values);
  return values;
}

function readValues({ tables, texts, fields }: ShownResult): readonly ReadValue[] {
  const cells = [...tables.flat(2), ...fields.values()];
  const read = [...cells.flatMap((cell) => readingsOf(cell)), ...texts.flatMap((text) => readingsOf(text))].flat();
  // "12 500" in a text may be two numbers as well.
  const apart = texts.flatMap((text) => readingsOf(text.replace(/(?<=\d)[ \u00a0\u202f](?=\d)/g, ' ; '))).flat();
  return [...read, ...apart];
}

/** A text in one spelling, so that line breaks, quotation marks, emphasis and case do not tell two apart. */
export const plain = (text: string): string =>
  oneSpelling(text)
    .replace(/-\n(?=\p{Ll})/gu, '')
    .replace(/\n[ \t]*>+[ \t]?/g, '\n')
    .replace(/["“”„‟«»「」『』*_`]|(?<![\p{L}\p{N}])'|'(?![\p{L}\p{N}])/gu, '')
    .replace(/[–—−]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();

const sameText = (a: string, b: string): boolean => plain(a) === plain(b);

const BEGINS_AS_WORD = /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]/u;
const ENDS_AS_WORD = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{N}]$/u;
const STOPS = '.,;:!?。、！？ ';

/** Whether a quotation stands in a text; what "…" or "[...]" leaves out may be anything. */
export function standsIn(quotation: string, text: string): boolean {
  const whole = plain(text);
  let from = 0;
  const parts = quotation.split(/\[?(?:…|\.{3})\]?/).map((part) => withoutStops(plain(part)));
  for (const part of parts.filter(Boolean)) {
    const at = placeOf(part, whole, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return parts.some(Boolean);
}

function withoutStops(part: string): string {
  let [from, to] = [0, part.length];
  while (from < to && STOPS.includes(part[from] ?? '')) from += 1;
  while (to > from && STOPS.includes(part[to - 1] ?? '')) to -= 1;
  return part.slice(from, to);
}

function placeOf(part: string, whole: string, from: number): number {
  const startsInWord = BEGINS_AS_WORD.test(part);
  const endsInWord = ENDS_AS_WORD.test(part);
  for (let at = whole.indexOf(part, from); at >= 0; at = whole.indexOf(part, at + 1)) {
    const before = startsInWord && ENDS_AS_WORD.test(whole.slice(Math.max(0, at - 2), at));
    const after = endsInWord && BEGINS_AS_WORD.test(whole.slice(at + part.length, at + part.length + 2));
    if (!before && !after) return at;
  }
  return -1;
}
