import { markdownTable } from '../plain/markdown-table.ts';
import type { Reading } from '../reading.ts';
import type { Table } from '../types.ts';

/** Text in the order of reading, put together piece by piece: paragraphs, and tables as Markdown. */
export interface TextFlow {
  text(text: string): void;
  /** Ends the paragraph; nothing is written for an empty one. `prefix` is a heading's or a list's mark. */
  endParagraph(prefix?: string): void;
  openTable(): void;
  openRow(): void;
  /** `columns`: how many it spans; `isCovered`: it belongs to the cell above. */
  openCell(cell?: { readonly columns?: number; readonly isCovered?: boolean }): void;
  closeCell(): void;
  closeTable(): void;
  /** Whether no more is read of it. */
  isFull(): boolean;
  finish(): { readonly text: string; readonly tables: readonly Table[] };
}

interface OpenTable {
  readonly rows: (string | null)[][];
  readonly cells: { readonly lines: string[]; readonly columns: number; readonly isCovered: boolean }[];
  /** Of its only cell so far. */
  lines: string[];
  count: number;
}

const LIST_ITEM = /^(?: *- | *[\p{L}\d.()]{1,12}[.)] )/u;

export function createFlow(reading: Reading): TextFlow {
  const lines: string[] = [];
  const tables: Table[] = [];
  const open: OpenTable[] = [];
  let paragraph: string[] = [];
  let characters = 0;
  const isFull = () => characters > reading.limits.maxCharacters;

  const target = (): string[] => open.at(-1)?.cells.at(-1)?.lines ?? lines;

  function endParagraph(prefix = ''): void {
    const text = paragraph
      .join('')
      .replace(/(?<![ \t])[ \t]+$/gm, '')
      .trim();
    paragraph = [];
    if (text === '') return;
    const into = target();
    const line = prefix + text;
    // Items of one list follow each other without a blank line, as all lines of a cell do.
    const isTight = open.length > 0 || (LIST_ITEM.test(line) && LIST_ITEM.test(into.at(-1) ?? ''));
    if (into.length > 0 && !isTight) into.push('');
    into.push(line);
  }

  function endTable({ rows, count, lines: only }: OpenTable): void {
    const into = target();
    if (count === 1) {
      // A frame around text, not a table.
      into.push(...(into.length > 0 && open.length === 0 ? ['', ...only] : only));
      return;
    }
    if (count === 0) return;
    if (open.length > 0) {
      into.push(rows.map((row) => row.map((cell) => cell ?? '').join(' | ')).join('\n'));
      return;
    }
    const table = { name: `table ${tables.length + 1}`, rows: squared(rows) };
    tables.push(table);
    into.push(...(into.length > 0 ? [''] : []), markdownTable(table.rows));
  }

  return {
    isFull,
    text(text) {
      if (isFull()) return;
      characters += text.length;
      paragraph.push(text);
    },
    endParagraph,
    openTable() {
      endParagraph();
      open.push({ rows: [], cells: [], lines: [], count: 0 });
    },
    openRow: () => void open.at(-1)?.rows.push([]),
    openCell({ columns = 1, isCovered = false } = {}) {
      open.at(-1)?.cells.push({ lines: [], columns: Math.min(columns, reading.limits.maxColumns), isCovered });
    },
    closeCell() {
      endParagraph();
      const table = open.at(-1);
      const cell = table?.cells.pop();
      const row = table?.rows.at(-1);
      if (!table || !cell || !row) return;
      table.count += 1;
      table.lines = cell.lines;
      if (reading.cells(cell.columns) < 0) return reading.noteCut('There are more cells in its tables than are read.');
      const text = cell.lines.join('\n');
      row.push(text === '' || cell.isCovered ? null : text, ...Array<null>(cell.columns - 1).fill(null));
    },
    closeTable() {
      const table = open.pop();
      if (table) endTable(table);
    },
    finish() {
      endParagraph();
      while (open.length > 0) {
        const table = open.pop();
        if (table) endTable(table);
      }
      return { text: lines.join('\n'), tables };
    },
  };
}

/** All rows as long as the longest. */
function squared(rows: readonly (readonly (string | null)[])[]): (string | null)[][] {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  return rows.map((row) => [...row, ...Array<null>(width - row.length).fill(null)]);
}
