import { cellsAt } from './cells.ts';
import { readingsOf } from './match.ts';
import type { ShownCell, ShownResult } from './shown.ts';
import type { FigureDecimalSign } from './tokens.ts';

/** A formula that cannot be worked out; the message is for the model. */
export class FormulaError extends Error {}

interface Given {
  readonly source: ShownResult;
  /** What the model names beside the formula: `#1` is the first of them. */
  readonly listed: readonly (readonly ShownCell[])[];
  readonly addresses: readonly string[];
  /** How to read "1.234" where nothing else tells. */
  readonly sign: FigureDecimalSign;
  /** Whether a number that is written into the formula stands in the source. */
  stands(value: number): boolean;
}

/** Numbers by which figures are converted. */
export const CONSTANTS: ReadonlySet<number> = new Set([
  0, 1, 2, 3, 4, 7, 10, 12, 24, 30, 31, 52, 60, 100, 360, 365, 1000, 1_000_000,
]);

type Value = readonly ShownCell[];

const MAX_TOKENS = 400;
const MAX_DEPTH = 40;
const TOKEN =
  /\s*(?:(?<number>\d+(?:\.\d+)?|\.\d+)(?![\p{L}\d])|(?<quoted>"[^"]{1,200}"|'[^']{1,200}')|(?<name>#\d{1,3}|cells\[\d{1,3}\]|\$?[\p{L}_][\p{L}\p{N}_.$]*(?::\$?[\p{L}\p{N}$]+)?)|(?<sign>[-+*/(),;%]))/uy;

/** What a formula gives; a plain name of a function means it over all that is listed. */
export function evaluate(formula: string, given: Given): number {
  const text = withPlaces(formula.trim().replace(/^=/, ''), given)
    .replace(/[×·]/g, '*')
    .replace(/[÷:](?=\s)/g, '/')
    .replace(/[−–]/g, '-');
  const tokens = tokensIn(/^[\p{L}]+$/u.test(text) && FUNCTIONS.has(text.toLowerCase()) ? callOf(text, given) : text);
  let at = 0;
  const peek = () => tokens[at];
  const next = () => tokens[at++];
  const expect = (sign: string) => {
    if (next() !== sign) throw new FormulaError(`"${sign}" is missing in the formula`);
  };
  const sum = (depth: number): Value => {
    let value = product(depth);
    while (peek() === '+' || peek() === '-') {
      const sign = next() === '+' ? 1 : -1;
      value = [one(value, given) + sign * one(product(depth), given)];
    }
    return value;
  };
  const product = (depth: number): Value => {
    let value = factor(depth);
    while (peek() === '*' || peek() === '/') {
      const isTimes = next() === '*';
      const by = one(factor(depth), given);
      if (!isTimes && by === 0) throw new FormulaError('the formula divides by zero');
      value = [isTimes ? one(value, given) * by : one(value, given) / by];
    }
    return value;
  };
  const factor = (depth: number): Value => {
    if (depth > MAX_DEPTH) throw new FormulaError('the formula is too deep');
    const token = next();
    if (token === '-') return [-one(factor(depth + 1), given)];
    if (token === '(') {
      const value = sum(depth + 1);
      expect(')');
      return percent(value);
    }
    if (token === undefined || /^[+*/),;%]$/.test(token)) throw new FormulaError('the formula cannot be read');
    if (peek() === '(' && !/^["'\d#]/.test(token)) return percent(call(token, values(depth + 1), given));
    return percent(/^[\d.]/.test(token) ? literal(Number(token), given) : named(token, given));
  };
  const values = (depth: number): readonly Value[] => {
    const found: Value[] = [];
    next();
    while (peek() !== ')') {
      found.push(sum(depth));
      if (peek() === ',' || peek() === ';') next();
      else if (peek() !== ')') throw new FormulaError('the formula cannot be read');
    }
    next();
    return found;
  };
  const percent = (value: Value): Value => {
    if (peek() !== '%') return value;
    next();
    return [one(value, given) / 100];
  };
  const value = one(sum(0), given);
  if (peek() !== undefined) throw new FormulaError('the formula cannot be read');
  if (!Number.isFinite(value)) throw new FormulaError('the formula gives no number');
  return value;
}

/** Addresses that are listed and written out in the formula have signs in them that would be read as arithmetic. */
function withPlaces(formula: string, { addresses }: Given): string {
  const places = addresses
    .map((address, index) => ({ address: address.trim(), index }))
    .sort((a, b) => b.address.length - a.address.length);
  return places.reduce(
    (text, { address, index }) =>
      /[^\p{L}\p{N}_:$]/u.test(address)
        ? text.replaceAll(`"${address}"`, `#${index + 1}`).replaceAll(address, `#${index + 1}`)
        : text,
    formula,
  );
}

const callOf = (name: string, { listed }: Given): string =>
  `${name}(${listed.length === 0 ? 'rows' : listed.map((_cells, index) => `#${index + 1}`).join(',')})`;

function tokensIn(text: string): readonly string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  const end = text.trimEnd().length;
  let at = 0;
  while (at < end) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    if (!match || tokens.length === MAX_TOKENS) throw new FormulaError('the formula cannot be read');
    tokens.push(match[0].trim());
    at = TOKEN.lastIndex;
  }
  return tokens;
}

