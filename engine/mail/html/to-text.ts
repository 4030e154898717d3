import { compile } from 'html-to-text';
import { tidyLines } from '../text/lines.ts';
import { NOTE_MARKS } from '../text/quote-marks.ts';
import { fullAllowance, pageAllowance } from './allowance.ts';
import { formatTable } from './data-table.ts';
import { visibleHtml } from './visible.ts';

/** More than is ever read is written when each of its characters is escaped. */
const MAX_WRITTEN = 12_000_000;

export interface HtmlText {
  /** The text, with the marks of quote-marks.ts in it. */
  readonly text: string;
  readonly hiddenCharacters: number;
  readonly marked: boolean;
  readonly cut: boolean;
  /** Whether words are struck out or may be hidden: `~~so~~`, `[may be hidden: so]`. */
  readonly noted: boolean;
}

const converter = (whitespaceCharacters: string) =>
  compile({
    wordwrap: false,
    whitespaceCharacters,
    formatters: { anyTable: formatTable },
    limits: { maxDepth: 200, maxInputLength: MAX_WRITTEN },
    selectors: [
      { selector: 'a', options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true } },
      { selector: 'ul', options: { itemPrefix: '- ', leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      { selector: 'ol', options: { leadingLineBreaks: 1, trailingLineBreaks: 1 } },
      { selector: 'blockquote', options: { leadingLineBreaks: 1, trailingLineBreaks: 1, trimEmptyLines: true } },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({ selector, options: { uppercase: false } })),
      // Mail is laid out with tables: cells that hold no data are read one after the other.
      { selector: 'table', format: 'anyTable' },
      { selector: 'tr', format: 'block' },
      { selector: 'td', format: 'block' },
      { selector: 'th', format: 'block' },
    ],
  });
const convertMail = converter(' \t\r\n\f\u200b');
/** Leaves U+200B out: it would become a space where a reader sees none. */
const convertPage = converter(' \t\r\n\f');

/**
 * What a person would read of this HTML. Text nobody sees is left out and counted. What is struck out stays, between
 * `~~`, and what a mail program may hide (a rule that we cannot judge) says so: a model has to know it, and neither can
 * be taken for an answer to a question, where only words count that surely stand there (approval-answer.ts: no vocabulary knows these signs).
 */
export function htmlToReadable(html: string, allowance = fullAllowance()): HtmlText {
  const visible = visibleHtml(html, allowance, 'mail');
  const text = tidyLines(withNotes(convertMail(visible.html).replaceAll('\u00a0', ' ')));
  const { hiddenCharacters, marked, noted, cut } = visible;
  return { text: text.trim(), hiddenCharacters, marked, noted, cut };
}

export interface PageText {
  readonly title: string | null;
  readonly text: string;
  readonly cut: boolean;
}

/** What a person would read of a page of the web. */
export function pageToReadable(html: string): PageText {
  const { title, html: visible, cut } = visibleHtml(html, pageAllowance(), 'page');
  return { title, text: convertPage(visible).trim(), cut };
}

const { struckStart, struckEnd, doubtfulStart, doubtfulEnd } = NOTE_MARKS;
/** Where one piece ends and the next begins with nothing but a blank between them, there was only a tag. */
const SEAM = new RegExp(`${struckEnd}( ?)${struckStart}|${doubtfulEnd}( ?)${doubtfulStart}`, 'g');
const NOTES: ReadonlyMap<string, string> = new Map([
  [struckStart, '~~'],
  [struckEnd, '~~'],
  [doubtfulStart, '[may be hidden: '],
  [doubtfulEnd, ']'],
]);
const NOTE = new RegExp(`[${[...NOTES.keys()].join('')}]`, 'g');

const withNotes = (text: string): string => text.replace(SEAM, '$1$2').replace(NOTE, (mark) => NOTES.get(mark) ?? '');
