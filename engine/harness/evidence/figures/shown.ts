/** As it stands in a file, or as JSON has it. */
export type ShownCell = string | number;

/** Rows of equal length, the first of them the headers. */
export type ShownTable = readonly (readonly ShownCell[])[];

/** What a result shows: its tables, its running text, its single fields. */
export interface ShownResult {
  readonly tables: readonly ShownTable[];
  /** What the sheet of a workbook is called in which a table stands, of those that stand in one. */
  readonly sheets: ReadonlyMap<ShownTable, string>;
  /** Text that is no table, and text that may be one or not. */
  readonly texts: readonly string[];
  /** Single values, by their path: `total`, `items.2.price`. */
  readonly fields: ReadonlyMap<string, ShownCell>;
  /** What each entry of a list begins with, by the path of the list: `items`. */
  readonly lists: ReadonlyMap<string, readonly ShownCell[]>;
  /** Values by where they stand in the table that a result was worked out of (places.ts). */
  readonly places: ReadonlyMap<string, readonly ShownCell[]>;
  /** All text, as it was shown: what a quotation has to stand in. */
  readonly whole: string;
  /** Each cell, field and running text by itself: what stands whole is a whole sentence of one of them, or all of it. */
  readonly pieces: readonly string[];
}
