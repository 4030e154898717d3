import { describe, expect, it } from 'vitest';
import { folded, inNeighbours } from '../../../../engine/storage/search/fold.ts';
import { lettersOf } from '../../../../engine/storage/search/letters.ts';
import { comparedWords, readerFor } from '../../../../engine/storage/search/read-text.ts';
import { termsOf } from '../../../../engine/storage/search/terms.ts';
import { type Clue, cluesOf } from '../../../../engine/storage/search/windows.ts';
import { seededRandom } from '../../../../scripts/lib/soak/random.ts';
import { SIZE } from '../../../size.ts';

const ALPHABETS = [
  'abcdefgh ABC 0123 .,;:!?\n\n"\'()-_/@#',
  'äöüßÄÖÜéèñçøåłİıŉĳǅ½²´¨…–“”€™ \u0301\u0308',
  'αβγσςΣΩάέ ΑΣ. ΟΔΟΣ ',
  'привет Йёщ ЙЁ \u0306',
  'السلام والكتاب للبيت كتابـ؟ ٱى ة',
  'שלום עולם \u05b0',
  'สวัสดี ครับ ',
  '東京の注文書を送ってください。何時ですか。テスト・ー々がぎﾊﾞ、「」！？Ａｂｃ１２３〆\u3099',
  '한국어 가각힣 \u1100\u1161\u11a8',
  '😀👍🏽\u200d🚀\ufe0f 𝐀𝟙 𠮷 𞤀𞤢 ﬁ ﷺ \u00ad\u0000',
] as const;

const random = seededRandom(7);
const below = (most: number): number => random.between(0, most - 1);
const pick = (text: string): string => Array.from(text)[below(Array.from(text).length)] ?? ' ';

/** Mostly of one alphabet, now and then with a letter of another one. */
function anyText(most: number): string {
  const [own, other] = [ALPHABETS[below(ALPHABETS.length)] ?? '', ALPHABETS[below(ALPHABETS.length)] ?? ''];
  return Array.from({ length: below(most) }, () => pick(below(6) === 0 ? other : own)).join('');
}

const asText = (text: string): string => {
  const { codes, length } = lettersOf(text);
  return String.fromCharCode(...codes.subarray(0, length));
};

describe('the letters of a text', () => {
  it('are those of the folded text, for each letter alone and between others', () => {
    for (let code = 0; code < 0x10000; code += 1) {
      const letter = String.fromCharCode(code);
      for (const text of [letter, `a${letter}b`])
        if (asText(text) !== folded(text)) expect(asText(text)).toBe(folded(text));
    }
  });

  it('are those of the folded text, of any alphabets together', () => {
    for (let n = 0; n < 2000 * SIZE; n += 1) {
      const text = anyText(60);
      if (asText(text) !== folded(text))
        expect({ text, letters: asText(text) }).toEqual({ text, letters: folded(text) });
    }
  });
});

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const SENTENCES = /(?<=[.!?。！？؟])|\n+/u;
const QUESTIONS = /[?？؟]|か。/u;

/** The same, word by word and slowly. */
function readSlowly(clues: readonly Clue[], text: string) {
  const has = ({ forms, stems, within }: Clue, word: string): boolean =>
    forms.includes(word) || stems.some((stem) => word.startsWith(stem)) || within.some((part) => word.includes(part));
  const runs = folded(text)
    .split(SENTENCES)
    .flatMap((sentence) => (sentence.match(WORD) ?? []).map((word) => ({ word, asks: QUESTIONS.test(sentence) })));
  const of = (clue: Clue) => runs.filter(({ word }) => has(clue, word));
  const bitsOf = (found: readonly (readonly unknown[])[]): number =>
    found.reduce((bits: number, one, at) => (one.length > 0 ? bits | (1 << at) : bits), 0);
  const found = clues.map(of);
  return {
    times: found.map((ones) => ones.reduce((sum, { asks }) => sum + (asks ? 0.5 : 1), 0)),
    bits: bitsOf(found),
    asked: bitsOf(found.map((ones) => ones.filter(({ asks }) => asks))),
  };
}

describe('a text that is read', () => {
  it('has the clues and as many words as the same text has that is taken apart word by word', () => {
    let found = 0;
    for (let n = 0; n < 1000 * SIZE; n += 1) {
      const text = `${anyText(40)} Rechnungen ${anyText(80)}? 京都の宿ですか。 ${anyText(30)}`.replaceAll(
        /[𝐀𝟙𠮷𞤀𞤢]/gu,
        '',
      );
      const clues = cluesOf(termsOf(`${text.slice(below(40), 60)} Rechnung 宿 rs-36`));
      const { words, ...told } = readerFor(clues)(text);
      const slow = readSlowly(clues, text);
      found += slow.bits === 0 ? 0 : 1;
      if (JSON.stringify(told) !== JSON.stringify(slow)) expect({ text, ...told }).toEqual({ text, ...slow });
      const all = new Set(inNeighbours(folded(text)).match(WORD));
      if (words.length !== all.size) expect({ text, words: words.length }).toEqual({ text, words: all.size });
    }
    expect(found).toBeGreaterThan(900 * SIZE);
  });

  it('has the same words as another one where these are folded alike', () => {
    const sorted = (text: string) => [...comparedWords(text)].sort();
    expect(sorted('Die Straße, der Fluß')).toEqual(sorted('fluss STRASSE der die'));
    expect(sorted('京都の宿')).not.toEqual(sorted('宿の京都'));
  });
});
