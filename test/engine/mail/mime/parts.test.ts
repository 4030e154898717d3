import { describe, expect, it } from 'vitest';
import { firstHeader } from '../../../../engine/mail/mime/headers.ts';
import { readStructure } from '../../../../engine/mail/mime/structure.ts';
import { fromEnriched } from '../../../../engine/mail/text/enriched.ts';
import { parsed } from '../fixtures.ts';
import { LIMITS } from '../limits.ts';

const mail = (headers: readonly string[], ...lines: readonly string[]): Buffer =>
  Buffer.from(['From: Ivo <ivo@ext.test>', 'Subject: x', 'MIME-Version: 1.0', ...headers, '', ...lines].join('\r\n'));
const read = async (headers: readonly string[], ...lines: readonly string[]) => parsed(mail(headers, ...lines));
const names = ({ attachments }: Awaited<ReturnType<typeof read>>) => attachments.map(({ name }) => name);

describe('a file that is to be shown where it stands', () => {
  it.each([
    ['message/rfc822', '7bit', 'From: a@b.test\r\nSubject: Old\r\n\r\nOld words.'],
    ['image/png', 'base64', Buffer.alloc(300, 7).toString('base64')],
    ['application/pdf', 'base64', Buffer.alloc(4_000_000, 7).toString('base64').replace(/.{76}/g, '$&\r\n')],
  ])('is whole: %s', async (type, encoding, content) => {
    const found = await read(
      ['Content-Type: multipart/mixed; boundary=b'],
      ...['--b', 'Content-Type: text/plain', '', 'See below.', '--b', `Content-Type: ${type}; name=a`],
      ...[
        `Content-Transfer-Encoding: ${encoding}`,
        'Content-Disposition: inline; filename=a',
        '',
        content,
        '--b--',
        '',
      ],
    );
    const bytes = encoding === 'base64' ? Buffer.from(content, 'base64').length : Buffer.byteLength(content);
    expect(found.attachments.map((file) => [file.type, file.bytes])).toEqual([[type, bytes]]);
    expect(found.newText).toBe('See below.');
  });
});

describe('a Content-Type that is broken', () => {
  it.each([
    'text/plain charset=utf-8',
    'text/plain, charset="utf-8"',
    'text/plain:charset=utf-8',
    'text/plain charset=utf-8 format=fixed',
    'text / plain; charset=utf-8',
    '"text/plain"; charset=utf-8',
    'text/plain; charset: utf-8',
    'text/plain; charset utf-8',
    'text\\plain; charset=utf-8',
    'text; charset=utf-8',
    'text',
    'text/',
    'text/; charset=utf-8',
    'plain',
    'charset=utf-8',
    'us-ascii',
    '',
    '???',
    'text/plain/utf-8',
  ])('is that of a text: %j', async (type) => {
    const found = await read([`Content-Type: ${type}`], 'Zwölf Stühle, bitte.');
    expect(found).toMatchObject({ newText: 'Zwölf Stühle, bitte.', attachments: [] });
    const inside = await read(
      ['Content-Type: multipart/mixed; boundary=b'],
      '--b',
      `Content-Type: ${type}`,
      '',
      'Zwölf Stühle',
      '--b--',
    );
    expect(inside).toMatchObject({ newText: 'Zwölf Stühle', attachments: [] });
  });

  it('still names its charset', async () => {
    const bytes = Buffer.concat([mail(['Content-Type: text/plain charset=koi8-r'], ''), Buffer.from('f4d2c9', 'hex')]);
    expect((await parsed(bytes)).newText).toBe('Три');
  });

  it.each(['text/html charset=utf-8', 'html', 'text/html:', 'text html'])('is that of HTML: %s', async (type) => {
    expect((await read([`Content-Type: ${type}`], '<p>Three <b>desks</b></p>')).newText).toBe('Three desks');
  });

  it.each(['multipart/mixed boundary=b', 'multipart/mixed, boundary="b"', 'multipart; boundary=b'])(
    'still has its parts: %s',
    async (type) => {
      const found = await read([`Content-Type: ${type}`], '--b', '', 'Three desks', '--b--');
      expect(found.newText).toBe('Three desks');
    },
  );

  it('is that of a file where it has the name of one, or no text in it', async () => {
    const named = ['Content-Type: pdf', 'Content-Disposition: attachment; filename="plan.pdf"', '', 'x'];
    const binary = ['Content-Type: foo', 'Content-Transfer-Encoding: base64', '', 'AAECAwQFBgcICQ=='];
    const found = await read(
      ['Content-Type: multipart/mixed; boundary=b'],
      '--b',
      '',
      'Look',
      '--b',
      ...named,
      '--b',
      ...binary,
      '--b--',
    );
    expect(found.newText).toBe('Look');
    expect(names(found)).toEqual(['plan.pdf', 'attachment']);
  });
});

