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
