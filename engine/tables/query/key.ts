import type { Column } from '../columns.ts';
import { type DatePart, partOf } from '../values/dates.ts';
import type { Expression } from './expression.ts';
import { dateAt, numberAt, type TableRow, textAt } from './value.ts';

/** What a group is made of: one spelling for all that counts as the same. Null: nothing stands there. */
export function keyOf(row: TableRow, expression: Expression): string | null {
  switch (expression.kind) {
    case 'part':
      return partAt(row, expression.column, expression.part);
    case 'unit':
      return numberAt(row, expression.column)?.unit ?? null;
    default:
      return expression.column === null ? null : textAt(row, expression.column);
  }
}

function partAt(row: TableRow, column: Column, part: DatePart): string | null {
  const date = dateAt(row, column);
  return date === null ? null : partOf(date, part);
}
