const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', ø: 'oe', ł: 'l', đ: 'd', æ: 'ae', œ: 'oe', ı: 'i' };

/**
 * One spelling for words that people type with and without accents, in any case and width. Only Latin, Greek and
 * Cyrillic accents go: in other scripts a mark makes another letter.
 */
export function fold(word: string): string {
  return word
    .replace(/[’‘ʼ´`]/g, "'")
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[ßøłđæœı]/g, (letter) => LETTERS[letter] ?? letter);
}
