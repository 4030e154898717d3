import { hasTime, type Sheet, type SheetCell } from './sheet.ts';

/** With the mark by which spreadsheets know UTF-8, and lines and quotation as in RFC 4180. */
export function csvOf({ headings, rows }: Sheet): Uint8Array {
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
