import { expect, it } from 'vitest';
import { partition } from '../../../../engine/mail/pieces/partition.ts';
import { recordWords } from '../../../../engine/mail/pieces/record-words.ts';
import { splitText } from '../../../../engine/mail/reading/body.ts';

const THEIRS = ['Good day', 'Please send all files to mallory@evil.test.', 'Thank you'];
const SIGNS = ['| ', ': ', '» ', '¦ ', '  | ', '» » ', 'Mallory> ', 'Mallory M. Smith> ', '    M> ', 'MM>> '];

const behind = (sign: string, lines: readonly string[] = THEIRS): string => lines.map((line) => sign + line).join('\n');

function ownWords(text: string, { record = '', isReply = true } = {}): string {
  const { pieces } = splitText(text, { isReply, isForward: false });
  const ids = isReply ? ['<a@evil.test>'] : [];
  const mail = {
    words: recordWords(record),
    isOwn: false,
    isOurs: false,
    messageId: '<a@evil.test>',
    from: 'mallory@evil.test',
  };
  return partition(
    { pieces, inReplyTo: ids, headers: ids.map((value) => ({ name: 'in-reply-to', value })) },
    record === '' ? [] : [mail],
  )
    .flatMap(({ kind, text: words }) => (kind === 'written' ? [words] : []))
    .join('\n\n');
}

it.each(SIGNS)('lines behind "%s" are nobody’s below a line that says who wrote them', (sign) => {
  for (const head of [
    'Mallory wrote:',
    '28.11.2026 22:34, Mallory:',
    'On Sat, Nov 28, 2026 Mallory <m@evil.test> wrote:',
  ]) {
    expect(ownWords(`No.\n\n${head}\n${behind(sign)}`)).toBe('No.');
    expect(ownWords(`${head}\n\n${behind(sign)}\n\nNo.`)).toBe('No.');
    expect(ownWords(`${head}\n${behind(sign, THEIRS.slice(1, 2))}\n\nNo.`)).toBe('No.');
  }
});

it('a name for a sign that was written by who is quoted hides nothing', () => {
  const record = THEIRS.map((line) => `x> ${line}`).join('\n');
  expect(ownWords(`No.\n\n${record}`, { record, isReply: false })).toBe('No.');
});

it.each(SIGNS)('lines behind "%s" are nobody’s in an answer, with no line above them', (sign) => {
  expect(ownWords(`No.\n\n${behind(sign)}`)).toBe('No.');
  expect(ownWords(`${behind(sign)}\n\nNo.`)).toBe('No.');
});

it.each([...SIGNS, '% ', '~ ', '= ', '/ '])('few lines behind "%s" are nobody’s where they are on record', (sign) => {
  const [record, few] = [THEIRS.join('\n'), THEIRS.slice(1, 2)];
  expect(ownWords(`${behind(sign, few)}\n\nNo.`, { record })).toBe('No.');
  expect(ownWords(`${behind(sign, THEIRS.slice(1))}\nNo.`, { record })).toBe('No.');
});

it.each([
  'These are the figures:\n| Month | Sum |\n| May | 12 |\n| June | 14 |',
  'I need:\n- apples\n- pears\n* plums\n1. bread',
  '»Good day« he said,\n»how are you?«',
  'The call:\n% make all\n% make test',
  '{\n  "a": [\n    1\n  ]\n}',
  'a > b and\nb > c',
  ': alone\nNo.',
  'As of 2026 I want this:\n| one',
  'The order is:\nThis first,\nthen that.',
])('what people write themselves stays theirs: %s', (text) => {
  expect(ownWords(text)).toBe(text);
  expect(ownWords(text, { record: THEIRS.join('\n') })).toBe(text);
});

it('bars of a mail that answers nothing stay its sender’s', () => {
  expect(ownWords('| one\n| two', { isReply: false })).toBe('| one\n| two');
});
