/** The last line end within the page: a row of a table that was cut in two was read as two. */
export function endOfPage(text: string, offset: number, limit: number): number {
  if (offset + limit >= text.length) return text.length;
  const line = text.lastIndexOf('\n', offset + limit - 1) + 1;
  if (line > offset) return line;
  // A line longer than the page; no character of it is cut in two.
  const end = offset + limit;
  return limit > 1 && /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;
}

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
