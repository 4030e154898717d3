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

/** Named sums are looked for among so many rows at the end. */
const LATEST = 50;

/**
 * Takes away the rows that sum up others: those that are called so and add up, whether all above them or what came since
 * the last of them, and those at the end that add up and leave a cell empty that all others have. A column that adds up by
 * chance alone takes nothing away.
 */
export function withoutTotals(rows: readonly Row[], columns: readonly Column[]): TotalRows {
  const { totals: named, doubtful } = namedTotals(rows, columns);
  const isNamed = new Set([...named, ...doubtful]);
  const unnamed: Row[] = [];
  let left = rows.filter((row) => !named.includes(row));
  // A sum, a tax and a grand total may stand below each other; more are part of the table.
  for (let last = left.at(-1); last && left.length > 2 && unnamed.length < 3; last = left.at(-1)) {
    const above = left.slice(0, -1);
    if (isNamed.has(last) || !hasGap(last, above, columns) || !addsUp(last, above, columns)) break;
    unnamed.unshift(last);
    left = above;
  }
  const totals = [...named, ...unnamed].sort((a, b) => a.number - b.number);
  return { rows: left, totals, doubtful };
}

function namedTotals(rows: readonly Row[], columns: readonly Column[]): Pick<TotalRows, 'totals' | 'doubtful'> {
  const calledSo = new Set(rows.slice(-LATEST).filter((row) => isCalled(row, columns)));
  if (calledSo.size === 0) return { totals: [], doubtful: [] };
  const found = new Set<Row>();
  for (const column of columns) {
    const sums = { all: none(), plain: none(), part: none() };
    for (const row of rows) {
      const value = amountAt(row, column);
      if (value === null) continue;
      const isSum = calledSo.has(row) && !value.isZero();
      if (isSum && Object.values(sums).some((sum) => isSumOf(row, value, sum, columns))) {
        found.add(row);
        sums.part = none();
        continue;
      }
      sums.all = plus(sums.all, value);
      // What is called a sum and is none may be either.
      if (!isSum) [sums.plain, sums.part] = [plus(sums.plain, value), plus(sums.part, value)];
    }
  }
  return {
    totals: [...calledSo].filter((row) => found.has(row)),
    doubtful: [...calledSo].filter((row) => !found.has(row)),
  };
}

interface Sum {
  readonly value: Decimal;
  readonly count: number;
}
const none = (): Sum => ({ value: new Decimal(0), count: 0 });
const plus = ({ value, count }: Sum, more: Decimal): Sum => ({ value: value.plus(more), count: count + 1 });

/** One row adds up to itself: then the row has to be called a sum and nothing else. */
const isSumOf = (row: Row, said: Decimal, { value, count }: Sum, columns: readonly Column[]): boolean =>
  count > 0 && value.eq(said) && (count > 1 || columns.some((column) => isWholeName(textAt(row, column))));

const nameIn = (text: string | null): string | null => (text === null ? null : (WORDS.exec(folded(text))?.[0] ?? null));

const isCalled = (row: Row, columns: readonly Column[]): boolean =>
  columns.some((column) => nameIn(textAt(row, column)) !== null);

function isWholeName(text: string | null): boolean {
  const name = nameIn(text);
  return name !== null && [...folded(text ?? '').slice(name.length)].every((character) => ' :='.includes(character));
}

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
