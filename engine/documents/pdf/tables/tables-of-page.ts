import type { PDFPageProxy } from 'unpdf/pdfjs';
import type { TablePage } from './across-pages.ts';
import { alignedTables, mayHoldTables } from './aligned.ts';
import { isWord, linesFromTop } from './placed-table.ts';
import { ruledTables } from './ruled.ts';
import { rulesOf } from './rules.ts';
import type { Run } from './runs.ts';

/** The tables of a page, from its top: what is drawn as one first, then what stands in columns. */
export async function tablesOfPage(page: PDFPageProxy, runs: readonly Run[]): Promise<TablePage> {
  if (!mayHoldTables(runs)) return { tables: [], above: 0, below: 0 };
  const ruled = ruledTables(runs, await rulesOf(page));
  const rest = runs.filter((run) => !ruled.some((table) => table.runs.has(run)));
  const tables = [...ruled, ...alignedTables(rest)].toSorted((one, other) => other.top - one.top);
  const [first, last] = [tables[0], tables.at(-1)];
  const lines = linesFromTop(runs.filter((run) => isWord(run)));
  return {
    tables,
    above: lines.filter(([run]) => run && first && run.y >= first.top).length,
    below: lines.filter(([run]) => run && last && run.y < last.bottom).length,
  };
}
