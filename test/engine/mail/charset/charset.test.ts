import { encode } from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { decodeCharset, decodeText } from '../../../../engine/mail/charset/charset.ts';
import { parsed } from '../fixtures.ts';

const mail = (headers: readonly string[], body: Buffer | string): Buffer =>
  Buffer.concat([
    Buffer.from(['From: Ivo <ivo@ext.test>', 'Subject: x', 'MIME-Version: 1.0', ...headers, '', ''].join('\r\n')),
    Buffer.from(body as string),
  ]);

describe('bytes that say nowhere what they are', () => {
  const TEXTS: readonly (readonly [charset: string, text: string])[] = [
    ['windows-1251', 'Встреча переносится на понедельник, подтвердите, пожалуйста'],
    ['windows-1251', 'Нет, не отправляйте. Сначала я поговорю с бухгалтерией.'],
    ['windows-1251', 'Добрий вечір, надішліть рахунок до п’ятниці'],
    ['koi8-r', 'Встреча переносится на понедельник'],
    ['koi8-r', 'Пришлите счёт до пятницы, спасибо'],
    ['ibm866', 'Пришлите, пожалуйста, договор'],
    ['shift_jis', '請求書を金曜日までに送ってください'],
    ['shift_jis', 'ありがとうございます'],
    ['euc-jp', '請求書を金曜日までに送ってください'],
    ['gbk', '请在星期五以前把发票寄给我'],
    ['gb18030', '我们明天下午开会，请准备好合同'],
    ['big5', '請在星期五以前把發票寄給我'],
    ['euc-kr', '금요일까지 청구서를 보내 주세요'],
    ['windows-1250', 'Prosím, pošlete fakturu do pátku, ještě dnes večer se sejdeme u řeky'],
    ['windows-1250', 'Proszę przysłać fakturę do piątku, dziękuję'],
    ['windows-1252', 'Könnten Sie die Rechnung bis Freitag schicken? Schöne Grüße'],
    ['windows-1252', 'Pouvez-vous envoyer la facture avant vendredi ? Très bonne soirée à tous'],
    ['windows-1252', '¿Me envía la factura mañana? También el presupuesto'],
    ['windows-1253', 'Στείλτε το τιμολόγιο μέχρι την Παρασκευή'],
    ['windows-1254', 'Faturayı cuma gününe kadar gönderir misiniz, teşekkür ederim'],
    ['windows-1255', 'שלחו את החשבונית עד יום שישי'],
    ['windows-1256', 'أرسل الفاتورة قبل يوم الجمعة'],
    ['windows-1257', 'Prašau atsiųsti sąskaitą iki penktadienio, ačiū už pagalbą'],
    ['windows-874', 'กรุณาส่งใบแจ้งหนี้ก่อนวันศุกร์'],
  ];
  it.each(TEXTS)('are read by their shape: %s, %s', (charset, text) => {
    const read = decodeText(encode(text, charset), { label: null });
    expect(read).toMatchObject({ text, exact: false });
    expect(decodeText(encode(text, charset), { label: 'x-nobody-knows' }).text).toBe(text);
    expect(decodeText(encode(text, charset), { label: 'us-ascii' }).text).toBe(text);
  });

  it.each(TEXTS)('are UTF-8 where UTF-8 reads them: %s, %s', (charset, text) => {
    expect(decodeText(Buffer.from(text), { label: null })).toEqual({ text, exact: true, charset: 'utf-8' });
    if (/^windows-125[0-2]|^koi8|^shift|^gb/.test(charset)) {
      expect(decodeText(Buffer.from(text), { label: charset }).text).toBe(text);
    }
  });

  it('are Windows-1252 where they read like no language, which has a character for each', () => {
    expect(decodeCharset(Buffer.from('50 \x80 \x96 \x93five\x94', 'latin1'), null).text).toBe('50 € – “five”');
    expect(decodeCharset(Buffer.from([0x81, 0xfe, 0xff]), 'nothing').text).toHaveLength(3);
  });

  it('are decoded within milliseconds, however many there are', () => {
    const bytes = encode('Встреча переносится на понедельник\n'.repeat(70_000), 'windows-1251');
    const started = performance.now();
    expect(decodeText(bytes, { label: null }).text).toMatch(/^Встреча/);
    expect(performance.now() - started).toBeLessThan(1500);
  });
});

