import { hasTime, type Sheet, type SheetCell } from './sheet.ts';

/** Of a cell of a spreadsheet. */
const MAX_CELL = 32_767;
const MAX_NAME = 31;
const MAX_WIDTH = 60;
const LOOKED_AT_ROWS = 200;

/** Numbers, dates and truth values as such, and every text as a text: none becomes a formula. */
export async function xlsxOf({ name, headings, rows }: Sheet): Promise<Uint8Array> {
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