describe('several Content-Types of one part', () => {
  it.each([
    ['of which the first has no boundary that is used', 'multipart/mixed; boundary=no', 'multipart/mixed; boundary=b'],
    [
      'of which the first is that of another multipart',
      'multipart/alternative; boundary=no',
      'multipart/mixed; boundary=b',
    ],
    ['of which the first is a text', 'text/plain; charset=us-ascii', 'multipart/mixed; boundary=b'],
    ['of which the second is wrong', 'multipart/mixed; boundary=b', 'multipart/mixed; boundary=no'],
    ['of which the second is a text', 'multipart/mixed; boundary=b', 'text/plain'],
    ['of which the first says nothing', '', 'multipart/mixed; boundary=b'],
  ])('%s', async (_, first, second) => {
    const found = await read(
      [`Content-Type: ${first}`, 'X-A: b', `Content-Type: ${second}`],
      '--b',
      'Content-Type: text/plain',
      '',
      'Three desks',
      '--b--',
    );
    expect(found.newText).toBe('Three desks');
    expect(found.provable.fault).not.toBeNull();
  });

  it.each([
    ['multipart/mixed; boundary=no', 'text/plain; charset=utf-8', 'Zwölf'],
    ['foo', 'text/plain; charset=utf-8', 'Zwölf'],
    ['text/plain; charset=x-none', 'text/plain; charset=utf-8', 'Zwölf'],
    ['text/plain', 'text/html; charset=utf-8', '<p>Zwölf</p>'],
  ])('of which the body bears out the second: %s, %s', async (first, second, body) => {
    expect((await read([`Content-Type: ${first}`, `Content-Type: ${second}`], body)).newText).toBe('Zwölf');
  });
});

