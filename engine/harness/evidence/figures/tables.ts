import type { Json } from '#contract';
import { anyJson, readJson } from '../../../lib/json.ts';
import { placesIn, withoutPlaces } from './cells.ts';
import type { ShownCell, ShownResult, ShownTable } from './shown.ts';

const MAX_FIELDS = 5000;

export function shownIn(results: readonly Json[]): ShownResult {
  const tables: ShownTable[] = [];
  const texts: string[] = [];
  const whole: string[] = [];
  const pieces: string[] = [];
  const sheets = new Map<ShownTable, string>();
  const fields = new Map<string, ShownCell>();
  const lists = new Map<string, readonly ShownCell[]>();
  const places = new Map<string, readonly ShownCell[]>();
  const keep = (path: string, cell: ShownCell): void => {
    whole.push(String(cell));
    pieces.push(String(cell));
    if (fields.size < MAX_FIELDS) fields.set(path, cell);
  };
  const readText = (text: string, path: string): void => {
    const json = parsedJson(text);
    if (json !== undefined) {
      walk(json, path);
      return;
    }
    for (const { name, text: inside } of sheetsIn(text)) {
      const { found, rest, ofCells } = tablesOfText(inside);
      const ofTags = htmlTablesIn(inside);
      tables.push(...ofTags, ...found);
      texts.push(...rest);
      pieces.push(inside, ...[...ofTags, ...ofCells].flat(2).map(String));
      if (name !== null) for (const table of found) sheets.set(table, name);
    }
    whole.push(text);
  };
  const walk = (value: Json, path: string): void => {
    if (typeof value === 'object' && value !== null) walkInto(value, path);
    else if (typeof value === 'string' && /\n|<table\b/i.test(value)) readText(value, path);
    else if (typeof value === 'string' || typeof value === 'number') keep(path, value);
  };
  const walkInto = (value: object, path: string): void => {
    const table = Array.isArray(value) ? tableOfRows(value) : null;
    if (table) tables.push(table);
    if (table) lists.set(path, table.slice(1).map(beginningOf));
    else if (Array.isArray(value) && value.every(isScalar)) lists.set(path, value.map(asCell));
    for (const [key, inner] of Object.entries(value)) walk(inner as Json, path === '' ? key : `${path}.${key}`);
  };
  for (const result of results) {
    const placed = placesIn(result) ?? [];
    for (const [place, cells] of placed) places.set(place, [...(places.get(place) ?? []), ...cells]);
    walk(result, '');
  }
  return { tables, sheets, texts, fields, lists, places, whole: whole.join('\n'), pieces };
}

/** Above each sheet of a workbook, as it is read. */
const SHEET = /^\[sheet \d{1,4}: ([^\n]{1,200})\]$/gm;

/** A text by the sheets in it; what stands in none is of no name. */
function sheetsIn(text: string): readonly { readonly name: string | null; readonly text: string }[] {
  const heads = [...text.matchAll(SHEET)];
  const [first] = heads;
  if (!first) return [{ name: null, text }];
  const before = text.slice(0, first.index);
  return [
    ...(before.trim() === '' ? [] : [{ name: null, text: before }]),
    ...heads.map(({ index, 1: name = '' }, at) => ({ name, text: text.slice(index, heads[at + 1]?.index) })),
  ];
}

const beginningOf = (row: readonly ShownCell[]): ShownCell => row.find((cell) => cell !== '') ?? '';

const parsedJson = (text: string): Json | undefined => (/^\s*[[{]/.test(text) ? readJson(anyJson, text) : undefined);

const isScalar = (value: unknown): value is ShownCell | boolean | null =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value);
const asCell = (value: unknown): ShownCell =>
  typeof value === 'number' || typeof value === 'string'
    ? value
    : value === null || value === undefined
      ? ''
      : String(value);

/** A list of objects, or a list of lists. */
function tableOfRows(list: readonly Json[]): ShownTable | null {
  if (list.length === 0) return null;
  if (list.every((row) => Array.isArray(row) && row.every(isScalar)))
    return (list as Json[][]).map((row) => row.map(asCell));
  if (!list.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row))) return null;
  const rows = list.map((row) => withoutPlaces(Object(row)));
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return [keys, ...rows.map((row) => keys.map((key) => asCell(row[key])))];
}

const DELIMITERS = [';', '\t', '|', ',', '  '] as const;

/** Lines of a text that have the same number of fields, those of them that no sentences can be, and the rest of it. */
function tablesOfText(text: string): {
  found: readonly ShownTable[];
  ofCells: readonly ShownTable[];
  rest: readonly string[];
} {
  const lines = text.split(/\r?\n/);
  const found: ShownTable[] = [];
  const ofCells: ShownTable[] = [];
  const rest: string[] = [];
  let at = 0;
  while (at < lines.length) {
    const run = DELIMITERS.map((delimiter) => runFrom(lines, at, delimiter)).reduce((a, b) =>
      b.cells > a.cells ? b : a,
    );
    if (run.rows.length < 2) {
      rest.push(lines[at] ?? '');
      at += 1;
      continue;
    }
    const end = at + run.lines;
    found.push(run.rows);
    if (!run.isProse) ofCells.push(run.rows);
    // Commas stand in sentences and in numbers, too: such lines are read both ways.
    if (!run.isSure) rest.push(lines.slice(at, end).join('\n'));
    at = end;
  }
  return { found, ofCells, rest: [rest.join('\n')] };
}