function named(token: string, { source, listed, addresses }: Given): Value {
  const place = /^(?:#|cells\[|c)(\d{1,3})\]?$/.exec(token);
  const index = place
    ? Number(place[1]) - (token.startsWith('cells') ? 0 : 1)
    : token.length === 1
      ? token.charCodeAt(0) - 97
      : -1;
  const listedCells = listed[index];
  if (listedCells && (token.startsWith('#') || token.startsWith('cells'))) return listedCells;
  const byName = addresses.findIndex((address) => address.trim() === token);
  if (byName >= 0) return listed[byName] ?? [];
  const name = token.replace(/^["']|["']$/g, '');
  const found = cellsAt(name, source);
  if (found) return found;
  if (listedCells) return listedCells;
  if (name === 'rows') return (source.tables[0] ?? []).slice(1).map(([first = '']) => first);
  if (/^["']/.test(token)) return [name];
  throw new FormulaError(`"${name}" is no cell of the source`);
}

/** A number of its own would make any formula come out. */
function literal(value: number, { stands }: Given): Value {
  if (!CONSTANTS.has(value) && !stands(value)) throw new FormulaError(`${value} does not stand in the source`);
  return [value];
}

/** The number in a cell; null where there is none. */
export function numberIn(cell: ShownCell, sign: FigureDecimalSign): number | null {
  const [readings = []] = readingsOf(cell);
  const numbers = readings.flatMap((reading) => (reading.kind === 'number' ? [reading] : []));
  return (numbers.find(({ by }) => by === null || by === sign) ?? numbers[0])?.value ?? null;
}

function one(value: Value, { sign }: Given): number {
  const [only] = value;
  const found = value.length === 1 && only !== undefined ? numberIn(only, sign) : null;
  if (found === null) throw new FormulaError('the formula needs one number where there is none, or several');
  return found;
}

const isFilled = (cell: ShownCell): boolean => String(cell).trim() !== '';
const total = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0);

type Apply = (numbers: readonly number[], cells: Value) => number;

const some = (numbers: readonly number[]): readonly number[] => {
  if (numbers.length === 0) throw new FormulaError('there is no number in these cells');
  return numbers;
};
const middle = (numbers: readonly number[]): number => {
  const sorted = some(numbers).toSorted((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1 ? (sorted[half] ?? 0) : ((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2;
};
/** Of the first in the second; of more than two, of the first in all of them. */
const ratio = (numbers: readonly number[]): number => {
  const whole = numbers.length === 2 ? (numbers[1] ?? 0) : total(numbers);
  if (numbers.length < 2 || whole === 0) throw new FormulaError('a share needs a part and a whole');
  return (numbers[0] ?? 0) / whole;
};

const MEANINGS: readonly (readonly [string, Apply])[] = [
  ['sum total', (numbers) => total(some(numbers))],
  ['avg average mean', (numbers) => total(some(numbers)) / numbers.length],
  ['count counta', (_numbers, cells) => cells.filter(isFilled).length],
  ['min', (numbers) => Math.min(...some(numbers))],
  ['max', (numbers) => Math.max(...some(numbers))],
  ['median', middle],
  ['abs', (numbers) => Math.abs(some(numbers)[0] ?? 0)],
  ['share ratio', ratio],
  ['percent percentage', (numbers) => 100 * ratio(numbers)],
  ['difference diff', (numbers) => (some(numbers)[0] ?? 0) - total(numbers.slice(1))],
  ['product', (numbers) => some(numbers).reduce((all, each) => all * each, 1)],
];
const FUNCTIONS: ReadonlyMap<string, Apply> = new Map(
  MEANINGS.flatMap(([names, apply]) => names.split(' ').map((name): [string, Apply] => [name, apply])),
);

function call(name: string, values: readonly Value[], given: Given): Value {
  const wanted = name.toLowerCase();
  if (wanted === 'unique' || wanted === 'distinct') return [...new Set(values.flat().filter(isFilled))];
  if (wanted === 'round') return [rounded(values, given)];
  if (wanted === 'countif' || wanted === 'sumif') return [conditional(wanted, values, given)];
  const apply = FUNCTIONS.get(wanted);
  if (!apply)
    throw new FormulaError(
      `there is no function "${name}"; there are sum, avg, count, min, max, median, share, percent, countif, sumif, unique`,
    );
  const cells = values.flat();
  return [
    apply(
      cells.flatMap((cell) => numberIn(cell, given.sign) ?? []),
      cells,
    ),
  ];
}

function rounded([value = [], digits = [0]]: readonly Value[], given: Given): number {
  const factor = 10 ** one(digits, given);
  return Math.round(one(value, given) * factor) / factor;
}

/** `countif(column, value)`, `sumif(column, value, other)`: rows in which the column has just this value. */
function conditional(name: string, [column = [], values = [], other = []]: readonly Value[], { sign }: Given): number {
  const [wanted = ''] = values;
  const isWanted = (cell: ShownCell | undefined) =>
    String(cell ?? '')
      .trim()
      .toLowerCase() === String(wanted).trim().toLowerCase();
  if (name === 'countif') return column.filter(isWanted).length;
  return total(other.flatMap((cell, row) => (isWanted(column[row]) ? (numberIn(cell, sign) ?? []) : [])));
}
