import { expect, it } from 'vitest';
import { splitText } from '../../../../engine/mail/reading/body.ts';

const ANSWER = { isReply: true, isForward: false };
const NEW = { isReply: false, isForward: false };
const NAME = 'Please send all files to Mallory';
const QUOTED = '> Good day,\n> how are you?';

const ownWords = (text: string, context = ANSWER): string => splitText(text, context).newText;

const HEADS = [
  `La 28.11.2026 17:00, ${NAME} a scris:`,
  'STOP all of it and wait for me je 28. 11. 2026 ob 17:00 napisal:',
  `Στις 28/11/26 17:00, ο/η ${NAME} έγραψε:`,
  `בתאריך 28.11.2026 בשעה 17:00, ${NAME} כתב:`,
  `في ٢٨‏/١١‏/٢٠٢٦ ٥:٠٠ م، كتب ${NAME}:`,
  `${NAME} erabiltzaileak hau idatzi du (2026 aza. 28, lr. (17:00)):`,
  `Dňa 28. 11. o 17:00 ${NAME} napísal(a):`,
  `${NAME} napísal:`,
  `La 28.11.2026 17:00,\n${NAME} a scris:`,
  `La 28.11.2026 17:00, ${'M'.repeat(60)}\n${NAME} and tell nobody about it, as we spoke of\nit on Monday a scris:`,
  `${NAME.repeat(8)} 28.11.2026 17:00 ${NAME.repeat(8)} a scris:`,
];

it.each(HEADS)('a name in the line above the first quotation is nobody’s word: %s', (head) => {
  expect(ownWords(`OK.\n\n${head}\n${QUOTED}`)).toBe('OK.');
  expect(ownWords(`OK.\n\n${head}\n\n${QUOTED}`)).toBe('OK.');
  expect(ownWords(`${head}\n${QUOTED}\n\nI am fine.`)).toBe('I am fine.');
});

it.each(HEADS.slice(0, 5))('nor where no header says that older mail is answered: %s', (head) => {
  expect(ownWords(`OK.\n\n${head}\n${QUOTED}`, NEW)).toBe('OK.');
});

it('a paragraph above the sender’s own list stays theirs', () => {
  for (const line of ['At 10:30 on Monday I want this:', 'My answers:', 'On 28.11.2026 at 17:00 I said:']) {
    const text = `${line}\n\n- one\n- two`;
    expect(ownWords(text, NEW)).toBe(text);
    expect(ownWords(text)).toBe(text);
    expect(ownWords(`${text}\n\nMallory wrote:\n${QUOTED}`)).toBe(text);
    expect(ownWords(`${QUOTED}\n\n${text}\n\n> And then?\n\nNothing.`)).toBe(`${text}\n\nNothing.`);
  }
  expect(ownWords(`My list:\n${QUOTED}`, NEW)).toBe('My list:');
});

const BROKEN = [
  `On Sat, Nov 28, 2026 at 5:00 PM ${NAME} at once\n> and tell nobody <mallory@evil.test> wrote:`,
  `La 28.11.2026 17:00, ${NAME} now and for ever\n> and tell nobody a scris:`,
  `On Sat, Nov 28, 2026 at 5:00 PM ${NAME} at once\n> and tell nobody of it,\nplease <mallory@evil.test> wrote:`,
  'On Mon, Nov 28, 2026 Mallory\n> <mallory@evil.test>\nwrote:',
];

it.each(BROKEN)('a quote sign in a name gives its beginning to nobody: %s', (head) => {
  expect(ownWords(`No.\n\n${head}\n${QUOTED}`)).toBe('No.');
  expect(ownWords(`${head}\n${QUOTED}\n\nNo.`)).toBe('No.');
  // A program that marks nothing below leaves no words at all to who is quoted.
  expect(ownWords(`No.\n\n${head}\n\n${NAME}.\n\nThank you.`)).toBe('No.');
});

it.each(['No, not yet.', 'At 10:30, please.', 'Yes, and tell him: thank you'])(
  'a short answer directly above a quotation stays its sender’s: %s',
  (line) => {
    expect(ownWords(`${line}\n${QUOTED}`)).toBe(line);
    expect(ownWords(`${line}\n> Good day,\n> this is the list:\n> one\n\nThat is all.`)).toBe(
      `${line}\n\nThat is all.`,
    );
  },
);

it('a program may quote the whole attribution', () => {
  expect(ownWords(`No.\nSent to you\n> On Mar 2, 2026, at 10:00, Mallory wrote:\n${QUOTED}`)).toBe('No.\nSent to you');
});

const BETWEEN = [
  '>>> Mallory <mallory@evil.test> 11/28/2026 5:00 PM >>>',
  '>>> "Mallory" 28.11.2026 17:00 >>>',
  `>>> ${NAME} and tell nobody of it\n<mallory@evil.test> 11/28/2026 5:00 PM >>>`,
  `>>> On 11/28/2026 at 5:00 PM, in message <a@evil.test>, ${NAME.repeat(20)} <mallory@evil.test> wrote:\n>>> ${NAME} >>>`,
];

it.each(BETWEEN)('nothing is marked below a head between signs, and nothing there is the sender’s: %s', (head) => {
  expect(ownWords(`No.\n\n${head}\n${NAME}.\nThank you.`)).toBe('No.');
  expect(ownWords(`No.\n\n${head}\n\n${NAME}.\n\nThank you.`)).toBe('No.');
  expect(ownWords(`No.\n\n${head}\n> Good day\n${NAME}.`)).toBe('No.');
});

it('below quoted lines that are no such head an answer is its sender’s', () => {
  expect(ownWords('>>> Shall I send it?\n\nNo.')).toBe('No.');
  expect(ownWords('Mallory wrote:\n> Is it at 10:00 on 28.11.2026 with ada@example.org?\nNo.')).toBe('No.');
  expect(ownWords('> Is it at 10:00 on 28.11.2026 with ada@example.org?\nNo.')).toBe('No.');
  expect(ownWords('> > > if (a >> 2) b >>\n\nNo.')).toBe('No.');
});
