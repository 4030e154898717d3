const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ø: 'oe', ł: 'l', đ: 'd', æ: 'ae', œ: 'oe', ı: 'i' };

/** ASCII without the backtick: there is nothing to fold but its capitals. */
const PLAIN = /^[ -_a-~]*$/;

/** But for the strokes through letters: a word that is crossed out by them is not the word. */
const ACCENTS = /[\u0300-\u0333\u0339-\u036f]/g;

/**
 * One spelling for words that people type with and without accents, in any case and width. Only Latin, Greek and
 * Cyrillic accents go: in other scripts a mark makes another letter.
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
    .replace(/[ßøłđæœı]/g, (letter) => LETTERS[letter] ?? letter);
}
