/** `<bold>`, `</Bold>`; `<<` is a sign by itself. No command is longer (RFC 1896 section 3). */
const COMMAND = /<<|<(\/?)([a-z][a-z0-9-]{0,59})>/gi;

/**
 * The words of text/enriched (RFC 1896) and text/richtext (RFC 1341): without commands and their parameters, lines
 * joined as they are shown. What stands in an excerpt is of somebody else, and gets quote signs.
 */
export function fromEnriched(text: string, kind: 'enriched' | 'richtext'): string {
  // Kept in pieces: to look at the end of a long text that still grows copies it each time.
  const out: string[] = [];
  let [end, unfilled, excerpts, silent] = [0, 0, 0, 0];
  const write = (words: string) => {
    if (silent > 0) return;
    const lines = unfilled > 0 ? words : filled(words, kind);
    if (lines !== '') out.push(excerpts > 0 ? lines.replaceAll('\n', `\n${QUOTE}`) : lines);
  };
  const breakLine = (mark = '') => {
    if (out.length > 0 && !out.at(-1)?.endsWith('\n')) out.push('\n');
    if (mark !== '') out.push(mark);
  };
  for (const command of text.matchAll(COMMAND)) {
    write(text.slice(end, command.index));
    end = command.index + command[0].length;
    const [whole, slash, name = ''] = command;
    const step = slash === '/' ? -1 : 1;
    switch (name.toLowerCase()) {
      case '':
        write(whole === '<<' ? '<' : whole);
        break;
      case 'param':
      case 'comment':
        silent = Math.max(0, silent + step);
        break;
      case 'nofill':
        unfilled = Math.max(0, unfilled + step);
        break;
      case 'excerpt':
        excerpts = Math.max(0, excerpts + step);
        breakLine(excerpts > 0 ? QUOTE : '');
        break;
      case 'lt':
        if (kind === 'richtext') out.push('<');
        break;
      case 'nl':
      case 'paragraph':
        if (kind === 'richtext') out.push('\n');
        break;
      default:
        break;
    }
  }
  write(text.slice(end));
  return out.join('');
}

const QUOTE = '> ';

/** One line break is a blank, of more of them one less is shown; in richtext none is. */
const filled = (words: string, kind: 'enriched' | 'richtext'): string =>
  words.replace(/\n+/g, (breaks) => (kind === 'richtext' || breaks.length === 1 ? ' ' : breaks.slice(1)));
