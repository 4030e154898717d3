import { readFileSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import type { Place, PlaceFile } from './place.ts';

const rows = z.array(z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])));
type Rows = z.infer<typeof rows>;
const members = z.array(z.tuple([z.string(), z.string()]));
const text = z.string();

/** What a file of a place is as bytes. Pictures and PDFs were printed once, by a browser: see the README. */
export function bytesOf(place: Pick<Place, 'place'>, file: PlaceFile): Buffer {
  const { kind, content } = file;
  switch (kind) {
    case 'csv':
      return Buffer.from(csv(rows.parse(content)));
    case 'txt':
      return Buffer.from(text.parse(content));
    // Calendars and letters have lines that end as the standards of both say.
    case 'ics':
    case 'eml':
      return Buffer.from(text.parse(content).replaceAll(/\r?\n/g, '\r\n'));
    case 'zip':
      return zip(members.parse(content));
    case 'xlsx':
      return zip(workbook(rows.parse(content)));
    case 'docx':
      return zip(letter(text.parse(content)));
    case 'pptx':
      return zip(slides(text.parse(content).split(/^---\n/m)));
    case 'pdf':
    case 'png':
      return readFileSync(new URL(`printed/${place.place}-${file.id}.${kind}`, import.meta.url));
    default:
      throw new Error(`${file.name}: files of the kind ${kind} are not made here`);
  }
}

const csv = (table: Rows): string =>
  table.map((row) => `${row.map((cell) => quoted(String(cell ?? ''))).join(',')}\r\n`).join('');

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const escaped = (value: string): string =>
  value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The parts of a package of Office: its main part first, and what that names. */
function packaged(main: Part, named: readonly Part[]): [string, string][] {
  const folder = main.path.slice(0, main.path.lastIndexOf('/'));
  const types = [main, ...named].map(
    ({ path, type }) =>
      `<Override PartName="/${path}" ContentType="application/vnd.openxmlformats-officedocument.${type}+xml"/>`,
  );
  const related = (parts: readonly { target: string; kind: string }[]) =>
    `${HEAD}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${parts
      .map(({ target, kind }, at) => `<Relationship Id="rId${at + 1}" Type="${OFFICE}/${kind}" Target="${target}"/>`)
      .join('')}</Relationships>`;
  const own = named.map(({ path, kind }) => ({ target: path.slice(folder.length + 1), kind }));
  return [
    [
      '[Content_Types].xml',
      `${HEAD}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${types.join('')}</Types>`,
    ],
    ['_rels/.rels', related([{ target: main.path, kind: 'officeDocument' }])],
    [main.path, HEAD + main.xml],
    ...(own.length === 0
      ? []
      : [[`${folder}/_rels/${main.path.slice(folder.length + 1)}.rels`, related(own)] as [string, string]]),
    ...named.map(({ path, xml }): [string, string] => [path, HEAD + xml]),
  ];
}

interface Part {
  readonly path: string;
  /** Of its content type, without what all share. */
  readonly type: string;
  /** What it is to the part that names it. */
  readonly kind: string;
  readonly xml: string;
}

const SHEETS = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';

function workbook(table: Rows): [string, string][] {
  const cell = (value: Rows[number][number]): string => {
    if (value === null || value === '') return '<c/>';
    if (typeof value === 'number') return `<c><v>${value}</v></c>`;
    return `<c t="inlineStr"><is><t xml:space="preserve">${escaped(String(value))}</t></is></c>`;
  };
  const lines = table.map((row, at) => `<row r="${at + 1}">${row.map(cell).join('')}</row>`).join('');
  return packaged(
    {
      path: 'xl/workbook.xml',
      type: 'spreadsheetml.sheet.main',
      kind: 'officeDocument',
      xml: `<workbook xmlns="${SHEETS}" xmlns:r="${OFFICE}"><sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    },
    [
      {
        path: 'xl/worksheets/sheet1.xml',
        type: 'spreadsheetml.worksheet',
        kind: 'worksheet',
        xml: `<worksheet xmlns="${SHEETS}"><sheetData>${lines}</sheetData></worksheet>`,
      },
    ],
  );
}

function letter(words: string): [string, string][] {
  const paragraphs = words
    .trimEnd()
    .split('\n')
    .map((line) => `<w:p><w:r><w:t xml:space="preserve">${escaped(line)}</w:t></w:r></w:p>`);
  const main = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
  return packaged(
    {
      path: 'word/document.xml',
      type: 'wordprocessingml.document.main',
      kind: 'officeDocument',
      xml: `<w:document xmlns:w="${main}"><w:body>${paragraphs.join('')}</w:body></w:document>`,
    },
    [],
  );
}

function slides(texts: readonly string[]): [string, string][] {
  const [p, a] = ['presentationml', 'drawingml'].map((one) => `http://schemas.openxmlformats.org/${one}/2006/main`);
  const ids = texts.map((_, at) => `<p:sldId id="${256 + at}" r:id="rId${at + 1}"/>`).join('');
  const paragraphs = (words: string) =>
    words
      .trimEnd()
      .split('\n')
      .map((line) => `<a:p><a:r><a:t>${escaped(line)}</a:t></a:r></a:p>`)
      .join('');
  return packaged(
    {
      path: 'ppt/presentation.xml',
      type: 'presentationml.presentation.main',
      kind: 'officeDocument',
      xml: `<p:presentation xmlns:p="${p}" xmlns:r="${OFFICE}"><p:sldIdLst>${ids}</p:sldIdLst></p:presentation>`,
    },
    texts.map((words, at) => ({
      path: `ppt/slides/slide${at + 1}.xml`,
      type: 'presentationml.slide',
      kind: 'slide',
      xml: `<p:sld xmlns:p="${p}" xmlns:a="${a}"><p:cSld><p:spTree><p:sp><p:txBody>${paragraphs(words)}</p:txBody></p:sp></p:spTree></p:cSld></p:sld>`,
    })),
  );
}

/** 30 November 2026 as an archive writes it (APPNOTE 4.4.6), so that the same words are the same bytes. */
const DAY = ((2026 - 1980) << 9) | (11 << 5) | 30;
/** General purpose bit 11: names are UTF-8. */
const UTF_8 = 0x0800;

/** An archive without compression (APPNOTE 4.3). */
function zip(files: readonly (readonly [string, string])[]): Buffer {
  const bodies: Buffer[] = [];
  const index: Buffer[] = [];
  let at = 0;
  for (const [name, words] of files) {
    const [path, body] = [Buffer.from(name), Buffer.from(words)];
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(UTF_8, 2);
    common.writeUInt16LE(DAY, 8);
    common.writeUInt32LE(crc32(body), 10);
    common.writeUInt32LE(body.length, 14);
    common.writeUInt32LE(body.length, 18);
    common.writeUInt16LE(path.length, 22);
    const entry = Buffer.concat([Buffer.from('PK\u0003\u0004'), common, path, body]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(at, 10);
    index.push(Buffer.concat([Buffer.from('PK\u0001\u0002\u0014\u0000', 'latin1'), common, rest, path]));
    bodies.push(entry);
    at += entry.length;
  }
  const directory = Buffer.concat(index);
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 0, 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...bodies, directory, end]);
}