describe('text of a type that nobody knows', () => {
  it.each(['text/x-letter', 'text/markdown', 'text/x-patch', 'text/unknown', 'text/troff'])(
    'is text: %s',
    async (type) => {
      expect(await read([`Content-Type: ${type}; charset=utf-8`], 'Zwölf Stühle')).toMatchObject({
        newText: 'Zwölf Stühle',
        attachments: [],
      });
      const inside = await read(
        ['Content-Type: multipart/mixed; boundary=b'],
        '--b',
        '',
        'First',
        '--b',
        `Content-Type: ${type}`,
        '',
        'Second',
        '--b--',
      );
      expect(inside).toMatchObject({ text: 'First\n\nSecond', attachments: [] });
    },
  );

  it('proves nothing by its type', async () => {
    expect((await read(['Content-Type: text/x-letter'], 'ok')).provable.contentType).toBe(false);
  });

  it('is a file where it is called one, is data, or a version of the letter', async () => {
    const alternative = 'Content-Type: multipart/alternative; boundary=b';
    const mixed = 'Content-Type: multipart/mixed; boundary=b';
    for (const [type, header, list] of [
      [mixed, 'Content-Type: text/x-letter; name=a.x', ['a.x']],
      [mixed, 'Content-Type: text/x-letter\r\nContent-Disposition: attachment; filename=b.x', ['b.x']],
      [mixed, 'Content-Type: text/csv', ['attachment']],
      [mixed, 'Content-Type: text/calendar', ['attachment.ics']],
      [mixed, 'Content-Type: text/vcard', ['attachment']],
      [mixed, 'Content-Type: text/rfc822-headers', ['attachment']],
      [mixed, 'Content-Type: text/vnd.example.reaction+json', ['attachment']],
      [alternative, 'Content-Type: text/x-amp-html', ['attachment']],
      [alternative, 'Content-Type: text/x-letter', ['attachment']],
    ] as const) {
      const found = await read([type], '--b', '', 'The letter', '--b', header, '', 'SECOND', '--b--');
      expect(found.text, header).toBe('The letter');
      expect(names(found), header).toEqual(list);
    }
  });

  it('is read once where a mail has versions of nothing else', async () => {
    const found = await read(
      ['Content-Type: multipart/alternative; boundary=b'],
      '--b',
      'Content-Type: text/x-a',
      '',
      'One',
      '--b',
      'Content-Type: text/x-b',
      '',
      'Two',
      '--b--',
    );
    expect(found.text).toBe('One');
    expect(names(found)).toEqual(['attachment']);
  });

  it.each([
    [
      'enriched',
      '<bold>Three</bold> desks\nplease.\n\n<color><param>red</param>Now</color> << 5',
      'Three desks please.\nNow < 5',
    ],
    ['enriched', 'I say\n<excerpt>they said\n\nthis</excerpt>yes', 'I say \n> they said\n> this\nyes'],
    ['enriched', '<nofill>a\nb</nofill>\nc 1 < 2 <3', 'a\nb c 1 < 2 <3'],
    [
      'richtext',
      '<bold>Three</bold><nl>desks<lt>5<comment>no</comment><paragraph>x</paragraph>',
      'Three\ndesks<5\nx\n',
    ],
  ] as const)('is shown without its commands: %s', async (kind, written, text) => {
    expect(fromEnriched(written, kind)).toBe(text);
    const found = await read([`Content-Type: text/${kind}; charset=utf-8`], ...written.split('\n'));
    expect(found.text.replace(/\s+/g, ' ')).toBe(text.trim().replace(/\s+/g, ' '));
    expect(found.provable.contentType).toBe(false);
  });

  it('is shown in time that grows with its length', () => {
    for (const sign of ['<excerpt>\n', '<excerpt>', '<param>', '<<', '<', '\n', '</nofill>']) {
      const started = performance.now();
      fromEnriched(sign.repeat(200_000), 'enriched');
      expect(performance.now() - started, sign).toBeLessThan(2000);
    }
  });

  it('is not taken for what the sender says where it cites', async () => {
    const found = await read(
      ['In-Reply-To: <a@b.test>', 'Content-Type: text/enriched'],
      'No.',
      '<excerpt>',
      'Approve',
      '</excerpt>',
    );
    expect(found.newText).toBe('No.');
    expect(found.quotedText).toContain('Approve');
  });
});

describe('a digest', () => {
  const DIGEST = 'Content-Type: multipart/digest; boundary=d';
  it.each([
    [
      'whose parts say nothing',
      ['--d', '', 'From: a@ext.test', 'Subject: One', '', 'Inside', '--d', '', 'From: c@ext.test', '', 'Too', '--d--'],
    ],
    [
      'that lacks the empty lines',
      ['--d', 'From: a@ext.test', 'Subject: One', '', 'Inside', '--d', 'From: c@ext.test', '', 'Too', '--d--'],
    ],
    [
      'whose parts say it',
      [
        '--d',
        'Content-Type: message/rfc822',
        '',
        'From: a@ext.test',
        'Subject: One',
        '',
        'Inside',
        '--d',
        '',
        'From: c@ext.test',
        '',
        'Too',
        '--d--',
      ],
    ],
  ])('is a row of mails: %s', async (_, lines) => {
    const found = await read([DIGEST], ...lines);
    expect(names(found)).toEqual(['attachment.eml', 'attachment (2).eml']);
    expect(found.newText).toBe('');
    const content = Buffer.from(found.attachments[0]?.content ?? []).toString();
    expect(content).toMatch(/^From: a@ext\.test\r\nSubject: One\r\n\r\nInside/);
  });

  it('may hold a text, which stands beside them', async () => {
    const found = await read(
      [DIGEST],
      '--d',
      'Content-Type: text/plain',
      '',
      'Topics of today',
      '--d',
      '',
      'From: a@ext.test',
      '',
      'Inside',
      '--d--',
    );
    expect(found.newText).toBe('Topics of today');
    expect(names(found)).toEqual(['attachment.eml']);
  });

  it('inside of another mail is one, too', async () => {
    const found = await read(
      ['Content-Type: multipart/mixed; boundary=m'],
      '--m',
      '',
      'See below',
      '--m',
      DIGEST,
      '',
      '--d',
      '',
      'From: a@ext.test',
      '',
      'Inside',
      '--d--',
      '--m',
      '',
      'Footer',
      '--m--',
    );
    expect(found.text).toBe('See below\n\nFooter');
    expect(names(found)).toEqual(['attachment.eml']);
  });

  it('that is none does not make mail of parts', async () => {
    const found = await read(['Content-Type: multipart/mixed; boundary=d'], '--d', '', 'From: a@ext.test', '--d--');
    expect(found.attachments).toEqual([]);
  });
});

