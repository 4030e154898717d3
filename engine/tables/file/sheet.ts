import type { TableAnswerRow } from '#contract';

export type SheetCell = string | number | boolean | Date | null;

/** An answer as a file has it: no number of a row, no list of cells, and a heading for each column. */
export interface Sheet {
  readonly name: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly SheetCell[])[];
}

const ISO = /^(?<year>\d{4})-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2})?$/;
/** Spreadsheets count days from 1900, and that year they count a day that never was. */
const FIRST_YEAR = 1901;

/** `columns` are the names in the rows, in their order; what has a unit says so in its heading. */
export function sheetOf(answer: {
  readonly name: string;
  readonly columns: readonly string[];
  readonly units: ReadonlyMap<string, string>;
  readonly rows: readonly TableAnswerRow[];
}): Sheet {
  const { name, columns, units, rows } = answer;
  return {
    name,
    headings: columns.map((column) => withUnit(column, units.get(column))),
    rows: rows.map((row) => columns.map((column) => cellOf(row[column]))),
  };
}

const withUnit = (column: string, unit: string | undefined): string =>
  unit === undefined || column.toLowerCase().includes(unit.toLowerCase()) ? column : `${column} (${unit})`;

function cellOf(value: TableAnswerRow[string] | undefined): SheetCell {
  if (typeof value === 'string') return dateOf(value) ?? value;
  return value === undefined || typeof value === 'object' ? null : value;
}

/** Days and times have no zone, in an answer as in a spreadsheet. */
function dateOf(text: string): Date | null {
  const year = ISO.exec(text)?.groups?.year;
  if (year === undefined || Number(year) < FIRST_YEAR) return null;
  const date = new Date(text.length === 10 ? `${text}T00:00:00Z` : `${text}Z`);
  return Number.isNaN(date.getTime()) ? null : date;
}

export const hasTime = (date: Date): boolean => date.getTime() % 86_400_000 !== 0;
