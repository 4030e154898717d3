import { fold } from './fold.ts';
import { CLASSES, HERE_OF, LETTERS_OF, MAX_PHRASE_WORDS, phrasesOf } from './phrases.ts';
import { spelled } from './spelling.ts';

export interface Token {
  /**
   * The class of phrases.ts; N number, M unknown word with a capital, X anything else unknown, U link or address,
   * E approving picture; punctuation stands for itself.
   */
  readonly letter: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Longer lines are no answers; it also bounds the work. */
export const MAX_LINE = 1000;
/** Nor are those of more words and signs: what follows counts as one unknown word, so that it can be no part of a yes. */
export const MAX_TOKENS = 250;
const PIECE = new RegExp(
  [
    String.raw`(?<link>https?:\/\/\S{1,900}|www\.\S{1,900}|[^\s<>@]{1,64}@[^\s<>@]{1,190}\.[\p{L}\p{N}-]{2,63})`,
    String.raw`(?<word>o\.\s?k\.?(?![\p{L}])|[\p{L}\p{M}]+(?:['’‘ʼ´\x60\u2010\u2011-][\p{L}\p{M}]+)*)`,
    String.raw`(?<digits>\p{N}+)`,
    String.raw`(?<dots>\.{2,}|…)`,
    String.raw`(?<smile>:-?\)(?!\S))`,
    String.raw`(?<other>[^\s*_\ufe0f\u{1f3fb}-\u{1f3ff}])`,
  ].join('|'),
  'giu',
);
const SIGNS: Readonly<Record<string, string>> = {
  '#': 'I',
  '№': 'I',
  '&': 'C',
  '+': 'C',
  ',': ',',
  '，': ',',
  '、': ',',
  '،': ',',
  '.': '.',
  '。': '.',
  '．': '.',
  '।': '.',
  '!': '!',
  '！': '!',
  '¡': '!',
  ';': ';',
  '；': ';',
  ':': ':',
  '：': ':',
  '-': '-',
  '–': '-',
  '—': '-',
  ')': ')',
  '=': '=',
  '?': '?',
  '？': '?',
  '¿': '?',
  '؟': '?',
  '\u037e': '?',
};
const APPROVING_PICTURES = new Set([
  '👍',
  '👌',
  '✅',
  '✔',
  '☑',
  '🙂',
  '😊',
  '😀',
  '😃',
  '😄',
  '😁',
  '☺',
  '🙏',
  '🙌',
  '👏',
  '💪',
  '🤝',
  '🚀',
  '🎉',
  '💯',
  '❤',
  '🆗',
]);

const REFUSING_PICTURES = new Set(['👎', '❌', '🚫', '⛔', '🙅', '✖']);

/** The languages in which a line may be written, the likeliest first. */
export type Tongues = readonly string[];

/**
 * One line as classes of words. `line` must be NFC; positions count in it. `tongues`: where a word of two meanings has one of them.
 */
export function lexLine(line: string, tongues: Tongues = []): Token[] {
  const here = tongues.flatMap((language) => HERE_OF.get(language) ?? []);
  const pieces = [...line.slice(0, MAX_LINE).matchAll(PIECE)].map(asMeant);
  const tokens: Token[] = [];
  let index = 0;
  while (index < pieces.length && tokens.length < MAX_TOKENS) {
    const phrase = phraseAt(pieces, index, line, here);
    if (phrase) {
      tokens.push(...phrase.tokens);
      index += phrase.words;
    } else {
      tokens.push(...pieceTokens(pieces[index], line));
      index += 1;
    }
  }
  const unread = pieces[index]?.index ?? (line.length > MAX_LINE ? MAX_LINE : null);
  if (unread !== null) tokens.push({ letter: 'X', text: '', start: unread, end: line.length });
  return tokens
    .map((token, at) => (token.letter === CLASSES.saidSign ? { ...token, letter: signSaid(tokens, at) } : token))
    .filter((token, index, all) => !(token.letter === '.' && all[index - 1]?.letter === 'I'));
}

/** "Punkt" ends a sentence of somebody who dictates; before a number, and as the first word, it is what is numbered. */
const signSaid = (tokens: readonly Token[], at: number): string =>
  at === 0 || /[NIO.!?]/.test(tokens[at + 1]?.letter ?? '') || tokens[at - 1]?.letter === 'N' ? CLASSES.item : '.';

export const lettersOf = (tokens: readonly Token[]): string => tokens.map(({ letter }) => letter).join('');

type Piece = (RegExpExecArray | RegExpMatchArray) & { readonly meant?: readonly string[] };

/** With a capital within a line it is a name, and no slip. */
function asMeant(piece: Piece, index: number): Piece {
  const { word } = piece.groups ?? {};
  if (word === undefined || (index > 0 && /^\p{Lu}\p{Ll}/u.test(word))) return piece;
  const meant = spelled(word);
  return meant === null ? piece : Object.assign(piece, { meant });
}

/** The words that are meant by what was typed, where that is something else. */
const meantBy = (piece: Piece): readonly string[] => piece.meant ?? [piece[0]];

/** The longest known phrase of words with nothing but blanks between them. */
function phraseAt(
  pieces: readonly Piece[],
  index: number,
  line: string,
  here: readonly ReadonlyMap<string, readonly string[]>[],
) {
  const words: Piece[] = [];
  for (const piece of pieces.slice(index, index + MAX_PHRASE_WORDS)) {
    const last = words.at(-1);
    const { word, digits } = piece.groups ?? {};
    // "Les 2": a number may be a part of a phrase, and begins none.
    if (
      (word === undefined && (digits === undefined || !last)) ||
      (last && line.slice(endOf(last), piece.index).trim() !== '')
    )
      break;
    words.push(piece);
  }
  for (let count = words.length; count > 0; count -= 1) {
    const text = fold(words.slice(0, count).flatMap(meantBy).join(' ')).replace(/^o\. ?k\.?$/, 'ok');
    const known = (phrase: string): readonly string[] | undefined =>
      here.find((phrases) => phrases.has(phrase))?.get(phrase) ?? LETTERS_OF.get(phrase);
    const letters = known(text) ?? behindAnd(text, known);
    const [first, last] = [words[0], words[count - 1]];
    if (letters && first && last) {
      return { words: count, tokens: tokensOf(letters, text, first.index ?? 0, endOf(last)) };
    }
  }
  return null;
}

/** Arabic writes its "and" in one with the word behind it. */
function behindAnd(text: string, known: (phrase: string) => readonly string[] | undefined): readonly string[] | null {
  const letters = /^و\p{sc=Arabic}{3}/u.test(text) ? known(text.slice(1)) : undefined;
  return letters === undefined ? null : [CLASSES.and, ...letters];
}

/** What is not written, but meant, is a token without a text behind the other. */
const tokensOf = (letters: readonly string[], text: string, start: number, end: number): Token[] =>
  letters.map((letter, index) => (index === 0 ? { letter, text, start, end } : { letter, text: '', start: end, end }));

const endOf = (piece: Piece): number => (piece.index ?? 0) + piece[0].length;

function pieceTokens(piece: Piece | undefined, line: string): Token[] {
  if (!piece) return [];
  const [text] = piece;
  const start = piece.index ?? 0;
  const token = (letter: string): Token[] => [{ letter, text: fold(text), start, end: start + text.length }];
  const { link, word, digits, dots, smile } = piece.groups ?? {};
  if (link !== undefined) return token('U');
  if (piece.meant !== undefined && piece.meant.length > 1)
    return piece.meant.flatMap((each) => tokensOf(LETTERS_OF.get(each) ?? ['X'], each, start, start + text.length));
  if (word !== undefined)
    return (
      unspacedWords(word, start) ?? mixedWords(word, start) ?? mixedBesides(word, start) ?? token(unknownLetter(word))
    );
  if (digits !== undefined)
    return [
      { letter: numberLetter(digits, start, line), text: digits.normalize('NFKC'), start, end: start + digits.length },
    ];
  // Three dots are a hesitation.
  if (dots !== undefined) return token('H');
  if (smile !== undefined) return token('E');
  return token(signLetter(text, start, line));
}

/** In a script without blanks an unknown run may hold a word that decides: then it is no stranger but a doubt. */
function unknownLetter(word: string): 'M' | 'X' | 'Z' | 'F' {
  // A name and what is said of it, without a blank between them.
  if (/^\p{Lu}/u.test(word)) return WITH_MORE.test(word) ? 'X' : 'M';
  if (!UNSPACED.test(word)) return 'X';
  const folded = fold(word);
  if (DECIDING.some((each) => folded.includes(each))) return 'Z';
  if (FULL_NAME.test(word) && !HOLDING.some((each) => folded.includes(each))) return 'M';
  return CHANGING.test(folded) || HOLDING.some((each) => folded.includes(each)) ? 'F' : 'X';
}

/** A family name, and behind it one or two signs: how people sign in Chinese. Of other words these would be the least. */
const FULL_NAME = new RegExp(`^(?:${phrasesOf('familyName').join('|')})\\p{sc=Han}{1,2}$`, 'u');

const WITH_MORE = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;
const CASED_LETTER = /[\p{Lu}\p{Ll}\p{Lt}]/u;

/** A number as a list is numbered: no zero, no ordinal, no "2x" and no foreign digits. */
function numberLetter(digits: string, start: number, line: string): 'N' | 'X' {
  if (!/^(?:[1-9][0-9]{0,3}|[１-９][０-９]{0,3})$/.test(digits)) return 'X';
  const around = [line.charAt(start - 1), line.charAt(start + digits.length)];
  return around.some((letter) => CASED_LETTER.test(letter)) ? 'X' : 'N';
}

function signLetter(sign: string, start: number, line: string): string {
  if (APPROVING_PICTURES.has(sign)) return 'E';
  if (REFUSING_PICTURES.has(sign)) return CLASSES.deny;
  // Greek asks with a semicolon.
  if (sign === ';' && /\p{sc=Greek}/u.test(line)) return '?';
  // 1.5 is not "1 and 5".
  if (sign === '.' && /\d/.test(line.charAt(start - 1)) && /\d/.test(line.charAt(start + 1))) return 'X';
  return SIGNS[sign] ?? 'X';
}

/** Han, kana and Hangul: words may follow each other without a blank. */
export const UNSPACED = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー々]+$/u;
const LONGEST_UNSPACED = 14;
const isLongUnspaced = (word: string): boolean => word.length > 1 && UNSPACED.test(word);
const DECIDING = [...phrasesOf('approve'), ...phrasesOf('yes'), ...phrasesOf('deny')].filter(isLongUnspaced);
const HOLDING = [...phrasesOf('hold'), ...phrasesOf('alter'), ...phrasesOf('not')].filter(isLongUnspaced);
const CHANGING = /[改换換错錯误誤删刪停消变變不没沒别別请請把加]/u;

