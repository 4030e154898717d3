import type { Cell, Table } from '../types.ts';
import { evenRows } from './even-rows.ts';

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

const RULE = /^\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?)?$/;

/**
 * The Markdown tables of a text, the row with the headings first and without the line below it; a cell is its text, null
 * where nothing stands. A row may have more cells than there are headings: nobody named them, and they are data. `most`
 * is how many cells the tables may have together, empty ends of rows included; `isCut`: those after these have more.
 */
export function markdownTables(
  text: string,
  most: number,
): { readonly tables: readonly Table[]; readonly isCut: boolean } {
  const lines = text.split(/\r?\n/);
  const isRule = (at: number) => RULE.test((lines[at] ?? '').trim());
  const tables: Table[] = [];
  let left = most;
  for (let at = 1; at < lines.length; at += 1) {
    const head = lines[at - 1] ?? '';
    if (!head.includes('|') || !isRule(at)) continue;
    const from = at + 1;
    while (lines[at + 1]?.includes('|') && !isRule(at + 2)) at += 1;
    const rows = evenRows([head, ...lines.slice(from, at + 1)].map(cellsOf), left);
    if (rows === null) return { tables, isCut: true };
    left -= rows.length * (rows[0]?.length ?? 0);
    tables.push({ name: `table ${tables.length + 1}`, rows });
  }
  return { tables, isCut: false };
}

const cellsOf = (line: string): Cell[] =>
  line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|') || null);
