import { folded } from '../../storage/search/fold.ts';

const SPACE = /\s/u;
const IN_WORD = /[\p{L}\p{M}\p{N}]/u;

/**
 * The stretch of a text that says the quote word for word, as it stands there; null where none does. Only the white
 * space between words may differ, since mail breaks its lines: no letter, no case, no part of a word.
 */
export function stretchOf(text: string, quote: string): string | null {
  const wanted = squeezed(quote.normalize('NFC'));
  if (wanted.text === '') return null;
  const there = text.normalize('NFC');
  const { text: flat, at } = squeezed(there);
  for (let from = flat.indexOf(wanted.text); from >= 0; from = flat.indexOf(wanted.text, from + 1)) {
    const end = from + wanted.text.length;
    if (isWhole(flat, from, end)) return there.slice(at[from], (at[end - 1] ?? 0) + 1);
  }
  return null;
}

/** Words in a row that nobody writes by chance as somebody else did. */
const IN_A_ROW = 3;
const WORDS = /[\p{L}\p{M}\p{N}]+/gu;

/**
 * Whether a quote is the words of another text: it stands there, or more than half of it does, word after word. So a quote
 * with a word before what was repeated is none of its author's either.
 */
export function isTakenFrom(text: string, quote: string): boolean {
  if (stretchOf(text, quote) !== null) return true;
  const rows = rowsOf(quote);
  if (rows.length === 0) return false;
  const there = new Set(rowsOf(text));
  return rows.filter((row) => there.has(row)).length > rows.length / 2;
}

function rowsOf(text: string): readonly string[] {
  const words = folded(text).match(WORDS) ?? [];
  return words.slice(IN_A_ROW - 1).map((_, at) => words.slice(at, at + IN_A_ROW).join(' '));
}

/** Without white space at its ends, with one space for each other, and where each unit stood before. */
function squeezed(text: string): { readonly text: string; readonly at: readonly number[] } {
  const units: string[] = [];
  const at: number[] = [];
  let isSpace = false;
  for (let place = 0; place < text.length; place += 1) {
    const unit = text[place] ?? '';
    if (SPACE.test(unit)) {
      isSpace = units.length > 0;
      continue;
    }
    if (isSpace) {
      units.push(' ');
      at.push(place - 1);
      isSpace = false;
    }
    units.push(unit);
    at.push(place);
  }
  return { text: units.join(''), at };
}

/** Neither end lies within a word: `or` does not stand in `for`. Scripts without spaces have no such ends. */
function isWhole(text: string, from: number, end: number): boolean {
  const cuts = (left: string | undefined, right: string | undefined) =>
    left !== undefined && right !== undefined && IN_WORD.test(left) && IN_WORD.test(right) && !isUnspaced(left + right);
  return !cuts(text[from - 1], text[from]) && !cuts(text[end - 1], text[end]);
}

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const isUnspaced = (letters: string): boolean => UNSPACED.test(letters);
