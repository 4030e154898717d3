import type { Content, Reading } from '../reading.ts';
import { declaredDelimiter, delimitedRows, delimiterOf } from './delimited.ts';
import { evenRows } from './even-rows.ts';

/** Values with a delimiter between them; cells are texts. */
export function readCsv(text: string, reading: Reading): Content {
  const { maxColumns, maxCells } = reading.limits;
  const { body, delimiter } = declaredDelimiter(text);
  const { rows, isCut } = delimitedRows(body, {
    delimiter: delimiter ?? delimiterOf(body) ?? ',',
    maxColumns: maxColumns + 1,
    mayTake: (cells) => reading.cells(cells) >= 0,
  });
  if (isCut) reading.noteCut(`As a table its first ${rows.length} rows were read.`);
  if (rows.some(({ length }) => length > maxColumns)) reading.noteCut(`Its first ${maxColumns} columns were read.`);
  const even = evenRows(
    rows.map((row) => (row.length > maxColumns ? row.slice(0, maxColumns) : row)),
    4 * maxCells,
  );
  if (even === null) reading.noteCut('Its rows are of too many different lengths to be read as a table.');
  return { kind: 'csv', text, tables: even === null || even.length === 0 ? [] : [{ name: 'table 1', rows: even }] };
}