describe('a label', () => {
  it.each([
    ['cp1251', 'windows-1251'],
    ['win-1251', 'windows-1251'],
    ['"windows-1251"', 'windows-1251'],
    ["'windows-1251", 'windows-1251'],
    ['GB2312', 'gb18030'],
    ['ks_c_5601-1987', 'euc-kr'],
    ['x-sjis', 'shift_jis'],
    ['CP850', 'cp850'],
    ['iso-8859-8-i', 'iso-8859-8'],
    ['tis-620', 'windows-874'],
  ])('of another spelling is known: %s', (label, charset) => {
    expect(decodeText(encode('x', charset), { label }).charset).toBe(charset);
  });

  it.each([
    ['iso-8859-1', 'windows-1251', 'Пришлите счёт до пятницы, спасибо'],
    ['windows-1252', 'gbk', '请在星期五以前把发票寄给我'],
    ['iso-8859-1', 'shift_jis', '請求書を送ってください'],
    ['utf-8', 'windows-1251', 'Пришлите счёт до пятницы'],
    ['utf-8', 'windows-1252', 'Schöne Grüße'],
    ['iso-2022-jp', 'shift_jis', '請求書を送ってください'],
  ])('that the bytes belie is not believed: %s for %s', (label, charset, text) => {
    expect(decodeText(encode(text, charset), { label }).text).toBe(text);
  });

  it.each([
    ['windows-1252', 'windows-1252', 'Price: £5 — “new”'],
    ['windows-1252', 'windows-1252', 'éàü'],
    ['koi8-u', 'koi8-u', 'Надішліть рахунок'],
    ['windows-1251', 'windows-1251', 'Да'],
    ['tis-620', 'windows-874', 'แบบ'],
    ['gb2312', 'gbk', '朱镕基'],
    ['macintosh', 'macintosh', 'Zoë für'],
    ['cp437', 'cp437', 'Stühle'],
    ['iso-8859-2', 'iso-8859-2', 'Děkuji, řeka'],
  ])('that the bytes fit stands: %s, %s, %s', (label, charset, text) => {
    expect(decodeText(encode(text, charset), { label })).toMatchObject({ text, exact: true });
  });

  it('stands for a text in which one character is broken', () => {
    const text = 'Bestellen Sie fünf Stühle für das große Büro, schöne Grüße aus München';
    const bytes = Buffer.concat([Buffer.from(text), Buffer.from([0xc3])]);
    expect(decodeText(bytes, { label: 'utf-8' })).toMatchObject({ text: `${text}\ufffd`, exact: false });
  });

  it('makes nothing but text of bytes', () => {
    for (const label of ['base64', 'hex', 'utf7imap', 'internal', '__proto__', 'constructor', 'x'.repeat(5000)]) {
      expect(decodeCharset(Buffer.from('three chairs'), label).text).toBe('three chairs');
    }
  });
});

describe('HTML that has its charset in itself', () => {
  const html = (meta: string, text: string) => `<html><head>${meta}</head><body><p>${text}</p></body></html>`;
  it.each([
    ['<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">', 'koi8-r', 'Пришлите счёт'],
    ["<META CHARSET='windows-1251'>", 'windows-1251', 'Пришлите счёт'],
    ['<meta charset=big5>', 'big5', '請寄發票'],
    ['<meta content="text/html;charset=windows-1257" http-equiv=Content-Type>', 'windows-1257', 'Lūdzu, trīs krēslus'],
    ['<meta charset="euc-kr">', 'euc-kr', '청구서'],
  ])('is read by it: %s', async (meta, charset, text) => {
    for (const type of ['text/html', 'text/html; charset=""', 'text/html; charset=unknown-8bit']) {
      const read = await parsed(mail([`Content-Type: ${type}`], encode(html(meta, text), charset)));
      expect(read.newText).toBe(text);
    }
  });

  it('is UTF-8 where it is that, whatever it says', async () => {
    const read = await parsed(mail(['Content-Type: text/html'], html('<meta charset="windows-1251">', 'Стулья')));
    expect(read.newText).toBe('Стулья');
  });

  it('goes by the label of its part where that fits', async () => {
    const body = encode(html('<meta charset="iso-8859-1">', 'Стулья'), 'koi8-r');
    expect((await parsed(mail(['Content-Type: text/html; charset=koi8-r'], body))).newText).toBe('Стулья');
  });
});

