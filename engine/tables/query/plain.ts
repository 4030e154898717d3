import type { Column } from '../columns.ts';
import { cellAt } from '../columns.ts';
import { dateIn } from '../values/dates.ts';
import { amountIn } from '../values/number-format.ts';
import { numbersIn } from './aggregate.ts';
import type { NamedExpression } from './expression.ts';
import { keyOf } from './key.ts';
import type { SortKey } from './order.ts';
import type { MadeRows, Rows } from './rows.ts';
import { jsonOf, type TableRow, textAt } from './value.ts';

/** Rows as they stand, each with its number: a figure of it is at the letter of its column and this number. */
export function plainRows({
  rows,
  selected,
  maxCell,
}: {
  readonly rows: readonly TableRow[];
  readonly selected: readonly NamedExpression[];
  /** Characters of a cell with words. */
  readonly maxCell: number;
}): Rows {
  const units = new Map<string, string>();
  for (const { name, expression } of selected) {
    const unit = expression.kind === 'column' ? unitOfAll(expression.column, rows) : null;
    if (unit !== null) units.set(name, unit);
  }
  const columns = selected.flatMap(({ name, expression }) =>
    expression.column === null ? [] : [[name, expression.column.letter] as const],
  );
  const made = rows.map(
    (row): MadeRows => ({
      row: {
        row: row.number,
        ...Object.fromEntries(
          selected.map((named) => [named.name, valueAt(row, named, units.has(named.name), maxCell)]),
        ),
      },
      keyFor: (named) => sortKeyAt(row, named),
    }),
  );
  return { made, columns: Object.fromEntries(columns), units, notes: [] };
}

/** One unit for the whole column is said once. */
function unitOfAll(column: Column, rows: readonly TableRow[]): string | null {
  if (column.numbers.kind === 'open') return null;
  const units = new Set<string | null>();
  for (const row of rows) {
    const amount = amountIn(cellAt(row, column), column.numbers);
    if (amount) units.add(amount.unit ?? column.unit);
  }
  const [unit = null] = units;
  return units.size === 1 ? unit : null;
}

/** A number where the cell is one and nothing of it is lost, a date as ISO 8601; else the words of the cell. */
function valueAt(
  row: TableRow,
  { expression }: NamedExpression,
  hasUnit: boolean,
  maxCell: number,
): string | number | boolean | null {
  if (expression.kind !== 'column') return keyOf(row, expression);
  const { column } = expression;
  const cell = cellAt(row, column);
  if (typeof cell === 'boolean') return cell;
  const words = textAt(row, column)?.slice(0, maxCell) ?? null;
  if (column.dates.kind !== 'open') {
    const date = dateIn(cell, column.dates);
    if (date !== null) return date;
  }
  const amount = column.numbers.kind === 'open' ? null : amountIn(cell, column.numbers);
  if (!amount || (amount.unit !== null && !hasUnit) || isName(words)) return words;
  return jsonOf(amount.value);
}

/** A number with leading zeros is an article number or a postcode. */
const isName = (words: string | null): boolean => words !== null && /^0\d/.test(words);

export function sortKeyAt(row: TableRow, { expression }: NamedExpression): SortKey {
  if (expression.kind !== 'column') return keyOf(row, expression);
  const { column } = expression;
  const cell = cellAt(row, column);
  if (cell === null) return null;
  const date = column.dates.kind === 'open' ? null : dateIn(cell, column.dates);
  if (date !== null) return date;
  const amount = amountIn(cell, column.numbers);
  // Orders by what is unclear would be wrong without a word.
  if (amount !== null && column.numbers.kind === 'open') return numbersIn(column, [row]).found[0]?.value ?? null;
  return amount?.value ?? textAt(row, column);
}
