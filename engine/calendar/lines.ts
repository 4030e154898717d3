/** Beyond these a file is cut; nothing that a person sends comes near. */
const MAX_LINES = 200_000;
const MAX_LINE_CHARS = 32_768;
const MAX_DEPTH = 8;
const LINE = /^[\w-]{1,60}[;:]/;
const BLOCK = /^(BEGIN|END):\s*([\w-]{1,60})\s*$/i;

/**
 * Lines of calendar text as its grammar wants them: unfolded, without what is no line, and each block ended. A file
 * that lacks its last line, or has a stray one, is common and still says when the meeting is.
 */
export function calendarLines(text: string): string[] {
  const lines: string[] = [];
  const open: string[] = [];
  for (const line of unfolded(text)) {
    if (lines.length >= MAX_LINES) break;
    const [, edge, written = ''] = BLOCK.exec(line) ?? [];
    if (edge !== undefined) lines.push(...edgeOf(edge.toUpperCase(), written.toUpperCase(), open));
    else if (open.length > 0 && isReadable(line)) lines.push(line);
  }
  return [...lines, ...open.reverse().map((name) => `END:${name}`)];
}

/** The lines at which a block begins or ends; those that were left open within it end with it. */
function edgeOf(edge: string, name: string, open: string[]): string[] {
  if (edge === 'BEGIN') {
    const isOutside = open.length === 0 && name !== 'VCALENDAR';
    if (isOutside || open.length >= MAX_DEPTH) return [];
    open.push(name);
    return [`BEGIN:${name}`];
  }
  const at = open.lastIndexOf(name);
  if (at === -1) return [];
  return open
    .splice(at)
    .reverse()
    .map((each) => `END:${each}`);
}

/** A quote that is not closed, or a parameter without a value, would make the whole file unreadable. */
const isReadable = (line: string): boolean =>
  line.length <= MAX_LINE_CHARS &&
  /^[\w-]{1,60}(?:;[\w-]{1,60}=(?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*)*:/.test(line) &&
  LINE.test(line);

function* unfolded(text: string): Generator<string> {
  let line = '';
  for (const each of text.replace(/\r\n?/g, '\n').split('\n')) {
    if (/^[ \t]/.test(each)) {
      line += each.slice(1);
      continue;
    }
    if (line !== '') yield line;
    line = each;
  }
  if (line !== '') yield line;
}
