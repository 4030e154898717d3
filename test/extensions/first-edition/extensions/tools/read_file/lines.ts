/** A longer line counts as several, so that every part of a file without line breaks can be reached. */
const MAX_LINE = 4000;
/** In characters of JSON, in which a result travels: below what the engine would cut a result to. */
const MAX_PAGE = 18_000;

export interface LinePage {
  readonly text: string;
  readonly offset: number;
  readonly lines: number;
  readonly total_lines: number;
  readonly next_offset: number | null;
}

/** Lines with their own line breaks, so that joining them gives the file back byte for byte. */
export function linesOf(text: string): string[] {
  const lines: string[] = [];
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = Math.min(newline < 0 ? text.length : newline + 1, start + MAX_LINE);
    // Half a surrogate pair on either side would not survive as JSON in UTF-8.
    const cut = isHighSurrogate(text.charCodeAt(end - 1)) && end < text.length ? end - 1 : end;
    lines.push(text.slice(start, cut));
    start = cut;
  }
  return lines;
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;

/** At most `limit` lines from line `offset` (counted from 0), fewer when they are long; at least one. */
export function pageOf(text: string, { offset, limit }: { offset: number; limit: number }): LinePage {
  const all = linesOf(text);
  const page: string[] = [];
  let characters = 0;
  for (const line of all.slice(offset, offset + limit)) {
    const size = JSON.stringify(line).length;
    if (page.length > 0 && characters + size > MAX_PAGE) break;
    page.push(line);
    characters += size;
  }
  const next = offset + page.length;
  return {
    text: page.join(''),
    offset,
    lines: page.length,
    total_lines: all.length,
    next_offset: next < all.length ? next : null,
  };
}