/** "両方ともOKです": words of such a script and Latin ones without a blank between them; null unless all of the script are known. */
function mixedWords(word: string, start: number): Token[] | null {
  const runs = [...word.matchAll(RUNS)];
  if (runs.length < 2) return null;
  const read = runs.map(([run], at) => {
    const from = start + (runs[at]?.index ?? 0);
    const letters = LETTERS_OF.get(fold(run));
    if (letters) return tokensOf(letters, fold(run), from, from + run.length);
    return UNSPACED.test(run)
      ? unspacedWords(run, from)
      : tokensOf([unknownLetter(run)], fold(run), from, from + run.length);
  });
  return read.every((tokens) => tokens !== null) ? read.flat() : null;
}

/** "顺便告诉Carol我晚点到": a word by which something else is asked for, and behind it whatever that is. */
function mixedBesides(word: string, start: number): Token[] | null {
  const besides = WITH_MORE.test(word) ? BESIDES.find((phrase) => word.startsWith(phrase)) : undefined;
  if (besides === undefined || besides === word) return null;
  const rest = word.slice(besides.length);
  const [from, end] = [start + besides.length, start + word.length];
  return [
    { letter: CLASSES.besides, text: besides, start, end: from },
    { letter: unknownLetter(rest), text: fold(rest), start: from, end },
  ];
}

