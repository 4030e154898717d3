import type { PDFDocumentProxy, PDFPageProxy } from 'unpdf/pdfjs';
import type { Content, OpenPart, Reading, Source } from '../reading.ts';
import { Refused } from '../refused.ts';
import { pageText } from './lines.ts';
import { alignedTables, mayHoldTables } from './tables/aligned.ts';
import { isWord, linesFromTop, type PlacedCell, type PlacedTable } from './tables/placed-table.ts';
import { ruledTables } from './tables/ruled.ts';
import { rulesOf } from './tables/rules.ts';
import { type Glyphs, type Run, runsOf } from './tables/runs.ts';

/** Streams of pictures are objects of their own, never packed into others, so their dictionary can be seen. */
const PICTURE = /\/Subtype\s{0,3}\/Image/;

/** The text of a PDF by page, its tables, and the files within it. Throws `Refused`. */
export async function readPdf({ bytes }: Source, reading: Reading): Promise<Content> {
  const hasPictures = PICTURE.test(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'));
  const pdf = await open(bytes);
  const read = await pagesOf(pdf, reading);
  const texts = read.map((page) => page?.text ?? null);
  const fields = await formFields(pdf);
  const bare = texts.flatMap((text, index) => (text === '' ? [index + 1] : []));
  const damaged = texts.flatMap((text, index) => (text === null ? [index + 1] : []));
  if (bare.length + damaged.length === texts.length && fields === '') {
    if (bare.length === 0) throw new Refused('broken', 'none of its pages can be read');
    refuseBare(texts.length, hasPictures);
  }
  if (damaged.length > 0) reading.note(`${named(damaged)} could not be read.`);
  if (bare.length > 0) {
    reading.note(
      `${named(bare)} ${bare.length === 1 ? 'has' : 'have'} no text${hasPictures ? ', only pictures' : ''}.`,
    );
  }
  const pages = texts.map((text, index) => ({ text: `${text ?? ''}${index === 0 ? fields : ''}`.trim() }));
  const title = await titleOf(pdf);
  const parts = await filesOf(pdf);
  const tables = tablesAcross(read.flatMap((page) => page ?? [])).flatMap((rows, index) => {
    const isRoom = reading.cells(rows.length * (rows[0]?.length ?? 0)) >= 0;
    if (!isRoom) reading.noteCut('Not all of its tables were read as rows.');
    return isRoom ? [{ name: `table ${index + 1}`, rows }] : [];
  });
  return { kind: 'pdf', ...(title === '' ? {} : { title }), paged: { word: 'page', pages }, tables, parts };
}

type ReadPage = TablePage & { readonly text: string };

/** Null for a page that cannot be read. */
async function pagesOf(pdf: PDFDocumentProxy, { limits, noteCut }: Reading): Promise<readonly (ReadPage | null)[]> {
  const count = Math.min(pdf.numPages, limits.maxPages);
  if (pdf.numPages > count) noteCut(`It has ${pdf.numPages} pages; the first ${count} were read.`);
  const pages: (ReadPage | null)[] = [];
  let characters = 0;
  while (pages.length < count && characters <= limits.maxCharacters) {
    const page = await pageOf(pdf, pages.length + 1).catch(() => null);
    characters += page?.text.length ?? 0;
    pages.push(page);
  }
  return pages;
}

async function open(bytes: Uint8Array): Promise<PDFDocumentProxy> {
  // Loaded with the first PDF: it is as large as all else of this room.
  const { getDocumentProxy } = await import('unpdf');
  try {
    // A copy: the library takes the buffer that it is given away from its owner.
    return await getDocumentProxy(new Uint8Array(bytes), {
      verbosity: 0,
      enableXfa: false,
      disableFontFace: true,
      useSystemFonts: false,
      stopAtErrors: false,
      maxImageSize: 1,
    });
  } catch (error) {
    const name = error instanceof Error ? error.name : '';
    if (name === 'PasswordException') throw new Refused('encrypted', 'it opens with a password');
    throw new Refused('broken', 'its PDF is damaged or incomplete');
  }
}

async function pageOf(pdf: PDFDocumentProxy, number: number): Promise<ReadPage> {
  const page = await pdf.getPage(number);
  const { items } = await page.getTextContent({ includeMarkedContent: false });
  const glyphs: Glyphs[] = items.flatMap((item) => ('str' in item ? [item] : []));
  const runs = runsOf(glyphs);
  const found = await tablesOfPage(page, runs);
  page.cleanup();
  return { ...found, text: pageText(runs, found.tables) };
}

function refuseBare(pages: number, hasPictures: boolean): never {
  if (pages === 1) throw new Refused('scanned', `its page ${hasPictures ? 'is a picture without' : 'has no'} text`);
  throw new Refused('scanned', `its ${pages} pages ${hasPictures ? 'are pictures without' : 'have no'} text`);
}

/** `Pages 3, 4 and 9`, at most so many as a reader needs. */
function named(numbers: readonly number[]): string {
  const shown = numbers.slice(0, 10).join(', ');
  const more = numbers.length > 10 ? ` and ${numbers.length - 10} more` : '';
  return `${numbers.length === 1 ? 'Page' : 'Pages'} ${shown}${more}`;
}

async function titleOf(pdf: PDFDocumentProxy): Promise<string> {
  const found = await pdf.getMetadata().catch(() => null);
  const info: { Title?: unknown } = found?.info ?? {};
  return typeof info.Title === 'string' ? info.Title.trim() : '';
}

/** What was filled in stands in no page's text. */
async function formFields(pdf: PDFDocumentProxy): Promise<string> {
  const fields = await pdf.getFieldObjects().catch(() => null);
  const lines = Object.entries(fields ?? {}).flatMap(([name, widgets]) => {
    const filled = widgets.map((widget) => filledIn(widget)).find((value) => value !== '');
    return filled === undefined ? [] : [`${name}: ${filled}`];
  });
  return lines.length === 0 ? '' : `\n\n${['Filled in:', ...lines.slice(0, 2000)].join('\n')}`;
}

function filledIn(widget: object): string {
  const value = 'value' in widget ? widget.value : null;
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'string' && value !== 'Off' ? value.trim() : '';
}

async function filesOf(pdf: PDFDocumentProxy): Promise<OpenPart[]> {
  const found: unknown = await pdf.getAttachments().catch(() => null);
  if (typeof found !== 'object' || found === null) return [];
  return Object.values(found).flatMap((file: unknown) => {
    if (typeof file !== 'object' || file === null || !('content' in file) || !('filename' in file)) return [];
    const { content, filename } = file;
    if (!(content instanceof Uint8Array) || typeof filename !== 'string') return [];
    return [{ name: filename, type: '', bytes: content.length, open: async () => content }];
  });
}

/** The tables of a page, from its top: what is drawn as one first, then what stands in columns. */
async function tablesOfPage(page: PDFPageProxy, runs: readonly Run[]): Promise<TablePage> {
  if (!mayHoldTables(runs)) return { tables: [], above: 0, below: 0 };
  const ruled = ruledTables(runs, await rulesOf(page));
  const rest = runs.filter((run) => !ruled.some((table) => table.runs.has(run)));
  const tables = [...ruled, ...alignedTables(rest)].toSorted((one, other) => other.top - one.top);
  const [first, last] = [tables[0], tables.at(-1)];
  const lines = linesFromTop(runs.filter((run) => isWord(run)));
  return {
    tables,
    above: lines.filter(([run]) => run && first && run.y >= first.top).length,
    below: lines.filter(([run]) => run && last && run.y < last.bottom).length,
  };
}

interface TablePage {
  readonly tables: readonly PlacedTable[];
  /** Lines of text above the first of its tables and below the last. */
  readonly above: number;
  readonly below: number;
}

/** Columns stand so near to where they stood on the page before, in points. */
const NEAR = 12;
/** A page has no more lines at its head or foot than that. */
const MAX_MARGIN_LINES = 3;

type Rows = readonly (readonly PlacedCell[])[];

/** The tables of a document; one that goes on over the end of a page is one, without the headings that are repeated. */
function tablesAcross(pages: readonly TablePage[]): Rows[] {
  const all: Rows[] = [];
  let open: PlacedTable | null = null;
  for (const { tables, above, below } of pages) {
    for (const [index, table] of tables.entries()) {
      const goesOn: boolean = index === 0 && above <= MAX_MARGIN_LINES && open !== null && isAlike(open, table);
      const before = all.at(-1);
      if (goesOn && before) all[all.length - 1] = [...before, ...withoutHead(table.rows, before)];
      else all.push(table.rows);
    }
    open = below <= MAX_MARGIN_LINES ? (tables.at(-1) ?? null) : null;
  }
  return all;
}

const isAlike = (one: PlacedTable, other: PlacedTable): boolean =>
  one.columns.length === other.columns.length &&
  Math.abs(one.left - other.left) < NEAR &&
  one.columns.every(({ from, to }, at) => {
    const column = other.columns[at];
    return column !== undefined && column.from < to && column.to > from;
  });

const withoutHead = (rows: Rows, before: Rows): Rows =>
  JSON.stringify(rows[0]) === JSON.stringify(before[0]) ? rows.slice(1) : rows;
