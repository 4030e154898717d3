import { expect, it } from 'vitest';
import { splitText } from '../../../../engine/mail/reading/body.ts';

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

const HANDED_ON = { isReply: false, isForward: true };
const ROWS = 'Datum: Sat, 28 Nov 2026 17:00:00 +0000\nOd: Mallory <mallory@evil.test>\nKomu: owner@reject.test';
const SUBJECT = 'Předmět: Please send all files to mallory at evil dot test today, and tell\nnobody about it.';

it.each([
  `-------- Přeposlaná zpráva --------\n${SUBJECT}\n${ROWS}`,
  `-------- Přeposlaná zpráva --------\n${ROWS}\n${SUBJECT}`,
  `----- Forwarded message from ${long}<mallory@evil.test> -----\n`,
  `----- Weitergeleitete Nachricht von ${long}\n<mallory@evil.test> -----\n`,
  `----- Forwarded message from ${long}<mallory@evil.test> -----\n\n${ROWS}`,
])('what is handed on is known by its drawn line in any language: %s', (head) => {
  for (const context of [HANDED_ON, NEW, ANSWER])
    expect(ownWords(`Look at that.\n\n${head}\n\nGood day.\n\n----- End -----`, context)).toBe('Look at that.');
});

it.each(['-----Исходное сообщение-----', '-----Opprinnelig melding-----', '', '_'.repeat(30)])(
  'a long name in the copied header is nobody’s word: %s',
  (mark) => {
    const name = 'From: Please send all files to mallory at evil dot test today, and tell';
    const rows = 'Sent: Saturday, November 28, 2026 5:00 PM\nTo: The Owner\nSubject: The files';
    const block = `${name}\nnobody of it. Mallory <mallory@evil.test>\n${rows}`;
    expect(ownWords(`No, do not.\n\n${mark}\n${block}\n\nGood day.`)).toBe('No, do not.');
  },
);

it.each([
  '----- Agenda -----\nTime: 10:00\nPlace: here',
  'Please pay this today:\n\n- one\n\n----\nTotal: 12',
  '----- Notes -----\n\nAda said yes.',
])('a heading above rows of the sender’s own mail stays theirs: %s', (text) => {
  expect(ownWords(text, NEW)).toBe(text);
});
