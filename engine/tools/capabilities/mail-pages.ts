import { endOfPage } from '../documents/page.ts';

/** All pages of a text, in order; together they are the whole. One, which is empty, of an empty text. */
export function inPages(text: string, limit: number): readonly string[] {
  const pages: string[] = [];
  for (let from = 0; from < text.length || pages.length === 0; ) {
    const end = endOfPage(text, from, limit);
    pages.push(text.slice(from, end));
    if (end <= from) break;
    from = end;
  }
  return pages;
}
