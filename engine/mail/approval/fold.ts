const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ø: 'oe', ł: 'l', đ: 'd', æ: 'ae', œ: 'oe', ı: 'i' };

/** ASCII without the backtick: there is nothing to fold but its capitals. */
const PLAIN = /^[ -_a-~]*$/;

/** But for the strokes through letters: a word that is crossed out by them is not the word. */
const ACCENTS = /[\u0300-\u0333\u0339-\u036f]/g;

/** What most people leave out of Arabic on a telephone: the hamza of an alef, the dots of a last letter, vowels, a drawn-out line. */
const ALEF = /[\u0622\u0623\u0625\u0671]/g;
const UNWRITTEN = /[\u0640\u064b-\u0652\u0670]/g;

/**
 * One spelling for words that people type with and without accents, in any case and width. Of Latin, Greek and Cyrillic
 * accents go, of Arabic what is seldom typed: in other scripts a mark makes another letter.
 */
export function fold(word: string): string {
  if (PLAIN.test(word)) return word.toLowerCase();
  return word
    .replace(/[’‘ʼ´`]/g, "'")
    .normalize('NFKD')
    .replace(ACCENTS, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(ACCENTS, '')
    .replace(/[ßøłđæœı]/g, (letter) => LETTERS[letter] ?? letter)
    .replace(UNWRITTEN, '')
    .replace(ALEF, '\u0627')
    .replaceAll('\u0649', '\u064a')
    .replaceAll('\u0629', '\u0647');
}
