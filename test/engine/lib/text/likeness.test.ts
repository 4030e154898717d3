import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAlike, sketchOf, wordsIn } from '../../../../engine/lib/text/likeness.ts';

const letter = (text: string, { subject = 'Offer', files = [] as string[] } = {}) => sketchOf({ text, subject, files });
const alike = (one: Uint8Array, other: Uint8Array) => [isAlike(one, other), isAlike(other, one)];

describe('two letters are alike', () => {
  it.each([
    ['that differ in a counter', 'Thank you. I am away. (17)', 'Thank you. I am away. (18)'],
    ['that differ in a date', 'Received Sat, 28 Nov 2026 07:57:01', 'Received Sat, 28 Nov 2026 08:12:44'],
    ['that differ in a mark', 'Your case A8F3C2 was opened.', 'Your case 77B1D0 was opened.'],
    ['that differ in letters, signs and blanks', 'I AM away!', ' I am\r\n  away '],
    ['that count in a script without blanks', '我不在办公室（17）', '我不在办公室（18）'],
    ['that say nothing', '', ' '],
  ])('%s', (_, one, other) => {
    expect(alike(letter(one), letter(other))).toEqual([true, true]);
  });

  it('that differ in one word of many', () => {
    const long =
      'Thank you very much for your mail, which we have received and will look at as soon as somebody is here. ';
    const more =
      'Our office is open from Monday to Friday, and in urgent cases you can reach us on the telephone as well.';
    expect(alike(letter(`${long}${more} Token xkqjzp.`), letter(`${long}${more} Token brwmlo.`))).toEqual([true, true]);
  });

  it.each([
    ['that ask for another thing', 'Please send me the price of the chair', 'Please send me the price of the desk'],
    ['of which one says more', 'Yes, I will come', 'Yes, I will come and bring two friends'],
    ['in a script without blanks', '我不在办公室', '我在办公室'],
    [
      'that quote the same below words of their own',
      quoted('Count me in, I like it'),
      quoted('Sorry, no time this week'),
    ],
  ])('not %s', (_, one, other) => {
    expect(alike(letter(one), letter(other))).toEqual([false, false]);
  });

  it('not with another subject above a few words, nor with other files', () => {
    expect(
      isAlike(letter('See subject', { subject: 'Order chairs' }), letter('See subject', { subject: 'Cancel' })),
    ).toBe(false);
    expect(isAlike(letter('Scan', { files: ['a'] }), letter('Scan', { files: ['b'] }))).toBe(false);
    expect(isAlike(letter('Scan', { files: ['a', 'b'] }), letter('Scan', { files: ['b', 'a'] }))).toBe(true);
  });
});

function quoted(words: string): string {
  const news =
    'This week we tell you of the summer party, of the new colleagues and of the lift that is mended at last';
  return `${words}\n\n${Array.from({ length: 8 }, (_, at) => `${news} ${'abcdefgh'[at]}`).join('\n')}`;
}

describe('a sketch', () => {
  it('is small and made quickly, whatever is written', () => {
    const hostile = [
      'a'.repeat(1e6),
      'ab '.repeat(3e5),
      '我'.repeat(1e6),
      '\u0300'.repeat(1e6),
      '#1 '.repeat(3e5),
      '\0'.repeat(9),
    ];
    const began = performance.now();
    for (const text of hostile) expect(sketchOf({ text, subject: text, files: [text] }).byteLength).toBeLessThan(256);
    expect(performance.now() - began).toBeLessThan(2000);
  });

  it('of anything is like itself, and comes back from any bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.uint8Array({ maxLength: 300 }), (text, bytes) => {
        const own = letter(text);
        expect(isAlike(own, own)).toBe(true);
        expect(wordsIn(own)).toBeGreaterThanOrEqual(0);
        expect(isAlike(bytes, own)).toBe(isAlike(own, bytes));
      }),
    );
  });
});
