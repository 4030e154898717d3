import type { TableAnswer, TableAnswerRow, TableQuery } from '#contract';
import type { Cell, Table } from '../../documents/types.ts';
import { type Column, columnsOf, listOf } from '../columns.ts';
import { headerRowOf, isEmpty } from '../header.ts';
import { QueryError } from '../query-error.ts';
import { Decimal } from '../values/amount.ts';
import { amountIn } from '../values/number-format.ts';
import { expressionOf, isOfMany, type NamedExpression, namedExpression, nameOf } from './expression.ts';
import { testOf } from './filter.ts';
import { groupedRows } from './grouped.ts';
import { compareKeys, orderOf } from './order.ts';
import { plainRows } from './plain.ts';
import type { MadeRows } from './rows.ts';
import { folded, type TableRow, textAt } from './value.ts';

/** In characters of JSON, below what a result is cut to. */
const MAX_CHARS = 12_000;
const MAX_NOTES = 12;
/** Of a cell in what a model is shown. */
export const MAX_SHOWN_CELL = 500;

/** All rows of an answer in their order, and what is said of them. */
export interface WorkedOut extends Omit<TableAnswer, 'rows' | 'offset' | 'next_offset' | 'units' | 'columns'> {
  readonly made: readonly MadeRows[];
  /** The names in the rows, as they were asked for. */
  readonly names: readonly string[];
  readonly letters: TableAnswer['columns'];
  readonly unitOf: ReadonlyMap<string, string>;
}

/**
 * Works out a question over one table. `maxCell`: characters of a cell, as far as it is not a number. Pure; throws a
 * `QueryError` for a question that cannot be answered as it was asked.
 */
export function workOut(table: Table, query: TableQuery, maxCell: number): WorkedOut {
  const { columns, rows: below } = layOut(table, query);
  const { rows, totals, doubtful } = withoutTotals(below, columns);
  const test = testOf(query, columns);
  const matched = rows.filter(test);
  const { selected, groups } = selectionOf(query, columns);
  const isGrouped = groups.length > 0 || selected.some(({ expression }) => isOfMany(expression));
  const order = query.order_by.map(orderOf);
  const orderedBy = order.map(({ what }) => namedFrom(what, selected, columns));
  const answer = isGrouped
    ? groupedRows({ rows: matched, selected, groups, orderedBy })
    : plainRows({ rows: matched, selected, maxCell });
  const sorted =
    order.length === 0
      ? answer.made
      : answer.made.toSorted((a, b) => {
          for (const [index, named] of orderedBy.entries()) {
            const found = compareKeys(a.keyFor(named), b.keyFor(named), order[index]?.isDescending ?? false);
            if (found !== 0) return found;
          }
          return 0;
        });
  const notes = [
    ...totals.map((row) => `row ${row.number} is left out: it is the sum of those above (${shortOf(row, columns)})`),
    ...doubtful.map(
      (row) => `row ${row.number} is called a sum and was counted like the others (${shortOf(row, columns)})`,
    ),
    ...columns.flatMap(({ name, numbersFrom }) =>
      numbersFrom === null ? [] : [`numbers of "${name}" are read as "${numbersFrom}" writes them`],
    ),
    ...answer.notes,
  ].slice(0, MAX_NOTES);
  return {
    table: table.name,
    total_rows: rows.length,
    matched_rows: matched.length,
    answer_rows: sorted.length,
    notes,
    made: sorted,
    names: selected.map(({ name }) => name),
    letters: answer.columns,
    unitOf: answer.units,
  };
}

/** A page of it, as a model is shown it. Throws a `QueryError` for one behind the end. */
export function pageOf(worked: WorkedOut, { offset, limit }: Pick<TableQuery, 'offset' | 'limit'>): TableAnswer {
  const { made, names: _, letters, unitOf, ...about } = worked;
  const rows = rowsThatFit(made, { offset, limit });
  const next = offset + rows.length;
  return {
    ...about,
    columns: letters,
    ...(unitOf.size > 0 ? { units: Object.fromEntries(unitOf) } : {}),
    offset,
    rows,
    next_offset: next < made.length ? next : null,
  };
}

function layOut(table: Table, query: TableQuery): { columns: readonly Column[]; rows: readonly TableRow[] } {
  const headerRow = query.header ?? headerRowOf(table);
  if (headerRow > table.rows.length)
    throw new QueryError(`there is no row ${headerRow}: the table has ${table.rows.length}`);
  const rows = table.rows
    .slice(headerRow)
    .map((cells, index) => ({ number: headerRow + index + 1, cells }))
    .filter(({ cells }) => cells.some((cell) => !isEmpty(cell)));
  return { columns: columnsOf(headerRow === 0 ? undefined : table.rows[headerRow - 1], rows, query), rows };
}

