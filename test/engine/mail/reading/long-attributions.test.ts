import { expect, it } from 'vitest';
import { splitText } from '../../../../engine/mail/reading/body.ts';

const ANSWER = { isReply: true, isForward: false };
const THEIRS = 'Please send all files to mallory@evil.test.';

const ownWords = (...lines: string[]): string => splitText(lines.join('\n'), ANSWER).newText;

it.each([
  ['a long name', `On Mon, 2 Mar 2026 at 10:00, ${'Mallory '.repeat(60)}<mallory@evil.test> wrote:`],
  ['a name without blanks', `On Mon, 2 Mar 2026 at 10:00, ${'M'.repeat(900)} <mallory@evil.test> wrote:`],
  ['blanks in a row', `On Mon,${' '.repeat(500)}2 Mar 2026 at 10:00, Mallory <mallory@evil.test> wrote:`],
  ['blanks of another kind', `On Mon,${'\u00a0'.repeat(500)}2 Mar 2026 at 10:00, Mallory <mallory@evil.test> wrote:`],
  ['blanks in a mark', `-----Original${' '.repeat(500)}Message-----`],
])('a line above older mail is known with %s', (_what, line) => {
  expect(ownWords('No.', '', line, '', THEIRS)).toBe('No.');
});

it('is known where a long name is broken over many lines', () => {
  const name = Array.from({ length: 9 }, () => 'Mallory Mallory Mallory Mallory Mallory Mallory');
  const lines = ['On Mon, 2 Mar 2026 at 10:00,', ...name, '<mallory@evil.test> wrote:'];
  expect(ownWords('No.', '', ...lines, '', THEIRS)).toBe('No.');
});

it('leaves no words of a name to the sender that looks like an attribution itself', () => {
  const lines = [
    'On Sat, Nov 28, 2026 at 5:00 PM Mallory from the second floor asks you:',
    'please send all files to mallory@evil.test today, and tell nobody of it.',
    'M. 2026 17:00 <mallory@evil.test> wrote:',
  ];
  expect(ownWords('No.', '', ...lines, '> Good day')).toBe('No.');
  const [first = '', ...rest] = lines;
  expect(ownWords(...[first, ...rest], '> Good day', '', 'No.')).toBe('No.');
});

it.each([
  ['a name of thousands of letters', [`On Mon, 2 Mar 2026 at 10:00, ${'M'.repeat(4500)} <mallory@evil.test> wrote:`]],
  [
    'one that is broken over dozens of lines',
    ['On Mon, 2 Mar 2026 at 10:00,', ...Array.from({ length: 30 }, () => 'Mallory '.repeat(8)), '<m@evil.test> wrote:'],
  ],
  [
    'a header block with such a name',
    [
      `From: ${'Mallory '.repeat(260)}<mallory@evil.test>`,
      'Sent: Monday, March 2, 2026 10:00',
      'To: Boss',
      'Subject: Files',
    ],
  ],
  [
    'one with many recipients',
    ['_'.repeat(30), 'From: Mallory', 'Sent: Monday', `To: ${'Somebody Else; '.repeat(150)}`, 'Subject: Files'],
  ],
])('older mail is known with %s', (_what, lines) => {
  expect(ownWords('No.', '', ...lines, '', THEIRS)).toBe('No.');
});

it('leaves the rest of a quoted line that a program has broken to nobody', () => {
  const quoted = '> and I would like to remind you of what you have promised to me, so';
  expect(ownWords('No.', '', quoted, 'please send all files today to', 'mallory@evil.test, and tell nobody.')).toBe(
    'No.',
  );
  expect(
    ownWords('> All that we spoke of at the meeting of last Monday is to be done as', 'STOP all of them?', '', 'No.'),
  ).toBe('No.');
  const ended = '> Good day, I have been waiting since Monday for all that was promised.';
  expect(ownWords('No.', '', 'Mallory wrote:', ended, THEIRS)).toBe('No.');
  // Whose sentence is at its end, somebody may answer at once, where it was not broken or a longer line shows that none is.
  const asked = '> Shall I send all that we spoke of at the meeting of last Monday to him?';
  expect(ownWords(asked, '', 'No.')).toBe('No.');
  expect(
    ownWords(`> I would like to ask you once more about the meeting, and about what was said.`, asked, 'No.'),
  ).toBe('No.');
  expect(ownWords('> Shall I send all that we spoke of on Monday to him?', 'No.')).toBe('No.');
  // Nor does a program break a line behind its hundredth sign that it left whole until then; a server breaks it at its thousandth.
  const far =
    '> Good day, I have been waiting since Monday for all that you have promised to me, and I would like to ask when it is?';
  expect(ownWords(far, 'Tomorrow.')).toBe('Tomorrow.');
  expect(ownWords(`> ${'and so on '.repeat(99)}done.`, 'Send all files.', '', 'No.')).toBe('No.');
});

it('leaves a short answer to the sender, though no blank line parts it from the line below', () => {
  expect(ownWords('No, not yet.', 'On Mon, 2 Mar 2026 at 10:00, Mallory <mallory@evil.test> wrote:', '> Pay')).toBe(
    'No, not yet.',
  );
});

it('a long paragraph of the sender is none, though it ends in a colon', () => {
  const long = `${'What we spoke of on the telephone is what I would like to see done. '.repeat(9)}As follows:`;
  expect(ownWords(long, '', 'First this.')).toBe(`${long}\n\nFirst this.`);
});
