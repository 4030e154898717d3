import type { Cell, Table } from '../documents/types.ts';
import { writtenNumber } from './values/amount.ts';
import { dateIn } from './values/dates.ts';

const MAX_TITLE_ROWS = 30;
const SAMPLE = 200;

export const isEmpty = (cell: Cell | undefined): boolean =>
  cell === undefined || cell === null || (typeof cell === 'string' && cell.trim() === '');

const filledIn = (row: readonly Cell[]): number => row.filter((cell) => !isEmpty(cell)).length;

/** A number or a date: what stands below headings rather than in them. A year may stand in either. */
function isValue(cell: Cell): boolean {
  if (typeof cell !== 'string') return cell !== null && !isYear(cell);
  if (isYear(cell)) return false;
  return writtenNumber(cell) !== null || dateIn(cell, { kind: 'none' }) !== null;
}

const isYear = (cell: Cell): boolean => /^(?:19|20|21)\d{2}$/.test(String(cell).trim());

/**
 * The row with the headings, counted from 1; 0 where there is none. It is the first row that is about as wide as the
 * rows below it and holds no values: lines above it are a title. A table whose first wide row holds values begins with
 * them.
 */
export function headerRowOf({ rows }: Table): number {
  const widths = rows.slice(0, SAMPLE).map(filledIn);
  const usual = mostFrequent(widths.filter((width) => width > 0));
  const most = Math.max(...widths.slice(0, MAX_TITLE_ROWS), 0);
  // A heading has a cell for each column, also where most rows leave some empty; a single one may be missing.
  const wanted = Math.max(1, Math.min(usual, most - 1));
  for (const [index, row] of rows.slice(0, MAX_TITLE_ROWS).entries()) {
    const width = filledIn(row);
    if (width < wanted || (width === 1 && usual > 1)) continue;
    const filled = row.filter((cell) => !isEmpty(cell));
    if (filled.some(isValue) || filled.every(isYear)) return 0;
    const names = filled.map((cell) => String(cell).trim().toLowerCase());
    // The same words twice are data, unless each pair of columns has its own unit below it.
    return new Set(names).size * 2 <= names.length && names.length > 1 ? 0 : index + 1;
  }
  return 0;
}

function mostFrequent(numbers: readonly number[]): number {
  const groups = [...Map.groupBy(numbers, (number) => number)];
  return groups.reduce((best, group) => (group[1].length > best[1].length ? group : best), groups[0] ?? [0, []])[0];
}