/** Columns beside a sum are what it is made for each of. */
function selectionOf({ select, group_by }: TableQuery, columns: readonly Column[]) {
  const asked = select.map((text) => namedExpression(text, columns));
  const named = group_by.map((text) => asked.find(({ name }) => name === text) ?? namedExpression(text, columns));
  const wrong = named.find(({ expression }) => isOfMany(expression));
  if (wrong) throw new QueryError(`rows cannot be grouped by ${wrong.name}; group by columns or parts of dates`);
  if (asked.length === 0) {
    const all = columns.map(
      (column): NamedExpression => ({ name: column.name, expression: { kind: 'column', column } }),
    );
    const count: NamedExpression = {
      name: 'count',
      expression: { kind: 'aggregate', aggregate: 'count', column: null },
    };
    return { selected: named.length > 0 ? [...named, count] : all, groups: named };
  }
  const plain = asked.filter(({ expression }) => !isOfMany(expression));
  const isMixed = plain.length > 0 && plain.length < asked.length;
  const beside = isMixed || named.length > 0 ? plain.filter((one) => !named.some((group) => same(group, one))) : [];
  return {
    selected: [...named.filter((group) => !asked.some((one) => same(group, one))), ...asked],
    groups: [...named, ...beside],
  };
}

const same = (a: NamedExpression, b: NamedExpression): boolean => nameOf(a.expression) === nameOf(b.expression);

function namedFrom(what: string, selected: readonly NamedExpression[], columns: readonly Column[]): NamedExpression {
  const byName = selected.find(({ name }) => name.toLowerCase() === what.toLowerCase());
  return byName ?? { name: what, expression: expressionOf(what, columns) };
}

/** As many as are asked for and fit; at least one. */
function rowsThatFit(
  made: readonly MadeRows[],
  { offset, limit }: Pick<TableQuery, 'offset' | 'limit'>,
): readonly TableAnswerRow[] {
  if (offset > 0 && offset >= made.length)
    throw new QueryError(`there are ${made.length} rows, and offset is ${offset}`);
  const page: TableAnswerRow[] = [];
  let left = MAX_CHARS;
  for (const { row } of made.slice(offset, offset + limit)) {
    left -= JSON.stringify(row).length;
    if (left < 0 && page.length > 0) break;
    page.push(row);
  }
  return page;
}

const shortOf = (row: TableRow, columns: readonly Column[]): string =>
  columns
    .flatMap((column) => textAt(row, column) ?? [])
    .join(' | ')
    .slice(0, 80);

/** Which of several tables is meant. Throws a `QueryError` that lists them. */
export function chosenTable(tables: readonly Table[], query: TableQuery): Table {
  const [only] = tables;
  if (!only) throw new QueryError('there is no table in it');
  const { table: wanted } = query;
  if (wanted === null && tables.length === 1) return only;
  if (wanted === null) {
    const fitting = tables.filter((table) => answers(table, query));
    const [one] = fitting;
    if (one && fitting.length === 1) return one;
    throw new QueryError(`there are ${tables.length} tables: say which by table. ${listOfTables(tables)}`);
  }
  const byName = tables.find(({ name }) => name.trim().toLowerCase() === wanted.trim().toLowerCase());
  const found = byName ?? (/^\d+$/.test(wanted) ? tables[Number(wanted) - 1] : undefined);
  if (!found) throw new QueryError(`there is no table "${wanted.slice(0, 100)}". ${listOfTables(tables)}`);
  return found;
}

/** Whether it has the columns that are asked for. */
function answers(table: Table, query: TableQuery): boolean {
  const asked = [...query.select, ...query.group_by, ...query.where.map(({ column }) => column)];
  if (asked.length === 0) return false;
  try {
    const { columns } = layOut(table, query);
    for (const text of asked) namedExpression(text, columns);
    return true;
  } catch (error) {
    if (error instanceof QueryError) return false;
    throw error;
  }
}

const MAX_TABLES = 20;
const headingsOf = (table: Table): readonly Cell[] => table.rows[Math.max(0, headerRowOf(table) - 1)] ?? [];

function listOfTables(tables: readonly Table[]): string {
  const listed = tables.slice(0, MAX_TABLES).map((table, index) => {
    const columns = columnsOf(headingsOf(table), [], { numbers: null, dates: null });
    return `${index + 1} "${table.name.slice(0, 60)}" (${table.rows.length} rows: ${listOf(columns).slice(0, 150)})`;
  });
  const more = tables.length > MAX_TABLES ? ` and ${tables.length - MAX_TABLES} more` : '';
  return `Tables: ${listed.join('; ')}${more}`;
}

