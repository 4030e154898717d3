import { folded, isUnspaced } from './fold.ts';

// Folded texts as numbers, letter by letter: to make texts of their words takes ten times as long as to look at them.

/** What a letter belongs to: to no word, to a word with spaces around it, or to a script without spaces. */
export const NONE = 0;
export const SPACED = 1;
export const UNSPACED = 2;

const UNKNOWN = 255;
const kinds = new Uint8Array(0x10000).fill(UNKNOWN);
const OF_WORD = /^[\p{L}\p{M}\p{N}]/u;

/** Of a letter of the basic plane; each is looked at once. */
export function kindOf(code: number): number {
  const known = kinds[code] ?? NONE;
  return known === UNKNOWN ? learnKind(code) : known;
}

function learnKind(code: number): number {
  const kind = kindOfText(String.fromCharCode(code));
  kinds[code] = kind;
  return kind;
}

const kindOfText = (letter: string): number => {
  const code = letter.charCodeAt(0);
  // The first half of a letter beyond the basic plane: pictures; rare Chinese characters; scripts that few write.
  if (code >= 0xd83c && code <= 0xd83e) return NONE;
  if (code >= 0xd840 && code < 0xdc00) return UNSPACED;
  if (code >= 0xd800 && code < 0xdc00) return SPACED;
  return isSecondHalf(code) || !OF_WORD.test(letter) ? NONE : isUnspaced(letter) ? UNSPACED : SPACED;
};

/** Of a letter beyond the basic plane: it is of the kind of the first half. */
export const isSecondHalf = (code: number): boolean => code >= 0xdc00 && code < 0xe000;

/** A folded text by the codes of its letters, as long as nothing else is folded; behind it stands the end of a line. */
export interface Letters {
  readonly codes: Uint16Array;
  readonly length: number;
}

/** By its code, what a letter is folded to wherever it stands: a letter, or in `LONGER` which text; 0: not looked up yet. */
const foldedTo = new Int32Array(0x10000);
const LONGER: string[] = [];
const MANY = 0x10000;
const LONGEST = 4;
const NEWLINE = 0x0a;

/**
 * Letters that are folded alike whatever stands beside them: Latin, Cyrillic, Japanese, Chinese, Korean, dashes and quotes, most
 * pictures. Where there are others, such as Greek and Arabic ones, the whole text is folded.
 */
const ALONE =
  /[\t\n\r -\u024f\u0400-\u0482\u048a-\u052f\u2010-\u2027\u202f-\u205e\u20a0-\u20bf\u3000-\u3029\u3041-\u3096\u30a1-\u30fe\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff5e]/u;

/** Both halves of most pictures, and what joins or colours them. */
const isOfPicture = (code: number): boolean =>
  code === 0xd83d || isSecondHalf(code) || code === 0x200d || code === 0xfe0f;

function learn(code: number): number {
  const letter = String.fromCharCode(code);
  const text = ALONE.test(letter) || isOfPicture(code) ? folded(letter) : null;
  const to =
    text === null || text.length > LONGEST ? -1 : text.length === 1 ? text.charCodeAt(0) : MANY + LONGER.length;
  if (to >= MANY && text !== null) LONGER.push(text);
  foldedTo[code] = to;
  return to;
}

let scratch = new Uint16Array(4096);
const scratchFor = (length: number): Uint16Array => {
  if (scratch.length < length) scratch = new Uint16Array(length * 2);
  return scratch;
};

/** The letters of `folded(text)`. Of one text at a time: the next one takes its place. */
export function lettersOf(text: string): Letters {
  const codes = scratchFor(text.length * LONGEST + 1);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    const to = foldedTo[code] || learn(code);
    if (to < 0) return lettersIn(folded(text));
    if (to < MANY) {
      codes[length] = to;
      length += 1;
    } else {
      const longer = LONGER[to - MANY] ?? '';
      for (let each = 0; each < longer.length; each += 1) codes[length + each] = longer.charCodeAt(each);
      length += longer.length;
    }
  }
  codes[length] = NEWLINE;
  return { codes, length };
}

function lettersIn(plain: string): Letters {
  const codes = scratchFor(plain.length + 1);
  for (let at = 0; at < plain.length; at += 1) codes[at] = plain.charCodeAt(at);
  codes[plain.length] = NEWLINE;
  return { codes, length: plain.length };
}
