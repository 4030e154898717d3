import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readDocument } from '../../../engine/documents/read.ts';

const file = (name: string) => new Uint8Array(readFileSync(new URL(`./files/${name}`, import.meta.url)));
/** As a mail might call it, to no avail: the content decides. */
const read = (bytes: Uint8Array, name = 'document.bin', part: string | null = null) =>
  readDocument({ bytes, name, type: 'application/octet-stream', part });
const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));

async function documentOf(name: string) {
  const outcome = await read(file(name));
  if (!outcome.ok) throw new Error(outcome.refusal.message);
  return outcome.document;
}

describe('a PDF', () => {
  it('is read page by page, in order', async () => {
    const { kind, title, pages, text, totals } = await documentOf('lease.pdf');
    expect(kind).toBe('pdf');
    expect(title).toBe('Lease of the boat house');
    expect(pages.map(({ number }) => number)).toEqual([1, 2]);
    expect(pages[1]?.text).toBe('[page 2]\nSigned on the second page, Maria Lind.');
    expect(text).toMatch(
      /Lease\nThe rent for Straße 5 is 1,250\.00 EUR a month\.\s+Dates\n1\. From 1 March 2026\n2\. /,
    );
    expect(totals).toMatchObject({ pages: 2, characters: text.length });
  });

  it('that opens with a password is said to be encrypted', async () => {
    expect(await read(file('lease-encrypted.pdf'))).toEqual({
      ok: false,
      refusal: { code: 'encrypted', message: 'encrypted: it opens with a password' },
    });
  });

  it('that was cut off is said to be broken', async () => {
    expect(await read(bytesOf('%PDF-1.7\n1 0 obj\n<<'))).toMatchObject({ ok: false, refusal: { code: 'broken' } });
  });
});

describe('a file that is no document', () => {
  it.each([
    ['a picture (PNG)', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'unsupported'],
    ['a program', 'MZ\x90\0\x03\0\0\0\x04', 'unsupported'],
    ['broken: it is empty', '', 'broken'],
    ['no kind of file that can be read', '\x01\x02\x03\x04\0\0\0\x05\x06\x07\x08', 'unsupported'],
  ])('is said to be %s', async (message, start, code) => {
    const bytes = new Uint8Array(Buffer.from(start, 'latin1'));
    expect(await read(bytes)).toEqual({ ok: false, refusal: { code, message } });
  });
});

describe('text', () => {
  it.each([
    ['UTF-8', Buffer.from('Größe: 5 €')],
    ['UTF-8 with a mark', Buffer.from('\ufeffGröße: 5 €')],
    ['UTF-16 with a mark', Buffer.from('\ufeffGröße: 5 €', 'utf16le')],
    ['UTF-16 without one', Buffer.from('Größe: 5 €', 'utf16le')],
    ['Windows-1252', Buffer.from('Gr\xf6\xdfe: 5 \x80', 'latin1')],
  ])('in %s is read as it was written', async (_charset, bytes) => {
    expect(await read(new Uint8Array(bytes), 'note.txt')).toMatchObject({
      ok: true,
      document: { kind: 'text', text: 'Größe: 5 €' },
    });
  });

  it('of a card is told in its own charset, over the ends of its lines, as old telephones write it', async () => {
    const lines = [
      'BEGIN:VCARD',
      'VERSION:2.1',
      'FN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=BCrgen =',
      'M=C3=BCller',
      'ADR;HOME;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:;;Hafenstra=DFe 1;Kiel;;24103;D',
      'URL:https://example.com/?a=',
      'END:VCARD',
    ];
    expect(await read(bytesOf(lines.join('\r\n')), 'a.vcf')).toMatchObject({
      ok: true,
      document: {
        text: 'Contact\nName: Jürgen Müller\nAddress: Hafenstraße 1, Kiel, 24103, D\nLink: https://example.com/?a=',
      },
    });
  });

  it('holds nothing that nobody sees, and no token of an approval', async () => {
    const text = `one\u202e two ok-${'a'.repeat(32)} three`;
    expect(await read(bytesOf(text), 'note.txt')).toMatchObject({ ok: true, document: { text: 'one two three' } });
  });
});
