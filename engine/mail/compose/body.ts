import { RIGHT_TO_LEFT, rightToLeft, withoutTurning } from './directions.ts';
import { GREY, type LetterBlock, page, renderLetter } from './letter.ts';
import { escapeHtml, markdownToHtml } from './markdown.ts';

export interface Quote {
  /** "On …, … wrote:" */
  readonly attribution: string;
  readonly text: string;
}

interface BodyInput {
  /** Markdown of a model or a person, or a mail of the gateway's own. */
  readonly text: string | readonly LetterBlock[];
  /** What the gateway itself says before and after it: plain lines, shown word for word. */
  readonly above?: string;
  readonly below?: string;
  /** Lines below `-- `. */
  readonly signature: readonly string[];
  /** Language of the text, such as `de`; absent where it is unknown. */
  readonly language?: string;
  readonly quote: Quote | null;
  /** False: as older versions wrote mail that runs from right to left; a replay writes theirs once more. */
  readonly keepsOrder?: boolean;
}

const MAX_QUOTED_LINES = 12;
const MAX_QUOTED = 1000;

const EDGES = {
  ltr: 'margin:4px 0 0 8px;padding-left:8px;border-left:2px solid #999',
  rtl: 'margin:4px 8px 0 0;padding-right:8px;border-right:2px solid #999',
};

/** Final text, signature, at most a short quote; the same in both versions. */
export function composeBody(input: BodyInput): { text: string; html: string } {
  const lines = input.signature.map(oneLine).filter((line) => line !== '');
  const name = lines[0] ?? '';
  const [above, below] = [tidy(input.above ?? ''), tidy(input.below ?? '')];
  const rtl = typeof input.text === 'string' ? rightToLeft(input.text) : null;
  const body = bodyOf(input.text, { name, turns: rtl !== null && input.keepsOrder !== false });
  const signature = name !== '' && lastLineOf(body.text) === name ? lines.slice(1) : lines;
  // Within a mail that runs from right to left, each of these runs as its own letters do.
  const own = rtl === null ? '' : ' dir="auto"';
  const quoted = input.quote ? shorten(tidy(input.quote.text)) : [];
  const attribution = oneLine(input.quote?.attribution ?? '');
  const plain = [
    wholeText({ text: body.text, above, below }),
    ...(signature.length > 0 ? ['', '-- ', ...signature] : []),
  ];
  const html = [
    ...besideText(above, own),
    ...(body.text === '' ? [] : [body.html]),
    ...besideText(below, own),
    ...(signature.length === 0
      ? []
      : [
          `<div class="moz-signature"${own} style="margin-top:18px;${GREY}">-- <br>${signature.map(escapeHtml).join('<br>')}</div>`,
        ]),
  ];
  if (quoted.length > 0) {
    plain.push('', attribution, ...quoted.map((line) => `> ${line}`.trimEnd()));
    // These class names are what mail programs fold away, and what we ourselves cut when the answer comes back.
    html.push(
      `<div class="gmail_quote" style="margin-top:18px"><div class="gmail_attr"${own}>${escapeHtml(attribution)}</div>`,
      quoteOf(quoted, own, input.keepsOrder !== false),
    );
  }
  return {
    text: `${plain.join('\n')}\n`,
    html: page(html.join('\n'), rtl?.language ?? input.language ?? null, rtl !== null),
  };
}

/** It runs as its own letters do also below an answer that does not: its edge stands where its lines begin. */
function quoteOf(quoted: readonly string[], own: string, keepsOrder: boolean): string {
  const isRtl = rightToLeft(quoted.join('\n')) !== null;
  const words = quoted.map(escapeHtml).join('<br>\n');
  const direction = isRtl && keepsOrder ? RIGHT_TO_LEFT : own;
  return [
    `<blockquote class="gmail_quote" type="cite"${direction} style="${EDGES[isRtl ? 'rtl' : 'ltr']}">`,
    `${isRtl && keepsOrder ? withoutTurning(words) : words}</blockquote></div>`,
  ].join('\n');
}

/** The words of an answer in one text, as its text part has them and as they are kept. */
export const wholeText = ({ text, above = '', below = '' }: { text: string; above?: string; below?: string }): string =>
  [above, text, below].filter((part) => part !== '').join('\n\n');

const BESIDE = `margin:12px 0;padding:6px 0 6px 10px;border-left:3px solid #999;${GREY};font-size:90%`;

/** Targets are chosen by others, so nothing in them is Markdown here. */
const besideText = (text: string, attributes: string): string[] =>
  text === '' ? [] : [`<div${attributes} style="${BESIDE}">${text.split('\n').map(escapeHtml).join('<br>\n')}</div>`];

function bodyOf(
  text: BodyInput['text'],
  { name, turns }: { readonly name: string; readonly turns: boolean },
): { text: string; html: string } {
  if (typeof text !== 'string') {
    const letter = renderLetter(text);
    return { text: tidy(letter.text), html: tidy(letter.html) };
  }
  const tidied = withoutDelimited(tidy(text), name);
  const html = markdownToHtml(tidied);
  return { text: tidied, html: turns ? withoutTurning(html) : html };
}

const oneLine = (text: string): string => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();

/** As it reads: without Markdown's marks and the full stop or comma behind a name. */
const lastLineOf = (text: string): string =>
  text
    .slice(text.lastIndexOf('\n') + 1)
    .slice(0, 300)
    .replace(/[*_]/g, '')
    .replace(/[.,]$/, '')
    .trim();

/** A text that ends with the very signature that is put below it would have it twice. */
function withoutDelimited(text: string, name: string): string {
  if (name === '' || lastLineOf(text) !== name) return text;
  const above = text.slice(0, Math.max(0, text.lastIndexOf('\n'))).trimEnd();
  return /(?:^|\n)--$/.test(above) ? above.slice(0, -2).trimEnd() : text;
}

/** Line ends as LF, no control characters but tab. */
const tidy = (text: string): string =>
  text
    .replace(/\r\n?/g, '\n')
    .replace(/(?![\n\t])\p{Cc}/gu, '')
    .trimEnd();

function shorten(text: string): string[] {
  const cut = text.slice(0, MAX_QUOTED).replace(/[\ud800-\udbff]$/, '');
  const lines = cut.split('\n');
  const short = lines.slice(0, MAX_QUOTED_LINES);
  const isCut = cut.length < text.length || short.length < lines.length;
  if (text.trim() === '') return [];
  return isCut ? [...short, '[…]'] : short;
}
