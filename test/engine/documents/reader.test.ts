import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { DOCUMENT_LIMITS } from '../../../engine/documents/limits.ts';
import { readDocument } from '../../../engine/documents/read.ts';
import { createDocumentReader } from '../../../engine/documents/reader.ts';

const file = (name: string) => new Uint8Array(readFileSync(new URL(`./files/${name}`, import.meta.url)));
const source = (name: string) => ({ bytes: file(name), name, type: '' });
const peer = { key: 'mia', first: false };
const readers: { close(): Promise<void> }[] = [];
const readerWith = (...options: Parameters<typeof createDocumentReader>) => {
  const reader = createDocumentReader(...options);
  readers.push(reader);
  return reader;
};
afterAll(() => Promise.all(readers.map((reader) => reader.close())));

describe('the reader of documents', () => {
  it('reads in a thread of its own, leaves the bytes to their owner, and says where each page begins', async () => {
    const lease = source('lease.pdf');
    const read = await readerWith().read(lease, peer);
    if (!read.ok) throw new Error(read.refusal.message);
    const text = Buffer.from(read.text).toString();
    expect(read.facts.pages.map((start) => text.slice(start, start + 8))).toEqual(['[page 1]', '[page 2]']);
    expect(lease.bytes.byteLength).toBeGreaterThan(30_000);
  });

  it('reads on with what comes after a document that hangs, and after one that eats memory', async () => {
    const entry = new URL('./hanging-worker.ts', import.meta.url);
    const reader = readerWith({ deadlineMs: 300, heapMb: 64, entry });
    const read = (name: string) => reader.read({ bytes: new Uint8Array([0, 1]), name, type: '' }, peer);
    expect(await read('hangs')).toEqual({
      ok: false,
      refusal: { code: 'timeout', message: 'too slow: reading it took more than 0.3 seconds' },
    });
    expect(await read('eats')).toMatchObject({ ok: false, refusal: { code: 'too_large' } });
    expect(await read('fine')).toMatchObject({ ok: false, refusal: { code: 'unsupported' } });
  });

  it('does not look at a file that is larger than it may be', async () => {
    const bytes = new Uint8Array(DOCUMENT_LIMITS.maxBytes + 1);
    expect(await readerWith().read({ bytes, name: 'a', type: '' }, peer)).toMatchObject({
      refusal: { code: 'too_large' },
    });
  });
});

describe('a limit that is reached', () => {
  const within = (limits: Partial<typeof DOCUMENT_LIMITS>, name: string, part?: string) =>
    readDocument({ ...source(name), part: part ?? null }, { ...DOCUMENT_LIMITS, ...limits });

  it('of what is unpacked is a refusal', async () => {
    expect(await within({ maxUnpackedBytes: 1000 }, 'lo-de.docx')).toMatchObject({ refusal: { code: 'bomb' } });
  });

  it('of files in an archive, and of files within files, is a refusal', async () => {
    expect(await within({ maxEntries: 2 }, 'sevenzip.zip')).toMatchObject({ refusal: { code: 'bomb' } });
    expect(await within({ maxNesting: 0 }, 'sevenzip.zip', 'report.pdf')).toMatchObject({ refusal: { code: 'bomb' } });
  });

  it('of pages, characters or cells cuts, and says so', async () => {
    const pages = await within({ maxPages: 1 }, 'lease.pdf');
    expect(pages).toMatchObject({ document: { totals: { pages: 1 }, note: expect.stringContaining('2 pages') } });
    const characters = await within({ maxCharacters: 100 }, 'lo-de.docx');
    expect(characters).toMatchObject({ document: { totals: { characters: 100 }, note: expect.any(String) } });
    const cells = await within({ maxCells: 4 }, 'openpyxl-invoices.xlsx');
    expect(cells).toMatchObject({ ok: true, document: { note: expect.stringContaining('rows were read') } });
  });
});

describe('a file within a file', () => {
  it('is read by its name, also where it lies deeper', async () => {
    const inner = await readDocument({ ...source('sevenzip.zip'), part: 'sub/zahlen.csv' });
    expect(inner).toMatchObject({ ok: true, document: { kind: 'csv' } });
    const mail = await readDocument(source('nested-twice.eml'));
    const name = mail.ok ? (mail.document.parts[0]?.name ?? '') : '';
    expect(await readDocument({ ...source('nested-twice.eml'), part: name })).toMatchObject({ ok: true });
  });

  it('that is not there is refused', async () => {
    expect(await readDocument({ ...source('sevenzip.zip'), part: 'no.txt' })).toMatchObject({
      refusal: { message: 'broken: it holds no file of that name' },
    });
  });
});
