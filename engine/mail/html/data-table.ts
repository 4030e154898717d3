import type { DomNode, FormatCallback } from 'html-to-text';
import { MARKS } from '../text/quote-marks.ts';
import type { StartTag } from './tokens.ts';

const MAX_COLUMNS = 50;
const MAX_ROWSPAN = 200;
const MARK = new RegExp(`[${Object.values(MARKS).join('')}]`);
const LINE = /\b(?:solid|double|dashed|dotted|ridge|groove|inset|outset)\b/i;

/** What the converter has to know of a table and its cells; all else of their attributes stays behind. */
export function tableAttributes({ name, attributes }: StartTag): string {
  if (name !== 'table' && name !== 'td' && name !== 'th') return '';
  const span = (key: string, most: number) => {
    const count = Number.parseInt(attributes.get(key) ?? '', 10);
    return count > 1 ? ` ${key}="${Math.min(count, most)}"` : '';
  };
  const border = hasBorder(attributes) ? ' border="1"' : '';
  return name === 'table' ? border : border + span('colspan', MAX_COLUMNS) + span('rowspan', MAX_ROWSPAN);
}

function hasBorder(attributes: StartTag['attributes']): boolean {
  if (Number.parseFloat(attributes.get('border') ?? '') > 0) return true;
  const declarations = (attributes.get('style') ?? '').slice(0, 2000).split(';');
  return declarations.some((each) => /^\s*border(?:-(?:top|right|bottom|left))?\s*:/i.test(each) && LINE.test(each));
}

const cellsOf = (row: DomNode): readonly DomNode[] => tagsOf(row, 'td', 'th');
const tagsOf = ({ children = [] }: DomNode, ...names: readonly string[]): readonly DomNode[] =>
  children.filter(({ type, name }) => type === 'tag' && names.includes(name ?? ''));
/** What has lines of its own to keep: a quote above all, which must not stand in the middle of a line. */
const holdsBlocks = ({ children = [] }: DomNode): boolean =>
  children.some((child) => child.name === 'table' || child.name === 'blockquote' || holdsBlocks(child));

const MAX_GRID_CELL = 60;

const wordsOf = (cell: DomNode): string => textIn(cell).replace(/\s+/g, ' ').trim();
const textIn = ({ type, data, children = [] }: DomNode): string =>
  type === 'text' ? (data ?? '') : children.map(textIn).join('');

/**
 * A table without lines and head cells that is one nevertheless: rows of equal length with a few words each, and below the
 * first row a column of figures. Two columns of two rows may be anything.
 */
function isGrid(rows: readonly (readonly DomNode[])[]): boolean {
  const width = rows[0]?.length ?? 0;
  if (width < 2 || rows.length + width < 5 || rows.some((cells) => cells.length !== width)) return false;
  const words = rows.map((cells) => cells.map(wordsOf));
  if (words.some((row) => row.some((cell) => cell.length > MAX_GRID_CELL))) return false;
  const columns = Array.from({ length: width - 1 }, (_, at) => words.slice(1).flatMap((row) => row[at + 1] || []));
  return columns.some((cells) => cells.length > 0 && cells.every((cell) => FIGURE.test(cell)));
}

/** A number with what stands around one, and nothing else: no telephone number, no sentence. */
const FIGURE = /^[-+(]?\s?(?:\p{Sc}|[A-Z]{3})?\s?\d[\d.,'’\u00a0\u202f]{0,20}\s?(?:%|\p{Sc}|[A-Z]{3})?\)?-?$/u;

/** Not one that only lays a mail out: it has head cells or lines, rows and columns, and neither table nor quote inside. */
function isDataTable(table: DomNode): boolean {
  const rows = tagsOf(table, 'tr').map(cellsOf);
  if (rows.filter((cells) => cells.length > 0).length < 2 || !rows.some((cells) => cells.length > 1)) return false;
  const isDrawn = table.attribs?.border !== undefined;
  const isMarked = rows.some((cells) => cells.some(({ name, attribs }) => name === 'th' || attribs?.border));
  return !holdsBlocks(table) && (isDrawn || isMarked || isGrid(rows));
}

/**
 * A table of data as a Markdown table, empty cells included: read one after the other, `Mini | | 2790` and
 * `Lasta | 3290 |` lost the year that their figures belong to. Any other table is a block of blocks, as mail is laid out.
 */
export const formatTable: FormatCallback = (table, walk, builder) => {
  if (!isDataTable(table)) {
    builder.openBlock({ leadingLineBreaks: 2 });
    walk(table.children ?? [], builder);
    builder.closeBlock({ trailingLineBreaks: 2 });
    return;
  }
  builder.openTable();
  for (const row of tagsOf(table, 'tr')) {
    builder.openTableRow();
    for (const cell of cellsOf(row)) {
      builder.openTableCell({});
      walk(cell.children ?? [], builder);
      builder.closeTableCell({
        colspan: Number(cell.attribs?.colspan ?? 1),
        rowspan: Number(cell.attribs?.rowspan ?? 1),
      });
    }
    builder.closeTableRow();
  }
  builder.closeTable({ tableToString, leadingLineBreaks: 2, trailingLineBreaks: 2 });
};

interface Cell {
  readonly colspan: number;
  readonly rowspan: number;
  readonly text: string;
}

function tableToString(rows: readonly (readonly Cell[])[]): string {
  const texts = rows.flat().map(({ text }) => text);
  const grid = gridOf(rows);
  const width = Math.max(...grid.map((row) => row.length));
  // A quote begins or ends in it: that has to stay a line of its own.
  if (width > MAX_COLUMNS || texts.some((text) => MARK.test(text))) return texts.filter(Boolean).join('\n');
  const lines = grid.map((row) => `| ${Array.from({ length: width }, (_, at) => row[at] ?? '').join(' | ')} |`);
  const [head = '', ...body] = lines;
  return [head, `|${' --- |'.repeat(width)}`, ...body].join('\n');
}

/** Each cell in its column: what spans rows leaves its place empty in those below. */
function gridOf(rows: readonly (readonly Cell[])[]): readonly (readonly string[])[] {
  /** By column: for how many rows more it is taken. */
  const taken: number[] = [];
  return rows.map((cells) => {
    const row: string[] = [];
    const skip = () => {
      while ((taken[row.length] ?? 0) > 0 && row.length <= MAX_COLUMNS) {
        taken[row.length] = (taken[row.length] ?? 0) - 1;
        row.push('');
      }
    };
    for (const { text, colspan, rowspan } of cells.slice(0, MAX_COLUMNS + 1)) {
      skip();
      for (let span = 0; span < colspan && row.length <= MAX_COLUMNS; span += 1) {
        taken[row.length] = rowspan - 1;
        row.push(span === 0 ? text.replace(/\s+/g, ' ').trim().replaceAll('|', '\\|') : '');
      }
    }
    skip();
    return row;
  });
}
