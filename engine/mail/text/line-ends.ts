import { QUOTE_SIGN } from './quote-marks.ts';

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