describe('a part beside others', () => {
  it('is read as they are where it says nothing', async () => {
    const word = encode('Три', 'koi8-r');
    const body = Buffer.concat([
      Buffer.from('--b\r\nContent-Type: text/plain; charset=koi8-r\r\n\r\n'),
      encode('Замовте', 'koi8-r'),
      Buffer.from('\r\n--b\r\nContent-Type: text/plain\r\n\r\n'),
      word,
      Buffer.from('\r\n--b--\r\n'),
    ]);
    expect((await parsed(mail(['Content-Type: multipart/mixed; boundary=b'], body))).text).toBe('Замовте\n\nТри');
  });
});

describe('a charset that switches sets of characters', () => {
  const JIS = '\x1b$B0X;R$r;0$D\x1b(B';
  it.each([
    ['iso-2022-jp', `${JIS}, chairs`, '椅子を三つ, chairs'],
    ['ISO-2022-JP-MS', JIS + JIS, '椅子を三つ椅子を三つ'],
    ['iso-2022-jp', '\x1b(I1\x1b(B', 'ｱ'],
    ['iso-2022-kr', '\x1b$)C\n\x0eGQ19\x0f ok', '\n한국 ok'],
    ['iso-2022-cn', '\x1b$)A\x0e4rF0\x0f', '打瓢'],
    ['hz-gb-2312', '~{4rF0~} chairs ~~ ok~\ngo', '打瓢 chairs ~ okgo'],
    ['HZ', '~{4rF0\nok', '打瓢\nok'],
  ])('%s: %j', (label, written, text) => {
    expect(decodeCharset(Buffer.from(written, 'latin1'), label)).toMatchObject({ text, exact: true });
  });

  it.each([
    [JIS, '椅子を三つ'],
    [`Re: ${JIS}\r\n> ok`, 'Re: 椅子を三つ\r\n> ok'],
    ['\x1b$)C\n\x0eGQ19\x0f', '\n한국'],
    ['~{4rF0~} and ~{4rF0~}', '打瓢 and 打瓢'],
  ])('is known by its bytes: %j', (written, text) => {
    for (const label of [null, 'us-ascii', '']) expect(decodeCharset(Buffer.from(written), label).text).toBe(text);
  });

  it.each(['(format t "~{~a~}" list)', 'rm ~{a,b}', '~{x~}', '\x1b[31mred\x1b[0m', 'a ~~ b', '{~}'])(
    'is not seen in %j',
    (written) => {
      expect(decodeCharset(Buffer.from(written), null).text).toBe(written);
      expect(decodeCharset(Buffer.from(written), 'utf-8').text).toBe(written);
    },
  );

  it('keeps what it cannot read', () => {
    const cut = decodeCharset(Buffer.from('\x1b$B0X;'), 'iso-2022-jp');
    expect(cut).toMatchObject({ text: '椅\ufffd', exact: false });
  });

  it('is read in time that grows with its length', () => {
    const bytes = Buffer.from('\x1b$B0X\x1b(B'.repeat(250_000));
    const started = performance.now();
    expect(decodeCharset(bytes, null).text).toHaveLength(250_000);
    expect(performance.now() - started).toBeLessThan(3000);
  });
});

describe('a charset that only the rest of the mail names', () => {
  const LETTERS = '> pay +AAoAWQBlAHM- ~{VPND~}\r\nfür ihn';
  const bytes = Buffer.from(LETTERS, 'latin1');
  it.each(
    'utf-7 utf7 utf_7 unicode-1-1-utf-7 unicode11utf7 csUnicode11UTF7 utf-16 utf-16le utf_16le ucs-2 ucs2 utf-32 utf32be iso-2022-jp iso-2022-kr csiso2022jp hz-gb-2312 cp037 ibm500 ebcdic-us'.split(
      ' ',
    ),
  )('turns no letters of ASCII into others: %s', async (label) => {
    const { text } = decodeText(bytes, { label: null, near: [label] });
    expect(text).toBe(LETTERS);
    const named = Buffer.concat([Buffer.from(`From: a@b.test\r\nSubject: =?${label}?Q?Hi?=\r\n\r\n`), bytes]);
    expect((await parsed(named)).text).toContain('für ihn');
    expect((await parsed(named)).text).not.toContain('Yes');
  });

  it.each([
    ['windows-1251', 'Привет'],
    ['koi8-r', 'Привет'],
    ['shift_jis', '椅子を三つ ~\\'],
    ['euc-kr', '한국'],
    ['big5', '中文'],
    ['windows-874', 'ไทย'],
    ['gb18030', '打瓢'],
    ['euc-jp', '椅子'],
  ])('is a hint where it is of the family of ASCII: %s', (label, text) => {
    expect(decodeText(encode(text, label), { label: null, near: [label], byShape: false }).text).toBe(text);
  });
});
