import type { Json } from '#contract';
import type { Cell } from './shown.ts';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCell = (value: unknown): value is Cell => typeof value === 'string' || typeof value === 'number';

/** An address in one spelling: `$D$2 : D14` is `D2:D14`. */
export const placeName = (address: string): string =>
  address
    .replace(/^.*!/, '')
    .replace(/[\s$=]/g, '')
    .toUpperCase();

/**
 * Where the values of a result stand in the table that it was worked out of: rows with a number and columns with letters
 * (`D5`), or rows that name the cells of each value (`D2:D14,D17`). Null where the result says neither.
 */
export function placesIn(result: Json): ReadonlyMap<string, readonly Cell[]> | null {
  if (!isFields(result) || !isFields(result.columns) || !Array.isArray(result.rows)) return null;
  const { columns } = result;
  const rows: readonly unknown[] = result.rows;
  const placed = rows
    .filter(isFields)
    .flatMap((row) =>
      Object.entries(row).flatMap(([name, value]) =>
        isCell(value) ? addressesOf(name, row, columns).map((address) => [placeName(address), value] as const) : [],
      ),
    );
  const groups = Map.groupBy(placed, ([address]) => address);
  return new Map([...groups].map(([address, pairs]) => [address, pairs.map(([, value]) => value)]));
}

function addressesOf(name: string, row: Fields, columns: Fields): readonly string[] {
  const letter = columns[name];
  const at = typeof row.row === 'number' && name !== 'row' && typeof letter === 'string' ? [`${letter}${row.row}`] : [];
  const cells = isFields(row.cells) ? row.cells[name] : undefined;
  if (typeof cells !== 'string') return at;
  // Each of several ranges leads to the figure, too.
  return [...at, cells, ...(cells.includes(',') ? cells.split(',') : [])];
}

/** A row as its values, without where they come from. */
export function withoutPlaces(row: Fields): Fields {
  const { cells, ...values } = row;
  return isFields(cells) ? values : row;
}
