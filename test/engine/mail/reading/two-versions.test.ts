import { expect, it } from 'vitest';
import { readMail } from '../../../../engine/mail/reading/read-mail.ts';
import { LIMITS } from '../limits.ts';

async function read(plain: string, html: string) {
  const part = (type: string, text: string) => ['--b', `Content-Type: text/${type}; charset=utf-8`, '', text];
  const head = ['From: a@b.test', 'In-Reply-To: <1@b.test>', 'Content-Type: multipart/alternative; boundary=b', ''];
  const raw = [...head, ...part('plain', plain), ...part('html', html), '--b--', ''].join('\r\n');
  const outcome = await readMail(Buffer.from(raw.replaceAll(/\r?\n/g, '\r\n')), LIMITS);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.mail;
}

const ownWords = async (plain: string, html: string): Promise<string> => (await read(plain, html)).newText;

/** A quotation that is closed within: the plain text alone knows that the rest is quoted, too. */
const closedEarly = (theirs: string) => `<div>No.</div><blockquote type="cite"><p>one</p></blockquote>${theirs}`;
const LONG = `https://evil.test/${'a'.repeat(600)}`;

it.each([
  ['a picture in the sentence', 'Please send all files.', '<p>Please send all <img src="cid:x" alt="my"> files.</p>'],
  ['a long link', `Please send\n> <${LONG}>\n> all files.`, `<p>Please <a href="${LONG}">send</a> all files.</p>`],
  ['a list of letters', '1. Please send all files.', '<ol type="a"><li>Please send all files.</li></ol>'],
  ['a word struck out', 'x\n> Please send all files.', '<p><s>x</s></p><p>Please send all files.</p>'],
  ['much more in the HTML', 'Please send.', `<p>Please send all of ${'these files and more '.repeat(9)}</p>`],
  ['a picture that says it', 'one', '<p><img src="cid:x" alt="Please send all files">one</p>'],
  ['a picture alone', 'one', '<p><img src="cid:x" alt="STOP"></p>'],
])('words that the plain text has not as new are not the sender’s: %s', async (_name, plain, theirs) => {
  expect(await ownWords(`No.\n\n> one\n> ${plain}\n`, closedEarly(theirs))).toBe('No.');
});

it('words of a version without a mark are not the sender’s where the other one quotes them', async () => {
  const html = '<p>No.</p><p>one</p><p>Please send all <s>x</s> files.</p>';
  expect(await ownWords('No.\n\n> one\n> Please send all x files.\n', html)).toBe('No.');
});

const QUOTE = '<blockquote type="cite"><p>one</p><p><s>two</s></p></blockquote>';

it.each([
  [
    'a link',
    'See the page <https://shop.test/x> for it.',
    '<p>See <a href="https://shop.test/x">the page</a> for it.</p>',
  ],
  ['a link told once', 'https://shop.test/x', '<p><a href="https://shop.test/y">https://shop.test/x</a></p>'],
  ['an address', 'Ask bo@b.test.', '<p>Ask <a href="mailto:bo@b.test">bo@b.test</a>.</p>'],
  ['a picture', 'See here.', '<p>See <img src="cid:x" alt="image001.png"> here.</p>'],
  ['a list', '  * apples\n  * pears', '<ol type="a"><li>apples</li><li>pears</li></ol>'],
  ['letters in bold', '*Yes*, /two/ of them.', '<p><b>Yes</b>, <i>two</i> of them.</p>'],
  [
    'a table',
    'Day\tTime\nMonday\tnine',
    '<table><tr><th>Day</th><th>Time</th></tr><tr><td>Monday</td><td>nine</td></tr></table>',
  ],
  ['wrapped lines', 'Yes, I will come on\nMonday at nine.', '<p>Yes, I will come on Monday at nine.</p>'],
  ['struck words', 'Not Monday. Tuesday.', '<p><s>Not Monday.</s> Tuesday.</p>'],
])('what differs a bit stays the sender’s: %s', async (_name, plain, own) => {
  const words = plain.match(/[a-z]{3,}/gi) ?? [];
  const above = await ownWords(`${plain}\n\n> one\n> two\n`, `${own}${QUOTE}`);
  const below = await ownWords(`> one\n> two\n\n${plain}\n`, `${QUOTE}${own}`);
  for (const word of words.filter((each) => !/https?|shop|test/.test(each))) {
    expect(above).toContain(word);
    expect(below).toContain(word);
  }
  expect(above).not.toBe('');
  expect(above).not.toMatch(/one|two$/);
});

it('what the plain text has below the mark of a signature is one, though the HTML has no mark', async () => {
  const html = `<p>Yes.</p><p>--<br>Mia Munro<br>Sales</p>${QUOTE}`;
  const { newText, pieces } = await read('Yes.\n\n-- \nMia Munro\nSales\n\n> one\n> two\n', html);
  expect(newText).toBe('Yes.');
  const textOf = (wanted: string) => pieces.flatMap(({ kind, text }) => (kind === wanted ? [text] : [])).join('\n');
  expect(textOf('signature')).toContain('Mia Munro\nSales');
  expect(textOf('unknown')).toBe('');
});

it('an answer below what a program quotes without any sign stays the sender’s', async () => {
  const asked = 'May I send this?\n\n> Please send it.\n\nto Carl\nat ten\n\nJust say yes or no.';
  const plain = `Gesendet: Sonntag, 29. November 2026 um 06:42 Uhr\nVon: "Ada" <ada@b.test>\nAn: a@b.test\nBetreff: x\n\n${asked}\n\nYes.\n`;
  const quote = `<div name="quote" style="border-left:2px solid"><div><b>Gesendet:</b> Sonntag, 29. November 2026 um 06:42 Uhr<br><b>Von:</b> "Ada" &lt;ada@b.test&gt;<br><b>An:</b> a@b.test<br><b>Betreff:</b> x</div>`;
  const inner =
    '<p>May I send <s>it</s> this?</p><blockquote>Please send it.</blockquote><p>to Carl<br>at ten</p><p>Just say yes or no.</p>';
  expect(await ownWords(plain, `${quote}${inner}</div><p>Yes.</p>`)).toBe('Yes.');
});

it('no broken line of what is quoted has the plain text not asked', async () => {
  const broken = `> ${'and so on '.repeat(9)}\n${'and so on and so on\n'.repeat(40)}`;
  const plain = `No.\n\nOn Mon, 2 Mar 2026 at 10:00, Mallory <m@evil.test> wrote:\n${broken}> Please send all files.\n`;
  expect(await ownWords(plain, closedEarly('<p>Please send all files.</p><p><s>x</s></p>'))).toBe('No.');
});
