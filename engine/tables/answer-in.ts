import type { TableAnswer, TableAnswerRow, TableFileFormat, TableQuery } from '#contract';
import { chosenTable, MAX_SHOWN_CELL, pageOf, type WorkedOut, workOut } from './query/run.ts';
import { QueryError } from './query-error.ts';
import { type TableSource, tablesIn } from './source/tables-in.ts';

export type AnsweredQuestion =
  | { readonly ok: true; readonly answer: TableAnswer; readonly file: MadeFile | null }
  /** The message is for the model. */
  | { readonly ok: false; readonly message: string };

/** The rows of the answer as a file. */
export interface MadeFile {
  readonly bytes: Uint8Array;
  readonly rows: number;
}

export interface Question {
  readonly source: TableSource;
  readonly query: TableQuery;
  /** Null: no file is made. */
  readonly file: TableFileFormat | null;
}

const MAX_FILE_ROWS = 50_000;
const MAX_FILE_CELLS = 500_000;
/** Of an answer whose rows are in a file. */
const SHOWN_WITH_FILE = 5;

/** Reads the source and answers; a question that cannot be answered as it was asked is no failure. */
export async function answerIn({ source, query, file }: Question): Promise<AnsweredQuestion> {
  try {
    const tables = await tablesIn(source);
    const table = chosenTable(tables, query);
    if (file === null) return { ok: true, answer: pageOf(workOut(table, query, MAX_SHOWN_CELL), query), file: null };
    const worked = workOut(table, query, Number.POSITIVE_INFINITY);
    const made = await fileOf(worked, query, file);
    return { ok: true, answer: pageOf(worked, { offset: query.offset, limit: SHOWN_WITH_FILE }), file: made };
  } catch (error) {
    if (error instanceof QueryError) return { ok: false, message: error.message };
    throw error;
  }
}

async function fileOf(
  { table, made, names, unitOf }: WorkedOut,
  { offset, limit }: TableQuery,
  format: TableFileFormat,
): Promise<MadeFile> {
  const rows = made.slice(offset, offset + limit).map(({ row }) => row);
  if (rows.length > MAX_FILE_ROWS || rows.length * names.length > MAX_FILE_CELLS)
    throw new QueryError(`a file has at most ${MAX_FILE_ROWS} rows and ${MAX_FILE_CELLS} cells; select less`);
  const sheet = sheetOf({ name: table, columns: names, units: unitOf, rows });
  return { bytes: format === 'xlsx' ? await xlsxOf(sheet) : csvOf(sheet), rows: rows.length };
}

/** With the mark by which spreadsheets know UTF-8, and lines and quotation as in RFC 4180. */
function csvOf({ headings, rows }: Sheet): Uint8Array {
  const lines = [headings, ...rows].map((cells) => cells.map(written).join(','));
  return Buffer.from(`\ufeff${lines.join('\r\n')}\r\n`);
}

/** A spreadsheet makes a formula of a text that begins like one: the apostrophe tells it that this is none. */
const LIKE_A_FORMULA = /^[=+\-@\t\r]/;

function written(cell: SheetCell): string {
  if (cell === null) return '';
  if (cell instanceof Date) return hasTime(cell) ? cell.toISOString().slice(0, 19) : cell.toISOString().slice(0, 10);
  if (typeof cell !== 'string') return String(cell);
  const text = LIKE_A_FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Of a cell of a spreadsheet. */
const MAX_CELL = 32_767;
const MAX_NAME = 31;
const MAX_WIDTH = 60;
const LOOKED_AT_ROWS = 200;

/** Numbers, dates and truth values as such, and every text as a text: none becomes a formula. */
async function xlsxOf({ name, headings, rows }: Sheet): Promise<Uint8Array> {
  const { default: write } = await import('write-excel-file/node');
  const head = headings.map((value) => ({ value: textOf(value), type: String, fontWeight: 'bold' as const }));
  const columns = headings.map((heading, at) => ({ width: widthOf([heading, ...sample(rows, at)]) }));
  const sheet = { sheet: nameOf(name), columns, stickyRowsCount: 1 };
  return (await write([head, ...rows.map((cells) => cells.map(typed))], sheet)).toBuffer();
}

function typed(cell: SheetCell) {
  if (cell === null) return null;
  if (cell instanceof Date) {
    return { value: cell, type: Date, format: hasTime(cell) ? 'yyyy-mm-dd hh:mm:ss' : 'yyyy-mm-dd' };
  }
  if (typeof cell === 'number') return { value: cell, type: Number };
  if (typeof cell === 'boolean') return { value: cell, type: Boolean };
  return { value: textOf(cell), type: String };
}

const textOf = (text: string): string => text.slice(0, MAX_CELL);

const sample = (rows: Sheet['rows'], at: number): SheetCell[] =>
  rows.slice(0, LOOKED_AT_ROWS).map((cells) => cells[at] ?? null);

const widthOf = (cells: readonly SheetCell[]): number =>
  Math.min(MAX_WIDTH, Math.max(8, ...cells.map((cell) => (cell instanceof Date ? 12 : String(cell ?? '').length + 2))));

/** What no sheet may be called is left out of its name. */
function nameOf(name: string): string {
  const text = name
    .slice(0, MAX_NAME)
    .replace(/[[\]/\\:*?'\p{Cc}]/gu, ' ')
    .trim();
  return text === '' ? 'Table' : text;
}

type SheetCell = string | number | boolean | Date | null;

/** An answer as a file has it: no number of a row, no list of cells, and a heading for each column. */
interface Sheet {
  readonly name: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly SheetCell[])[];
}

const ISO = /^(?<year>\d{4})-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2})?$/;
/** Spreadsheets count days from 1900, and that year they count a day that never was. */
const FIRST_YEAR = 1901;

/** `columns` are the names in the rows, in their order; what has a unit says so in its heading. */
function sheetOf(answer: {
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

const hasTime = (date: Date): boolean => date.getTime() % 86_400_000 !== 0;
