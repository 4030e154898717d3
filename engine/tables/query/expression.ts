import type { Cell } from '../../documents/types.ts';
import { DAY_MS } from '../../lib/time.ts';
import { type Cells, type Column, columnNamed, isColumn } from '../columns.ts';
import { QueryError } from '../query-error.ts';
import { Decimal } from '../values/amount.ts';
import { DATE_PARTS, type DatePart, type IsoDate } from '../values/dates.ts';
import { type FunctionName, type Parsed, parsed, type Sign } from './arithmetic-grammar.ts';
import { dateAt, numberAt, textAt } from './value.ts';

const AGGREGATES = ['sum', 'count', 'min', 'max', 'avg', 'count_distinct', 'share'] as const;
export type Aggregate = (typeof AGGREGATES)[number];

/** What one item of `select`, `group_by`, `order_by` or a condition means. */
export type Expression =
  | { readonly kind: 'column'; readonly column: Column }
  | { readonly kind: 'part'; readonly part: DatePart; readonly column: Column }
  | { readonly kind: 'unit'; readonly column: Column }
  /** Of all rows where the column is null: only `count` is. */
  | AggregateExpression
  /** Of many rows, worked out of what functions come to: `sum(a) / sum(b) * 100`. */
  | {
      readonly kind: 'figures';
      readonly text: string;
      readonly tree: Parsed<AggregateExpression>;
      readonly column: null;
    };

export interface AggregateExpression {
  readonly kind: 'aggregate';
  readonly aggregate: Aggregate;
  readonly column: Column | null;
}

/** Whether it is one figure of many rows. */
export const isOfMany = (
  expression: Expression,
): expression is Extract<Expression, { readonly kind: 'aggregate' | 'figures' }> =>
  expression.kind === 'aggregate' || expression.kind === 'figures';

export interface NamedExpression {
  readonly name: string;
  readonly expression: Expression;
}

const OTHER_NAMES: Readonly<Record<string, Aggregate>> = {
  average: 'avg',
  mean: 'avg',
  total: 'sum',
  counta: 'count',
  minimum: 'min',
  maximum: 'max',
  distinct: 'count_distinct',
  percent: 'share',
};
const CALL = /^(?<name>[a-z_]+)\s*\((?<inside>.*)\)$/is;

/** `Amount`, `sum(Amount)`, `month(Date)`, `count`. A heading that looks like a call is that heading. */
export function expressionOf(text: string, columns: readonly Column[]): Expression {
  if (isColumn(text, columns)) return { kind: 'column', column: columnNamed(text, columns) };
  if (/^count(?:\s*\(\s*(?:\*\s*)?\))?$/i.test(text.trim()))
    return { kind: 'aggregate', aggregate: 'count', column: null };
  const call = callIn(text, columns);
  if (call) return calledExpression(text, call, columns);
  return isArithmetic(text, columns)
    ? arithmeticOf(text, columns)
    : { kind: 'column', column: columnNamed(text, columns) };
}

interface Call {
  /** In lower case. */
  readonly name: string;
  readonly inside: string;
}

function callIn(text: string, columns: readonly Column[]): Call | null {
  const { name = '', inside = '' } = CALL.exec(text.trim())?.groups ?? {};
  const isCall = name !== '' && (isBalanced(inside) || isColumn(inside, columns));
  return isCall ? { name: name.toLowerCase(), inside: inside.trimStart() } : null;
}

function calledExpression(text: string, { name, inside }: Call, columns: readonly Column[]): Expression {
  const [distinct = ''] = /^distinct\s+/i.exec(inside) ?? [];
  const inner = inside.slice(distinct.length).trimEnd();
  const part = DATE_PARTS.find((one) => one === name);
  if (part) return { kind: 'part', part, column: columnOf(inner, columns) };
  if (name === 'unit') return { kind: 'unit', column: columnOf(inner, columns) };
  // Of several columns the smallest of a row, of one the smallest of its rows.
  const isByRow =
    /^(?:round|abs)$/.test(name) || (/^(?:min|max)$/.test(name) && hasComma(inner) && !isColumn(inner, columns));
  if (isByRow) return arithmeticOf(text, columns);
  const aggregate = AGGREGATES.find((one) => one === name) ?? OTHER_NAMES[name];
  if (!aggregate) {
    throw new QueryError(
      `there is no function "${name}" and no column "${text.slice(0, 100)}". Functions: ${[...AGGREGATES, ...DATE_PARTS, 'unit'].join(', ')}`,
    );
  }
  const isDistinct = aggregate === 'count' && distinct !== '';
  const column = columnOf(inner, columns);
  return { kind: 'aggregate', aggregate: isDistinct ? 'count_distinct' : aggregate, column };
}

