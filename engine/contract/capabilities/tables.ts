/** How a condition compares. Text is compared without case; a cell of another kind than the value never fits. */
export const TABLE_OPERATORS = [
  '=',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'contains',
  'starts_with',
  'in',
  'between',
  'empty',
  'not_empty',
] as const;
export type TableOperator = (typeof TABLE_OPERATORS)[number];

/** How numbers, and dates with slashes or dashes, may be written. */
export const NUMBER_STYLES = ['1,234.56', '1.234,56'] as const;
export const DATE_STYLES = ['d/m/y', 'm/d/y'] as const;

type Scalar = string | number | boolean;

export interface TableCondition {
  /** A column, or a part of its dates: `month(Date)`. */
  readonly column: string;
  readonly op: TableOperator;
  /** A list for `in` and, of two, for `between`; absent for `empty` and `not_empty`. */
  readonly value?: Scalar | readonly Scalar[] | null | undefined;
}

export interface TableQuery {
  /** Name or number (from 1) of one of several tables; null: the only one, or the one that has the columns. */
  readonly table: string | null;
  /** Row of the headings, 0 for none; null: found by structure. */
  readonly header: number | null;
  /** `Amount`, `sum(Amount)`, `count`, `month(Date)`, each with an optional ` as name`. Empty: all columns. */
  readonly select: readonly string[];
  readonly where: readonly TableCondition[];
  /** Whether all conditions have to hold, or one of them. */
  readonly match: 'all' | 'any';
  readonly group_by: readonly string[];
  /** As in `select`, with an optional ` desc`. */
  readonly order_by: readonly string[];
  readonly limit: number;
  readonly offset: number;
  /** Null: found by structure, column by column. */
  readonly numbers: (typeof NUMBER_STYLES)[number] | null;
  readonly dates: (typeof DATE_STYLES)[number] | null;
}

/**
 * A row of the answer: values by the names of what was selected. Beside them `row`, its number as in a sheet; or, where
 * rows were put together, `cells`: by name, what a figure is made of (`D2:D14,D17`).
 */
export type TableAnswerRow = Readonly<
  Record<string, string | number | boolean | null | Readonly<Record<string, string>>>
>;

/** In which the rows of an answer can be put into a mail. */
export const TABLE_FILES = ['csv', 'xlsx'] as const;
export type TableFileFormat = (typeof TABLE_FILES)[number];

export interface TableAnswer {
  /** Of a file's text, in UTF-8: by it an answer is known to rest on what the file no longer says. */
  readonly source_sha256?: string;
  readonly table: string;
  /** Letters of the columns by the names in `rows`. */
  readonly columns: Readonly<Record<string, string>>;
  /** Units by the names in `rows`, of what has one. */
  readonly units?: Readonly<Record<string, string>>;
  /** Rows below the headings, without empty ones and sums. */
  readonly total_rows: number;
  /** Those for which the conditions hold. */
  readonly matched_rows: number;
  /** Of the whole answer; `rows` are those from `offset` on. */
  readonly answer_rows: number;
  readonly offset: number;
  readonly rows: readonly TableAnswerRow[];
  readonly next_offset: number | null;
  /** What was assumed or left out, in words. */
  readonly notes: readonly string[];
}

/** What `attach` has put aside. */
export type TableFile = {
  readonly path: string;
  readonly name: string;
  readonly type: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly rows: number;
};

/** Questions over the rows of what the sender of the current mail may see. */
export interface TablesCapability {
  /**
   * `source`: the id of an attachment, the path of a file, or `mail` for a table in the mail that is answered. Exact:
   * decimal arithmetic, empty cells are no zeros. Throws `not_found`; `invalid_arguments` with what to ask instead where a
   * column is missing or ambiguous; `tool_failed` for what has no table or takes too long.
   */
  query(source: string, query: TableQuery): Promise<TableAnswer>;
  /**
   * The same, with all rows from `offset` on, `limit` at most, as a file that the answer to the mail carries; of the answer
   * itself the first few. `name` ends in `.csv` or `.xlsx`. Throws `unsupported_runtime_action` besides, where nothing may be
   * attached, and `invalid_arguments` past the most files or bytes of a mail.
   */
  attach(source: string, query: TableQuery, name: string): Promise<TableAnswer & { readonly attached: TableFile }>;
}
