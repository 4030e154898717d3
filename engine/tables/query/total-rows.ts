import type { Column } from '../columns.ts';
import { Decimal } from '../values/amount.ts';
import { amountIn } from '../values/number-format.ts';
import { folded, type Row, textAt } from './value.ts';

/** How a row that sums up is called, at the beginning of one of its cells. */
const WORDS =
  /^(?:(?:grand |sub)?totals?|sub-totals?|sum|summe|gesamt(?:summe|betrag)?|zwischensumme|insgesamt|somme|total général|sous-total|suma|totale|subtotale|somma|totaal|subtotaal|razem|итого|всего|合計|小計|总计|小计|總計)(?![\p{L}\p{N}])/u;

export interface TotalRows {
  /** Rows without those that only sum up others. */
  readonly rows: readonly Row[];
  readonly totals: readonly Row[];
  /** Rows that are called a sum and are none, as far as the columns tell. */
  readonly doubtful: readonly Row[];
}

/**
 * Takes away the rows at the end that sum up those above them: a column adds up, and the row is called so or leaves a
 * cell empty that all others have. A column that adds up by chance alone takes nothing away.
 */
export function withoutTotals(rows: readonly Row[], columns: readonly Column[]): TotalRows {
  const totals: Row[] = [];
  let left = rows;
  // A sum, a tax and a grand total may stand below each other; more are part of the table.
  for (let last = left.at(-1); last && left.length > 2 && totals.length < 3; last = left.at(-1)) {
    const above = left.slice(0, -1);
    if (!(isCalled(last, columns) || hasGap(last, above, columns)) || !addsUp(last, above, columns)) break;
    totals.unshift(last);
    left = above;
  }
  const doubtful = left.slice(-50).filter((row) => isCalled(row, columns));
  return { rows: left, totals, doubtful };
}

const isCalled = (row: Row, columns: readonly Column[]): boolean =>
  columns.some((column) => WORDS.test(folded(textAt(row, column) ?? '')));

const amountAt = (row: Row, column: Column): Decimal | null =>
  amountIn(row.cells[column.index] ?? null, column.numbers)?.value ?? null;

function addsUp(last: Row, above: readonly Row[], columns: readonly Column[]): boolean {
  return columns.some((column) => {
    const said = amountAt(last, column);
    if (said === null || said.isZero()) return false;
    const numbers = above.flatMap((row) => amountAt(row, column) ?? []);
    return numbers.length > 1 && numbers.reduce((sum, value) => sum.plus(value), new Decimal(0)).eq(said);
  });
}

/** A cell that is filled in every other row, or all cells but one number. */
const hasGap = (last: Row, above: readonly Row[], columns: readonly Column[]): boolean =>
  columns.some((column) => textAt(last, column) === null && above.every((row) => textAt(row, column) !== null));
