import { QueryError } from '../query-error.ts';
import { Decimal } from '../values/amount.ts';
import type { IsoDate } from '../values/dates.ts';
import type { FunctionName, Parsed, Sign } from './arithmetic-grammar.ts';

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

const DAY_MS = 86_400_000;
const PERCENT = '%';

/** Throws a `QueryError` where units do not go together. */
export function worked<Column>(tree: Parsed<Column>, valueIn: (column: Column) => Computed): Computed {
  switch (tree.kind) {
    case 'number':
      return amount(tree.value, null);
    case 'column':
      return valueIn(tree.column);
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
