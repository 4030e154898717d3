/**
 * No blanks at the ends of lines, no more than one empty line in a row. Line by line, because a pattern such as
 * `[ \t]+\n` tries a run of 500,000 blanks from each of its places: that took four minutes.
 */
export const tidyLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n');

/** A long line without its middle: a name or a list in it may be as long as somebody likes. */
export function withoutMiddle(line: string, most: number): string {
  const half = Math.floor((most - 3) / 2);
  return line.length <= most ? line : `${line.slice(0, half)} … ${line.slice(-half)}`;
}

/** Programs break lines at 72 characters or more. */
export const MIN_WRAPPED = 60;

/** A program may have broken a line there: the next word would not have fitted. `most`: columns, or bytes of a program that counts those. */
export function isFull(above: string, below: string, most = MIN_WRAPPED): boolean {
  const word = firstWord(below);
  if (above.length + word.length >= most) return true;
  // A program that counts bytes breaks a line of Greek after half as many letters, and one of Chinese fills two columns with each.
  const text = `${above}${word}`;
  return NOT_LATIN.test(text) && columnsOf(text, 2) >= most;
}

const NOT_LATIN = /[\u0370-\u1dff\u2100-\u{10ffff}]/u;

/** Programs break a line of these anywhere, and count two columns for each. */
const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/u;

/** `others`: columns, or bytes, of a letter that is neither Latin nor wide. */
export function columnsOf(text: string, others = 1): number {
  if (!NOT_LATIN.test(text)) return text.length;
  let columns = 0;
  for (const sign of text) columns += WIDE.test(sign) ? 2 : NOT_LATIN.test(sign) ? others : 1;
  return columns;
}

/** What a program moves to the next line in one piece. */
export function firstWord(line: string): string {
  const [word = ''] = /^\s*\S+/u.exec(line) ?? [];
  return WIDE.test(word) ? word.slice(0, MOST_WIDE) : word;
}

/** Signs that stay with the letter before them, or a foreign name between. */
const MOST_WIDE = 4;