/** One of the table, or one that is worked out of some of them. */
const columnOf = (text: string, columns: readonly Column[]): Column =>
  isArithmetic(text, columns) ? computedColumn(text, columns) : columnNamed(text, columns);

const hasComma = (text: string): boolean => /[,;]/.test(text);

/** `sum(a) / sum(b)` is no call of what stands between its first and its last bracket. */
function isBalanced(inside: string): boolean {
  let depth = 0;
  for (const char of inside) {
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** With the name that `as` gives it, or one made of its parts. */
export function namedExpression(text: string, columns: readonly Column[]): NamedExpression {
  const renamed = isColumn(text, columns) ? null : renamedIn(text.trim());
  const expression = expressionOf(renamed?.what ?? text, columns);
  return { name: renamed?.name ?? nameOf(expression), expression };
}

const MAX_NAME = 60;

/** By the first `as` behind which stands nothing but a name; null where there is none. */
function renamedIn(text: string): { readonly what: string; readonly name: string } | null {
  for (const { 0: as, index } of text.matchAll(/(?<!\s)\s+as(?=\s)/gi)) {
    const name = text.slice(index + as.length).trimStart();
    // A bracket may end a name, as in "Open (EUR)"; one that closes what began before it is of no name.
    if (name.length <= MAX_NAME && /^[^()]*(?:\([^()]*\))?$/.test(name)) return { what: text.slice(0, index), name };
  }
  return null;
}

export function nameOf(expression: Expression): string {
  switch (expression.kind) {
    case 'column':
      return expression.column.name;
    case 'part':
      return `${expression.part}(${expression.column.name})`;
    case 'unit':
      return `unit(${expression.column.name})`;
    case 'aggregate':
      return expression.column === null ? 'count' : `${expression.aggregate}(${expression.column.name})`;
    case 'figures':
      return expression.text;
  }
}

/** Whether a text that is the name of no column works with columns: `Price * Quantity`, `round(Total / 3, 2)`. */
const isArithmetic = (text: string, columns: readonly Column[]): boolean =>
  !isColumn(text, columns) && (/[-+*/^]/.test(text) || /^\s*(?:round|abs)\s*\(/i.test(text));

/** Out of columns it is a column; out of what functions over many rows come to it is one figure of these rows. */
function arithmeticOf(text: string, columns: readonly Column[]): Expression {
  const operands: Expression[] = [];
  const tree = parsed<AggregateExpression | null>(text, {
    named(name) {
      const operand = expressionOf(name, columns);
      operands.push(operand);
      return operand.kind === 'aggregate' ? operand : null;
    },
    lengthIn: (rest) => columnLengthIn(rest, columns) || aggregateLengthIn(rest),
  });
  const others = operands.filter(({ kind }) => kind !== 'aggregate');
  if (others.length === operands.length) return { kind: 'column', column: computedColumn(text, columns) };
  const [other] = others;
  if (other)
    throw new QueryError(
      `"${nameOf(other)}" is of one row and the functions in "${text.slice(0, 100)}" are of many: put it into one too, as in ` +
        `sum(${nameOf(other)})`,
    );
  return { kind: 'figures', text: spaced(text), tree: tree as Parsed<AggregateExpression>, column: null };
}

const spaced = (text: string): string => text.replace(/\s+/g, ' ').trim();

const OF_NAME = /[\p{L}\p{M}\p{N}_]/u;
const WITH_SIGN = /[-+*/(),;%"'`[\]]/;

/** Of a column whose name has a sign in it: it is that column wherever its whole name stands. The longest counts. */
function columnLengthIn(rest: string, columns: readonly Column[]): number {
  const from = rest.length - rest.trimStart().length;
  const lengths = columns.map(({ name }) => {
    if (!WITH_SIGN.test(name) || !/\p{L}/u.test(name)) return 0;
    const end = endOf(name, rest, from);
    return OF_NAME.test(name.at(-1) ?? '') && OF_NAME.test(rest[end] ?? '') ? 0 : end;
  });
  return Math.max(0, ...lengths);
}

/** Where a name that stands at `from` ends, whatever its case and however many blanks are in it; 0: it does not. */
function endOf(name: string, text: string, from: number): number {
  let at = from;
  for (const letter of name) {
    if (letter === ' ') {
      if (!/\s/.test(text[at] ?? '')) return 0;
      while (/\s/.test(text[at] ?? '')) at += 1;
    } else {
      const there = text.slice(at, at + letter.length);
      if (there !== letter && there.toLowerCase() !== letter.toLowerCase()) return 0;
      at += letter.length;
    }
  }
  return at;
}

/** Of a function over many rows with its brackets. Of several values the smallest of a row is none. */
function aggregateLengthIn(rest: string): number {
  const begun = /^\s*([a-z_]+)\s*\(/i.exec(rest);
  const name = (begun?.[1] ?? '').toLowerCase();
  if (!begun || !(AGGREGATES.some((one) => one === name) || Object.hasOwn(OTHER_NAMES, name))) return 0;
  let depth = 1;
  let end = begun[0].length;
  for (; end < rest.length && depth > 0; end += 1) {
    if (rest[end] === '(') depth += 1;
    if (rest[end] === ')') depth -= 1;
  }
  const isRowwise = (name === 'min' || name === 'max') && hasComma(rest.slice(begun[0].length, end));
  return depth > 0 || isRowwise ? 0 : end;
}

/**
 * A column that is worked out of others, row by row, and is like any other from there on. A row is empty in it where one
 * of them is, and has the words of the first that holds words. Throws a `QueryError` for what cannot be read.
 */
function computedColumn(text: string, columns: readonly Column[]): Column {
  const operands: Column[] = [];
  const tree = parsed(text, {
    named(name) {
      const column = columnNamed(name, columns);
      if (!operands.includes(column)) operands.push(column);
      return column;
    },
    lengthIn: (rest) => columnLengthIn(rest, columns),
  });
  if (operands.length === 0)
    throw new QueryError(`"${text.slice(0, 100)}" has no column in it: work it out with calculate`);
  const known = new WeakMap<readonly Cell[], Cell>();
  return {
    index: -1,
    letter: lettersIn(tree),
    name: spaced(text),
    unit: null,
    numbers: { kind: 'known', sign: '.' },
    numbersFrom: null,
    dates: { kind: 'none' },
    made: {
      letters: operands.map(({ letter }) => letter),
      cellOf(row) {
        const before = known.get(row.cells);
        if (before !== undefined) return before;
        const found = cellOf(worked(tree, (column) => operandAt(row, column)));
        known.set(row.cells, found);
        return found;
      },
    },
  };
}

function operandAt(row: Cells, column: Column): Computed {
  const amount = numberAt(row, column);
  if (amount !== null) return { kind: 'amount', ...amount };
  const date = dateAt(row, column);
  if (date !== null) return { kind: 'date', date };
  const words = textAt(row, column) ?? '';
  return words === '' ? { kind: 'empty' } : { kind: 'words', text: words };
}

/** So many digits are kept of a quotient; more than any cell that is shown has. */
const DIGITS = 30;

function cellOf(found: Computed): Cell {
  switch (found.kind) {
    case 'empty':
      return null;
    case 'words':
      return found.text;
    case 'date':
      return found.date;
    case 'amount': {
      const digits = found.value.toSignificantDigits(DIGITS).toFixed();
      return found.unit === null ? digits : `${digits} ${found.unit}`;
    }
  }
}

/** As it would stand in a sheet, without the number of its row: `B * C`. */
function lettersIn(tree: Parsed<Column>, isInner = false): string {
  switch (tree.kind) {
    case 'number':
      return tree.value.toFixed();
    case 'operand':
      return tree.operand.letter;
    case 'negative':
      return `-${lettersIn(tree.of, true)}`;
    case 'call':
      return `${tree.name}(${tree.of.map((one) => lettersIn(one)).join(', ')})`;
    case 'two': {
      const both = `${lettersIn(tree.left, true)} ${tree.sign} ${lettersIn(tree.right, true)}`;
      return isInner ? `(${both})` : both;
    }
  }
}

interface Amount {
  readonly value: Decimal;
  readonly unit: string | null;
}

/** What a column, or what is made of columns, is in one row. */
export type Computed =
  | ({ readonly kind: 'amount' } & Amount)
  | { readonly kind: 'date'; readonly date: IsoDate }
  | { readonly kind: 'empty' }
  /** No number, where one is needed. */
  | { readonly kind: 'words'; readonly text: string };

const PERCENT = '%';

/** Throws a `QueryError` where units do not go together. */
export function worked<Operand>(tree: Parsed<Operand>, valueIn: (operand: Operand) => Computed): Computed {
  switch (tree.kind) {
    case 'number':
      return amount(tree.value, null);
    case 'operand':
      return valueIn(tree.operand);
    case 'negative': {
      const of = worked(tree.of, valueIn);
      return of.kind === 'amount' ? amount(of.value.negated(), of.unit) : unfit(of);
    }
    case 'two':
      return twoOf(tree.sign, worked(tree.left, valueIn), worked(tree.right, valueIn));
    case 'call':
      return callOf(
        tree.name,
        tree.of.map((one) => worked(one, valueIn)),
      );
  }
}

const amount = (value: Decimal, unit: string | null): Computed => ({ kind: 'amount', value, unit });

/** An empty cell and words stay what they are; a date is none of the numbers that are asked for. */
const unfit = (found: Computed): Computed => (found.kind === 'date' ? { kind: 'words', text: found.date } : found);

function twoOf(sign: Sign, left: Computed, right: Computed): Computed {
  if (left.kind === 'date' && right.kind === 'date' && sign === '-') {
    const days = (dayOf(left.date) - dayOf(right.date)) / DAY_MS;
    return amount(new Decimal(days), 'days');
  }
  const [odd] = [left, right].filter(({ kind }) => kind !== 'amount').toSorted((a) => (a.kind === 'words' ? -1 : 1));
  if (left.kind !== 'amount' || right.kind !== 'amount') return unfit(odd ?? left);
  // 10 % and 5 % are 15 %; of a number, such as in 1 - 10 %, they are 0.1.
  if (left.unit === PERCENT && right.unit === PERCENT && (sign === '+' || sign === '-'))
    return amount(sign === '+' ? left.value.plus(right.value) : left.value.minus(right.value), PERCENT);
  const [a, b] = [withoutPercent(left), withoutPercent(right)];
  if (sign === '+') return amount(a.value.plus(b.value), commonUnit([a, b]));
  if (sign === '-') return amount(a.value.minus(b.value), commonUnit([a, b]));
  if (sign === '*') return amount(a.value.times(b.value), productUnit(a.unit, b.unit));
  if (b.value.isZero()) return { kind: 'words', text: 'division by zero' };
  return amount(a.value.div(b.value), quotientUnit(a.unit, b.unit));
}

const dayOf = (date: IsoDate): number => Date.parse(`${date.slice(0, 10)}T00:00:00Z`);

/** 19 % of something are 0.19 of it. */
const withoutPercent = ({ value, unit }: Amount): Amount =>
  unit === PERCENT ? { value: value.div(100), unit: null } : { value, unit };

function commonUnit(amounts: readonly Amount[]): string | null {
  const units = [...new Set(amounts.flatMap(({ unit }) => unit ?? []))];
  if (units.length > 1)
    throw new QueryError(`${units.join(' and ')} are not added up or taken from each other: filter by unit(…) first`);
  return units[0] ?? null;
}

function productUnit(a: string | null, b: string | null): string | null {
  if (a === null || b === null) return a ?? b;
  if (a.endsWith(`/${b}`)) return a.slice(0, -b.length - 1);
  if (b.endsWith(`/${a}`)) return b.slice(0, -a.length - 1);
  throw new QueryError(`${a} times ${b} is no unit`);
}

const quotientUnit = (a: string | null, b: string | null): string | null =>
  a === b ? null : b === null ? a : `${a ?? 1}/${b}`;

const MOST_PLACES = 20;

function callOf(name: FunctionName, given: readonly Computed[]): Computed {
  const amounts = given.flatMap((one) => (one.kind === 'amount' ? [one] : []));
  const [first, second, ...more] = amounts;
  const odd = given.find(({ kind }) => kind === 'words') ?? given.find(({ kind }) => kind !== 'amount');
  if (odd) return unfit(odd);
  if (!first) throw new QueryError(`${name} needs a value`);
  switch (name) {
    case 'abs':
      return amount(first.value.abs(), first.unit);
    case 'round': {
      const places = second?.value ?? new Decimal(0);
      if (!places.isInteger() || places.abs().gt(MOST_PLACES) || more.length > 0)
        throw new QueryError(`round(value, places): places is a whole number up to ${MOST_PLACES}`);
      const factor = new Decimal(10).pow(places);
      return amount(first.value.times(factor).round().div(factor), first.unit);
    }
    case 'min':
    case 'max': {
      const values = amounts.map(({ value }) => value);
      return amount(name === 'min' ? Decimal.min(...values) : Decimal.max(...values), commonUnit(amounts));
    }
  }
}
