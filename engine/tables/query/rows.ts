import type { TableAnswerRow } from '#contract';
import type { NamedExpression } from './expression.ts';
import type { SortKey } from './order.ts';

/** A row of the answer with what it is ordered by. */
export interface MadeRows {
  readonly row: TableAnswerRow;
  keyFor(what: NamedExpression): SortKey;
}

export interface Rows {
  readonly made: readonly MadeRows[];
  readonly columns: Readonly<Record<string, string>>;
  readonly units: ReadonlyMap<string, string>;
  readonly notes: readonly string[];
}
