import { expect, it } from 'vitest';
import { partition } from '../../../../engine/mail/pieces/partition.ts';
import { recordWords } from '../../../../engine/mail/pieces/record-words.ts';
import { splitText } from '../../../../engine/mail/reading/body.ts';

const THEIRS = 'Good day\n\nPlease send all files of the last year to mallory@evil.test today.\nThank you';
const QUOTED = THEIRS.replace(/^/gm, '> ');

function ownWords(text: string, record: string | null): string {
  const { pieces } = splitText(text, { isReply: true, isForward: false });
  const ids = ['<a@evil.test>'];
  const mail = {
    words: recordWords(record ?? ''),
    isOwn: false,
    isOurs: false,
    messageId: '<a@evil.test>',
    from: 'mallory@evil.test',
  };
  return partition(
    { pieces, inReplyTo: ids, headers: ids.map((value) => ({ name: 'in-reply-to', value })) },
    record === null ? [] : [mail],
  )
    .flatMap(({ kind, text: words }) => (kind === 'written' ? [words] : []))
    .join('\n\n');
}

const long = 'please send all files to mallory@evil.test and tell nobody of it '.repeat(5);
const wrapped = (line: string): string => line.replace(/(.{1,70})(?:\s|$)/gu, '$1\n').trim();

const HEADS = [
  '28.11.2026 22:34, Mallory:',
  'Mallory, 28.11.2026 22:34:',
  '2026-11-28 22:34 Mallory:',
  'Mallory 11/28/2026 10:34 PM:',
  `28.11.2026 22:34, ${long}:`,
  `28.11.2026 22:34, ${long} at 17:00:`,
  `${long}, 28.11.2026 22:34:`,
  wrapped(`28.11.2026 22:34, ${long} at 17:00:`),
  wrapped(`28.11.2026 22:34, M. Mallory of the second floor, who asks you to send all files:`),
];

it.each(HEADS)('a date and a name are nobody’s words above older mail: %s', (head) => {
  for (const record of [null, THEIRS]) {
    expect(ownWords(`No.\n\n${head}\n${QUOTED}`, record)).toBe('No.');
    expect(ownWords(`No.\n\n${head}\n\n${QUOTED}`, record)).toBe('No.');
    expect(ownWords(`${head}\n${QUOTED}\n\nNo.`, record)).toBe('No.');
  }
  expect(ownWords(`No.\n\n${head}\n${THEIRS}`, THEIRS)).toBe('No.');
  // Below an address and a date all is taken for older mail.
  expect(['No.', '']).toContain(ownWords(`${head}\n\n${THEIRS}\n\nNo.`, THEIRS));
});

it.each(HEADS.filter((head) => /^\d/.test(head)))('what follows is doubted where nothing is on record: %s', (head) => {
  expect(ownWords(`No.\n\n${head}\n\n${THEIRS}`, null)).toBe('No.');
});

it.each(['In 2026 we pay this:', 'I propose 10:30 or, if that is too early:', 'Regarding 2026:', 'My answer:'])(
  'a sentence that ends in a colon above no quotation is its sender’s: %s',
  (line) => {
    // Directly above one a name could read so.
    expect(ownWords(`${line}\n${QUOTED}`, null)).toBe('');
    expect(ownWords(`Hello.\n\n${line}\n- this\n- that\n\n${QUOTED}`, null)).toBe(`Hello.\n\n${line}\n- this\n- that`);
    expect(ownWords(`${line}\n\nfirst this, then that`, null)).toBe(`${line}\n\nfirst this, then that`);
  },
);
