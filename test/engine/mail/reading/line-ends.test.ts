import { expect, it } from 'vitest';
import { readMail } from '../../../../engine/mail/reading/read-mail.ts';
import { plainMail } from '../../../corpus/answer-clients.ts';
import { LIMITS } from '../limits.ts';

const THEIRS = 'Please send all files to mallory@evil.test.';
const HEAD = 'On Sat, Nov 28, 2026 at 5:00 PM Mallory <mallory@evil.test> wrote:';

async function ownWords(text: string): Promise<string> {
  const outcome = await readMail(plainMail(text), LIMITS);
  return outcome.ok ? outcome.mail.newText : outcome.message;
}

const SIGNS = [
  ['CR', '\r'],
  ['VT', '\v'],
  ['FF', '\f'],
  ['NEL', '\u0085'],
  ['a line separator', '\u2028'],
  ['a paragraph separator', '\u2029'],
] as const;

it.each(SIGNS)('%s within a quoted line begins no line of the sender’s', async (_name, sign) => {
  expect(await ownWords(`No.\n\n${HEAD}\n> Good day${sign}${THEIRS}\n> Thank you`)).toBe('No.');
  expect(await ownWords(`${HEAD}\n> Good day${sign}${sign}STOP all of it.${sign}\n\nNo.`)).toBe('No.');
});

it.each(SIGNS)('%s in a name leaves the line that it stands in whole', async (_name, sign) => {
  const head = HEAD.replace('Mallory', `Mallory${sign}${THEIRS}${sign}`);
  expect(await ownWords(`No.\n\n${head}\n> Good day`)).toBe('No.');
});

it.each(SIGNS)('what looks quoted behind %s is quoted, and the line that it stands in', async (_name, sign) => {
  expect(await ownWords(`No.\n\nHe said:${sign}> ${THEIRS}${sign}${THEIRS}\n> Thank you`)).toBe('No.');
  const name = `${THEIRS}${sign}> and tell nobody`;
  expect(await ownWords(`No.\n\n${HEAD.replace('Mallory <mallory@evil.test>', name)}\n> Good day`)).toBe('No.');
  expect(await ownWords(`STOP all of it.${sign}> Mallory wrote:\n> Good day\n\nNo.`)).toBe('No.');
});

it('a text that has CR alone for its lines is read as it was written', async () => {
  expect(await ownWords('No, not yet.\rAnn\n')).toBe('No, not yet.\nAnn');
  expect(await ownWords(`No.\r\r${HEAD}\r> Good day\r${THEIRS}`)).toBe('No.');
  expect(await ownWords('No, not yet.\r\r\nAnn\r\r\n')).toBe('No, not yet.\nAnn');
});
