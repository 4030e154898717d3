import { type Column, columnNamed, isColumn } from '../columns.ts';
import { QueryError } from '../query-error.ts';
import { DATE_PARTS, type DatePart } from '../values/dates.ts';
import { computedColumn, isArithmetic } from './computed.ts';

const AGGREGATES = ['sum', 'count', 'min', 'max', 'avg', 'count_distinct', 'share'] as const;
export type Aggregate = (typeof AGGREGATES)[number];

/** What one item of `select`, `group_by`, `order_by` or a condition means. */
export type Expression =
  | { readonly kind: 'column'; readonly column: Column }
  | { readonly kind: 'part'; readonly part: DatePart; readonly column: Column }
  | { readonly kind: 'unit'; readonly column: Column }
  /** Of all rows where the column is null: only `count` is. */
  | { readonly kind: 'aggregate'; readonly aggregate: Aggregate; readonly column: Column | null };

export interface Named {
  readonly name: string;
  readonly expression: Expression;
}

const OTHER_NAMES: Readonly<Record<string, Aggregate>> = {
  average: 'avg',
  mean: 'avg',
  total: 'sum',
  counta: 'count',
  minimum: 'min',
  maximum: 'max',
  distinct: 'count_distinct',
  percent: 'share',
};
const CALL = /^(?<name>[a-z_]+)\s*\((?<inside>.*)\)$/is;

/** `Amount`, `sum(Amount)`, `month(Date)`, `count`. A heading that looks like a call is that heading. */
export function expressionOf(text: string, columns: readonly Column[]): Expression {
  if (isColumn(text, columns)) return { kind: 'column', column: columnNamed(text, columns) };
  if (/^count(?:\s*\(\s*(?:\*\s*)?\))?$/i.test(text.trim()))
    return { kind: 'aggregate', aggregate: 'count', column: null };
  const call = CALL.exec(text.trim())?.groups;
  if (!call || !isBalanced(call.inside ?? '')) return { kind: 'column', column: columnOf(text, columns) };
  const name = (call.name ?? '').toLowerCase();
  const inside = (call.inside ?? '').trimStart();
  const [distinct = ''] = /^distinct\s+/i.exec(inside) ?? [];
  const inner = inside.slice(distinct.length).trimEnd();
  const part = DATE_PARTS.find((one) => one === name);
  if (part) return { kind: 'part', part, column: columnOf(inner, columns) };
  if (name === 'unit') return { kind: 'unit', column: columnOf(inner, columns) };
  // Of several columns the smallest of a row, of one the smallest of its rows.
  const isByRow =
    /^(?:round|abs)$/.test(name) || (/^(?:min|max)$/.test(name) && hasComma(inner) && !isColumn(inner, columns));
  if (isByRow) return { kind: 'column', column: computedColumn(text, columns) };
  const aggregate = AGGREGATES.find((one) => one === name) ?? OTHER_NAMES[name];
  if (!aggregate) {
    throw new QueryError(
      `there is no function "${name}" and no column "${text.slice(0, 100)}". Functions: ${[...AGGREGATES, ...DATE_PARTS, 'unit'].join(', ')}`,
    );
  }
  const isDistinct = aggregate === 'count' && distinct !== '';
  const column = columnOf(inner, columns);
  return { kind: 'aggregate', aggregate: isDistinct ? 'count_distinct' : aggregate, column };
}

/** One of the table, or one that is worked out of some of them. */
const columnOf = (text: string, columns: readonly Column[]): Column =>
  isArithmetic(text, columns) ? computedColumn(text, columns) : columnNamed(text, columns);

const hasComma = (text: string): boolean => /[,;]/.test(text);

/** `sum(a) / sum(b)` is no call of what stands between its first and its last bracket. */
function isBalanced(inside: string): boolean {
  let depth = 0;
  for (const char of inside) {
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** With the name that `as` gives it, or one made of its parts. */
export function namedExpression(text: string, columns: readonly Column[]): Named {
  const renamed = isColumn(text, columns) ? null : renamedIn(text.trim());
  const expression = expressionOf(renamed?.what ?? text, columns);
  return { name: renamed?.name ?? nameOf(expression), expression };
}

const MAX_NAME = 60;

/** By the first `as` behind which stands nothing but a name; null where there is none. */
function renamedIn(text: string): { readonly what: string; readonly name: string } | null {
  for (const { 0: as, index } of text.matchAll(/(?<!\s)\s+as(?=\s)/gi)) {
    const name = text.slice(index + as.length).trimStart();
    if (name.length <= MAX_NAME && !/[()]/.test(name)) return { what: text.slice(0, index), name };
  }
  return null;
}

export function nameOf(expression: Expression): string {
  switch (expression.kind) {
    case 'column':
      return expression.column.name;
    case 'part':
      return `${expression.part}(${expression.column.name})`;
    case 'unit':
      return `unit(${expression.column.name})`;
    case 'aggregate':
      return expression.column === null ? 'count' : `${expression.aggregate}(${expression.column.name})`;
  }
}
