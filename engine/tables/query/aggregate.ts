import type { Column } from '../columns.ts';
import { QueryError } from '../query-error.ts';
import { Decimal } from '../values/amount.ts';
import type { IsoDate } from '../values/dates.ts';
import type { Aggregate } from './expression.ts';
import { dateAt, folded, jsonOf, numberAt, type TableRow, textAt } from './value.ts';

export interface Aggregated {
  /** Null where there is nothing to work it out from. */
  readonly value: number | string | null;
  /** For ordering; null like the value. */
  readonly sortsBy: Decimal | string | null;
  readonly unit: string | null;
  /** The cells that it is made of: `D2:D14,D17`. */
  readonly cells: string;
}

interface Found {
  readonly row: TableRow;
  readonly value: Decimal;
  readonly unit: string | null;
}

/** Numbers of a column over rows, and how many cells hold something else. */
interface Numbers {
  readonly found: readonly Found[];
  readonly unit: string | null;
  readonly others: readonly TableRow[];
}

/** Of the cells of `rows`; `whole` is the sum over all groups, of which a share is one part. */
export function aggregateOf(
  aggregate: Aggregate,
  column: Column | null,
  rows: readonly TableRow[],
  whole: (column: Column) => Decimal,
): Aggregated {
  if (column === null) return counted(rows.length, rangesOf(rows.map(({ number }) => number)));
  const filled = rows.filter((row) => textAt(row, column) !== null);
  if (aggregate === 'count') return counted(filled.length, cellsOf(filled, column));
  if (aggregate === 'count_distinct') {
    return counted(new Set(filled.map((row) => folded(textAt(row, column) ?? ''))).size, cellsOf(filled, column));
  }
  if (aggregate === 'min' || aggregate === 'max') return extreme(aggregate, column, filled);
  const numbers = numbersIn(column, filled);
  const cells = cellsOf(
    numbers.found.map(({ row }) => row),
    column,
  );
  if (numbers.found.length === 0) return { value: null, sortsBy: null, unit: numbers.unit, cells };
  const sum = sumOf(numbers.found);
  if (aggregate === 'sum') return { value: jsonOf(sum), sortsBy: sum, unit: numbers.unit, cells };
  if (aggregate === 'avg') {
    const avg = sum.div(numbers.found.length);
    return { value: jsonOf(avg, true), sortsBy: avg, unit: numbers.unit, cells };
  }
  const all = whole(column);
  if (all.isZero()) return { value: null, sortsBy: null, unit: '%', cells };
  const share = sum.times(100).div(all);
  return { value: jsonOf(share, true), sortsBy: share, unit: '%', cells };
}

const counted = (count: number, cells: string): Aggregated => ({
  value: count,
  sortsBy: new Decimal(count),
  unit: null,
  cells,
});

const cellsOf = (rows: readonly TableRow[], { letter, made }: Column): string => {
  const numbers = rows.map(({ number }) => number);
  return (made?.letters ?? [letter]).map((one) => rangesOf(numbers, one)).join(',');
};

/** Of all numbers of a column. Throws a `QueryError` where they have several units. */
export const wholeOf = (column: Column, rows: readonly TableRow[]): Decimal => sumOf(numbersIn(column, rows).found);

const sumOf = (found: readonly Found[]): Decimal => found.reduce((sum, { value }) => sum.plus(value), new Decimal(0));

/** Throws a `QueryError` where amounts in several units would be added up. */
export function numbersIn(column: Column, rows: readonly TableRow[]): Numbers {
  const found: Found[] = [];
  const others: TableRow[] = [];
  const units = new Map<string, number>();
  for (const row of rows) {
    const amount = numberAt(row, column);
    if (amount) {
      found.push({ row, ...amount });
      if (amount.unit !== null) units.set(amount.unit, (units.get(amount.unit) ?? 0) + 1);
    } else if (textAt(row, column) !== null) {
      others.push(row);
    }
  }
  if (units.size > 1) {
    const list = [...units].map(([unit, count]) => `${unit} (${count} rows)`).slice(0, 8);
    throw new QueryError(
      `"${column.name}" has several units, which cannot be added up: ${list.join(', ')}. Put unit(${column.name}) into ` +
        'group_by, or filter by it',
    );
  }
  const [unit = null] = units.keys();
  return { found, unit, others };
}

/** Of numbers; of dates in a column that has dates and no numbers. */
function extreme(aggregate: 'min' | 'max', column: Column, rows: readonly TableRow[]): Aggregated {
  const dates = rows.flatMap((row) => datedAt(row, column));
  if (dates.length > 0 && dates.length * 2 > rows.length) {
    const best = dates.reduce((a, b) => ((aggregate === 'min' ? b.date < a.date : b.date > a.date) ? b : a));
    const cells = cellsOf(
      dates.filter(({ date }) => date === best.date).map(({ row }) => row),
      column,
    );
    return { value: best.date, sortsBy: best.date, unit: null, cells };
  }
  const { found, unit } = numbersIn(column, rows);
  const [first] = found;
  if (!first) return { value: null, sortsBy: null, unit, cells: '' };
  const best = found.reduce(
    (a, b) => ((aggregate === 'min' ? b.value.lt(a.value) : b.value.gt(a.value)) ? b : a),
    first,
  );
  const cells = cellsOf(
    found.filter(({ value }) => value.eq(best.value)).map(({ row }) => row),
    column,
  );
  return { value: jsonOf(best.value), sortsBy: best.value, unit, cells };
}

function datedAt(row: TableRow, column: Column): readonly { readonly row: TableRow; readonly date: IsoDate }[] {
  const date = dateAt(row, column);
  return date === null ? [] : [{ row, date }];
}

const MAX_RANGES = 12;

/** `2-14,17`: rows in their order as ranges; `prefix` is the letter of a column (`D2:D14,D17`). Long lists end in `…`. */
function rangesOf(numbers: readonly number[], letter = ''): string {
  const ranges: string[] = [];
  let from = 0;
  while (from < numbers.length) {
    let to = from;
    while (numbers[to + 1] === (numbers[to] ?? 0) + 1) to += 1;
    if (ranges.length === MAX_RANGES) {
      const left = numbers.length - from;
      return `${ranges.join(',')} and ${left} more to ${letter}${numbers.at(-1)}`;
    }
    ranges.push(
      from === to
        ? `${letter}${numbers[from]}`
        : `${letter}${numbers[from]}${letter ? ':' : '-'}${letter}${numbers[to]}`,
    );
    from = to + 1;
  }
  return ranges.join(',');
}
