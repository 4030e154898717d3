import { escapeHtml, markdownToHtml } from './markdown.ts';

export interface Quote {
  /** "On …, … wrote:" */
  readonly attribution: string;
  readonly text: string;
}

export interface BodyInput {
  /** Markdown. */
  readonly text: string;
  readonly personaName: string;
  readonly quote: Quote | null;
}

const MAX_QUOTED_LINES = 12;
const MAX_QUOTED = 1000;

/** Final text, signature, at most a short quote; the same in both versions. */
export function composeBody(input: BodyInput): { text: string; html: string } {
  const name = input.personaName.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  const text = withoutDelimited(tidy(input.text), name);
  const quoted = input.quote ? shorten(tidy(input.quote.text)) : [];
  const attribution = input.quote?.attribution.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim() ?? '';
  const isSigned = lastLineOf(text) === name;
  const plain = isSigned ? [text] : [text, '', '-- ', name];
  const html = [
    markdownToHtml(text),
    ...(isSigned ? [] : [`<div class="moz-signature" style="color:#666">-- <br>${escapeHtml(name)}</div>`]),
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
  if (lastLineOf(text) !== name) return text;
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
