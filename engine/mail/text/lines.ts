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

/** A program may have broken a line there: the next word would not have fitted. `width`: in signs. */
export function isFull(above: string, below: string, width = MIN_WRAPPED): boolean {
  const [word = ''] = /^\s*\S+/u.exec(below) ?? [];
  return above.length + word.length >= width;
}
