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
const known = new WeakMap<ShownResult, Values>();
interface Values {
  readonly sure: readonly ReadValue[];
  readonly all: readonly ReadValue[];
}

/** All that may stand in a source as a value of its own: where it has none of these, what is shown is not there. */
export const valuesIn = (source: ShownResult): readonly ReadValue[] => valuesOf(source).all;

/** What stands there without a doubt: by these alone is something borne out. */
export const sureValuesIn = (source: ShownResult): readonly ReadValue[] => valuesOf(source).sure;

function valuesOf(source: ShownResult): Values {
  const values = known.get(source) ?? readValues(source);
  known.set(source, values);
  return values;
}

/** What a cell says without a doubt. */
export const sureReadingsOf = (cell: ShownCell): readonly (readonly ReadValue[])[] =>
  typeof cell === 'number' ? readingsOf(cell) : tokensOf(cell).map(({ readings, sure = readings }) => sure);

function readValues({ tables, texts, fields }: ShownResult): Values {
  const written = [...tables.flat(2), ...fields.values(), ...texts];
  // "12 500" in a text may be two numbers as well.
  const apart = texts.flatMap((text) => readingsOf(text.replace(/(?<=\d)[ \u00a0\u202f](?=\d)/g, ' ; '))).flat();
  return { sure: written.flatMap(sureReadingsOf).flat(), all: [...written.flatMap(readingsOf).flat(), ...apart] };
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

const OF_WORD = '[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{N}\\p{M}]';
const BEGINS_AS_WORD = new RegExp(`^${OF_WORD}`, 'u');
const ENDS_AS_WORD = new RegExp(`${OF_WORD}$`, 'u');
/** What stands before the rest of a number: its groups, its sign, the whole of its decimals, another part of a date or a time. */
const NUMBER_BEFORE = /(?:\d[.,:/']|-)$/;
const NUMBER_AFTER = /^(?:[.,:/'-]\d| \d{3}(?!\d))/;
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
  for (let at = whole.indexOf(part, from); at >= 0; at = whole.indexOf(part, at + 1))
    if (isApart(part, whole.slice(Math.max(0, at - 2), at), whole.slice(at + part.length, at + part.length + 5)))
      return at;
  return -1;
}

/** Whether a part of a text is no piece of a longer word or number: the 250 of "1,250", the 5 of "-5". */
function isApart(part: string, before: string, after: string): boolean {
  if (BEGINS_AS_WORD.test(part) && ENDS_AS_WORD.test(before)) return false;
  if (ENDS_AS_WORD.test(part) && BEGINS_AS_WORD.test(after)) return false;
  if (/^\d{3}(?!\d)/.test(part) && /\d $/.test(before)) return false;
  if (/^\d/.test(part) && NUMBER_BEFORE.test(before)) return false;
  return !/\d$/.test(part) || !NUMBER_AFTER.test(after);
}

/** By the standard's own rules for where a sentence ends, which no language of mail has others for. */
const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });
/**
 * Where something else begins: behind a blank line, with an entry of a list, with a line behind one that has ended. Any other line
 * may be the rest of a sentence.
 */
const PARAGRAPH =
  /\n\s*\n|\n(?=[ \t]*(?:[-*•·]|\d{1,3}[.)])[ \t])|(?<=(?:\p{L}{3}|\d{3})\.|[!?。！？]|<\/?\w{1,40}>)\n|\n(?=<\/?\w{1,40}>)/u;
const MARK_OF_LIST = /^\s*(?:[-*•·]|\d{1,3}[.)])\s+/;

const wholes = new WeakMap<readonly string[], ReadonlySet<string>>();

/**
 * Whether these words are a whole sentence, a whole entry of a list or a whole cell of a source: of a part nobody knows what the rest
 * says of it, such as the "paid" of "not paid". A sentence that asks states nothing.
 */
export function standsWhole(words: string, pieces: readonly string[]): boolean {
  const found = wholes.get(pieces) ?? new Set(pieces.flatMap(piecesOf));
  wholes.set(pieces, found);
  const said = sentencesIn(words);
  return said.length > 0 && (found.has(said.join(' ')) || said.every((one) => found.has(one)));
}

const piecesOf = (text: string): readonly string[] =>
  text
    .slice(0, MAX_CHARS)
    .replace(/\n[ \t]*>+[ \t]?/g, '\n')
    .replace(/-\n(?=\p{Ll})/gu, '')
    .split(PARAGRAPH)
    .flatMap((one) => sentencesIn(one.replace(MARK_OF_LIST, '')))
    .filter((one) => !ASKS.test(one))
    .flatMap((one) => [one, one.replace(ARTICLE, '')]);

/** Before the first word of a sentence it may be left out: no other word may, which could be a "not". */
const ARTICLE = /^(?:the|der|die|das|le|la|les|el|los|las|il|lo|gli|het) /;

const ASKS = /[?？]["“”»」』)]?$/;
/** No end of a sentence: "z.B. ", "Nr. ", "am 3. ". */
const ABBREVIATION = /(?:(?<!\d)\d{1,2}|(?<!\p{L})\p{L}{1,2})\.\s*$/u;

/** The sentences of one paragraph, each in one spelling; one that asks keeps its sign. */
function sentencesIn(paragraph: string): readonly string[] {
  const found: string[] = [];
  let open = '';
  for (const { segment } of SENTENCES.segment(paragraph.replace(/\s+/g, ' ').trim())) {
    open += segment;
    if (ABBREVIATION.test(segment)) continue;
    found.push(open);
    open = '';
  }
  return [...found, open].map((one) => (ASKS.test(one.trim()) ? plain(one) : withoutStops(plain(one)))).filter(Boolean);
}

/** Enough of any source that a model was shown. */
const MAX_CHARS = 200_000;
