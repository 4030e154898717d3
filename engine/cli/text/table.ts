import { createRequire } from 'node:module';
import { atFirstUse } from '../../lib/first-use.ts';

const require = createRequire(import.meta.url);
const stringWidth = atFirstUse((): typeof import('string-width').default => require('string-width').default);

/** In columns of a terminal. Most cells are ASCII, and to load what knows the others takes as long as many commands. */
const widthOf = (cell: string): number => (/^[ -~]*$/.test(cell) ? cell.length : stringWidth()(cell));

/** Columns padded to their widest cell; `empty` when there are no rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], empty: string): string {
  if (rows.length === 0) return empty;
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => widthOf(row[column] ?? ''))));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - widthOf(cell))))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
