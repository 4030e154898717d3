import fc from 'fast-check';
import MailComposer from 'nodemailer/lib/mail-composer';
import { describe, expect, it } from 'vitest';
import { assemble } from '../../../engine/mail/compose/assemble.ts';

const treeOf = (text: string, html: string, subject: string) =>
  new MailComposer({
    from: { name: subject, address: 'ada@agents.localhost' },
    to: [{ name: '', address: 'mia@example.com' }],
    subject,
    messageId: '<answer@agents.localhost>',
    references: ['<first@example.com>', '<second@example.com>'],
    date: new Date(0),
    headers: [{ key: 'X-Epistle-Kind', value: 'reply' }],
    text,
    html,
    encoding: 'quoted-printable',
    newline: 'win',
    baseBoundary: 'boundary',
    boundaryPrefix: '=_ep',
  }).compile();

const piece = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '\n',
    ' ',
    '  \n',
    '\t\n',
    '\r\n',
    '=',
    '=3D',
    '.',
    '\n.\n',
    'ä'.repeat(40),
    'x'.repeat(90),
    '🙂🙂🙂',
  ),
);
const body = fc.array(piece, { maxLength: 60 }).map((pieces) => `${pieces.join('')}\n`);

describe('a mail that is put together without streams', () => {
  it('is, byte for byte, the mail that nodemailer streams', async () => {
    await fc.assert(
      fc.asyncProperty(body, body, fc.string({ unit: 'grapheme' }), async (text, html, subject) => {
        const streamed = await treeOf(text, html, subject).build();
        expect(Buffer.from(assemble(treeOf(text, html, subject))).toString()).toBe(streamed.toString());
      }),
      { numRuns: 300 },
    );
  });
});
