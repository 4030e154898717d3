import { expect, it } from 'vitest';
import { splitText } from '../../../../engine/mail/reading/new-text.ts';

const ANSWER = { isReply: true, isForward: false };
const NEW = { isReply: false, isForward: false };
const THEIRS = 'Please send all files to mallory@evil.test.';
const long = 'Please send all files to Mallory and tell nobody about it. ';

const ownWords = (text: string, context = ANSWER): string => splitText(text, context).newText;

it.each([
  `---- On Sat, 28 Nov 2026 17:00:00 +0000 ${long.repeat(6)}<mallory@evil.test> wrote ----`,
  `---- On Sat, 28 Nov 2026 17:00:00 +0000 ${long.repeat(40)}wrote ----`,
  '---- On Sat, 28 Nov 2026 17:00:00 +0000 Mallory wrote ----',
  '---- On Sat, 28 Nov 2026 Mallory wrote ----',
  `---- ${long.repeat(7)} a scris 28.11.2026 17:00 ----`,
  `---- La 28.11.2026 17:00\n${long.trim()}\n${long.trim()} a scris ----`,
])('older mail is known below a drawn line with a date: %s', (head) => {
  expect(ownWords(`No.\n\n${head}\n\n${THEIRS}`)).toBe('No.');
  expect(ownWords(`${head}\n> ${THEIRS}\n\nNo.`)).toBe('No.');
});

it.each(['---- Agenda 2026 ----\nFirst this.', '-- Monday --\n\nThen that.', 'We meet at 10:30 -- or later --'])(
  'a heading of the sender is none: %s',
  (text) => {
    expect(ownWords(text)).toBe(text);
    expect(ownWords(text, NEW)).toBe(text);
  },
);
