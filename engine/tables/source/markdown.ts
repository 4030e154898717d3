import type { Table } from '../../documents/types.ts';
import { evenRows, MAX_CELLS } from './even-rows.ts';

const RULE = /^\|?(?:\s*:?-+:?\s*\|)+(?:\s*:?-+:?)?$/;

/** The pipe tables of a text, the row with the headings first and without the line below it. */
export function markdownTables(text: string): readonly Table[] {
  const lines = text.split(/\r?\n/);
  const tables: Table[] = [];
  let left = MAX_CELLS;
  for (let at = 1; at < lines.length; at += 1) {
    if (!RULE.test((lines[at] ?? '').trim()) || !(lines[at - 1] ?? '').includes('|')) continue;
    const from = at - 1;
    while ((lines[at + 1] ?? '').includes('|')) at += 1;
    const rows = [lines[from] ?? '', ...lines.slice(from + 2, at + 1)].map(cellsOf);
    const even = evenRows(rows, left);
    left -= even.length * (even[0]?.length ?? 0);
    tables.push({ name: `table ${tables.length + 1}`, rows: even });
  }
  return tables;
}

function cellsOf(line: string): (string | null)[] {
  const cells = line
    .trim()
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
  const from = line.trim().startsWith('|') ? 1 : 0;
  const inner = cells.slice(from, /(?<!\\)\|\s*$/.test(line) ? -1 : undefined);
  return inner.map((cell) => (cell === '' ? null : cell));
}
