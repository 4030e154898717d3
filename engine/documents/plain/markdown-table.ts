import type { Cell, Table } from '../types.ts';

/** Rows as a Markdown table; the first is its head. No cell can end a row or begin another column. */
export function markdownTable(rows: readonly (readonly Cell[])[]): string {
  const [head = [], ...body] = rows;
  const line = (cells: readonly Cell[]) => `| ${cells.map(shown).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...body.map(line)].join('\n');
}

const shown = (cell: Cell): string =>
  cell === null
    ? ''
    : String(cell)
        .replace(/\s+/g, (blanks) => (blanks.includes('\n') ? ' / ' : blanks))
        .replaceAll('|', '\\|');

const SEPARATOR = /^\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?\s*)?$/;

/** The Markdown tables of a text, in their order; a cell is its text, null where nothing stands. */
export function tablesIn(text: string, mayTake: (cells: number) => boolean): Table[] {
  const lines = text.split('\n');
  const tables: Table[] = [];
  for (let at = 1; at < lines.length; at += 1) {
    const head = lines[at - 1] ?? '';
    if (!head.includes('|') || !SEPARATOR.test(lines[at]?.trim() ?? '')) continue;
    const width = cellsOf(head).length;
    const rows = [cellsOf(head)];
    for (at += 1; lines[at]?.includes('|') && mayTake(width); at += 1) rows.push(cellsOf(lines[at] ?? ''));
    tables.push({ name: `table ${tables.length + 1}`, rows: rows.map((row) => fitted(row, width)) });
  }
  return tables;
}

const cellsOf = (line: string): Cell[] =>
  line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|') || null);

const fitted = (row: readonly Cell[], width: number): Cell[] =>
  Array.from({ length: width }, (_, column) => row[column] ?? null);
