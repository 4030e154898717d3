import type { Content, Reading } from '../reading.ts';
import type { Cell } from '../types.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;
const LOOKED_AT_LINES = 50;

/** Values with a delimiter between them (RFC 4180, and what programs of other countries write); cells are texts. */
export function readCsv(text: string, reading: Reading): Content {
  const [, named] = /^sep=([^\n])\n/i.exec(text) ?? [];
  const body = named === undefined ? text : text.slice(text.indexOf('\n') + 1);
  const rows = rowsOf(body, named ?? delimiterOf(body), reading);
  return { kind: 'csv', text, tables: rows.length === 0 ? [] : [{ name: 'table 1', rows }] };
}

/** The one that stands in most lines outside of quotes, equally often; the first of equals. */
function delimiterOf(text: string): string {
  const lines = text
    .slice(0, 64 * 1024)
    .replace(/"[^"]*"/g, '')
    .split('\n', LOOKED_AT_LINES)
    .filter((line) => line !== '');
  const scores = DELIMITERS.map((delimiter) => {
    const counts = lines.map((line) => line.split(delimiter).length - 1);
    const most = counts[0] ?? 0;
    return most === 0 ? 0 : counts.filter((count) => count === most).length + Math.min(most, 9) / 10;
  });
  return DELIMITERS[scores.indexOf(Math.max(...scores))] ?? ',';
}

function rowsOf(text: string, delimiter: string, reading: Reading): Cell[][] {
  const rows: Cell[][] = [];
  let row: Cell[] = [];
  let width = 0;
  let at = 0;
  while (at < text.length) {
    const { value, next } = fieldAt(text, at, delimiter);
    if (row.length < reading.limits.maxColumns) row.push(value === '' ? null : value);
    at = next + 1;
    if (text[next] === delimiter && at < text.length) continue;
    if (text[next] === delimiter) row.push(null);
    const isBlank = row.length === 1 && row[0] === null;
    if (!isBlank) {
      if (reading.cells(row.length) < 0) {
        reading.note(`As a table its first ${rows.length} rows were read.`);
        break;
      }
      rows.push(row);
      width = Math.max(width, row.length);
    }
    row = [];
  }
  if (rows.length * width > 4 * reading.limits.maxCells) {
    reading.note('Its rows are of too many different lengths to be read as a table.');
    return [];
  }
  return rows.map((cells) => [...cells, ...Array<null>(width - cells.length).fill(null)]);
}

/** The field that begins at `at`; `next` is its delimiter, the end of its line, or the end of the text. */
function fieldAt(text: string, at: number, delimiter: string): { readonly value: string; readonly next: number } {
  if (text[at] !== '"') {
    const next = endOfField(text, at, delimiter);
    return { value: text.slice(at, next).trim(), next };
  }
  let value = '';
  let from = at + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    // A quote that is never closed: the rest of its line.
    if (quote < 0) {
      const next = endOfField(text, at, '\n');
      return { value: text.slice(at, next), next };
    }
    value += text.slice(from, quote);
    if (text[quote + 1] !== '"') {
      const next = endOfField(text, quote + 1, delimiter);
      return { value: value + text.slice(quote + 1, next).trim(), next };
    }
    value += '"';
    from = quote + 2;
  }
}

function endOfField(text: string, at: number, delimiter: string): number {
  let end = at;
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n') end += 1;
  return end;
}
