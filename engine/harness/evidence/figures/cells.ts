import type { Json } from '#contract';
import { columnLetter } from '../../../lib/column-letter.ts';
import { plain } from './match.ts';
import type { ShownCell, ShownResult, ShownTable } from './shown.ts';

/**
 * The cells that an address names, in the order of the source; null where it names none. Addresses are what a person
 * or a spreadsheet would write: `C4`, `C2:C13`, `September/parts`, `parts`, `September`, `items.2.price`.
 */
export function cellsAt(address: string, shown: ShownResult): readonly ShownCell[] | null {
  const { fields, lists, places } = shown;
  const tables = tablesMeant(address, shown);
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
  if (field !== undefined) return [field];
  return lists.get(path) ?? lists.get(`result.${path}`) ?? (tables.length === 0 ? placedAt(wanted, places) : null);
}

/** A source by nothing but where its values stand in the table that it was worked out of. */
export const byPlaces = ({ places }: ShownResult): ShownResult => ({
  ...{ tables: [], sheets: new Map(), texts: [], fields: new Map(), lists: new Map(), whole: '', pieces: [] },
  places,
});

const MAX_COLUMNS = 12;
const MAX_ADDRESSES = 20;
const MAX_HEADING = 40;

/** How the cells of a source are named, for whoever named one that it has not. */
export function cellNames({ tables, places }: ShownResult): readonly string[] {
  if (places.size === 0)
    return tables.map((table) => {
      const [headings = []] = table;
      const columns = headings.slice(0, MAX_COLUMNS).map((name, at) => `${columnLetter(at)} ${short(name)}`);
      return `A1 to ${columnLetter(headings.length - 1)}${table.length} (${columns.join(', ')})`;
    });
  const addresses = [...places.keys()];
  const more = addresses.length > MAX_ADDRESSES ? ' …' : '';
  const crossed = tables.flatMap(([headings = [], row = []]) => {
    const [first] = row;
    const column = headings.at(-1);
    return headings.length > 1 && first !== undefined && column !== undefined
      ? [`${short(first)}/${short(column)}`]
      : [];
  });
  return [[...addresses.slice(0, MAX_ADDRESSES), ...crossed.slice(0, 1)].join(' ') + more];
}

const short = (cell: ShownCell): string => String(cell).slice(0, MAX_HEADING).toWellFormed();

const MAX_PLACED = 2000;

/** Cells of that table, each of which has to be known, and once. */
function placedAt(address: string, places: ShownResult['places']): readonly ShownCell[] | null {
  const range = /^\$?([A-Z]{1,2})\$?(\d{1,6})(?::\$?([A-Z]{1,2})\$?(\d{1,6}))?$/.exec(address);
  if (range === null || places.size === 0) return null;
  const [, first = '', top = '', last = first, bottom = top] = range;
  const [left, right] = [columnNumber(first), columnNumber(last)];
  const [width, height] = [right - left + 1, Number(bottom) - Number(top) + 1];
  if (width < 1 || height < 1 || width * height > MAX_PLACED) return null;
  const cells = Array.from({ length: width * height }, (_, at) => {
    const known = places.get(`${columnLetter(left + (at % width))}${Number(top) + Math.floor(at / width)}`) ?? [];
    return new Set(known).size === 1 ? known[0] : undefined;
  });
  return cells.every((cell) => cell !== undefined) ? cells : null;
}

/** `Sheet!B4` is of that sheet alone: a name that no sheet has, and that is not the file's, means no table at all. */
function tablesMeant(address: string, { tables, sheets, fields }: ShownResult): readonly ShownTable[] {
  const written = address.trim().replace(/^=/, '').trim();
  const [, quoted, bare] = /^(?:'([^'\n]{1,200})'|([^'!\n]{1,200}))!/.exec(written) ?? [];
  const name = (quoted ?? bare)?.trim();
  if (name === undefined || sheets.size === 0) return tables;
  const ofSheet = tables.filter((table) => plain(sheets.get(table) ?? '') === plain(name));
  const isFile = [...fields.values()].some((field) => String(field).split('/').at(-1) === name.split('/').at(-1));
  return ofSheet.length > 0 || !isFile ? ofSheet : tables;
}

