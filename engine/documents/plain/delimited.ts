import type { Cell } from '../types.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;
const SAMPLE_CHARS = 64 * 1024;

/** `sep=;` in the first line, as spreadsheets write it; the text without that line. */
export function declaredDelimiter(text: string): { readonly body: string; readonly delimiter: string | null } {
  const [line, delimiter = null] = /^sep=(.)\r?\n/i.exec(text) ?? [''];
  return { body: text.slice(line.length), delimiter };
}

/** The one by which most cells stand in rows of one length; null where none makes columns. */
export function delimiterOf(text: string): string | null {
  const sample = text.slice(0, SAMPLE_CHARS);
  const scored = DELIMITERS.map((delimiter) => {
    const widths = delimitedRows(sample, { delimiter })
      .rows.filter((row) => row.length > 1 || row[0] !== null)
      .map(({ length }) => length);
    const groups = [...Map.groupBy(widths, (width) => width)].filter(([width]) => width > 1);
    return {
      delimiter,
      score: Math.max(0, ...groups.map(([width, all]) => (width * all.length ** 2) / widths.length)),
    };
  });
  const best = scored.reduce((a, b) => (b.score > a.score ? b : a));
  return best.score === 0 ? null : best.delimiter;
}

/**
 * Cells with a delimiter between them (RFC 4180, and what programs of other countries write). Blanks around a cell are
 * none of it unless they are quoted; an empty cell is null. A blank line is a row without cells, so that a row has the
 * number that a spreadsheet gives it. `mayTake`: whether so many cells more may be read; where not, it ends `isCut`.
 */
export function delimitedRows(
  text: string,
  {
    delimiter,
    maxColumns = Number.POSITIVE_INFINITY,
    mayTake = () => true,
  }: {
    readonly delimiter: string;
    /** Of one row; more are not read. */
    readonly maxColumns?: number;
    mayTake?(cells: number): boolean;
  },
): { readonly rows: Cell[][]; readonly isCut: boolean } {
  const rows: Cell[][] = [];
  let row: Cell[] = [];
  let at = 0;
  while (at < text.length) {
    const { value, next } = fieldAt(text, at, delimiter);
    if (row.length < maxColumns) row.push(value === '' ? null : value);
    at = next + 1;
    if (text[next] === delimiter && at < text.length) continue;
    if (text[next] === delimiter && row.length < maxColumns) row.push(null);
    if (text[next] === '\r' && text[at] === '\n') at += 1;
    if (!mayTake(row.length)) return { rows: withoutEmptyEnd(rows), isCut: true };
    rows.push(row);
    row = [];
  }
  return { rows: withoutEmptyEnd(rows), isCut: false };
}

const withoutEmptyEnd = (rows: Cell[][]): Cell[][] =>
  rows.slice(0, rows.findLastIndex((row) => row.some((cell) => cell !== null)) + 1);

/** The field that begins at `at`; `next` is its delimiter, the end of its line, or the end of the text. */
function fieldAt(text: string, at: number, delimiter: string): { readonly value: string; readonly next: number } {
  let from = at;
  while (text[from] === ' ') from += 1;
  const quoted = text[from] === '"' ? quotedAt(text, from, delimiter) : null;
  if (quoted !== null) return quoted;
  const next = endOfField(text, at, delimiter);
  return { value: text.slice(at, next).trim(), next };
}

/** Null where the quotation mark closes nowhere before the end of a field: then it is a character like any other. */
function quotedAt(
  text: string,
  at: number,
  delimiter: string,
): { readonly value: string; readonly next: number } | null {
  let value = '';
  let from = at + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) return null;
    value += text.slice(from, quote);
    if (text[quote + 1] === '"') {
      value += '"';
      from = quote + 2;
      continue;
    }
    let next = quote + 1;
    while (text[next] === ' ') next += 1;
    return next === text.length || isEnd(text[next], delimiter) ? { value, next } : null;
  }
}

const isEnd = (char: string | undefined, delimiter: string): boolean =>
  char === delimiter || char === '\n' || char === '\r';

function endOfField(text: string, at: number, delimiter: string): number {
  let end = at;
  while (end < text.length && !isEnd(text[end], delimiter)) end += 1;
  return end;
}
