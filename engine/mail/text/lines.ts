import { QUOTE_SIGN } from './quote-marks.ts';

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

/** Programs write the target of a link behind its text; nobody typed it. A long one may be broken over lines. */
export const withoutLinkTargets = (text: string): string =>
  text
    .replace(/[<[(](?:mailto|https?):(?:[^\s<>()[\]]|\n[ \t>]{0,8}){0,2000}[>\])]/gi, ' ')
    .replace(
      /[<[(][^\s<>()[\]@]{1,64}@[^\s<>()[\]@?]{1,190}\?(?:subject|body)=(?:[^\s<>()[\]]|\n[ \t>]{0,8}){0,2000}[>\])]/gi,
      ' ',
    );

/** What one program shows as the end of a line, and another as a blank or not at all. */
const MAY_END = /[\r\v\f\u0085\u2028\u2029]/;
const MAY_END_ALL = new RegExp(MAY_END.source, 'g');

/**
 * The lines of a plain text, each ended by LF. Whoever is quoted may put another sign into a line of his, and its rest must not become
 * a line without a quote sign: such a sign is a blank. Where what stands behind it looks quoted, all of the line is: it may be the
 * name of whoever is quoted.
 */
export function withPlainLines(text: string): string {
  // As many as programs double; more are blanks at the end of a line.
  const lined = text.replace(/\r{1,3}\n/g, '\n');
  if (!MAY_END.test(lined)) return lined;
  // A text of old programs has no other line ends. Its quotation has no end.
  const isOne = !lined.trimEnd().includes('\n');
  return lined
    .split('\n')
    .map((line) => (MAY_END.test(line) ? plainLine(line, isOne) : line))
    .join('\n');
}

function plainLine(line: string, isOne: boolean): string {
  const parts = line.split(MAY_END_ALL);
  const quoted = parts.findIndex((part) => QUOTE_SIGN.test(part));
  if (quoted < 0) return parts.join(isOne ? '\n' : ' ');
  if (!isOne) return quoted === 0 ? parts.join(' ') : `> ${parts.join(' ')}`;
  return [...parts.slice(0, quoted), parts.slice(quoted).join(' ')].join('\n');
}

/**
 * Joins the lines of a format=flowed text (RFC 3676 section 4). A line that ends in a blank goes on in the next one
 * only where both are quoted equally deep: blanks at line ends are not signed by most signers, and whoever adds one must
 * not be able to carry what was quoted into what was written.
 */
export function unflow(text: string, delSp: boolean): string {
  const out: string[] = [];
  let paragraph: string[] = [];
  let depth = -1;
  const end = () => {
    if (paragraph.length > 0) out.push(paragraph.join(''));
    paragraph = [];
    depth = -1;
  };
  for (const line of text.split('\n')) {
    const marks = /^>*/.exec(line)?.[0] ?? '';
    // A blank is stuffed in front of what would otherwise look like a quote mark.
    const content = line.slice(marks.length).replace(/^ /, '');
    const isFlowed = content.endsWith(' ') && content !== '-- ';
    if (paragraph.length > 0 && (depth !== marks.length || content === '-- ')) end();
    if (paragraph.length === 0 && marks !== '') paragraph.push(`${marks} `);
    paragraph.push(isFlowed && delSp ? content.slice(0, -1) : content);
    depth = marks.length;
    if (!isFlowed) end();
  }
  end();
  return out.join('\n');
}
