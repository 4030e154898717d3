import { compile } from 'html-to-text';
import { tidyLines } from '../text/lines.ts';
import { visibleHtml } from './visible.ts';

const MAX_HTML = 2_000_000;

export interface HtmlText {
  /** With the marks of quote-marks.ts in it. */
  readonly text: string;
  readonly hiddenCharacters: number;
  readonly marked: boolean;
  readonly cut: boolean;
}

const convert = compile({
  wordwrap: false,
  limits: { maxDepth: 200, maxInputLength: 4 * MAX_HTML },
  selectors: [
    { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
    { selector: 'ul', options: { itemPrefix: '- ', leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'ol', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
    { selector: 'blockquote', options: { leadingLineBreaks: 1, trailingLineBreaks: 1, trimEmptyLines: true } },
    ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
    // Mail is laid out with tables: their cells are read one after the other.
    { selector: 'table', format: 'block' },
    { selector: 'tr', format: 'block' },
    { selector: 'td', format: 'block' },
    { selector: 'th', format: 'block' },
  ],
});

/** What a person would read of this HTML. Text nobody sees is left out and counted. */
export function htmlToReadable(html: string): HtmlText {
  const cut = html.length > MAX_HTML;
  const visible = visibleHtml(cut ? html.slice(0, MAX_HTML) : html);
  const text = tidyLines(convert(visible.html).replaceAll('\u00a0', ' '));
  return { text: text.trim(), hiddenCharacters: visible.hiddenCharacters, marked: visible.marked, cut };
}
