/** As it stands in a file, or as JSON has it. */
export type Cell = string | number;

/** Rows of equal length, the first of them the headers. */
export type Table = readonly (readonly Cell[])[];

/** What a result shows: its tables, its running text, its single fields. */
export interface Shown {
  readonly tables: readonly Table[];
  /** Text that is no table, and text that may be one or not. */
  readonly texts: readonly string[];
  /** Single values, by their path: `total`, `items.2.price`. */
  readonly fields: ReadonlyMap<string, Cell>;
  /** What each entry of a list begins with, by the path of the list: `items`. */
  readonly lists: ReadonlyMap<string, readonly Cell[]>;
  /** Values by where they stand in the table that a result was worked out of (places.ts). */
  readonly places: ReadonlyMap<string, readonly Cell[]>;
  /** All text, as it was shown: what a quotation has to stand in. */
  readonly whole: string;
}