const addressIn = (address: string): string =>
  address
    .trim()
    .replace(/^=|^(?:'[^'\n]{1,200}'|[\p{L}\p{N}_ .-]+)!(?=\$?[A-Z]+\$?\d)/gu, '')
    .replace(/^["'`]|["'`]$/g, '');

/** A cell, and others that whoever counts rows or columns in another way may mean by the same address. */
export interface MeantCell {
  readonly cell: ShownCell;
  readonly mayBe: readonly ShownCell[];
}

/**
 * The one cell that is cited by where it stands: `r12.c4`, `r12.Net`, `C12`; null where that names none, or several. Rows
 * are those that say their number (`row`), else the lines of the one table, its headings first, else the entries of the one list.
 */
export function cellCited(address: string, result: Json, shown: ShownResult): MeantCell | null {
  const [, row, rest = ''] = /^r(\d{1,6})[./](.{1,200})$/.exec(address.trim()) ?? [];
  const [, nth] = /^c(\d{1,3})$/.exec(rest) ?? [];
  const place = { row: Number(row), rest, column: nth === undefined ? null : Number(nth) - 1 };
  if (row === undefined) return cellInSheet(address, shown);
  return isFields(result) && isFields(result.columns) && Array.isArray(result.rows)
    ? cellOfRow(place, result.columns, rowsOf(result))
    : cellOfLine(place, shown, rowsOf(result).length > 0);
}

interface Place {
  readonly row: number;
  /** What the column is called. */
  readonly rest: string;
  /** Its place, from 0, where it is cited by that. */
  readonly column: number | null;
}

/** Of what was worked out of a table: its rows say their number, and its columns their letter. */
function cellOfRow({ row, rest, column }: Place, columns: Fields, rows: readonly Fields[]): MeantCell | null {
  const [said, ...more] = rows.filter((one) => one.row === row);
  if (!said || more.length > 0) return null;
  const byLetter = Object.entries(columns).flatMap(([name, by]) => (by === columnLetter(column ?? -1) ? [name] : []));
  const [name, ...names] = column === null ? [rest] : byLetter;
  const cell = name === undefined || names.length > 0 ? undefined : said[name];
  if (name === undefined || !isCell(cell)) return null;
  const other = rows[row - 1]?.[name];
  const atPlace = column === null ? undefined : Object.values(said)[column];
  return { cell, mayBe: [other, atPlace].filter(isCell) };
}

/** Of a text or a list, whose rows say no number. */
function cellOfLine({ row, rest, column }: Place, { tables }: ShownResult, isListed: boolean): MeantCell | null {
  const [table, ...others] = tables;
  if (!table || others.length > 0) return null;
  const at = column ?? columnOf(rest, table);
  const line = isListed ? row : row - 1;
  const cell = at < 0 ? undefined : table[line]?.[at];
  if (cell === undefined) return null;
  const mayBe = [table[line + 1]?.[at], ...(column === null ? [] : [table[line]?.[at + 1]])];
  return { cell, mayBe: mayBe.filter(isCell) };
}

/** Of the table that a result was worked out of, where it was, else of the one table in it; or a field of its own. */
function cellInSheet(address: string, { places, tables, fields }: ShownResult): MeantCell | null {
  const placed = places.get(placeName(address)) ?? [];
  const wanted = address.trim().toUpperCase();
  const [table, ...others] = tables;
  const listed = (table && others.length === 0 ? inSheet(wanted, table) : null) ?? [];
  const [cell, ...more] = places.size > 0 ? placed : listed;
  if (cell !== undefined) return more.length > 0 ? null : { cell, mayBe: places.size > 0 ? listed : [] };
  const field = places.size > 0 ? undefined : fields.get(address.trim());
  return field === undefined ? null : { cell: field, mayBe: [] };
}

/** The entries of the one list of a result. */
function rowsOf(result: Json): readonly Fields[] {
  const values: readonly unknown[] = isFields(result) ? Object.values(result) : [];
  const lists = values.flatMap((value): (readonly Fields[])[] => {
    const entries = Array.isArray(value) ? value.filter(isFields) : [];
    return entries.length > 0 ? [entries] : [];
  });
  return lists.length === 1 ? (lists[0] ?? []) : [];
}

/** How many values one cell of that address has, in all tables that have it; null where it names several cells of one. */
export function tablesWith(address: string, shown: ShownResult): number | null {
  const tables = tablesMeant(address, shown);
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
export const pointsNowhere = (address: string, shown: ShownResult): boolean =>
  (shown.tables.length > 0 && tablesMeant(address, shown).length === 0) || pointsBeside(address, shown);

const pointsBeside = (address: string, { tables }: ShownResult): boolean =>
  splits(address, CROSSED).some(([left, right]) =>
    tables.some((table) => {
      const isKnown = (name: string) => columnOf(name, table) >= 0 || rowOf(name, table) >= 0;
      const other = isKnown(left) ? right : isKnown(right) ? left : null;
      return other !== null && !isKnown(other) && !POSITION.test(other.trim()) && !namesSome(other, table);
    }),
  );

function namesSome(words: string, table: ShownTable): boolean {
  const said = ` ${plain(words)} `;
  const { columns, rowWith } = namesOf(table);
  return [...columns, ...rowWith.keys()].some((name) => name !== '' && said.includes(` ${name} `));
}

const columnNumber = (letters: string): number =>
  [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;

/** `C4`, `$C$4`, `C2:C13`, `C:C`; row 1 is the headers. */
function inSheet(wanted: string, table: ShownTable): readonly ShownCell[] | null {
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
function byNames(wanted: string, table: ShownTable): readonly ShownCell[] | null {
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

function crossing(rowName: string, columnName: string, table: ShownTable): readonly ShownCell[] | null {
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
const known = new WeakMap<ShownTable, Names>();

function namesOf(table: ShownTable): Names {
  const names = known.get(table) ?? readNames(table);
  known.set(table, names);
  return names;
}

function readNames([headers = [], ...below]: ShownTable): Names {
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

const columnOf = (name: string, table: ShownTable): number => only(namesOf(table).columns, plain(name));

function rowOf(name: string, table: ShownTable): number {
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
const isCell = (value: unknown): value is ShownCell => typeof value === 'string' || typeof value === 'number';

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
export function placesIn(result: Json): ReadonlyMap<string, readonly ShownCell[]> | null {
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