interface Run {
  readonly rows: readonly (readonly string[])[];
  readonly lines: number;
  readonly cells: number;
  readonly isSure: boolean;
  /** Its signs may be those between the clauses of sentences. */
  readonly isProse: boolean;
}

function runFrom(lines: readonly string[], from: number, delimiter: (typeof DELIMITERS)[number]): Run {
  const rows: (readonly string[])[] = [];
  let count = 0;
  let isSure = true;
  let isProse = delimiter === '  ';
  for (let at = from; at < lines.length; at = from + count) {
    const first = lines[at] ?? '';
    if (delimiter === '|' && first.includes('-') && /^[\s|:+-]+$/.test(first)) {
      count += 1;
      continue;
    }
    const span = recordFrom(lines, at, delimiter);
    const line = lines.slice(at, at + span).join('\n');
    const fields = fieldsOf(line, delimiter);
    if (fields.length < 2 || (rows[0] && fields.length !== rows[0].length)) break;
    rows.push(fields);
    count += span;
    const bare = line.replace(/"[^"]*"/g, '');
    isProse ||= bare.includes(`${delimiter} `) && delimiter !== '|';
    if (delimiter === ',' && /, |\d,\d/.test(bare)) isSure = false;
  }
  const width = rows[0]?.length ?? 0;
  // A row of numbers side by side has many commas between digits, a sentence has one or two.
  if (!isSure && width > 3 && !rows.some((row) => row.some((field) => field.startsWith(' ')))) isSure = true;
  return { rows, lines: count, cells: rows.length < 2 ? 0 : rows.length * width, isSure, isProse };
}

const MAX_RECORD = 30;

/** How many lines a record takes: a field that begins with a quotation mark goes on to the line that closes it. */
function recordFrom(lines: readonly string[], from: number, delimiter: (typeof DELIMITERS)[number]): number {
  if (delimiter === '|' || delimiter === '  ' || !isOpen(lines[from] ?? '')) return 1;
  if (!(lines[from] ?? '').split(delimiter).some((field) => field.trimStart().startsWith('"'))) return 1;
  const end = lines.slice(from + 1, from + MAX_RECORD).findIndex(isOpen);
  return end < 0 ? 1 : end + 2;
}

const isOpen = (line: string): boolean => line.split('"').length % 2 === 0;

function fieldsOf(line: string, delimiter: (typeof DELIMITERS)[number]): readonly string[] {
  if (delimiter === '  ') return line.trim() === '' ? [] : line.trim().split(/ {2,}/);
  const fields = divided(line, delimiter);
  if (delimiter !== '|') return delimiter === ',' ? fields : fields.map((field) => field.trim());
  // A row of Markdown may begin and end with its sign.
  const from = fields[0]?.trim() === '' ? 1 : 0;
  return fields.slice(from, fields.at(-1)?.trim() === '' ? -1 : undefined).map((field) => field.trim());
}

/** At each delimiter that does not stand in quotation marks; two of those inside a field are one of its own. */
function divided(line: string, delimiter: string): string[] {
  const fields: string[] = [];
  let field = '';
  let isQuoted = false;
  for (const sign of line) {
    if (sign === delimiter && !isQuoted) {
      fields.push(field);
      field = '';
    } else {
      field += sign;
      if (sign === '"') isQuoted = !isQuoted;
    }
  }
  return [...fields, field].map(unquoted);
}

function unquoted(field: string): string {
  const inner = field.trim();
  return inner.length > 1 && inner.startsWith('"') && inner.endsWith('"')
    ? inner.slice(1, -1).replaceAll('""', '"')
    : field;
}

/** Enough for any result that a model was shown. */
const MAX_CHARS = 200_000;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', euro: '€' };

/** The tables of a page that a tool gives as it is: rows and cells by their tags. */
function htmlTablesIn(text: string): readonly ShownTable[] {
  if (!/<table\b/i.test(text)) return [];
  return text
    .slice(0, MAX_CHARS)
    .split(/<table\b/i)
    .slice(1)
    .map((table) =>
      table
        .split(/<\/table\b/i, 1)
        .flatMap((body) => body.split(/<tr\b/i).slice(1))
        .map(cellsOf)
        .filter((row) => row.length > 0),
    )
    .filter((table) => table.length > 1);
}

/** What stands between the tag of a cell and the next tag of the table. */
const cellsOf = (row: string): string[] =>
  row
    .split(/<t[dh]\b/i)
    .slice(1)
    .map((cell) => {
      const [inner = ''] = cell.slice(cell.indexOf('>') + 1).split(/<\/?t[dhr]\b/i, 1);
      return wordsOf(inner);
    });

const wordsOf = (html: string): string =>
  html
    .replace(/<[^<>]{0,2000}>/g, ' ')
    .replace(/&(?:#(\d{1,6})|(\w{2,6}));/g, (whole, code, name) =>
      code === undefined ? (ENTITIES[name] ?? whole) : (characterOf(Number(code)) ?? whole),
    )
    .replace(/\s+/g, ' ')
    .trim();

const characterOf = (code: number): string | null => (code <= 0x10ffff ? String.fromCodePoint(code) : null);
