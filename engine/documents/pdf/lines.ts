import { markdownTable } from '../plain/markdown-table.ts';
import type { PlacedTable } from './tables/placed-table.ts';
import { lineText, type Run } from './tables/runs.ts';

/** A run, or a table that stands there instead of its runs. */
type Piece = Run & { readonly table?: PlacedTable };

interface Line {
  readonly runs: Piece[];
  readonly y: number;
  height: number;
  left: number;
  right: number;
  isRtl: boolean;
}

/** A page whose lines go back up more often than this was not written in the order of reading. */
const MOST_JUMPS = 0.15;

/**
 * The text of a page. Programs write a page in the order of reading, columns included, so that order is kept; a page
 * whose lines jump about is put in order by where they stand. Cells of one row are parted by a tab, and a table is a
 * Markdown table where its first cell was written.
 */
export function pageText(runs: readonly Run[], tables: readonly PlacedTable[] = []): string {
  const pieces = withTables(runs, tables);
  const written = linesOf(pieces);
  const lines = isOrderly(written) ? written : inOrder(written.flatMap((line) => line.runs));
  const out: string[] = [];
  let last: Line | undefined;
  for (const line of lines) {
    const table = line.runs[0]?.table;
    const text = table ? markdownTable(table.rows) : lineText(line.runs);
    if (text === '') continue;
    // More than a line's own room above it: a paragraph begins.
    const isApart = last && last.y - line.y > 1.8 * Math.max(last.height, line.height);
    if (isApart || (last && (table || last.runs[0]?.table))) out.push('');
    out.push(text);
    last = line;
  }
  return out.join('\n').trim();
}

function withTables(runs: readonly Run[], tables: readonly PlacedTable[]): readonly Piece[] {
  if (tables.length === 0) return runs;
  const shown = new Set<PlacedTable>();
  const tableOf = new Map(tables.flatMap((table) => [...table.runs].map((run) => [run, table] as const)));
  return runs.flatMap((run): Piece[] => {
    const table = tableOf.get(run);
    if (!table) return [run];
    if (shown.has(table)) return [];
    shown.add(table);
    const { left, right, top } = table;
    return [{ ...run, text: '', left, right, y: top, table }];
  });
}

/** Runs on one baseline that follow each other. */
function linesOf(pieces: readonly Piece[]): Line[] {
  const lines: Line[] = [];
  for (const run of pieces) {
    const line = lines.at(-1);
    const isTable = run.table !== undefined || line?.runs[0]?.table !== undefined;
    const isBeside = line && Math.abs(line.y - run.y) < 0.5 * Math.max(line.height, run.height);
    if (line && !isTable && isBeside && isNear(line, run)) add(line, run);
    else if (run.table || run.text.trim() !== '') lines.push(lineOf(run));
  }
  return lines;
}

/** Back to the left on the same height is another column's line, but where text runs from the right. */
const isNear = (line: Line, run: Run): boolean => run.isRtl || line.isRtl || run.left > line.left - 1;

const lineOf = (run: Piece): Line => ({ ...run, runs: [run] });

function add(line: Line, run: Run): void {
  line.runs.push(run);
  if (run.text.trim() === '') return;
  line.height = Math.max(line.height, run.height);
  line.left = Math.min(line.left, run.left);
  line.right = Math.max(line.right, run.right);
  line.isRtl ||= run.isRtl;
}

function isOrderly(lines: readonly Line[]): boolean {
  let jumps = 0;
  for (const [index, line] of lines.entries()) {
    const before = lines[index - 1];
    if (!before || line.y <= before.y + 0.5 * line.height) continue;
    // Up and to the right of everything before is the next column.
    if (line.left < before.right) jumps += 1;
  }
  return jumps <= Math.max(1, MOST_JUMPS * lines.length);
}

/** By where they stand: down the page, each line from left to right. */
function inOrder(pieces: readonly Piece[]): Line[] {
  const rows: Piece[][] = [];
  for (const run of pieces.toSorted((one, other) => other.y - one.y)) {
    const row = rows.at(-1);
    const [first] = row ?? [];
    const isBeside = first && !first.table && !run.table;
    if (row && isBeside && Math.abs(first.y - run.y) < 0.5 * Math.min(first.height, run.height)) row.push(run);
    else rows.push([run]);
  }
  return rows.flatMap((row) => {
    const [first, ...others] = row.toSorted((one, other) => one.left - other.left);
    if (!first) return [];
    const line = lineOf(first);
    for (const run of others) add(line, run);
    return [line];
  });
}
