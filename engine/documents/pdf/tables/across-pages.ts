import type { Cell, PlacedTable } from './placed-table.ts';

export interface TablePage {
  readonly tables: readonly PlacedTable[];
  /** Lines of text above the first of its tables and below the last. */
  readonly above: number;
  readonly below: number;
}

/** Columns stand so near to where they stood on the page before, in points. */
const NEAR = 12;
/** A page has no more lines at its head or foot than that. */
const MAX_MARGIN_LINES = 3;

type Rows = readonly (readonly Cell[])[];

/** The tables of a document; one that goes on over the end of a page is one, without the headings that are repeated. */
export function tablesAcross(pages: readonly TablePage[]): Rows[] {
  const all: Rows[] = [];
  let open: PlacedTable | null = null;
  for (const { tables, above, below } of pages) {
    for (const [index, table] of tables.entries()) {
      const goesOn: boolean = index === 0 && above <= MAX_MARGIN_LINES && open !== null && isAlike(open, table);
      const before = all.at(-1);
      if (goesOn && before) all[all.length - 1] = [...before, ...withoutHead(table.rows, before)];
      else all.push(table.rows);
    }
    open = below <= MAX_MARGIN_LINES ? (tables.at(-1) ?? null) : null;
  }
  return all;
}

const isAlike = (one: PlacedTable, other: PlacedTable): boolean =>
  one.columns.length === other.columns.length &&
  Math.abs(one.left - other.left) < NEAR &&
  one.columns.every(({ from, to }, at) => {
    const column = other.columns[at];
    return column !== undefined && column.from < to && column.to > from;
  });

const withoutHead = (rows: Rows, before: Rows): Rows =>
  JSON.stringify(rows[0]) === JSON.stringify(before[0]) ? rows.slice(1) : rows;