const RUNS =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー々]+|[^\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}ー々]+/gu;

/** Words of a script without blanks, as few as possible, the longer ones first; null unless the whole run consists of known ones. */
function unspacedWords(run: string, start: number): Token[] | null {
  if (!UNSPACED.test(run) || run.length > LONGEST_RUN) return null;
  return wordsFrom(run, start, fewestWords(run)) ?? moreBehind(run, start);
}

const LONGEST_RUN = 60;

/** Of the rest of a run: how many words it consists of, and how long the first is. */
interface Best {
  readonly count: number;
  readonly length: number;
}

/** By place: how long the first known word is of the fewest that the rest of the run consists of; null where it does not. */
function fewestWords(run: string): readonly (Best | null)[] {
  const best: (Best | null)[] = [];
  best[run.length] = { count: 0, length: 0 };
  for (let at = run.length - 1; at >= 0; at -= 1) {
    best[at] = null;
    for (let length = Math.min(LONGEST_UNSPACED, run.length - at); length > 0; length -= 1) {
      const rest = best[at + length] ?? null;
      const isFewer = rest !== null && rest.count + 1 < (best[at]?.count ?? Number.POSITIVE_INFINITY);
      if (isFewer && LETTERS_OF.has(fold(run.slice(at, at + length)))) best[at] = { count: rest.count + 1, length };
    }
  }
  return best;
}

function wordsFrom(run: string, start: number, best: readonly (Best | null)[]): Token[] | null {
  const tokens: Token[] = [];
  for (let at = 0; at < run.length; ) {
    const length = best[at]?.length;
    if (length === undefined) return null;
    const text = fold(run.slice(at, at + length));
    tokens.push(...tokensOf(LETTERS_OF.get(text) ?? ['X'], text, start + at, start + at + length));
    at += length;
  }
  return tokens;
}

/** Known words, and behind them one by which something else is asked for (`besides`): what that is, is not divided. */
function moreBehind(run: string, start: number): Token[] | null {
  for (const [at, besides] of placesOf(run)) {
    const before = wordsFrom(run.slice(0, at), start, fewestWords(run.slice(0, at)));
    const from = at + besides.length;
    const rest = run.slice(from);
    if (before === null || rest === '') continue;
    const [begin, end] = [start + from, start + run.length];
    return [
      ...before,
      { letter: CLASSES.besides, text: besides, start: start + at, end: begin },
      { letter: unknownLetter(rest), text: fold(rest), start: begin, end },
    ];
  }
  return null;
}

const BESIDES = phrasesOf('besides')
  .filter(isLongUnspaced)
  .toSorted((one, other) => other.length - one.length);
const placesOf = (run: string): readonly (readonly [number, string])[] =>
  Array.from(run, (_, at) => BESIDES.find((phrase) => run.startsWith(phrase, at))).flatMap((phrase, at) =>
    phrase === undefined ? [] : [[at, phrase] as const],
  );