describe('base64 below which somebody has put a text', () => {
  const CODED = Buffer.from('Zwölf Stühle, bitte').toString('base64');
  it.each([
    ['a footer', ['', '_____', 'Scanned by a border.']],
    ['a rule', ['-----', 'Unsubscribe here']],
    ['words at once', ['Sent through the list of chairs.']],
  ])('is read, and the text shown: %s', async (_, footer) => {
    const padded = Buffer.from('Zwölf Stühle, bitte!').toString('base64');
    expect(padded).toMatch(/=$/);
    const found = await read(
      ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64'],
      padded,
      ...footer,
    );
    expect(found.text).toContain('Zwölf Stühle, bitte!');
    expect(found.text).toContain(footer.at(-1));
    expect(found.text).not.toContain('\ufffd');
    expect(found.provable.transferEncoding).toBe(false);
  });

  it('is read as ever where it is in pieces, or a sign is damaged', async () => {
    const head = ['Content-Type: text/plain; charset=utf-8', 'Content-Transfer-Encoding: base64'];
    const pieces = ['Zwölf ', 'Stühle'].map((piece) => Buffer.from(piece).toString('base64'));
    expect((await read(head, ...pieces)).newText).toBe('Zwölf Stühle');
    expect((await read(head, `${CODED.slice(0, 8)}!${CODED.slice(8)}`)).newText).toBe('Zwölf Stühle, bitte');
  });
});

describe('what a body could mean under another Content-Type', () => {
  it.each([
    ['ISO-2022 without a label', 'Content-Type: text/plain', '\x1b$B0X;R\x1b(B'],
    ['HZ without a label', 'X-A: b', '~{4rF0~} ~{4rF0~}'],
    ['ISO-2022 under another label', 'Content-Type: text/plain; charset=utf-8', '\x1b$B0X;R\x1b(B'],
  ])('is open: %s', async (_, header, body) => {
    expect((await read([header], body)).provable.contentType).toBe(false);
  });

  it.each([
    ['Content-Type: text/plain', 'three chairs'],
    ['Content-Type: text/plain; charset=utf-8', 'Stühle'],
    ['Content-Type: text/plain; charset=koi8-r', 'Stühle'],
    ['X-A: b', 'Stühle'],
  ])('is plain: %s', async (header, body) => {
    expect((await read([header], body)).provable.contentType).toBe(true);
  });
});

it('a mail that has to be changed for the other reader is changed in no other place', async () => {
  const raw = mail(['Content-Type: text/plain charset=utf-8'], 'Zwölf');
  const structure = readStructure(raw, LIMITS);
  expect(structure.ok && structure.edits).toHaveLength(1);
  const found = await parsed(raw);
  expect(found.headers.filter(({ name }) => name === 'content-type')).toHaveLength(1);
  expect(firstHeader(found.headers, 'content-type')).toBe('text/plain charset=utf-8');
});

it('a mail from a mailbox file keeps its first line above the type that is stated', async () => {
  const raw = Buffer.concat([
    Buffer.from('From ivo@ext.test Tue May 5 18:04:09 2026\r\n'),
    mail(['Content-Type: text'], 'Zwölf'),
  ]);
  expect((await parsed(raw)).newText).toBe('Zwölf');
});
