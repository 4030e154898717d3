import { describe, expect, it } from 'vitest';
import { readMail } from '../../../../engine/mail/reading/read-mail.ts';
import { LIMITS } from '../limits.ts';

const BARE = ['Content-Type: text/plain; charset=utf-8'];
const INLINE = [...BARE, 'Content-Disposition: inline'];
const NAMED = [
  'Content-Type: text/plain; charset=utf-8; name="a.txt"',
  'Content-Disposition: inline; filename="a.txt"',
];
const FILE = [
  ...['Content-Type: application/pdf', 'Content-Transfer-Encoding: base64'],
  ...['Content-Disposition: inline; filename="a.pdf"', '', 'JVBERi0xLjQgdGlueQ=='],
];

type Supposed = NonNullable<Parameters<typeof readMail>[2]>['supposed'];

async function written(parts: readonly (readonly string[])[], supposed: Supposed = null): Promise<string> {
  const lines = [
    ...['From: Ada <ada@ext.test>', 'To: agent@test.local', 'Subject: Chairs', 'MIME-Version: 1.0'],
    ...['Content-Type: multipart/mixed; boundary="b"', ''],
    ...parts.flatMap((part) => ['--b', ...part]),
    ...['--b--', ''],
  ];
  const outcome = await readMail(Buffer.from(lines.join('\r\n')), LIMITS, { supposed });
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.mail.newText.replace(/\s+/g, ' ').trim();
}

const text = (line: string, headers = BARE): string[] => [...headers, '', line];
const ABOVE = text('Before the file.');

describe('a text behind a file', () => {
  it.each<[string, string[][], string]>([
    ['goes on with the letter', [ABOVE, FILE, text('Order three.')], 'Before the file. Order three.'],
    [
      'goes on behind each file',
      [ABOVE, FILE, text('Order three.'), FILE, text('Thank you.')],
      'Before the file. Order three. Thank you.',
    ],
    ['is a part of its own behind another text', [ABOVE, text('A list.')], 'Before the file.'],
    [
      'is one where it says how it is to be shown, as lists do',
      [ABOVE, FILE, text('A list.', [...BARE, 'Content-Disposition: inline'])],
      'Before the file.',
    ],
    [
      'is one with a name',
      [ABOVE, FILE, text('A note.', ['Content-Type: text/plain; charset=utf-8; name="a.txt"'])],
      'Before the file.',
    ],
    [
      'is one of another type',
      [ABOVE, FILE, text('<p>A page.</p>', ['Content-Type: text/html; charset=utf-8'])],
      'Before the file.',
    ],
    ['is one below a quotation', [[...ABOVE, '', '> Ada wrote this'], FILE, text('And so on.')], 'Before the file.'],
  ])('%s', async (_what, parts, expected) => expect(await written(parts)).toBe(expected));

  it.each<[string, string[][], string]>([
    ['the file is not, behind an empty letter', [text(''), text('A note.', NAMED)], ''],
    ['nor what says how it is to be shown, behind one', [text(''), text('A list.', INLINE)], ''],
    ['nor the only part, where it has a name', [text('A note.', NAMED)], ''],
    ['the text behind an empty one is', [text(''), text('Order three.')], 'Order three.'],
    ['one that says how it is to be shown is, as the first', [text('Order three.', INLINE)], 'Order three.'],
  ])('of the parts of a mail is the letter: %s', async (_what, parts, expected) =>
    expect(await written(parts)).toBe(expected),
  );

  it('is not the letter where the whole mail is a file', async () => {
    const raw = ['From: Ada <ada@ext.test>', 'To: agent@test.local', ...NAMED, '', 'A note.', ''].join('\r\n');
    for (const plain of [false, true]) {
      const outcome = await readMail(Buffer.from(raw), LIMITS, { plain });
      expect(outcome.ok && outcome.mail.pieces).toEqual([{ kind: 'unknown', text: 'A note.' }]);
    }
  });

  it('is a part of its own where nobody signed how the parts belong together', async () => {
    const supposed = { isReply: false, isForward: false, isPlainFirst: true };
    expect(await written([ABOVE, FILE, text('Order three.')], supposed)).toBe('Before the file.');
  });
});
