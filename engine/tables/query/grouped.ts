import type { Column } from '../columns.ts';
import { QueryError } from '../query-error.ts';
import type { Decimal } from '../values/amount.ts';
import { type Aggregated, aggregateOf, numbersIn, wholeOf } from './aggregate.ts';
import { type Expression, type Named, nameOf } from './expression.ts';
import { keyOf } from './key.ts';
import { sortKeyAt } from './plain.ts';
import type { Made, Rows } from './rows.ts';
import { folded, type Row } from './value.ts';

const MAX_GROUPS = 10_000;

interface Question {
  readonly rows: readonly Row[];
  readonly selected: readonly Named[];
  readonly groups: readonly Named[];
  /** They need not be selected. */
  readonly orderedBy: readonly Named[];
}

/** One row for each group, in the order in which the groups begin, with the cells that each figure is made of. */
export function groupedRows({ rows, selected, groups, orderedBy }: Question): Rows {
  const parts = groups.length === 0 ? [rows] : groupsOf(rows, groups);
  const wholes = new Map<Column, Decimal>();
  const whole = (column: Column): Decimal => {
    const known = wholes.get(column) ?? wholeOf(column, rows);
    wholes.set(column, known);
    return known;
  };
  const units = new Map<string, string>();
  const mixed = new Set<string>();
  const results = parts.map((part) =>
    selected.map((named) => {
      const result = resultOf(named, part, whole);
      const unit = result?.unit ?? null;
      if (unit !== null && units.has(named.name) && units.get(named.name) !== unit) mixed.add(named.name);
      if (unit !== null) units.set(named.name, unit);
      return { named, result };
    }),
  );
  for (const name of mixed) units.delete(name);
  for (const named of orderedBy) if (!selected.includes(named)) checkOrder(named, groups);
  const made = parts.map((part, index): Made => {
    const ofGroup = results[index] ?? [];
    const values = ofGroup.map(({ named, result }): [string, string | number | null] => [
      named.name,
      result ? withUnit(result, mixed.has(named.name)) : keyOf(part[0] ?? NO_ROW, named.expression),
    ]);
    const cells = ofGroup.flatMap(({ named, result }) =>
      result && result.cells !== '' ? [[named.name, result.cells]] : [],
    );
    return {
      row: { ...Object.fromEntries(values), cells: Object.fromEntries(cells) as Record<string, string> },
      keyFor: (named) => {
        const found = ofGroup.find((one) => one.named === named)?.result ?? resultOf(named, part, whole);
        return found ? found.sortsBy : sortKeyAt(part[0] ?? NO_ROW, named);
      },
    };
  });
  const columns = selected.flatMap(({ name, expression }) =>
    expression.column === null ? [] : [[name, expression.column.letter] as const],
  );
  return { made, columns: Object.fromEntries(columns), units, notes: skippedIn(selected, rows) };
}

const NO_ROW: Row = { number: 0, cells: [] };

const resultOf = (
  { expression }: Named,
  part: readonly Row[],
  whole: (column: Column) => Decimal,
): Aggregated | null =>
  expression.kind === 'aggregate' ? aggregateOf(expression.aggregate, expression.column, part, whole) : null;

const withUnit = ({ value, unit }: Aggregated, isMixed: boolean): string | number | null =>
  isMixed && unit !== null && value !== null ? `${value} ${unit}` : value;

function groupsOf(rows: readonly Row[], groups: readonly Named[]): readonly (readonly Row[])[] {
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    const key = JSON.stringify(groups.map(({ expression }) => folded(keyOf(row, expression) ?? '')));
    const group = found.get(key);
    if (group) group.push(row);
    else found.set(key, [row]);
    if (found.size > MAX_GROUPS) throw new QueryError(`there are more than ${MAX_GROUPS} groups`);
  }
  return [...found.values()];
}

/** A group has one value of what it is grouped by, and no other of its rows' cells. */
function checkOrder({ expression }: Named, groups: readonly Named[]): void {
  if (expression.kind === 'aggregate' || groups.some((group) => nameOf(group.expression) === nameOf(expression)))
    return;
  throw new QueryError(
    `the rows of the answer are groups: order by what they are grouped by or by a function, not by ${nameOf(expression)}`,
  );
}

const NUMERIC: ReadonlySet<string> = new Set(['sum', 'avg', 'share']);
const MAX_EXAMPLES = 3;

/** Cells that hold something else than a number are in no sum: that is said. */
function skippedIn(selected: readonly Named[], rows: readonly Row[]): readonly string[] {
  const isNumeric = (expression: Expression): boolean =>
    expression.kind === 'aggregate' && NUMERIC.has(expression.aggregate);
  const columns = new Set<Column>(
    selected.flatMap(({ expression }) => (isNumeric(expression) && expression.column ? [expression.column] : [])),
  );
  return [...columns].flatMap((column) => {
    const others = rows.filter(
      (row) => keyOf(row, { kind: 'column', column }) !== null && numbersIn(column, [row]).found.length === 0,
    );
    if (others.length === 0) return [];
    const examples = others
      .slice(0, MAX_EXAMPLES)
      .map(
        (row) =>
          `${column.made?.letters[0] ?? column.letter}${row.number} "${keyOf(row, { kind: 'column', column })?.slice(0, 40)}"`,
      );
    const more = others.length > MAX_EXAMPLES ? ` and ${others.length - MAX_EXAMPLES} more` : '';
    return [`cells of "${column.name}" that hold no number are in no sum: ${examples.join(', ')}${more}`];
  });
}
