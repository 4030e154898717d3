import { escapeHtml, markdownToHtml } from './markdown.ts';

export interface Quote {
  /** "On …, … wrote:" */
  readonly attribution: string;
  readonly text: string;
}

export interface BodyInput {
  /** Markdown. */
  readonly text: string;
  /** What the gateway itself says before and after it: plain lines, shown word for word. */
  readonly above?: string;
  readonly below?: string;
  readonly personaName: string;
  readonly quote: Quote | null;
}

const MAX_QUOTED_LINES = 12;
const MAX_QUOTED = 1000;

/** Final text, signature, at most a short quote; the same in both versions. */
export function composeBody(input: BodyInput): { text: string; html: string } {
  const [text, above, below] = [tidy(input.text), tidy(input.above ?? ''), tidy(input.below ?? '')];
  const name = input.personaName.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  const quoted = input.quote ? shorten(tidy(input.quote.text)) : [];
  const attribution = input.quote?.attribution.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim() ?? '';
  const plain = [wholeText({ text, above, below }), '', '-- ', name];
  const html = [
    ...besideText(above),
    ...(text === '' ? [] : [markdownToHtml(text)]),
    ...besideText(below),
    `<div class="moz-signature" style="color:#666">-- <br>${escapeHtml(name)}</div>`,
  ];
  if (quoted.length > 0) {
    plain.push('', attribution, ...quoted.map((line) => `> ${line}`.trimEnd()));
    // These class names are what mail programs fold away, and what we ourselves cut when the answer comes back.
    html.push(
      `<div class="gmail_quote"><div class="gmail_attr">${escapeHtml(attribution)}</div>`,
      '<blockquote class="gmail_quote" type="cite" style="margin:0 0 0 8px;padding-left:8px;border-left:2px solid #ccc">',
      `${quoted.map(escapeHtml).join('<br>\n')}</blockquote></div>`,
    );
  }
  return { text: `${plain.join('\n')}\n`, html: `<div style="font-family:sans-serif">\n${html.join('\n')}\n</div>\n` };
}

/** The words of an answer in one text, as its text part has them and as they are kept. */
export const wholeText = ({ text, above = '', below = '' }: Pick<BodyInput, 'text' | 'above' | 'below'>): string =>
  [above, text, below].filter((part) => part !== '').join('\n\n');

const BESIDE = 'margin:12px 0;padding:6px 0 6px 10px;border-left:3px solid #bbb;color:#666;font-size:90%';

/** Targets are chosen by others, so nothing in them is Markdown here. */
const besideText = (text: string): string[] =>
  text === '' ? [] : [`<div style="${BESIDE}">${text.split('\n').map(escapeHtml).join('<br>\n')}</div>`];

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
