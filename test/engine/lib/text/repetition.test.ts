import { describe, expect, it } from 'vitest';
import { repetitionIn, withoutRow } from '../../../../engine/lib/text/repetition.ts';

const SORRY = 'We are very sorry for the delay.';
const rows = (count: number, row: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => row(at)).join('\n');

describe('a text of which most is one piece again and again', () => {
  it.each([
    ['a sentence', `${SORRY} `.repeat(300), SORRY],
    ['a sentence, cut within the last one', `${SORRY} `.repeat(40).slice(0, -12), SORRY],
    ['a sentence between others', `I have looked. ${`${SORRY}\n`.repeat(60)}Yours, Ada`, SORRY],
    ['two sentences in turn', `${SORRY} It comes on Friday. `.repeat(25), `${SORRY} It comes on Friday.`],
    ['a script without blanks', '申し訳ありませんでした。'.repeat(30), '申し訳ありませんでした。'],
  ])('is known: %s', (_what, text, piece) => {
    expect(repetitionIn(text)?.piece).toBe(piece);
    const left = withoutRow(text);
    expect(text.startsWith(left)).toBe(true);
    expect(left.endsWith(piece)).toBe(true);
  });

  it.each([
    ['nineteen times', `${SORRY} `.repeat(19)],
    ['less than half of it', `${`${SORRY} `.repeat(20)}${rows(60, (at) => `Point ${at} is one of its own.`)}`],
    ['a table of empty cells', rows(40, () => '| | | | |')],
    ['a table of noughts', rows(40, (at) => `| ${at} | 0 | 0 | 0 |`)],
    ['a drawn line', '-'.repeat(4000)],
    ['a list', rows(60, (at) => `- Order ${at} is on its way.`)],
    ['a word with emphasis', 'No '.repeat(200)],
    ['nothing', ''],
  ])('is not taken for one: %s', (_what, text) => {
    expect(repetitionIn(text)).toBeNull();
    expect(withoutRow(text)).toBe(text);
  });

  it('is looked for in a megabyte within two seconds', () => {
    const text = rows(60_000, (at) => `word${at % 59} and ${at % 61}`);
    const from = performance.now();
    repetitionIn(text);
    expect(performance.now() - from).toBeLessThan(2000);
  });
});
