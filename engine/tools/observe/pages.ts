import type { Json } from '#contract';
import { cleanJson, noFindings } from '../../lib/clean-text.ts';
import { endOfPart } from './measure.ts';
import { MAX_LINES } from './shrink.ts';

/** With what stands around it, well below what one result may take: a page is never cut again. */
const PAGE = 12_000;

/**
 * A whole result as text, in pages that together are exactly it: a text as it stands, all else as JSON. Cleaned
 * before it is divided, so that nothing can be put together across two pages.
 */
export interface Pages {
  readonly pages: readonly string[];
  readonly chars: number;
}

export function pagesOf(result: Json): Pages {
  const clean = cleanJson(result, noFindings());
  const text = typeof clean === 'string' ? clean : JSON.stringify(clean);
  const pages: string[] = [];
  for (let from = 0; from < text.length || pages.length === 0; ) {
    const end = endOfPart(text, from, PAGE, MAX_LINES - 10);
    pages.push(text.slice(from, end));
    from = end;
  }
  return { pages, chars: text.length };
}