/** How a row that sums up is called, at the beginning of one of its cells. */
const WORDS =
  /^(?:(?:grand |sub)?totals?|sub-totals?|sum|summe|gesamt(?:summe|betrag)?|zwischensumme|insgesamt|somme|total général|sous-total|suma|totale|subtotale|somma|totaal|subtotaal|razem|итого|всего|合計|小計|总计|小计|總計)(?![\p{L}\p{N}])/u;

interface TotalRows {
  /** Rows without those that only sum up others. */
  readonly rows: readonly TableRow[];
  readonly totals: readonly TableRow[];
  /** Rows that are called a sum and are none, as far as the columns tell. */
  readonly doubtful: readonly TableRow[];
}

/** Named sums are looked for among so many rows at the end. */
const LATEST = 50;

/**
 * Takes away the rows that sum up others: those that are called so and add up, whether all above them or what came since
 * the last of them, and those at the end that add up and leave a cell empty that all others have. A column that adds up by
 * chance alone takes nothing away.
 */
function withoutTotals(rows: readonly TableRow[], columns: readonly Column[]): TotalRows {
  const { totals: named, doubtful } = namedTotals(rows, columns);
  const isNamed = new Set([...named, ...doubtful]);
  const unnamed: TableRow[] = [];
  let left = rows.filter((row) => !named.includes(row));
  // A sum, a tax and a grand total may stand below each other; more are part of the table.
  for (let last = left.at(-1); last && left.length > 2 && unnamed.length < 3; last = left.at(-1)) {
    const above = left.slice(0, -1);
    if (isNamed.has(last) || !hasGap(last, above, columns) || !addsUp(last, above, columns)) break;
    unnamed.unshift(last);
    left = above;
  }
  const totals = [...named, ...unnamed].sort((a, b) => a.number - b.number);
  return { rows: left, totals, doubtful };
}

function namedTotals(rows: readonly TableRow[], columns: readonly Column[]): Pick<TotalRows, 'totals' | 'doubtful'> {
  const calledSo = new Set(rows.slice(-LATEST).filter((row) => isCalled(row, columns)));
  if (calledSo.size === 0) return { totals: [], doubtful: [] };
  const found = new Set<TableRow>();
  for (const column of columns) {
    const sums = { all: none(), plain: none(), part: none() };
    for (const row of rows) {
      const value = amountAt(row, column);
      if (value === null) continue;
      const isSum = calledSo.has(row) && !value.isZero();
      if (isSum && Object.values(sums).some((sum) => isSumOf(row, value, sum, columns))) {
        found.add(row);
        sums.part = none();
        continue;
      }
      sums.all = plus(sums.all, value);
      // What is called a sum and is none may be either.
      if (!isSum) [sums.plain, sums.part] = [plus(sums.plain, value), plus(sums.part, value)];
    }
  }
  return {
    totals: [...calledSo].filter((row) => found.has(row)),
    doubtful: [...calledSo].filter((row) => !found.has(row)),
  };
}

interface Sum {
  readonly value: Decimal;
  readonly count: number;
}
const none = (): Sum => ({ value: new Decimal(0), count: 0 });
const plus = ({ value, count }: Sum, more: Decimal): Sum => ({ value: value.plus(more), count: count + 1 });

/** One row adds up to itself: then the row has to be called a sum and nothing else. */
const isSumOf = (row: TableRow, said: Decimal, { value, count }: Sum, columns: readonly Column[]): boolean =>
  count > 0 && value.eq(said) && (count > 1 || columns.some((column) => isWholeName(textAt(row, column))));

const nameIn = (text: string | null): string | null => (text === null ? null : (WORDS.exec(folded(text))?.[0] ?? null));

const isCalled = (row: TableRow, columns: readonly Column[]): boolean =>
  columns.some((column) => nameIn(textAt(row, column)) !== null);

function isWholeName(text: string | null): boolean {
  const name = nameIn(text);
  return name !== null && [...folded(text ?? '').slice(name.length)].every((character) => ' :='.includes(character));
}

const amountAt = (row: TableRow, column: Column): Decimal | null =>
  amountIn(row.cells[column.index] ?? null, column.numbers)?.value ?? null;

function addsUp(last: TableRow, above: readonly TableRow[], columns: readonly Column[]): boolean {
  return columns.some((column) => {
    const said = amountAt(last, column);
    if (said === null || said.isZero()) return false;
    const numbers = above.flatMap((row) => amountAt(row, column) ?? []);
    return numbers.length > 1 && numbers.reduce((sum, value) => sum.plus(value), new Decimal(0)).eq(said);
  });
}

/** A cell that is filled in every other row, or all cells but one number. */
const hasGap = (last: TableRow, above: readonly TableRow[], columns: readonly Column[]): boolean =>
  columns.some((column) => textAt(last, column) === null && above.every((row) => textAt(row, column) !== null));
