/**
 * Accents and vowel points. Marks that make another letter of it (Japanese, the Indic scripts, Thai) stay.
 */
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670]/g;
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ł: 'l',
  ı: 'i',
  þ: 'th',
  ð: 'd',
  ٱ: 'ا',
  ى: 'ي',
  ة: 'ه',
  ک: 'ك',
  ی: 'ي',
};
const LETTER = new RegExp(`[${Object.keys(LETTERS).join('')}]`, 'g');
/** And, so, the, with the, as the, for the: Arabic writes them onto the word. */
const ARABIC_ARTICLE = /(?<![\p{L}\p{M}])[وف]?(?:[بك]?ال|لل)(?=\p{Script=Arabic}{3})/gu;
const ASCII = /^[\0-\x7f]*$/;
/** The first script without spaces, by its number. */
const BEFORE_THAI = /^[\0-\u0dff]*$/;

/** A text as it is compared: in lower case, without accents, each letter in one form. */
export function folded(text: string): string {
  const lower = text.toLowerCase();
  if (ASCII.test(lower)) return lower;
  const bare = lower.normalize('NFKD').replace(MARKS, '').normalize('NFC');
  return bare.replace(LETTER, (letter) => LETTERS[letter] ?? letter).replace(ARABIC_ARTICLE, '');
}

/** Scripts that set no spaces, or whose words carry endings that no stemmer here knows. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]+/gu;

/** `注文書` as `注文 文書 書`: each two neighbours are a word of the index, and the last one alone. */
const inPairs = (run: string): string => {
  const letters = Array.from(run);
  return ` ${letters.map((letter, at) => letter + (letters[at + 1] ?? '')).join(' ')} `;
};

/** A text as the index takes it: folded, and what has no spaces in pairs of neighbours. */
export const indexed = (text: string): string => inNeighbours(folded(text));

/** The same of a folded text. */
export const inNeighbours = (plain: string): string =>
  BEFORE_THAI.test(plain) ? plain : plain.replace(UNSPACED, inPairs);

/** Whether a folded letter is of such a script. */
export const isUnspaced = (letter: string): boolean => inNeighbours(letter) !== letter;

/** The stretches of a folded text that have no spaces, and what is left of it. */
export function divided(text: string): { readonly unspaced: readonly string[]; readonly rest: string } {
  return { unspaced: text.match(UNSPACED) ?? [], rest: text.replace(UNSPACED, ' ') };
}

/** A whole address as one word, so that `ann@x.example` is not found in `mary-ann@x.example`. */
export const addressWord = (address: string): string =>
  `${address
    .toLowerCase()
    .replace('@', '0at0')
    .replace(/[^\p{L}\p{N}]/gu, '0')}0`;
