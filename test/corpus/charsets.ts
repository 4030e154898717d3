import { type CorpusCase, corpusCase, mime } from './build.ts';

const eightBit = ['Content-Transfer-Encoding', '8bit'] as const;
const inCharset = (charset: string, bytes: Buffer) => ({
  headers: mime(`text/plain; charset=${charset}`, eightBit),
  body: bytes,
});
const hex = (text: string) => Buffer.from(text.replace(/\s/g, ''), 'hex');

export const charsetCases: readonly CorpusCase[] = [
  corpusCase('charset-latin1', inCharset('iso-8859-1', Buffer.from('Grüße\r\n', 'latin1')), {
    outcome: 'ok',
    newText: 'Grüße',
  }),
  corpusCase('charset-windows-1252', inCharset('windows-1252', hex('80 35 0d0a')), { outcome: 'ok', newText: '€5' }),
  corpusCase('charset-koi8-r', inCharset('koi8-r', hex('d0d2c9d7c5d4 0d0a')), { outcome: 'ok', newText: 'привет' }),
  corpusCase('charset-shift-jis', inCharset('shift_jis', hex('82b182f182c982bf82cd 0d0a')), {
    outcome: 'ok',
    newText: 'こんにちは',
  }),
  corpusCase('charset-iso-2022-jp', inCharset('iso-2022-jp', hex('1b2442 2433 2473 244b 2441 244f 1b2842 0d0a')), {
    outcome: 'ok',
    newText: 'こんにちは',
  }),
  corpusCase('charset-gb18030', inCharset('gb18030', hex('c4e3bac3 0d0a')), { outcome: 'ok', newText: '你好' }),
  corpusCase('charset-big5', inCharset('big5', hex('a741a66e 0d0a')), { outcome: 'ok', newText: '你好' }),
  corpusCase('charset-euc-kr', inCharset('ks_c_5601-1987', hex('bec8b3e7 0d0a')), { outcome: 'ok', newText: '안녕' }),
  corpusCase('charset-utf-16le', inCharset('utf-16le', Buffer.from('hi there\r\n', 'utf16le')), {
    outcome: 'ok',
    newText: 'hi there',
  }),
  corpusCase('charset-utf-7', inCharset('utf-7', Buffer.from('1 +- 1 +AD0- 2\r\n')), {
    outcome: 'ok',
    newText: '1 + 1 = 2',
  }),
  corpusCase(
    'charset-missing-but-latin1',
    { headers: mime('text/plain', eightBit), body: Buffer.from('Grüße\r\n', 'latin1') },
    {
      outcome: 'ok',
      newText: 'Grüße',
      limitation: /charset/,
    },
  ),
  corpusCase('charset-says-utf-8-is-latin1', inCharset('utf-8', Buffer.from('Grüße\r\n', 'latin1')), {
    outcome: 'ok',
    newText: 'Grüße',
    limitation: /charset/,
  }),
  corpusCase('charset-unknown', inCharset('x-klingon', Buffer.from('Grüße\r\n')), { outcome: 'ok', newText: 'Grüße' }),
  corpusCase('charset-in-quotes-and-comment', inCharset('"UTF-8" (yes)', Buffer.from('Grüße\r\n')), {
    outcome: 'ok',
    newText: 'Grüße',
  }),
  corpusCase(
    'body-base64-broken',
    { headers: mime('text/plain', ['Content-Transfer-Encoding', 'base64']), body: 'SGVs*bG8\r\n' },
    {
      outcome: 'ok',
      textContains: ['Hel'],
    },
  ),
  corpusCase(
    'body-quoted-printable-broken',
    {
      headers: mime('text/plain; charset=utf-8', ['Content-Transfer-Encoding', 'quoted-printable']),
      body: 'a=ZZb =3D c=\r\nd=',
    },
    { outcome: 'ok', textContains: ['= cd'] },
  ),
  corpusCase(
    'body-unknown-encoding',
    { headers: mime('text/plain', ['Content-Transfer-Encoding', 'x-uuencode']), body: 'plain enough' },
    {
      outcome: 'ok',
      newText: 'plain enough',
    },
  ),
  corpusCase(
    'body-format-flowed',
    { headers: mime('text/plain; charset=utf-8; format=flowed'), body: 'one \r\nline\r\n\r\ntwo\r\n' },
    {
      outcome: 'ok',
      newText: 'one line\n\ntwo',
    },
  ),
  corpusCase(
    'subject-encoded-split-character',
    { headers: [['Subject', '=?UTF-8?B?R3LDvMM=?= =?UTF-8?B?n2U=?=']] },
    {
      outcome: 'ok',
      mail: { subject: 'Grüße' },
    },
  ),
  corpusCase('subject-raw-utf8', { headers: [['Subject', 'Grüße']] }, { outcome: 'ok', mail: { subject: 'Grüße' } }),
  corpusCase(
    'subject-unknown-charset',
    { headers: [['Subject', '=?x-none?Q?caf=C3=A9?=']] },
    { outcome: 'ok', mail: { subject: 'café' } },
  ),
  corpusCase(
    'subject-folded',
    { headers: [['Subject', 'one\r\n two\r\n\tthree']] },
    { outcome: 'ok', mail: { subject: 'one two three' } },
  ),
];
