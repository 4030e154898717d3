import type { TableAnswerRow } from '#contract';
import type { Named } from './expression.ts';
import type { SortKey } from './order.ts';

/** A row of the answer with what it is ordered by. */
export interface Made {
  readonly row: TableAnswerRow;
  keyFor(what: Named): SortKey;
}

export interface Rows {
  readonly made: readonly Made[];
  readonly columns: Readonly<Record<string, string>>;
  readonly units: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}
