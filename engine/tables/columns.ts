import type { Cell } from '../documents/types.ts';
import { columnLetter } from '../lib/column-letter.ts';
import { isEmpty } from './header.ts';
import { QueryError } from './query-error.ts';
import { isUnit, unitOf } from './values/amount.ts';
import { type DateFormat, type DateOrder, dateFormatOf } from './values/dates.ts';
import { type NumberFormat, numberFormatOf } from './values/number-format.ts';

export interface Column {
  readonly index: number;
  /** As in a sheet: A, B … AA. */
  readonly letter: string;
  /** The heading, made unique; the letter where there is none. */
  readonly name: string;
  /** A currency or `%` that the heading names in brackets: "Amount (EUR)". */
  readonly unit: string | null;
  readonly numbers: NumberFormat;
  /** The column that says how its numbers are written, where it does not say it itself. */
  readonly numbersFrom: string | null;
  readonly dates: DateFormat;
  /** Of a column that is worked out of others. */
  readonly made?: {
    /** Their letters: what a figure of it is made of. */
    readonly letters: readonly string[];
    cellOf(row: Cells): Cell;
  };
}

/** A row as far as its cells go. */
export interface Cells {
  readonly cells: readonly Cell[];
}

const words = (cell: Cell | undefined): string =>
  String(cell ?? '')
    .replace(/\s+/g, ' ')
    .trim();

interface Conventions {
  readonly numbers: '1,234.56' | '1.234,56' | null;
  readonly dates: DateOrder | null;
}

/** The columns of a table by its headings, each with how its numbers and dates are written. `rows` are those below. */
export function columnsOf(
  header: readonly Cell[] | undefined,
  rows: readonly { readonly cells: readonly Cell[] }[],
  given: Conventions,
): readonly Column[] {
  const width = Math.max(header?.length ?? 0, ...rows.slice(0, 1).map(({ cells }) => cells.length));
  const seen = new Map<string, number>();
  const named = Array.from({ length: width }, (_, index) => {
    const letter = columnLetter(index);
    const heading = words(header?.[index]);
    const times = (seen.get(heading.toLowerCase()) ?? 0) + 1;
    seen.set(heading.toLowerCase(), times);
    const name = heading === '' ? letter : times > 1 ? `${heading} (${letter})` : heading;
    const cells = rows.map((row) => row.cells[index] ?? null);
    const [numbers, dates] = [numberFormatOf(cells), dateFormatOf(cells)];
    return {
      index,
      letter,
      name,
      unit: unitInHeading(heading),
      numbers,
      numbersFrom: null,
      dates: datesAs(dates, given),
    };
  });
  // What is given decides only where nothing in the table does.
  return withNeighbours(named).map((column) => ({ ...column, numbers: numbersAs(column.numbers, given) }));
}

const numbersAs = (found: NumberFormat, { numbers }: Conventions): NumberFormat =>
  found.kind === 'open' && numbers ? { kind: 'known', sign: numbers === '1,234.56' ? '.' : ',' } : found;

const datesAs = (found: DateFormat, { dates }: Conventions): DateFormat =>
  found.kind === 'open' && dates ? { kind: 'known', order: dates } : found;

/** Columns of one table are written alike: where one leaves it open, all others that say it decide. */
function withNeighbours(columns: readonly Column[]): readonly Column[] {
  const known = columns.filter(({ numbers }) => numbers.kind === 'known');
  const [first] = known;
  const isOne = known.every(
    ({ numbers }) => numbers.kind === 'known' && first?.numbers.kind === 'known' && numbers.sign === first.numbers.sign,
  );
  if (!first || !isOne || columns.some(({ numbers }) => numbers.kind === 'mixed')) return columns;
  return columns.map((column) =>
    column.numbers.kind === 'open' ? { ...column, numbers: first.numbers, numbersFrom: first.name } : column,
  );
}

function unitInHeading(heading: string): string | null {
  const [, inner = ''] = /[([]([^()[\]]{1,8})[)\]]\s*$/.exec(heading) ?? /\b(?:in)\s+(\S{1,5})$/.exec(heading) ?? [];
  return inner !== '' && isUnit(inner) ? unitOf(inner) : null;
}

const key = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s_]+/g, '')
    .replace(/^["']|["']$/g, '');
const withoutBrackets = (name: string): string => key(name.replace(/[([][^()[\]]*[)\]]\s*$/, ''));

/**
 * By its heading, whatever its case and blanks; by its heading without what stands in brackets behind it; or by its
 * letter. Throws a `QueryError` that names the nearest.
 */
export function columnNamed(name: string, columns: readonly Column[]): Column {
  const wanted = key(name);
  const found =
    columns.find((column) => key(column.name) === wanted) ??
    only(columns.filter((column) => withoutBrackets(column.name) === wanted)) ??
    columns.find(({ letter }) => letter === name.trim());
  if (found) return found;
  const nearest = columns
    .map((column) => ({
      column,
      distance: Math.min(distanceOf(key(column.name), wanted), distanceOf(withoutBrackets(column.name), wanted)),
    }))
    .toSorted((a, b) => a.distance - b.distance)[0];
  const hint =
    nearest && nearest.distance <= Math.max(2, wanted.length / 2) ? `; the nearest is "${nearest.column.name}"` : '';
  throw new QueryError(`there is no column "${name.slice(0, 100)}"${hint}. Columns: ${listOf(columns)}`);
}

export const isColumn = (name: string, columns: readonly Column[]): boolean =>
  columns.some((column) => key(column.name) === key(name));

const only = <Item>(items: readonly Item[]): Item | undefined => (items.length === 1 ? items[0] : undefined);

const MAX_LISTED = 40;
export const listOf = (columns: readonly Column[]): string =>
  columns
    .slice(0, MAX_LISTED)
    .map(({ letter, name }) => (letter === name ? letter : `${letter} ${name.slice(0, 60)}`))
    .join(', ') + (columns.length > MAX_LISTED ? ` and ${columns.length - MAX_LISTED} more` : '');

/** Edits that make one word of the other. */
function distanceOf(from: string, to: string): number {
  const [a, b] = [from.slice(0, 60), to.slice(0, 60)];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, letter] of [...a].entries()) {
    const next = [index + 1];
    for (let at = 1; at <= b.length; at += 1) {
      const swap = (row[at - 1] ?? 0) + (b[at - 1] === letter ? 0 : 1);
      next.push(Math.min((row[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1, swap));
    }
    row = next;
  }
  return b.includes(a) || a.includes(b) ? Math.min(1, row[b.length] ?? 0) : (row[b.length] ?? 0);
}

/** The cell of a row as it stands. */
export const cellAt = (row: Cells, { index, made }: Pick<Column, 'index' | 'made'>): Cell => {
  const cell = (made ? made.cellOf(row) : row.cells[index]) ?? null;
  return isEmpty(cell) ? null : cell;
};
