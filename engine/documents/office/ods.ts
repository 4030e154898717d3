import { markdownTable } from '../plain/markdown-table.ts';
import type { Content, Reading } from '../reading.ts';
import type { Cell, Table } from '../types.ts';
import type { Archive } from '../zip/archive.ts';
import type { Attributes } from '../zip/xml.ts';
import { createGrid, type Grid } from './grid.ts';
import { refuseEncrypted } from './odf.ts';
import { attribute, readPart, titleOf } from './package.ts';

/** What is repeated to the edge of the sheet is empty; a row of values hardly ever comes more often than this. */
const MAX_REPEATED = 1000;

/** The sheets of an OpenDocument spreadsheet, each a table, with the values that were stored. */
export async function readOds(archive: Archive, reading: Reading): Promise<Content> {
  await refuseEncrypted(archive, reading);
  const tables: Table[] = [];
  let grid: Grid | null = null;
  let name = '';
  let row = 0;
  let column = 0;
  let rowTimes = 1;
  let cells: { readonly column: number; readonly value: Cell }[] = [];
  let cell: { readonly attributes: Attributes; lines: string[] } | null = null;

  function endCell(): void {
    if (!cell) return;
    const value = storedIn(cell.attributes, cell.lines.join('\n'));
    const times = Number(attribute(cell.attributes, 'number-columns-repeated')) || 1;
    if (value !== null) {
      for (let at = 1; at <= Math.min(times, MAX_REPEATED); at += 1) cells.push({ column: column + at, value });
    }
    column += times;
    cell = null;
  }

  await readPart(archive, 'content.xml', reading, {
    skip: ['tracked-changes', 'annotation', 'shapes', 'forms', 'dde-links'],
    open: {
      table(attributes) {
        name = attribute(attributes, 'name') ?? `sheet ${tables.length + 1}`;
        grid = createGrid(name, reading);
        row = 0;
      },
      'table-row'(attributes) {
        rowTimes = Number(attribute(attributes, 'number-rows-repeated')) || 1;
        column = 0;
        cells = [];
      },
      'table-cell'(attributes) {
        cell = { attributes, lines: [] };
      },
      'covered-table-cell'(attributes) {
        column += Number(attribute(attributes, 'number-columns-repeated')) || 1;
      },
      p: () => void cell?.lines.push(''),
      s: (attributes) => addText(cell, ' '.repeat(Math.min(100, Number(attribute(attributes, 'c')) || 1))),
      'line-break': () => addText(cell, '\n'),
    },
    close: {
      'table-cell': endCell,
      'table-row'() {
        const times = cells.length === 0 ? 0 : Math.min(rowTimes, MAX_REPEATED);
        for (let at = 1; at <= times; at += 1) for (const each of cells) grid?.put(row + at, each.column, each.value);
        row += rowTimes;
      },
      table() {
        if (grid) tables.push({ name, rows: grid.rows() });
        grid = null;
      },
    },
    text: (text) => addText(cell, text),
  });
  const pages = tables.map((table) => ({
    name: table.name,
    text: table.rows.length === 0 ? '(empty)' : markdownTable(table.rows),
  }));
  return { kind: 'ods', ...(await titleOf(archive, reading, 'meta.xml')), paged: { word: 'sheet', pages }, tables };
}

function addText(cell: { readonly lines: string[] } | null, text: string): void {
  if (cell && cell.lines.length > 0) cell.lines[cell.lines.length - 1] += text;
}

function storedIn(attributes: Attributes, text: string): Cell {
  const value = (key: string) => attribute(attributes, key) ?? '';
  switch (value('value-type')) {
    case 'float':
    case 'percentage':
    case 'currency': {
      const number = Number(value('value'));
      return Number.isNaN(number) ? text : Number(number.toPrecision(15));
    }
    case 'date':
      return value('date-value')
        .replace(/T00:00:00(?:\.0+)?$/, '')
        .replace(/(T\d\d:\d\d:\d\d)\.\d+$/, '$1');
    case 'time':
      return durationOf(value('time-value')) ?? text;
    case 'boolean':
      return value('boolean-value') === 'true';
    default:
      return text === '' ? null : text;
  }
}

/** `PT14H30M00S` as `14:30:00`. */
function durationOf(value: string): string | null {
  const [, hours, minutes = '0', seconds = '0'] = /^PT(\d+)H(?:(\d+)M)?(?:(\d+)(?:[.,]\d+)?S)?$/.exec(value) ?? [];
  return hours === undefined ? null : [hours, minutes, seconds].map((part) => part.padStart(2, '0')).join(':');
}
