import { EngineError } from '#contract';
import type { DocumentFacts } from '../../documents/packed.ts';

interface TextPage {
  readonly text: string;
  /** Characters of the whole text before it. */
  readonly offset: number;
  readonly total_chars: number;
  readonly next_offset: number | null;
  /** Pages, slides or sheets that it shows and how many there are, such as `3-5 of 12`; null where there are none. */
  readonly pages: string | null;
}

interface PageWanted {
  /** Where to begin: a page, slide or sheet of the document; of a text without any, a stretch of `limit` characters. */
  readonly page?: number | undefined;
  /** Characters to skip; wins over `page`. */
  readonly offset?: number | undefined;
  readonly limit: number;
}

/** A stretch of a document's text that ends where a line ends. Throws `invalid_arguments` past the last page. */
export function textPage(text: string, starts: DocumentFacts['pages'], { page, offset, limit }: PageWanted): TextPage {
  const from = offset ?? startOf(text, starts, page ?? 1, limit);
  const end = endOfPage(text, from, limit);
  return {
    text: text.slice(from, end),
    offset: from,
    total_chars: text.length,
    next_offset: end < text.length ? end : null,
    pages: starts.length === 0 ? null : shownPages(starts, from, end),
  };
}

function startOf(text: string, starts: DocumentFacts['pages'], page: number, limit: number): number {
  if (starts.length > 0) return starts[page - 1] ?? pastTheLast(page, starts.length);
  let start = 0;
  for (let number = 1; number < page; number += 1) {
    start = endOfPage(text, start, limit);
    if (start >= text.length) pastTheLast(page, number);
  }
  return start;
}

export function pastTheLast(page: number, last: number): never {
  throw new EngineError('invalid_arguments', `there is no page ${page}; the last one is ${last}`);
}

function shownPages(starts: DocumentFacts['pages'], from: number, end: number): string {
  const first = Math.max(1, starts.findLastIndex((start) => start <= from) + 1);
  const last = Math.max(first, starts.findLastIndex((start) => start < end) + 1);
  return `${first === last ? first : `${first}-${last}`} of ${starts.length}`;
}

/** The last line end within the page: a row of a table that was cut in two was read as two. */
export function endOfPage(text: string, offset: number, limit: number): number {
  if (offset + limit >= text.length) return text.length;
  const line = text.lastIndexOf('\n', offset + limit - 1) + 1;
  if (line > offset) return line;
  // A line longer than the page; no character of it is cut in two.
  const end = offset + limit;
  return limit > 1 && /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;
}
