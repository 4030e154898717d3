import type { DocumentFacts } from '../../documents/packed.ts';
import type { DocumentKind } from '../../documents/types.ts';

const KINDS: Readonly<Record<DocumentKind, string>> = {
  pdf: 'PDF',
  docx: 'Word document',
  xlsx: 'Excel workbook',
  pptx: 'PowerPoint presentation',
  odt: 'OpenDocument text',
  ods: 'OpenDocument spreadsheet',
  odp: 'OpenDocument presentation',
  csv: 'table of values',
  html: 'HTML page',
  markdown: 'Markdown',
  rtf: 'RTF document',
  eml: 'mail',
  msg: 'Outlook mail',
  ics: 'calendar',
  vcf: 'address card',
  zip: 'ZIP archive',
  text: 'text',
};
const PAGED: Readonly<Partial<Record<DocumentKind, readonly [one: string, many: string]>>> = {
  pptx: ['slide', 'slides'],
  odp: ['slide', 'slides'],
  xlsx: ['sheet', 'sheets'],
  ods: ['sheet', 'sheets'],
};

/** `PDF, 12 pages, 30,211 characters`: nothing in it was written by whoever sent the document. */
export function factsInWords({ kind, totals }: DocumentFacts): string {
  const [page, pages] = PAGED[kind] ?? ['page', 'pages'];
  return [
    KINDS[kind],
    ...counted(totals.pages, page, pages),
    ...counted(totals.rows, 'row in tables', 'rows in tables'),
    ...counted(totals.parts, 'file in it', 'files in it'),
    ...counted(totals.characters, 'character', 'characters'),
  ].join(', ');
}

const counted = (count: number, one: string, many: string): string[] =>
  count === 0 ? [] : [`${count.toLocaleString('en-US')} ${count === 1 ? one : many}`];
