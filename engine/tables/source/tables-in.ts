import { decodeText } from '../../documents/plain/charset.ts';
import { declaredDelimiter, delimitedRows, delimiterOf } from '../../documents/plain/delimited.ts';
import { evenRows } from '../../documents/plain/even-rows.ts';
import { markdownTables } from '../../documents/plain/markdown-table.ts';
import type { Table } from '../../documents/types.ts';
import { QueryError } from '../query-error.ts';

/** Bytes with rows in them; `type` as the mail says, `name` of the file. */
export interface TableSource {
  /** Of a document that has been read; its bytes are then not looked at. */
  readonly tables?: readonly Table[];
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
  /** As declared. */
  readonly charset?: string | null;
}

/** The tables of a file: of HTML and Markdown those that stand in it, of delimited text the one that it is. */
export async function tablesIn({ tables: read = [], ...source }: TableSource): Promise<readonly Table[]> {
  if (read.length > 0) return read;
  const { name, type, bytes, charset = null } = source;
  const text = decodeText(bytes, charset);
  if (text === null) return [];
  if (isHtml(source, text)) {
    const { pageToReadable } = await import('../../mail/html/to-text.ts');
    return tablesOfText(pageToReadable(text).text);
  }
  const isDelimited = /\.(?:csv|tsv)$/i.test(name) || /csv|tab-separated/.test(type);
  const tables = isDelimited ? [] : tablesOfText(text);
  if (tables.length > 0) return tables;
  const { body, delimiter } = declaredDelimiter(text);
  const found = delimiter ?? delimiterOf(body) ?? (isDelimited ? ',' : null);
  return found === null ? [] : [{ name, rows: rowsOf(body, found) }];
}

/** Of all tables of one text, empty ends of rows included. */
const MAX_CELLS = 2_000_000;
const TOO_MANY = `it has more than ${MAX_CELLS} cells, or its rows are too different in length to be worked out`;

/** Half of a table would be a wrong sum. */
function rowsOf(text: string, delimiter: string): Table['rows'] {
  let left = MAX_CELLS;
  const mayTake = (cells: number) => {
    left -= cells;
    return left >= 0;
  };
  const { rows, isCut } = delimitedRows(text, { delimiter, mayTake });
  const even = isCut ? null : evenRows(rows, MAX_CELLS);
  if (even === null) throw new QueryError(TOO_MANY);
  return even;
}

function tablesOfText(text: string): readonly Table[] {
  const { tables, isCut } = markdownTables(text, MAX_CELLS);
  if (isCut) throw new QueryError(TOO_MANY);
  return tables;
}

const isHtml = ({ name, type }: Pick<TableSource, 'name' | 'type'>, text: string): boolean =>
  /\.html?$/i.test(name) || type === 'text/html' || /^\s*<(?:!doctype|html|table)\b/i.test(text.slice(0, 1000));

/** So little takes less time than to start a thread for it. */
const SMALL_BYTES = 64 * 1024;
const SMALL_CELLS = 5000;

/** Whether it is read and answered in a few milliseconds, whatever stands in it. */
export function isSmall({ name, type, bytes, tables = [] }: TableSource): boolean {
  const cells = tables.reduce((sum, { rows }) => sum + rows.length * (rows[0]?.length ?? 0), 0);
  if (tables.length > 0) return cells <= SMALL_CELLS;
  return (
    bytes.length <= SMALL_BYTES && !isHtml({ name, type }, Buffer.from(bytes.subarray(0, 1000)).toString('latin1'))
  );
}
