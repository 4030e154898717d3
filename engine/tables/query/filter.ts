import type { TableCondition, TableQuery } from '#contract';
import type { Column } from '../columns.ts';
import { QueryError } from '../query-error.ts';
import type { Decimal } from '../values/amount.ts';
import { dateIn, type IsoDate } from '../values/dates.ts';
import { amountIn } from '../values/number-format.ts';
import { type Expression, expressionOf, isOfMany, nameOf } from './expression.ts';
import { keyOf } from './key.ts';
import { dateAt, decimalOf, folded, numberAt, type TableRow, textAt } from './value.ts';

type Test = (row: TableRow) => boolean;

/** Whether the conditions hold for a row. Throws a `QueryError` for one that makes no sense. */
export function testOf({ where, match }: Pick<TableQuery, 'where' | 'match'>, columns: readonly Column[]): Test {
  const tests = where.map((condition) => testOne(condition, columns));
  if (tests.length === 0) return () => true;
  return match === 'any' ? (row) => tests.some((test) => test(row)) : (row) => tests.every((test) => test(row));
}

function testOne(condition: TableCondition, columns: readonly Column[]): Test {
  const expression = expressionOf(condition.column, columns);
  if (isOfMany(expression))
    throw new QueryError(`a condition is about rows, and ${nameOf(expression)} is about many: order by it instead`);
  const { op, value } = condition;
  if (op === 'empty') return (row) => textAt(row, expression.column) === null;
  if (op === 'not_empty') return (row) => textAt(row, expression.column) !== null;
  const wanted = [value ?? []].flat().map((one) => wantedOf(one, expression));
  const [first, second] = wanted;
  if (!first) throw new QueryError(`the condition on "${condition.column}" needs a value`);
  const text = (row: TableRow) => folded(keyOf(row, expression) ?? '');
  switch (op) {
    case '=':
    case 'in':
      return (row) => wanted.some((one) => equals(row, expression, one));
    case '!=':
      return (row) => !wanted.some((one) => equals(row, expression, one));
    case 'contains':
      return (row) => wanted.some((one) => text(row).includes(one.text));
    case 'starts_with':
      return (row) => wanted.some((one) => text(row).startsWith(one.text));
    case 'between': {
      if (!second) throw new QueryError(`between on "${condition.column}" needs a list of two values`);
      const [from, to] = [comparison(expression, first), comparison(expression, second)];
      return (row) => (from(row) ?? -1) >= 0 && (to(row) ?? 1) <= 0;
    }
    default: {
      const compare = comparison(expression, first);
      return (row) => {
        const order = compare(row);
        if (order === null) return false;
        return op === '<' ? order < 0 : op === '<=' ? order <= 0 : op === '>' ? order > 0 : order >= 0;
      };
    }
  }
}

type Plain = Exclude<Expression, { readonly kind: 'aggregate' | 'figures' }>;

interface Wanted {
  readonly text: string;
  readonly number: Decimal | null;
  readonly date: IsoDate | null;
}

/** As the column writes it; else as a program would: 1234.5, 2026-11-23. */
function wantedOf(value: string | number | boolean, { column }: Plain): Wanted {
  if (typeof value !== 'string') {
    return { text: folded(String(value)), number: typeof value === 'number' ? decimalOf(value) : null, date: null };
  }
  const asWritten = column.numbers.kind === 'open' ? null : amountIn(value, column.numbers);
  const number = asWritten?.value ?? (/^-?\d+(?:\.\d+)?$/.test(value.trim()) ? decimalOf(value.trim()) : null);
  const date = column.dates.kind === 'open' && /^\d{1,2}[/-]/.test(value) ? null : dateIn(value, column.dates);
  return { text: folded(value), number, date };
}

function equals(row: TableRow, expression: Plain, { text, number, date }: Wanted): boolean {
  const written = keyOf(row, expression);
  if (written === null) return text === '';
  if (folded(written) === text) return true;
  if (expression.kind !== 'column') return false;
  if (date !== null && looksDated(row, expression.column)) return isOnDay(dateAt(row, expression.column), date);
  return number !== null && /\d/.test(written) && (numberAt(row, expression.column)?.value.eq(number) ?? false);
}

const looksDated = (row: TableRow, column: Column): boolean =>
  /^\D*\d[^/.\-\s]*[/.\-\s].*\d/.test(textAt(row, column) ?? '');

/** A day has all its hours. */
const isOnDay = (found: IsoDate | null, wanted: IsoDate): boolean =>
  found !== null && (wanted.length === 10 ? found.slice(0, 10) === wanted : found === wanted);

/** Below, equal or above; null for a cell of another kind, and for an empty one. */
function comparison(expression: Plain, { text, number, date }: Wanted): (row: TableRow) => number | null {
  const { column } = expression;
  if (expression.kind !== 'column') {
    return (row) => {
      const key = keyOf(row, expression);
      return key === null ? null : order(folded(key), text);
    };
  }
  if (date !== null)
    return (row) => {
      const found = dateAt(row, column);
      return found === null ? null : order(date.length === 10 ? found.slice(0, 10) : found, date);
    };
  if (number !== null) return (row) => numberAt(row, column)?.value.comparedTo(number) ?? null;
  return (row) => {
    const found = textAt(row, column);
    return found === null ? null : order(folded(found), text);
  };
}

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
