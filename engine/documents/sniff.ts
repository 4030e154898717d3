import type { Source } from './reading.ts';
import { Refused } from './refused.ts';
import type { DocumentKind } from './types.ts';
import type { Archive } from './zip/archive.ts';

/** What has these bytes at this place cannot be read as text, in words; the first that fits counts. */
const UNREADABLE: readonly (readonly [at: number, magic: readonly string[], what: string])[] = [
  [0, ['\x89PNG\r\n'], 'a picture (PNG)'],
  [0, ['\xff\xd8\xff'], 'a picture (JPEG)'],
  [0, ['GIF87a', 'GIF89a'], 'a picture (GIF)'],
  [8, ['WEBP'], 'a picture (WebP)'],
  [0, ['II*\0', 'MM\0*'], 'a picture (TIFF)'],
  [4, ['ftypheic', 'ftypheix', 'ftypmif1', 'ftypavif'], 'a picture (HEIC or AVIF)'],
  [4, ['ftyp'], 'a video'],
  [0, ['\x1aE\xdf\xa3'], 'a video'],
  [8, ['AVI '], 'a video'],
  [8, ['WAVE'], 'a sound recording'],
  [0, ['ID3', '\xff\xfb', '\xff\xf3', 'OggS', 'fLaC', '#!AMR'], 'a sound recording'],
  [0, ['\x1f\x8b'], 'a gzip archive'],
  [0, ["7z\xbc\xaf'\x1c"], 'a 7z archive'],
  [0, ['Rar!\x1a\x07'], 'a RAR archive'],
  [0, ['BZh', '\xfd7zXZ\0', '\x28\xb5\x2f\xfd'], 'a compressed archive'],
  [257, ['ustar'], 'a tar archive'],
  [0, ['MZ', '\x7fELF', '\xcf\xfa\xed\xfe', '\xca\xfe\xba\xbe'], 'a program'],
  [0, ['SQLite format 3\0'], 'a database'],
  [0, ['%!PS'], 'PostScript'],
  [0, ['\x78\x9f\x3e\x22'], 'what Outlook packs for Outlook alone (winmail.dat)'],
];

const OLD_EXCEL = new Refused('unsupported', 'an old Excel file (.xls); as .xlsx or CSV it could be read');
/** Streams of the container that Outlook and the Office of before 2007 write, named in UTF-16. */
const COMPOUND: readonly (readonly [stream: string, found: 'msg' | Refused])[] = [
  ['EncryptedPackage', new Refused('encrypted', 'it opens with a password')],
  ['__properties_version1.0', 'msg'],
  ['WordDocument', new Refused('unsupported', 'an old Word file (.doc); as .docx or PDF it could be read')],
  ['Workbook', OLD_EXCEL],
  ['Book', OLD_EXCEL],
  [
    'PowerPoint Document',
    new Refused('unsupported', 'an old PowerPoint file (.ppt); as .pptx or PDF it could be read'),
  ],
];

