import { stripTokens } from '../mail/approval/token.ts';
import { bounded, stripInvisible } from '../mail/text/invisible.ts';
import { DOCUMENT_LIMITS, type DocumentLimits } from './limits.ts';
import { PAGE_BREAK } from './packed.ts';
import { readVcf } from './plain/cards.ts';
import { decodeText } from './plain/charset.ts';
import { declaredDelimiter, delimitedRows, delimiterOf } from './plain/delimited.ts';
import { evenRows } from './plain/even-rows.ts';
import { markdownTables } from './plain/markdown-table.ts';
import { type Content, createReading, type OpenPart, type Reading, type Source } from './reading.ts';
import { DAMAGED, Refused } from './refused.ts';
import { kindOfArchive, kindOfBytes, kindOfText } from './sniff.ts';
import type { DocumentKind, NumberedPage, ReadDocument, Table } from './types.ts';
import { type Archive, openArchive } from './zip/archive.ts';

export interface DocumentSource {
  readonly bytes: Uint8Array;
  readonly name: string;
  /** As declared; the content decides. */
  readonly type: string;
  readonly charset?: string | null;
  /** A file within it by its name, and within that one by `/` and its name. */
  readonly part?: string | null;
}

/**
 * Reads a document, whatever its name says it is. Does not reject because of the document; what takes too long or too
 * much memory is for the thread's keeper to end.
 */
export async function readDocument(
  source: DocumentSource,
  limits: DocumentLimits = DOCUMENT_LIMITS,
): Promise<ReadDocument> {
  const reading = createReading(limits);
  try {
    const start: Source = { ...source, charset: source.charset ?? null };
    const content = await contentOf(await inside(start, source.part ?? '', reading, 0), reading);
    return { ok: true, document: finished(content, reading) };
  } catch (error) {
    if (error instanceof Refused) return { ok: false, refusal: error.refusal };
    // A fault of a library: bytes that it did not expect.
    return { ok: false, refusal: new Refused('broken', DAMAGED).refusal };
  }
}

/** The bytes of a file, or of the one within it that `part` names. Throws `Refused`. */
export async function fileWithin(
  source: DocumentSource,
  limits: DocumentLimits = DOCUMENT_LIMITS,
): Promise<Pick<Source, 'bytes' | 'charset'>> {
  const start: Source = { ...source, charset: source.charset ?? null };
  return inside(start, source.part ?? '', createReading(limits), 0);
}

/** Text that a library takes apart, which somebody may have written to be slow. */
const IN_THREAD = new Set<DocumentKind>(['html', 'eml', 'ics']);

/** Whether it is text that is read as it stands, whatever somebody may have put into it. */
export function isPlain({ bytes, part, ...source }: DocumentSource): boolean {
  try {
    if (part || kindOfBytes(bytes) !== null) return false;
  } catch {
    return false;
  }
  const text = decodeText(bytes, source.charset ?? null);
  const kind = text === null ? null : kindOfText(text, source);
  return kind !== null && !IN_THREAD.has(kind);
}

/** The file that `part` leads to, unpacked. */
async function inside(source: Source, part: string, reading: Reading, depth: number): Promise<Source> {
  if (part === '') return source;
  if (depth >= reading.limits.maxNesting) throw new Refused('bomb', `files lie in it more than ${depth} deep`);
  const { parts = [] } = await contentOf(source, reading);
  const named = parts.find(({ name }) => name === part) ?? parts.find(({ name }) => part.startsWith(`${name}/`));
  if (!named) throw new Refused('broken', 'it holds no file of that name');
  return inside(await opened(named), part.slice(named.name.length + 1), reading, depth + 1);
}

const opened = async (part: OpenPart): Promise<Source> => ({
  bytes: await part.open(),
  name: part.name,
  type: part.type,
  charset: part.charset ?? null,
});

async function contentOf(source: Source, reading: Reading): Promise<Content> {
  const { bytes } = source;
  if (bytes.length > reading.limits.maxBytes) {
    throw new Refused('too_large', `larger than ${reading.limits.maxBytes} bytes`);
  }
  const kind = kindOfBytes(bytes);
  if (kind === 'pdf') return (await import('./pdf/pdf.ts')).readPdf(source, reading);
  if (kind === 'zip') {
    return contentOfArchive(await openArchive(bytes, reading), reading);
  }
  if (kind === 'rtf') return (await import('./plain/rtf.ts')).readRtf(source, reading);
  if (kind === 'msg') return (await import('./mail/msg.ts')).readMsg(source, reading);
  const text = decodeText(bytes, source.charset);
  if (text === null) throw new Refused('unsupported', 'no kind of file that can be read');
  return contentOfText(kindOfText(text, source), text, source, reading);
}

