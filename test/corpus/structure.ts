import { type CorpusCase, corpusCase, joined, mime, multipart, part } from './build.ts';

const attachments = (count: number) =>
  Array.from({ length: count }, (_, n) =>
    part('application/octet-stream', 'x', `Content-Disposition: attachment; filename="f${n}.bin"`),
  );
const text = part('text/plain', 'Hello');

/** Multiparts inside each other, the innermost with a text. */
function nested(depth: number): { headers: ReturnType<typeof mime>; body: string } {
  let body = part('text/plain', 'deep');
  for (let level = depth; level > 1; level -= 1)
    body = part(`multipart/mixed; boundary="b${level}"`, joined(`b${level}`, [body]));
  return { headers: mime('multipart/mixed; boundary="b1"'), body: joined('b1', [body]) };
}

function forwards(depth: number): string {
  let message = 'Subject: innermost\r\n\r\nbottom\r\n';
  for (let level = 0; level < depth; level += 1) {
    message = `Subject: level ${level}\r\nContent-Type: message/rfc822\r\n\r\n${message}`;
  }
  return message;
}

export const structureCases: readonly CorpusCase[] = [
  corpusCase('plain', {}, { outcome: 'ok', newText: 'Hello', from: 'one', silence: null }),
  corpusCase('bare-lf', { newline: '\n', body: 'Hello\nyou\n' }, { outcome: 'ok', newText: 'Hello\nyou' }),
  corpusCase('empty-body', { body: '' }, { outcome: 'ok', newText: '', mail: { text: '' } }),
  {
    name: 'headers-without-end',
    raw: Buffer.from('From: a@example.com\r\nSubject: cut off'),
    expect: { outcome: 'ok', mail: { subject: 'cut off' } },
  },
  { name: 'nothing-at-all', raw: Buffer.alloc(0), expect: { outcome: 'unparsable' } },
  {
    name: 'binary-garbage',
    raw: Buffer.from(Array.from({ length: 4096 }, (_, n) => (n * 7919) % 251)),
    expect: { outcome: 'unparsable' },
  },
  { name: 'one-long-line', raw: Buffer.alloc(2_000_000, 'x'), expect: { outcome: 'unparsable' } },
  {
    name: 'mbox-from-line',
    raw: Buffer.from(
      'From sender@example.com Mon Mar  2 10:00:00 2026\nFrom: sender@example.com\nSubject: x\n\nHello\n',
    ),
    expect: { outcome: 'ok', from: 'one', fault: true, newText: 'Hello' },
  },
  corpusCase('nul-bytes', { body: 'Hel\0lo\0\r\n' }, { outcome: 'ok', newText: 'Hello' }),
  corpusCase(
    'alternative',
    multipart('alternative', 'b', part('text/plain', 'Hello'), part('text/html', '<p>Hello</p>')),
    { outcome: 'ok', newText: 'Hello' },
  ),
  corpusCase(
    'alternative-plain-empty',
    multipart('alternative', 'b', part('text/plain', ' '), part('text/html', '<p>From <b>HTML</b></p>')),
    { outcome: 'ok', newText: 'From HTML' },
  ),
  corpusCase(
    'alternative-html-first',
    multipart('alternative', 'b', part('text/html', '<p>Hello</p>'), part('text/plain', 'Hello')),
    { outcome: 'ok', newText: 'Hello' },
  ),
  corpusCase(
    'alternative-nested-related',
    multipart(
      'alternative',
      'b',
      part('text/plain', 'Hello'),
      part(
        'multipart/related; boundary=r',
        joined('r', [
          part('text/html', '<p>Hello</p>'),
          part('image/png', 'x', 'Content-ID: <i@x>', 'Content-Disposition: inline; filename=i.png'),
        ]),
      ),
    ),
    { outcome: 'ok', newText: 'Hello', attachments: ['i.png'] },
  ),
  corpusCase('mixed-two-texts', multipart('mixed', 'b', part('text/plain', 'One'), part('text/plain', 'Two')), {
    outcome: 'ok',
    newText: 'One',
    quotedContains: 'Two',
  }),
  corpusCase(
    'mixed-text-and-html',
    multipart('mixed', 'b', part('text/plain', 'Intro'), part('text/html', '<p>Body</p>')),
    { outcome: 'ok', newText: 'Intro', quotedContains: 'Body' },
  ),
  corpusCase(
    'no-end-boundary',
    { headers: mime('multipart/mixed; boundary=b'), body: '--b\r\nContent-Type: text/plain\r\n\r\nHello\r\n' },
    { outcome: 'ok', newText: 'Hello' },
  ),
  corpusCase(
    'no-boundary-parameter',
    { headers: mime('multipart/mixed'), body: 'Hello\r\n' },
    { outcome: 'ok', newText: 'Hello', limitation: /malformed/ },
  ),
  corpusCase(
    'boundary-never-used',
    { headers: mime('multipart/mixed; boundary=never'), body: 'Hello\r\n' },
    { outcome: 'ok', newText: 'Hello', limitation: /malformed/ },
  ),
  corpusCase(
    'boundary-prefix-of-another',
    {
      headers: mime('multipart/mixed; boundary=b'),
      body: joined('b', [part('multipart/alternative; boundary=bb', joined('bb', [part('text/plain', 'Hello')]))]),
    },
    { outcome: 'ok', newText: 'Hello' },
  ),
  corpusCase(
    'boundary-with-trailing-blanks',
    {
      headers: mime('multipart/mixed; boundary=b'),
      body: '--b \t\r\nContent-Type: text/plain\r\n\r\nHello\r\n--b--\r\n',
    },
    { outcome: 'ok' },
  ),
  corpusCase(
    'two-content-types',
    { headers: [...mime('text/plain'), ['Content-Type', 'text/html']], body: 'Hello\r\n' },
    { outcome: 'ok', fault: true, textContains: ['Hello'] },
  ),
  corpusCase(
    'part-without-blank-line',
    {
      headers: mime('multipart/mixed; boundary=b'),
      body: '--b\r\nContent-Type: text/plain\r\n--b\r\nContent-Type: text/plain\r\n\r\nHello\r\n--b--\r\n',
    },
    { outcome: 'ok', textContains: ['Hello'] },
  ),
  corpusCase('depth-just-allowed', nested(32), { outcome: 'ok', newText: 'deep' }),
  corpusCase('depth-too-much', nested(33), { outcome: 'mime_limit' }),
  corpusCase('depth-bomb', nested(2000), { outcome: 'mime_limit' }),
  corpusCase(
    'headers-of-parts-bomb',
    {
      headers: mime('multipart/mixed; boundary=h'),
      body: joined(
        'h',
        Array.from({ length: 30 }, () => part('text/plain', 'Hi', `X-Long: ${'a '.repeat(20_000)}`)),
      ),
    },
    { outcome: 'mime_limit' },
  ),
  corpusCase('parts-just-allowed', multipart('mixed', 'b', ...Array.from({ length: 199 }, () => text)), {
    outcome: 'ok',
  }),
  corpusCase('parts-too-many', multipart('mixed', 'b', ...Array.from({ length: 200 }, () => text)), {
    outcome: 'mime_limit',
  }),
  corpusCase(
    'parts-bomb',
    { headers: mime('multipart/mixed; boundary=b'), body: '--b\r\n\r\n'.repeat(100_000) },
    { outcome: 'mime_limit' },
  ),
  corpusCase(
    'forward-chain-too-deep',
    { headers: mime('message/rfc822'), body: forwards(60) },
    { outcome: 'mime_limit' },
  ),
  corpusCase(
    'forward-chain',
    { headers: mime('multipart/mixed; boundary=b'), body: joined('b', [text, part('message/rfc822', forwards(3))]) },
    { outcome: 'ok', newText: 'Hello', attachments: ['attachment.eml'] },
  ),
  corpusCase('attachments-just-allowed', multipart('mixed', 'b', text, ...attachments(20)), {
    outcome: 'ok',
    newText: 'Hello',
  }),
  corpusCase('attachments-too-many', multipart('mixed', 'b', text, ...attachments(21)), {
    outcome: 'too_many_attachments',
  }),
  corpusCase('attachment-only', multipart('mixed', 'b', ...attachments(1)), {
    outcome: 'ok',
    newText: '',
    attachments: ['f0.bin'],
  }),
  corpusCase(
    'attachment-path-names',
    multipart(
      'mixed',
      'b',
      text,
      ...['../../etc/cron.d/evil', '..', 'C:\\\\windows\\\\x.exe', 'a.txt', 'a.txt', 'con.txt'].map((name) =>
        part('application/octet-stream', 'x', `Content-Disposition: attachment; filename="${name}"`),
      ),
    ),
    { outcome: 'ok', attachments: ['evil', 'attachment', 'x.exe', 'a.txt', 'a (2).txt', '_con.txt'] },
  ),
  corpusCase(
    'attachment-bidi-name',
    multipart(
      'mixed',
      'b',
      text,
      part('application/octet-stream', 'x', "Content-Disposition: attachment; filename*=utf-8''in%E2%80%AEfdp.exe"),
    ),
    { outcome: 'ok', attachments: ['infdp.exe'] },
  ),
  corpusCase(
    'attachment-name-continued',
    multipart(
      'mixed',
      'b',
      text,
      part(
        'application/pdf',
        'x',
        "Content-Disposition: attachment;\r\n filename*0*=utf-8''Gr%C3%BC;\r\n filename*1=sse.pdf",
      ),
    ),
    { outcome: 'ok', attachments: ['Grüsse.pdf'] },
  ),
  corpusCase(
    'attachment-winmail',
    multipart(
      'mixed',
      'b',
      text,
      part('application/ms-tnef', 'x', 'Content-Disposition: attachment; filename=winmail.dat'),
    ),
    { outcome: 'ok', attachments: ['winmail.dat'] },
  ),
  corpusCase(
    'attachment-external-body',
    multipart(
      'mixed',
      'b',
      text,
      part('message/external-body; access-type=URL; URL="http://169.254.169.254/"', 'Content-Type: text/plain\r\n\r\n'),
    ),
    { outcome: 'ok', newText: 'Hello' },
  ),
  corpusCase(
    'encrypted-pgp',
    multipart(
      'encrypted; protocol="application/pgp-encrypted"',
      'b',
      part('application/pgp-encrypted', 'Version: 1'),
      part('application/octet-stream', '-----BEGIN PGP MESSAGE-----'),
    ),
    { outcome: 'ok', limitation: /encrypted/ },
  ),
  corpusCase(
    'signed-smime',
    multipart(
      'signed',
      'b',
      part('text/plain', 'Hello'),
      part('application/pkcs7-signature', 'x', 'Content-Disposition: attachment; filename=smime.p7s'),
    ),
    { outcome: 'ok', newText: 'Hello', attachments: ['smime.p7s'] },
  ),
  corpusCase(
    'headers-20000',
    { headers: Array.from({ length: 20_000 }, (_, n) => [`X-${n}`, 'y'.repeat(60)] as const) },
    { outcome: 'ok', fault: true, limitation: /Only the first text/, newText: 'Hello' },
  ),
  corpusCase(
    'headers-three-megabytes',
    {
      headers: [
        ['X-Long', 'z'.repeat(3_000_000)],
        ['X-More', 'y'],
        ['From', 'sender@example.com'],
      ],
    },
    { outcome: 'ok', from: 'ambiguous', newText: 'Hello', limitation: /Only the first text/ },
  ),
  corpusCase(
    'lines-of-dashes',
    { headers: mime('multipart/mixed; boundary=b'), body: '--\r\n'.repeat(1_000_000) },
    { outcome: 'ok', limitation: /malformed/ },
  ),
  corpusCase(
    'header-one-megabyte',
    { headers: [['X-Long', 'z'.repeat(1_100_000)]] },
    { outcome: 'ok', newText: 'Hello' },
  ),
  corpusCase(
    'to-100000-addresses',
    { headers: [['To', 'a@example.com,'.repeat(60_000)]] },
    { outcome: 'ok', newText: 'Hello' },
  ),
  corpusCase(
    'text-10-megabytes',
    { body: 'some words in a line\r\n'.repeat(450_000) },
    { outcome: 'ok', limitation: /cut after/ },
  ),
  corpusCase('text-one-line-of-blanks', { body: `${' '.repeat(1_000_000)}x\r\n` }, { outcome: 'ok' }),
  corpusCase('text-only-quote-signs', { body: '>'.repeat(500_000) }, { outcome: 'ok' }),
];
