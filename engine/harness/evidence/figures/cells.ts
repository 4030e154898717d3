import type { Json } from '#contract';
import { plain } from './match.ts';
import type { Cell, Shown, Table } from './shown.ts';

/**
 * The cells that an address names, in the order of the source; null where it names none. Addresses are what a person
 * or a spreadsheet would write: `C4`, `C2:C13`, `September/parts`, `parts`, `September`, `items.2.price`.
 */
export function cellsAt(address: string, { tables, fields, lists }: Shown): readonly Cell[] | null {
  const wanted = addressIn(address);
  const path = wanted
    .replace(/^\$?\.|\[(\d+)\]/g, (_whole, index) => (index === undefined ? '' : `.${index}`))
    .replace(/^\//, '')
    .replaceAll('/', '.');
  for (const table of tables) {
    const found = inSheet(wanted, table) ?? byNames(wanted, table);
    if (found && found.length > 0) return found;
  }
  const field = fields.get(wanted) ?? fields.get(path) ?? fields.get(`result.${path}`);
  return field === undefined ? (lists.get(path) ?? lists.get(`result.${path}`) ?? null) : [field];
}

const addressIn = (address: string): string =>
  address
    .trim()
    .replace(/^=|^(?:[\p{L}\p{N}_ .-]+)!(?=\$?[A-Z]+\$?\d)/gu, '')
    .replace(/^["'`]|["'`]$/g, '');

/** How many values one cell of that address has, in all tables that have it; null where it names several cells of one. */
export function tablesWith(address: string, { tables }: Shown): number | null {
  const wanted = addressIn(address);
  const found = tables.map((table) => inSheet(wanted, table) ?? byNames(wanted, table) ?? []);
  return found.some((cells) => cells.length > 1) ? null : new Set(found.flat()).size;
}

/** Words of a position, which are read in any language: "line 3". */
const POSITION = /^\p{L}+\.? \d{1,6}$/u;

/**
 * Whether an address names a row or a column of a table, and for the other half something that the table has not: the
 * value may stand in the table, but not there. In other words the other half may say more than the table does.
 */
export const pointsNowhere = (address: string, { tables }: Shown): boolean =>
  splits(address, CROSSED).some(([left, right]) =>
    tables.some((table) => {
      const isKnown = (name: string) => columnOf(name, table) >= 0 || rowOf(name, table) >= 0;
      const other = isKnown(left) ? right : isKnown(right) ? left : null;
      return other !== null && !isKnown(other) && !POSITION.test(other.trim()) && !namesSome(other, table);
    }),
  );

function namesSome(words: string, table: Table): boolean {
  const said = ` ${plain(words)} `;
  const { columns, rowWith } = namesOf(table);
  return [...columns, ...rowWith.keys()].some((name) => name !== '' && said.includes(` ${name} `));
}

const columnNumber = (letters: string): number =>
  [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;

/** `C4`, `$C$4`, `C2:C13`, `C:C`; row 1 is the headers. */
function inSheet(wanted: string, table: Table): readonly Cell[] | null {
  const match = /^\$?([A-Z]{1,2})\$?(\d{1,6})?(?::\$?([A-Z]{1,2})\$?(\d{1,6})?)?$/.exec(wanted);
  if (!match) return null;
  const [, first = '', top, last, bottom] = match;
  if (top === undefined && last === undefined) return null;
  const columns = [columnNumber(first), columnNumber(last ?? first)];
  const rows = [
    top === undefined ? 2 : Number(top),
    bottom === undefined ? (last === undefined ? Number(top) : table.length) : Number(bottom),
  ];
  const cells = table.slice((rows[0] ?? 1) - 1, rows[1]).flatMap((row) => row.slice(columns[0], (columns[1] ?? 0) + 1));
  return cells.length === 0 ? null : cells;
}

/** Row and column by what stands in the first cell of each, in either order; a row or a column alone; `row 3`. */
function byNames(wanted: string, table: Table): readonly Cell[] | null {
  for (const [left, right] of splits(wanted)) {
    const found = crossing(left, right, table) ?? crossing(right, left, table);
    if (found) return found;
  }
  const column = columnOf(wanted, table);
  if (column >= 0) return table.slice(1).map((row) => row[column] ?? '');
  const row = rowOf(wanted, table);
  return row < 0 ? null : (table[row] ?? []).slice(1);
}

const ANY_SIGN = / ?(?:[/|,:;.]|->|→|×) ?/g;
/** Signs that stand between a row and a column and nowhere in a sentence. */
const CROSSED = / ?(?:[/|]|->|→|×) ?/g;

/** Each place at which an address can be taken apart. */
function splits(wanted: string, signs = ANY_SIGN): readonly (readonly [string, string])[] {
  const open = wanted.endsWith(']') ? wanted.indexOf('[') : -1;
  const places = [...wanted.matchAll(signs)];
  return [
    ...(open > 0 ? [[wanted.slice(0, open), wanted.slice(open + 1, -1)] as const] : []),
    ...places.map((place) => [wanted.slice(0, place.index), wanted.slice(place.index + place[0].length)] as const),
  ].filter(([left, right]) => left.trim() !== '' && right.trim() !== '');
}

function crossing(rowName: string, columnName: string, table: Table): readonly Cell[] | null {
  const column = columnOf(columnName, table);
  const row = rowOf(rowName, table);
  const cell = table[row]?.[column];
  return row < 0 || column < 0 || cell === undefined ? null : [cell];
}

/** What rows and columns are called, and what stands in each row, in one spelling; a table has its names read once. */
interface Names {
  readonly columns: readonly string[];
  readonly rows: readonly string[];
  /** By what stands in it: the row; -1 where several have it. */
  readonly rowWith: ReadonlyMap<string, number>;
}
const known = new WeakMap<Table, Names>();

function namesOf(table: Table): Names {
  const names = known.get(table) ?? readNames(table);
  known.set(table, names);
  return names;
}

function readNames([headers = [], ...below]: Table): Names {
  const cells = below.map((row) => row.map((cell) => plain(String(cell))));
  const rowWith = new Map<string, number>();
  for (const [at, row] of cells.entries())
    for (const cell of new Set(row)) rowWith.set(cell, rowWith.has(cell) ? -1 : at);
  return { columns: headers.map((name) => plain(String(name))), rows: cells.map(([first = '']) => first), rowWith };
}

/** The one that is called so; else the only one whose name has these words in it. */
function only(names: readonly string[], words: string): number {
  const exact = names.indexOf(words);
  if (exact >= 0 || words.length < 2) return exact;
  const within = names.flatMap((name, at) =>
    name.includes(words) && ` ${name.replace(/[()[\],.:;/]/g, ' ')} `.includes(` ${words} `) ? [at] : [],
  );
  return within.length === 1 ? (within[0] ?? -1) : -1;
}

const columnOf = (name: string, table: Table): number => only(namesOf(table).columns, plain(name));

function rowOf(name: string, table: Table): number {
  const numbered = /^row (\d{1,6})$/i.exec(name.trim());
  if (numbered) return Number(numbered[1]) < table.length ? Number(numbered[1]) : -1;
  const { rows, rowWith } = namesOf(table);
  const wanted = plain(name);
  const byFirst = only(rows, wanted);
  if (byFirst >= 0) return byFirst + 1;
  const anywhere = rowWith.get(wanted) ?? -1;
  return anywhere < 0 ? -1 : anywhere + 1;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCell = (value: unknown): value is Cell => typeof value === 'string' || typeof value === 'number';

/** An address in one spelling: `$D$2 : D14` is `D2:D14`. */
export const placeName = (address: string): string =>
  address
    .replace(/^.*!/, '')
    .replace(/[\s$=]/g, '')
    .toUpperCase();

/**
 * Where the values of a result stand in the table that it was worked out of: rows with a number and columns with letters
 * (`D5`), or rows that name the cells of each value (`D2:D14,D17`). Null where the result says neither.
 */
export function placesIn(result: Json): ReadonlyMap<string, readonly Cell[]> | null {
  if (!isFields(result) || !isFields(result.columns) || !Array.isArray(result.rows)) return null;
  const { columns } = result;
  const rows: readonly unknown[] = result.rows;
  const placed = rows
    .filter(isFields)
    .flatMap((row) =>
      Object.entries(row).flatMap(([name, value]) =>
        isCell(value) ? addressesOf(name, row, columns).map((address) => [placeName(address), value] as const) : [],
      ),
    );
  const groups = Map.groupBy(placed, ([address]) => address);
  return new Map([...groups].map(([address, pairs]) => [address, pairs.map(([, value]) => value)]));
}

function addressesOf(name: string, row: Fields, columns: Fields): readonly string[] {
  const letter = columns[name];
  const at = typeof row.row === 'number' && name !== 'row' && typeof letter === 'string' ? [`${letter}${row.row}`] : [];
  const cells = isFields(row.cells) ? row.cells[name] : undefined;
  if (typeof cells !== 'string') return at;
  // Each of several ranges leads to the figure, too.
  return [...at, cells, ...(cells.includes(',') ? cells.split(',') : [])];
}

/** A row as its values, without where they come from. */
export function withoutPlaces(row: Fields): Fields {
  const { cells, ...values } = row;
  return isFields(cells) ? values : row;
}
