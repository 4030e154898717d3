/** What a text leaves open by its own marks: a block of code, or the last row of a table whose other rows are closed. */
export type OpenEnd = 'fence' | 'row';

/** Of a list or a quote, in which a block of code may stand. */
const CONTAINER = String.raw`(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])))*[ \t]*`;
/** A line of tildes is as often a rule as it is a fence, so it proves nothing. */
const OPENS = new RegExp(`^(${CONTAINER})(\`{3,})(?!.*\`)`);
const CLOSES = /^[ \t>]*(`{3,})[ \t]*$/;
const QUOTED = /^[ \t]*>/;

interface Fence {
  /** What stands before it in its line, and its backticks. */
  readonly before: string;
  readonly marks: string;
}

/** Where the text ends; by structure alone (CommonMark 4.5), never by what its words say. */
export const openEndOf = (text: string): OpenEnd | null =>
  openFenceOf(text) !== null ? 'fence' : endsWithinRow(text) ? 'row' : null;

/** With a fence below it that closes the one that is open; as it is where none is. */
export function withFenceClosed(text: string): string {
  const open = openFenceOf(text);
  if (open === null) return text;
  // A marker of a list would begin another entry there.
  const before = open.before.replaceAll(/[^ \t>]/g, ' ');
  return `${text.trimEnd()}\n${before}${open.marks}`;
}

/**
 * A text that ended within a block of code, and what came when it was to be gone on with: models write the closing fence
 * without the line break before it, or open the block once more.
 */
export function fenceGoneOnWith(text: string, next: string): string | null {
  const begun = next.trimStart();
  if (openFenceOf(text) === null || !begun.startsWith('```')) return null;
  const closed = `${text.trimEnd()}\n${begun}`;
  if (openEndOf(closed) === null && CLOSES.test(firstLine(begun))) return closed;
  return `${text.trimEnd()}\n${begun.slice(firstLine(begun).length + 1)}`;
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';

function openFenceOf(text: string): Fence | null {
  let open: Fence | null = null;
  for (const line of text.split(/\r?\n/)) {
    // A quote that is over takes its block along.
    if (open?.before.includes('>') && !QUOTED.test(line)) open = null;
    if (open === null) {
      const [, before = '', marks] = OPENS.exec(line) ?? [];
      if (marks !== undefined) open = { before, marks };
    } else if ((CLOSES.exec(line)?.[1] ?? '').length >= open.marks.length) open = null;
  }
  return open;
}

const RULE_OF_TABLE = /^\|(?:[ \t]*:?-+:?[ \t]*\|)+$/;

/** All rows of the table have their last bar, but for the one that the text ends in. */
function endsWithinRow(text: string): boolean {
  const lines = text
    .trimEnd()
    .split(/\r?\n/)
    .map((line) => line.trim());
  const last = lines.at(-1) ?? '';
  if (!last.startsWith('|') || (last.length > 1 && last.endsWith('|'))) return false;
  const from = lines.findLastIndex((line) => !line.startsWith('|')) + 1;
  const rows = lines.slice(from, -1);
  return (
    rows.length > 1 && RULE_OF_TABLE.test(rows[1] ?? '') && rows.every((row) => row.length > 1 && row.endsWith('|'))
  );
}
