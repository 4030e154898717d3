import type { Cell } from '../types.ts';

/**
 * Rows of one length: shorter ones end in empty cells. Null where these would be more than `most` cells: one row of
 * commas above as many rows of nothing made gigabytes out of 60 KB.
 */
export function evenRows(rows: readonly (readonly Cell[])[], most: number): Cell[][] | null {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
  if (rows.length * width > most) return null;
  return rows.map((row) => [...row, ...Array<null>(width - row.length).fill(null)]);
}
