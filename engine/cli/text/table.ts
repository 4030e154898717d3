import { createRequire } from 'node:module';
import { atFirstUse } from '../../lib/kept-value.ts';
import { inOneLine } from './indented.ts';

const require = createRequire(import.meta.url);
const stringWidth = atFirstUse((): typeof import('string-width').default => require('string-width').default);

/** In columns of a terminal. Most cells are ASCII, and to load what knows the others takes as long as many commands. */
const widthOf = (cell: string): number => (/^[ -~]*$/.test(cell) ? cell.length : stringWidth()(cell));

/** Narrower than this a column tells nothing. */
const LEAST = 8;

/**
 * Columns padded to their widest cell; `empty` when there are no rows. `most`: columns of the terminal. Where the lines
 * would be longer, what is long is cut, since a line that a terminal breaks is no table any more; where even that does
 * not do, each row becomes a paragraph with a line for each column.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  empty: string,
  most: number = Number.POSITIVE_INFINITY,
): string {
  if (rows.length === 0) return empty;
  const all = [head, ...rows.map((row) => row.map(inOneLine))];
  const wanted = head.map((_, column) => Math.max(...all.map((row) => widthOf(row[column] ?? ''))));
  const least = head.map((_, column) =>
    rows.every((row) => SHORT_ID.test(row[column] ?? '')) ? (wanted[column] ?? 0) : LEAST,
  );
  const widths = fitted(wanted, least, most);
  return widths === null ? paragraphs(head, rows, most) : lines(all, widths).join('\n');
}

const lines = (all: readonly (readonly string[])[], widths: readonly number[]): string[] =>
  all.map((row) =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );

/** Takes from the widest column until all fit; null where they cannot. Pure. */
function fitted(wanted: readonly number[], least: readonly number[], most: number): readonly number[] | null {
  const widths = [...wanted];
  const room = (column: number) => (widths[column] ?? 0) - (least[column] ?? 0);
  for (let total = widths.reduce((sum, width) => sum + width, 2 * (widths.length - 1)); total > most; total -= 1) {
    const [widest] = widths
      .map((width, column) => ({ width, column }))
      .filter(({ column }) => room(column) > 0)
      .sort((a, b) => b.width - a.width);
    if (!widest) return null;
    widths[widest.column] = widest.width - 1;
  }
  return widths;
}

function paragraphs(head: readonly string[], rows: readonly (readonly string[])[], most: number): string {
  const name = Math.max(...head.map(widthOf));
  const value = Math.max(LEAST, most - name - 2);
  return rows
    .map((row) => {
      const said = head.flatMap((one, column) => (row[column] ? [[one, row[column]]] : []));
      return lines(said, [name, Math.min(value, Math.max(...said.map(([, cell = '']) => widthOf(cell))))]).join('\n');
    })
    .join('\n\n');
}

function padded(cell: string, width: number): string {
  const own = widthOf(cell);
  if (own > width) return cut(cell, width);
  return cell + ' '.repeat(width - own);
}

const ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;
/** The end of one; half of that would name nothing. */
const SHORT_ID = /^[0-9a-f]{6,16}$/;

/** Ids made in the same hour begin alike, and every command takes the end of one. */
function cut(cell: string, width: number): string {
  if (ID.test(cell)) return `…${cell.slice(1 - width)}`;
  let kept = '';
  let used = 0;
  for (const sign of cell) {
    const more = widthOf(sign);
    if (used + more > width - 1) break;
    kept += sign;
    used += more;
  }
  return `${kept}…${' '.repeat(width - 1 - used)}`;
}
