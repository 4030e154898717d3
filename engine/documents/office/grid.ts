import type { Reading } from '../reading.ts';
import type { Cell } from '../types.ts';

/** Cells of a sheet by their places, counted from 1, which only grow. */
export interface Grid {
  put(row: number, column: number, cell: Cell): void;
  /** Whether no more is read of it. */
  isFull(): boolean;
  /** Whether a formula stands in it whose result is not known. */
  hasFormulas(): boolean;
  /** As far as there is anything, all of the same length; a gap of many empty rows is closed. */
  rows(): readonly (readonly Cell[])[];
}

/** Empty rows in between are kept up to here. */
const MAX_GAP = 100;

export function createGrid(name: string, reading: Reading): Grid {
  const rows: Cell[][] = [];
  let last = 0;
  let width = 0;
  let full = false;
  let formulas = false;

  function startRow(row: number): Cell[] {
    const gap = Math.max(0, row - last - 1);
    if (gap > MAX_GAP) reading.note(`In the sheet ${JSON.stringify(name)} empty rows were left out.`);
    else for (let empty = 0; empty < gap; empty += 1) rows.push([]);
    last = row;
    const cells: Cell[] = [];
    rows.push(cells);
    return cells;
  }

  return {
    put(row, column, cell) {
      if (cell === null || full) return;
      if (column > reading.limits.maxColumns) {
        reading.noteCut(
          `Of the sheet ${JSON.stringify(name)} the first ${reading.limits.maxColumns} columns were read.`,
        );
        return;
      }
      const cells = row === last ? rows.at(-1) : undefined;
      const into = cells ?? startRow(row);
      while (into.length < column - 1) into.push(null);
      into.push(cell);
      width = Math.max(width, column);
      if (typeof cell === 'string' && cell.startsWith('=')) formulas = true;
      // What is squared later costs what the widest row does.
      full = reading.cells(1) < 0 || rows.length * width > 4 * reading.limits.maxCells;
      if (full) reading.noteCut(`Of the sheet ${JSON.stringify(name)} the first ${rows.length} rows were read.`);
    },
    isFull: () => full,
    hasFormulas: () => formulas,
    rows: () => rows.map((row) => [...row, ...Array<null>(width - row.length).fill(null)]),
  };
}
