import type { Cell } from '../../documents/types.ts';
import { QueryError } from '../query-error.ts';

/** Of all tables of one text, empty cells at the ends of rows included. */
export const MAX_CELLS = 2_000_000;

/**
 * Rows of one length: shorter ones end in empty cells. Refuses what would be mostly these: one row of commas above as
 * many rows of nothing made gigabytes out of 60 KB.
 */
export function evenRows(rows: readonly (readonly Cell[])[], most = MAX_CELLS): readonly (readonly Cell[])[] {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (rows.length * width > most) {
    throw new QueryError(`its ${rows.length} rows of up to ${width} cells are more than can be worked out`);
  }
  return rows.map((row) => [...row, ...Array<null>(width - row.length).fill(null)]);
}
