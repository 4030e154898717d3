import type { Column } from '../columns.ts';
import { QueryError } from '../query-error.ts';
import type { Decimal } from '../values/amount.ts';
import { type Aggregated, aggregateOf, numbersIn, wholeOf } from './aggregate.ts';
import type { Parsed } from './arithmetic-grammar.ts';
import {
  type AggregateExpression,
  type Computed,
  type Expression,
  isOfMany,
  type NamedExpression,
  nameOf,
  worked,
} from './expression.ts';
import { keyOf } from './key.ts';
import { sortKeyAt } from './plain.ts';
import type { MadeRows, Rows } from './rows.ts';
import { folded, jsonOf, type TableRow } from './value.ts';

const MAX_GROUPS = 10_000;

interface Question {
  readonly rows: readonly TableRow[];
  readonly selected: readonly NamedExpression[];
  readonly groups: readonly NamedExpression[];
  /** They need not be selected. */
  readonly orderedBy: readonly NamedExpression[];
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
  const made = parts.map((part, index): MadeRows => {
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

const NO_ROW: TableRow = { number: 0, cells: [] };

const resultOf = (
  { expression }: NamedExpression,
  part: readonly TableRow[],
  whole: (column: Column) => Decimal,
): Aggregated | null =>
  expression.kind === 'aggregate'
    ? aggregateOf(expression.aggregate, expression.column, part, whole)
    : expression.kind === 'figures'
      ? figuresOf(expression.tree, part, whole)
      : null;

/** More decimals than this are those of a quotient. */
const MOST_PLACES = 15;

/** What is worked out of figures of the same rows, with all their cells. Throws a `QueryError` where units do not go together. */
function figuresOf(
  tree: Parsed<AggregateExpression>,
  part: readonly TableRow[],
  whole: (column: Column) => Decimal,
): Aggregated {
  const cells = new Set<string>();
  const found = worked(tree, ({ aggregate, column }): Computed => {
    const figure = aggregateOf(aggregate, column, part, whole);
    if (figure.cells !== '') cells.add(figure.cells);
    if (figure.sortsBy === null) return { kind: 'empty' };
    return typeof figure.sortsBy === 'string'
      ? { kind: 'date', date: figure.sortsBy }
      : { kind: 'amount', value: figure.sortsBy, unit: figure.unit };
  });
  const about = { unit: null, cells: [...cells].join(',') };
  switch (found.kind) {
    case 'amount': {
      const value = jsonOf(found.value, found.value.decimalPlaces() > MOST_PLACES);
      return { ...about, value, sortsBy: found.value, unit: found.unit };
    }
    case 'date':
      return { ...about, value: found.date, sortsBy: found.date };
    case 'words':
      return { ...about, value: found.text, sortsBy: null };
    case 'empty':
      return { ...about, value: null, sortsBy: null };
  }
}

const withUnit = ({ value, unit }: Aggregated, isMixed: boolean): string | number | null =>
  isMixed && unit !== null && value !== null ? `${value} ${unit}` : value;

function groupsOf(rows: readonly TableRow[], groups: readonly NamedExpression[]): readonly (readonly TableRow[])[] {
  const found = new Map<string, TableRow[]>();
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
function checkOrder({ expression }: NamedExpression, groups: readonly NamedExpression[]): void {
  if (isOfMany(expression) || groups.some((group) => nameOf(group.expression) === nameOf(expression))) return;
  throw new QueryError(
    `the rows of the answer are groups: order by what they are grouped by or by a function, not by ${nameOf(expression)}`,
  );
}

const NUMERIC: ReadonlySet<string> = new Set(['sum', 'avg', 'share']);
const MAX_EXAMPLES = 3;

const aggregatesIn = (expression: Expression): readonly AggregateExpression[] =>
  expression.kind === 'aggregate' ? [expression] : expression.kind === 'figures' ? operandsIn(expression.tree) : [];

function operandsIn<Operand>(tree: Parsed<Operand>): readonly Operand[] {
  switch (tree.kind) {
    case 'number':
      return [];
    case 'operand':
      return [tree.operand];
    case 'negative':
      return operandsIn(tree.of);
    case 'two':
      return [...operandsIn(tree.left), ...operandsIn(tree.right)];
    case 'call':
      return tree.of.flatMap(operandsIn);
  }
}

/** Cells that hold something else than a number are in no sum: that is said. */
function skippedIn(selected: readonly NamedExpression[], rows: readonly TableRow[]): readonly string[] {
  const columns = new Set<Column>(
    selected
      .flatMap(({ expression }) => aggregatesIn(expression))
      .flatMap(({ aggregate, column }) => (NUMERIC.has(aggregate) && column ? [column] : [])),
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
