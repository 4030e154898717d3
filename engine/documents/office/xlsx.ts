import { markdownTable } from '../plain/markdown-table.ts';
import type { Content, NamedText, Reading } from '../reading.ts';
import type { Cell, Table } from '../types.ts';
import type { Archive } from '../zip/archive.ts';
import { createGrid } from './grid.ts';
import { attribute, readPart, relatedOf, titleOf } from './package.ts';
import { type CellFormat, dated, readFormats } from './xlsx-formats.ts';

interface Book {
  readonly strings: readonly string[];
  readonly formats: readonly CellFormat[];
  readonly isFrom1904: boolean;
}

interface Sheet {
  readonly name: string;
  readonly isHidden: boolean;
  readonly part: string;
}

/** The sheets of an Excel workbook, each a table, with the values that its formulas had when it was stored. */
export async function readXlsx(archive: Archive, reading: Reading): Promise<Content> {
  const related = await relatedOf(archive, 'xl/workbook.xml', reading);
  const partOf = (type: string) => [...related.values()].find((each) => each.type === type)?.target ?? '';
  const sheets: Sheet[] = [];
  let isFrom1904 = false;
  await readPart(archive, 'xl/workbook.xml', reading, {
    open: {
      workbookPr({ date1904 }) {
        isFrom1904 = date1904 === '1' || date1904 === 'true';
      },
      sheet(attributes) {
        const found = related.get(attribute(attributes, 'id') ?? '');
        const name = attributes.name ?? `sheet ${sheets.length + 1}`;
        const isHidden = (attributes.state ?? 'visible') !== 'visible';
        // A sheet that is a chart alone has no cells.
        if (found?.type === 'worksheet') sheets.push({ name, isHidden, part: found.target });
      },
    },
  });
  const book: Book = {
    strings: await readStrings(archive, partOf('sharedStrings'), reading),
    formats: await readFormats(archive, partOf('styles'), reading),
    isFrom1904,
  };
  const tables: Table[] = [];
  for (const sheet of sheets.slice(0, reading.limits.maxPages)) {
    const rows = await readSheet(archive, sheet, book, reading);
    tables.push({ name: sheet.name, rows });
  }
  const title = await titleOf(archive, reading);
  return { kind: 'xlsx', ...title, paged: { word: 'sheet', pages: sheets.map(pageOf(tables)) }, tables };
}

const pageOf =
  (tables: readonly Table[]) =>
  ({ name, isHidden }: Sheet, index: number): NamedText => {
    const rows = tables[index]?.rows ?? [];
    return { name: isHidden ? `${name} (hidden)` : name, text: rows.length === 0 ? '(empty)' : markdownTable(rows) };
  };

/** The texts that cells name by their place. */
async function readStrings(archive: Archive, part: string, reading: Reading): Promise<readonly string[]> {
  const strings: string[] = [];
  let text = '';
  let isText = false;
  await readPart(archive, part, reading, {
    // How Japanese words are pronounced.
    skip: ['rPh'],
    open: {
      si() {
        text = '';
      },
      t() {
        isText = true;
      },
    },
    close: {
      t() {
        isText = false;
      },
      si: () => void strings.push(text),
    },
    text(piece) {
      if (isText) text += piece;
    },
  });
  return strings;
}

async function readSheet(archive: Archive, sheet: Sheet, book: Book, reading: Reading) {
  const grid = createGrid(sheet.name, reading);
  let row = 0;
  let column = 0;
  let cell: { readonly type: string; readonly style: number } | null = null;
  let value = '';
  let formula = '';
  let into: 'value' | 'formula' | null = null;
  const take = (what: typeof into) => () => {
    into = what;
  };
  await readPart(archive, sheet.part, reading, {
    skip: ['rPh', 'extLst'],
    isDone: grid.isFull,
    open: {
      row({ r }) {
        row = Number(r) || row + 1;
        column = 0;
      },
      c({ r = '', t = 'n', s = '0' }) {
        column = columnOf(r) || column + 1;
        cell = { type: t, style: Number(s) };
        value = '';
        formula = '';
      },
      v: take('value'),
      t: take('value'),
      f: take('formula'),
    },
    close: {
      v: take(null),
      t: take(null),
      f: take(null),
      c() {
        if (cell) grid.put(row, column, cellOf(cell, { value, formula }, book));
        cell = null;
      },
    },
    text(piece) {
      if (into === 'value') value += piece;
      if (into === 'formula') formula += piece;
    },
  });
  if (grid.hasFormulas()) reading.note('Formulas without a stored result stand as they were written.');
  return grid.rows();
}

/** `AB12` is in the 28th column. */
function columnOf(reference: string): number {
  let column = 0;
  for (const letter of /^[A-Z]{0,3}/.exec(reference)?.[0] ?? '') column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}

function cellOf(
  { type, style }: { readonly type: string; readonly style: number },
  { value, formula }: { readonly value: string; readonly formula: string },
  { strings, formats, isFrom1904 }: Book,
): Cell {
  if (type === 's') return strings[Number(value)] || null;
  if (value === '') return formula === '' ? null : `=${formula}`;
  if (type === 'b') return value === '1' || value === 'true';
  if (type === 'd') return value.replace(/(?:T00:00:00(?:\.0+)?)?Z?$/, '');
  if (type !== 'n') return value;
  const number = Number(value);
  if (Number.isNaN(number)) return value;
  // Fifteen digits are what programs show; what comes after is the noise of binary fractions.
  return dated(Number(number.toPrecision(15)), formats[style] ?? 'number', isFrom1904);
}