/** What a file is by its first bytes; null: text, or nothing that is known. Throws `Refused` for what no reader takes. */
export function kindOfBytes(bytes: Uint8Array): 'pdf' | 'zip' | 'rtf' | 'msg' | null {
  if (bytes.length === 0) throw new Refused('broken', 'it is empty');
  const head = latin1(bytes.subarray(0, 1024));
  if (head.startsWith('PK\x03\x04') || head.startsWith('PK\x05\x06')) return 'zip';
  if (head.includes('%PDF-')) return 'pdf';
  if (/^\s{0,10}\{\\rtf/.test(head)) return 'rtf';
  if (head.startsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1')) return kindOfCompound(bytes);
  const found = UNREADABLE.find(([at, magic]) => magic.some((each) => head.startsWith(each, at)));
  // "MZ" and "BZh" may begin a text as well.
  if (found && !isPlain(head)) throw new Refused('unsupported', found[2]);
  return null;
}

function kindOfCompound(bytes: Uint8Array): 'msg' {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const found = COMPOUND.find(([stream]) => all.includes(Buffer.from(`${stream}\0`, 'utf16le')))?.[1];
  if (found === 'msg') return found;
  throw found ?? new Refused('unsupported', 'an Office container without a document');
}

/** Their templates and the pages of the web that they write go by a longer name. */
const OPEN_DOCUMENTS: readonly (readonly [type: string, kind: 'odt' | 'ods' | 'odp'])[] = [
  ['text', 'odt'],
  ['spreadsheet', 'ods'],
  ['presentation', 'odp'],
];

/** Which document an archive is; `zip` when it is none. */
export async function kindOfArchive(
  archive: Archive,
): Promise<'docx' | 'xlsx' | 'pptx' | 'odt' | 'ods' | 'odp' | 'zip'> {
  if (archive.has('mimetype')) {
    const type = latin1(await archive.bytes('mimetype')).trim();
    const found = OPEN_DOCUMENTS.find(([name]) => type.startsWith(`application/vnd.oasis.opendocument.${name}`));
    if (found) return found[1];
  }
  if (!archive.has('[Content_Types].xml')) return 'zip';
  if (archive.has('word/document.xml')) return 'docx';
  if (archive.has('xl/workbook.xml')) return 'xlsx';
  if (archive.has('ppt/presentation.xml')) return 'pptx';
  if (archive.has('xl/workbook.bin')) {
    throw new Refused('unsupported', 'a binary Excel file (.xlsb); as .xlsx or CSV it could be read');
  }
  return 'zip';
}

const BY_NAME: readonly (readonly [name: RegExp, kind: DocumentKind])[] = [
  [/\.(?:csv|tsv|tab)$/i, 'csv'],
  [/\.(?:html?|xhtml)$/i, 'html'],
  [/\.(?:md|markdown)$/i, 'markdown'],
  [/\.eml$/i, 'eml'],
];
const BY_TYPE: readonly (readonly [type: RegExp, kind: DocumentKind])[] = [
  [/^text\/(?:csv|tab-separated-values|comma-separated-values)$/, 'csv'],
  [/^(?:text\/html|application\/xhtml\+xml)$/, 'html'],
  [/^text\/(?:x-)?markdown$/, 'markdown'],
  [/^message\/(?:rfc822|global)$/, 'eml'],
];
/** Two fields at least that every mail has, or that only mail has, at its very beginning. */
const MAIL =
  /^(?:(?:received|return-path|from|to|cc|date|subject|message-id|mime-version|delivered-to|x-[\w-]+|dkim-signature|content-type|reply-to): ?[^\n]*\n(?:[ \t][^\n]*\n)*){3}/i;

/** What text is: by its own words first, then by its name and the declared type. */
export function kindOfText(text: string, { name, type }: Pick<Source, 'name' | 'type'>): DocumentKind {
  const head = text.slice(0, 4000).trimStart();
  if (/^BEGIN:VCALENDAR/i.test(head)) return 'ics';
  if (/^BEGIN:VCARD/i.test(head)) return 'vcf';
  if (/^(?:<\?xml[^>]*>\s*)?<(?:!doctype html|html[\s>]|head[\s>]|body[\s>])/i.test(head)) return 'html';
  const declared = BY_TYPE.find(([pattern]) => pattern.test(type))?.[1];
  const byName = BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
  const kind = byName ?? declared;
  if (kind === 'eml' || MAIL.test(head)) return isMail(head) ? 'eml' : 'text';
  // What is called HTML and has no tag is read as it stands.
  if (kind === 'html') return /<[a-z!/]/i.test(text) ? 'html' : 'text';
  return kind ?? 'text';
}

const isMail = (head: string): boolean => /^[\w-]+:/.test(head);

/** Of a name and a declared type, what can change how the same bytes are read. */
export function hintOf({ name, type }: Pick<Source, 'name' | 'type'>): string {
  return (
    BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? BY_TYPE.find(([pattern]) => pattern.test(type))?.[1] ?? ''
  );
}

const isPlain = (head: string): boolean => !/[^\t\n\r\x20-\x7e\x80-\xff]/.test(head) && !head.startsWith('%!PS');

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
