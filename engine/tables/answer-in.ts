import type { TableAnswer, TableFileFormat, TableQuery } from '#contract';
import { csvOf } from './file/csv.ts';
import { sheetOf } from './file/sheet.ts';
import { xlsxOf } from './file/xlsx.ts';
import { chosenTable, MAX_SHOWN_CELL, pageOf, type WorkedOut, workOut } from './query/run.ts';
import { QueryError } from './query-error.ts';
import { type Source, tablesIn } from './source/tables-in.ts';

export type Answered =
  | { readonly ok: true; readonly answer: TableAnswer; readonly file: MadeFile | null }
  /** The message is for the model. */
  | { readonly ok: false; readonly message: string };

/** The rows of the answer as a file. */
export interface MadeFile {
  readonly bytes: Uint8Array;
  readonly rows: number;
}

export interface Question {
  readonly source: Source;
  readonly query: TableQuery;
  /** Null: no file is made. */
  readonly file: TableFileFormat | null;
}

const MAX_FILE_ROWS = 50_000;
const MAX_FILE_CELLS = 500_000;
/** Of an answer whose rows are in a file. */
const SHOWN_WITH_FILE = 5;

/** Reads the source and answers; a question that cannot be answered as it was asked is no failure. */
export async function answerIn({ source, query, file }: Question): Promise<Answered> {
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
