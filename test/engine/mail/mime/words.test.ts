import { encode } from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { decodeWords, headerText } from '../../../../engine/mail/mime/words.ts';
import { parsed } from '../fixtures.ts';

const word = (charset: string, bytes: string | Buffer) =>
  `=?${charset}?B?${Buffer.from(bytes as string).toString('base64')}?=`;

describe('encoded words of a charset that switches sets', () => {
  const JIS = 'iso-2022-jp';
  it.each([
    ['two that are whole', [word(JIS, '\x1b$B0X;R\x1b(B'), word(JIS, '\x1b$B;0$D\x1b(B')], '椅子三つ'],
    ['three in two spellings', [word(JIS, '\x1b$B0X\x1b(B'), word('ISO-2022-JP', '\x1b$B;R\x1b(B')], '椅子'],
    ['cut within a character', [word(JIS, '\x1b$B0X;'), word(JIS, 'R;0\x1b(B')], '椅子三'],
    ['cut between characters', [word(JIS, '\x1b$B0X;R'), word(JIS, ';0\x1b(B')], '椅子三'],
    ['with ASCII between', [word(JIS, '\x1b$B0X;R\x1b(B ok '), word(JIS, '\x1b$B;0\x1b(B')], '椅子 ok 三'],
    ['of which the first lacks its end', [word(JIS, '\x1b$B0X;R'), word(JIS, '\x1b$B;0\x1b(B')], '椅子三'],
    ['Korean', [word('iso-2022-kr', '\x1b$)C\x0eGQ19\x0f'), word('iso-2022-kr', '\x1b$)C\x0eGQ\x0f')], '한국한'],
    ['HZ', [word('hz-gb-2312', '~{4r~}'), word('hz-gb-2312', '~{F0~}')], '打瓢'],
  ])('are read: %s', (_, words, text) => expect(decodeWords(words.join('\r\n '))).toBe(text));
});

describe('encoded words as real programs write them', () => {
  it.each([
    ['=?utf-8?Q?Zw=C3=B6lf St=C3=BChle? Gut?=', 'Zwölf Stühle? Gut'],
    ['=?utf-8?q?Ja??=', 'Ja?'],
    ['=?utf-8?Q?Ja?=20oder nein?=', 'Ja? oder nein'],
    ['=?utf-8?Q?Wer?=C3=9Cber wen??= ok', 'Wer?Über wen? ok'],
    ['=?utf-8?Q?a?= b =?utf-8?Q?c?=', 'a b c'],
    ['=?utf-8?Q?a?= =?utf-8?Q?c?=', 'ac'],
    ['=?utf-8?Q?St=C3?= =?utf-8?Q?=BChle?=', 'Stühle'],
    [
      `=?utf-8?B?${Buffer.from('Stühle').toString('base64').slice(0, 5)}?= =?utf-8?B?${Buffer.from('Stühle').toString('base64').slice(5)}?=`,
      'Stühle',
    ],
    ['=?utf-8?B?U3TDvGhsZQ?=', 'Stühle'],
    ['=?windows-1252?Q?100_=80?=', '100 €'],
    ['=?x-unknown?Q?Gr=FC=DFe?=', 'Grüße'],
    ['=?utf-8*de?Q?Gr=C3=BC=C3=9Fe?=', 'Grüße'],
    ['=?utf-8?Q?no end', '=?utf-8?Q?no end'],
    ['=?utf-8?Q?no end =?utf-8?Q?x?=', '=?utf-8?Q?no end x'],
    ['=?utf-8?B?a?b?=', '=?utf-8?B?a?b?='],
    ['1 =? 2 ?= 3', '1 =? 2 ?= 3'],
  ])('%s', (written, text) => expect(decodeWords(written)).toBe(text));

  it('are found in time that grows with the header', () => {
    for (const sign of ['=?', '?=', '=?a?q?', '?=20', '=?a?q?x?=20', '=?a?b?', '=?a?q??=', '=?gbk?q?=FF?= a']) {
      const started = performance.now();
      headerText(sign.repeat(20_000));
      expect(performance.now() - started, sign).toBeLessThan(1000);
    }
  });
});