async function contentOfArchive(archive: Archive, reading: Reading): Promise<Content> {
  const kind = await kindOfArchive(archive);
  switch (kind) {
    case 'docx':
      return (await import('./office/docx.ts')).readDocx(archive, reading);
    case 'xlsx':
      return (await import('./office/xlsx.ts')).readXlsx(archive, reading);
    case 'pptx':
      return (await import('./office/pptx.ts')).readPptx(archive, reading);
    case 'odt':
      return (await import('./office/odf.ts')).readOdt(archive, reading);
    case 'odp':
      return (await import('./office/odf.ts')).readOdp(archive, reading);
    case 'ods':
      return (await import('./office/ods.ts')).readOds(archive, reading);
    case 'zip':
      return listArchive(archive);
  }
}

async function contentOfText(kind: DocumentKind, text: string, source: Source, reading: Reading): Promise<Content> {
  switch (kind) {
    case 'html':
      return (await import('./plain/texts.ts')).readHtml(text, reading);
    case 'eml':
      return (await import('./mail/eml.ts')).readEml(source, reading);
    case 'csv':
      return readCsv(text, reading);
    case 'ics':
      return (await import('./plain/ics.ts')).readIcs(text, reading);
    case 'vcf':
      return readVcf(text, reading);
    default:
      return { kind, text };
  }
}

/** Kinds whose tables stand in their text as Markdown. */
const WITH_MARKDOWN = new Set<DocumentKind>(['html', 'markdown', 'eml', 'msg']);

function tablesOfText(text: string, reading: Reading): readonly Table[] {
  const { tables, isCut } = markdownTables(text, reading.cells(0));
  if (isCut) reading.noteCut(`Its first ${tables.length} tables were read as rows.`);
  reading.cells(tables.reduce((sum, { rows }) => sum + rows.length * (rows[0]?.length ?? 0), 0));
  return tables;
}

function finished(content: Content, reading: Reading): Extract<ReadDocument, { ok: true }>['document'] {
  const { kind, paged, parts = [] } = content;
  const { tables = WITH_MARKDOWN.has(kind) ? tablesOfText(content.text ?? '', reading) : [] } = content;
  const pages = (paged?.pages ?? []).map(
    ({ name, text }, index): NumberedPage => ({
      number: index + 1,
      text: clean(`[${paged?.word} ${index + 1}${name ? `: ${name}` : ''}]\n${text}`),
    }),
  );
  const { text, cut } = bounded(
    paged ? pages.map((page) => page.text).join(PAGE_BREAK) : clean(content.text ?? ''),
    reading.limits.maxCharacters,
  );
  if (cut) reading.note(`Only its first ${reading.limits.maxCharacters} characters were read.`);
  const title = clean(content.title ?? '')
    .replace(/\s+/g, ' ')
    .slice(0, 300);
  const note = [...reading.notes].join(' ');
  return {
    kind,
    ...(title === '' ? {} : { title }),
    pages,
    text,
    tables,
    parts: parts.map(({ name, type, bytes }) => ({ name, type, bytes })),
    ...(note === '' ? {} : { note }),
    tablesCut: reading.hasCutTables(),
    totals: {
      pages: pages.length,
      characters: text.length,
      tables: tables.length,
      rows: tables.reduce((sum, { rows }) => sum + rows.length, 0),
      parts: parts.length,
    },
  };
}

/** Without what nobody sees, and without the tokens of approvals, which are for their reader alone. */
const clean = (text: string): string => stripTokens(stripInvisible(text).text).trim();

/** An archive as the list of its files, which can be read each by its name. Throws `Refused` when all are locked. */
function listArchive(archive: Archive): Content {
  const { entries } = archive;
  if (entries.length === 0) return { kind: 'zip', text: 'The archive is empty.' };
  if (entries.every(({ isEncrypted }) => isEncrypted)) throw new Refused('encrypted', 'it opens with a password');
  const parts = entries.map(
    ({ name, bytes }): OpenPart => ({ name, type: '', bytes, open: () => archive.bytes(name) }),
  );
  const lines = entries.map(
    ({ name, bytes, isEncrypted }) => `${name}, ${bytes} bytes${isEncrypted ? ', encrypted' : ''}`,
  );
  return { kind: 'zip', text: lines.join('\n'), parts };
}

/** Values with a delimiter between them; cells are texts. */
function readCsv(text: string, reading: Reading): Content {
  const { maxColumns, maxCells } = reading.limits;
  const { body, delimiter } = declaredDelimiter(text);
  const { rows, isCut } = delimitedRows(body, {
    delimiter: delimiter ?? delimiterOf(body) ?? ',',
    maxColumns: maxColumns + 1,
    mayTake: (cells) => reading.cells(cells) >= 0,
  });
  if (isCut) reading.noteCut(`As a table its first ${rows.length} rows were read.`);
  if (rows.some(({ length }) => length > maxColumns)) reading.noteCut(`Its first ${maxColumns} columns were read.`);
  const even = evenRows(
    rows.map((row) => (row.length > maxColumns ? row.slice(0, maxColumns) : row)),
    4 * maxCells,
  );
  if (even === null) reading.noteCut('Its rows are of too many different lengths to be read as a table.');
  return { kind: 'csv', text, tables: even === null || even.length === 0 ? [] : [{ name: 'table 1', rows: even }] };
}
