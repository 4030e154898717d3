import type { Cell } from '../../documents/types.ts';
import { type Cells, type Column, cellAt } from '../columns.ts';
import { QueryError } from '../query-error.ts';
import { Decimal } from '../values/amount.ts';
import { dateIn, type IsoDate } from '../values/dates.ts';
import { type Amount, amountIn } from '../values/number-format.ts';

export interface TableRow {
  /** As in a sheet, counted from 1, the headings included. */
  readonly number: number;
  readonly cells: readonly Cell[];
}

/** The number in a cell. Throws a `QueryError` where its column leaves open what its numbers mean. */
export function numberAt(row: Cells, column: Column): Amount | null {
  if (column.numbers.kind === 'open') {
    const { example } = column.numbers;
    throw new QueryError(
      `it is unclear what the numbers in "${column.name}" mean: "${example}" may be ${bothWays(example)}. ` +
        'Ask again with numbers: "1,234.56" or numbers: "1.234,56", whichever the source uses; ask the sender if nothing tells',
    );
  }
  const found = amountIn(cellAt(row, column), column.numbers);
  return found === null ? null : { value: found.value, unit: found.unit ?? column.unit };
}

function bothWays(example: string): string {
  const digits = /\d[\d.,]*/.exec(example)?.[0] ?? example;
  return `${digits.replace(/[.,]/g, '')} or ${digits.replace(',', '.')}`;
}

/** The date in a cell. Throws a `QueryError` where its column leaves open which number is the month. */
export function dateAt(row: Cells, column: Column): IsoDate | null {
  const cell = cellAt(row, column);
  if (column.dates.kind === 'open') {
    throw new QueryError(
      `it is unclear what the dates in "${column.name}" mean: "${column.dates.example}" may begin with the day or with the month. ` +
        'Ask again with dates: "d/m/y" or dates: "m/d/y", whichever the source uses; ask the sender if nothing tells',
    );
  }
  return dateIn(cell, column.dates);
}

/** The words of a cell, blanks made one; null where it is empty. */
export function textAt(row: Cells, column: Column): string | null {
  const cell = cellAt(row, column);
  if (cell === null) return null;
  const text = String(cell);
  return /[^!-~]/.test(text) ? text.normalize('NFKC').replace(/\s+/g, ' ').trim() : text;
}

/** What two texts have in common that count as equal. */
export const folded = (text: string): string => text.normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase();

const MOST_DIGITS = 15;

/** A number of JSON where that has all its digits, else its digits; `isRounded` results are rounded to 15 of them. */
export function jsonOf(value: Decimal, isRounded = false): number | string {
  const exact = isRounded ? value.toSignificantDigits(MOST_DIGITS) : value;
  return exact.precision(true) <= MOST_DIGITS && exact.decimalPlaces() <= MOST_DIGITS
    ? exact.toNumber()
    : exact.toFixed();
}

export const decimalOf = (given: number | string): Decimal | null => {
  try {
    const value = new Decimal(given);
    return value.isFinite() ? value : null;
  } catch {
    return null;
  }
};
