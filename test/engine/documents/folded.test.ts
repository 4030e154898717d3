import { encode } from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { decodeText } from '../../../engine/documents/plain/charset.ts';
import { readDocument } from '../../../engine/documents/read.ts';

const calendar = (summary: Buffer): Buffer =>
  Buffer.concat([
    Buffer.from(
      'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:a\r\nDTSTAMP:20260505T070000Z\r\nDTSTART:20260510T140000Z\r\nSUMMARY:',
    ),
    summary,
    Buffer.from('\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n'),
  ]);

/** Folded behind each byte. */
const folded = (text: string, charset = 'utf-8', fold = '\r\n '): Buffer =>
  Buffer.concat([...encode(text, charset)].flatMap((byte) => [Buffer.from([byte]), Buffer.from(fold)]).slice(0, -1));

const shown = async (bytes: Buffer, charset: string | null = null) => {
  const outcome = await readDocument({ bytes, name: 'invite.ics', type: 'text/calendar', charset });
  return outcome.ok ? outcome.document.text : '';
};

describe('a calendar whose lines are folded within characters', () => {
  it.each([
    ['two bytes', folded('Büro prüfen')],
    ['three and four bytes', folded('会議の準備 🪑')],
    ['a tab', folded('Büro prüfen 会議', 'utf-8', '\r\n\t')],
    ['LF alone', folded('Büro prüfen 会議', 'utf-8', '\n ')],
  ])('is read: %s', async (_, summary) => {
    const text = await shown(calendar(summary));
    expect(text).toMatch(/Büro prüfen|会議の準備 🪑/);
  });

  it('in another charset, too', async () => {
    expect(await shown(calendar(folded('Совещание', 'koi8-r')), 'koi8-r')).toContain('Совещание');
    expect(await shown(calendar(folded('会議の準備', 'shift_jis')), 'shift_jis')).toContain('会議の準備');
  });

  it('keeps the blanks that are its own', async () => {
    expect(await shown(calendar(Buffer.from('Two\r\n  words and \r\n more')))).toContain('Two words and more');
  });

  it('is that of a contact as well', async () => {
    const card = Buffer.concat([
      Buffer.from('BEGIN:VCARD\r\nVERSION:3.0\r\nFN:'),
      folded('Jörg'),
      Buffer.from('\r\nEND:VCARD\r\n'),
    ]);
    expect(decodeText(card, 'utf-8')).toContain('FN:Jörg\n');
  });
});

describe('a text in a file', () => {
  it('that begins its lines with blanks is not unfolded', () => {
    expect(decodeText(Buffer.from('a\r\n b\r\n\tc'), null)).toBe('a\n b\n\tc');
  });

  it.each([
    ['windows-1251', 'Товар;Цена\nСтул;5\nСтол письменный;12'],
    ['shift_jis', '品名,数量\n椅子,3\nこれは机です,1'],
    ['windows-1252', 'Stück;Größe\n5;groß'],
  ])('is read by its shape where nothing says its charset: %s', (charset, text) => {
    expect(decodeText(encode(text, charset), null)).toBe(text);
  });
});