const mail = (subject: Buffer, type: string, body: Buffer | string = 'ok') =>
  Buffer.concat([
    Buffer.from('From: '),
    subject,
    Buffer.from(' <ivo@ext.test>\r\nSubject: '),
    subject,
    Buffer.from(`\r\nMIME-Version: 1.0\r\nContent-Type: ${type}\r\n\r\n`),
    Buffer.from(body as string),
  ]);

describe('raw bytes in a header', () => {
  const RUSSIAN = 'Счёт за стулья';
  it.each([
    ['what its body says', 'koi8-r', 'text/plain; charset=koi8-r', RUSSIAN],
    ['the shape of its body', 'windows-1251', 'text/plain', RUSSIAN],
    ['its own shape', 'windows-1251', 'text/plain; charset=utf-8', RUSSIAN],
    ['what its body says, in two bytes', 'shift_jis', 'text/plain; charset=shift_jis', '椅子の表'],
    ['what its body says, Chinese', 'gbk', 'text/plain; charset=gb2312', '椅子发票'],
    ['Latin-1', 'windows-1252', 'text/plain; charset=iso-8859-1', 'Zwölf Stühle'],
    ['UTF-8', 'utf-8', 'text/plain; charset=koi8-r', RUSSIAN],
  ])('are read by %s', async (_, charset, type, text) => {
    const read = await parsed(mail(encode(text, charset), type, encode(text, charset)));
    expect(read.subject).toBe(text);
    expect(read.from).toEqual({ kind: 'one', mailbox: { address: 'ivo@ext.test', name: text } });
  });

  it('are read where they switch sets of characters', async () => {
    expect((await parsed(mail(Buffer.from('\x1b$B0X;R\x1b(B'), 'text/plain'))).subject).toBe('椅子');
  });

  it.each([
    ['utf-8', 'text/plain', 'Drei Stühle', 8],
    ['utf-8', 'text/plain; charset=utf-8', '椅子三つ', 4],
    ['gbk', 'text/plain; charset=gbk', '请在星期五把发票寄给我', 5],
  ])('are read where the line was folded within a character: %s', async (charset, type, text, at) => {
    const bytes = encode(text, charset);
    const folded = Buffer.concat([bytes.subarray(0, at), Buffer.from('\r\n '), bytes.subarray(at)]);
    expect((await parsed(mail(folded, type))).subject).toBe(text);
  });

  it('keep the blank at which a line was folded between words', async () => {
    expect((await parsed(mail(Buffer.from('Zwölf Stühle\r\n öffnen'), 'text/plain'))).subject).toBe(
      'Zwölf Stühle öffnen',
    );
    const russian = Buffer.concat([encode('Счёт', 'koi8-r'), Buffer.from('\r\n '), encode('за стулья', 'koi8-r')]);
    expect((await parsed(mail(russian, 'text/plain; charset=koi8-r'))).subject).toBe(RUSSIAN);
  });

  it('make no other sender: an address is what the bytes say', async () => {
    const name = Buffer.from([0x95, 0x40, 0x83, 0x5c]);
    const read = await parsed(mail(name, 'text/plain; charset=shift_jis'));
    expect(read.from.kind === 'one' ? read.from.mailbox.address : read.from.kind).toMatch(
      /^(?:ivo@ext\.test|ambiguous)$/,
    );
  });

  it('are read in the name of a file, too', async () => {
    for (const [charset, name] of [
      ['koi8-r', 'счёт.pdf'],
      ['shift_jis', '請求書の表.pdf'],
      ['windows-1252', 'Stühle.pdf'],
    ] as const) {
      const body = Buffer.concat([
        Buffer.from(
          `--b\r\nContent-Type: text/plain; charset=${charset}\r\n\r\nok\r\n--b\r\nContent-Type: application/pdf\r\n`,
        ),
        Buffer.from('Content-Disposition: attachment; filename="'),
        encode(name, charset),
        Buffer.from('"\r\n\r\n%PDF\r\n--b--\r\n'),
      ]);
      const read = await parsed(mail(Buffer.from('x'), 'multipart/mixed; boundary=b', body));
      expect(read.attachments.map((file) => file.name)).toEqual([name]);
    }
  });
});
