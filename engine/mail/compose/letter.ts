import { rightToLeft, withoutTurning } from './directions.ts';
import { escapeHtml, markdownToHtml } from './markdown.ts';

/**
 * A part of a mail that the gateway writes by itself. All texts are plain: what they hold can become no link, no heading
 * and no button. Words of others stand in `said`, `box`, `written` and `fields` alone, each of whose lines carries a mark in the
 * text part and stands inside a frame in the HTML part, so that nothing in them can look like a line of ours.
 */
export type LetterBlock =
  | {
      readonly kind: 'text' | 'heading' | 'small';
      readonly text: string;
      /** The text part's version of a sentence that speaks of something only the HTML part has. */
      readonly plain?: string;
    }
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'box'; readonly label: string | null; readonly text: string; readonly code: boolean }
  /** Markdown that is to be mailed, as it will look. */
  | { readonly kind: 'written'; readonly label: string | null; readonly text: string }
  | { readonly kind: 'fields'; readonly rows: readonly Field[] }
  | { readonly kind: 'buttons'; readonly buttons: readonly Button[] };

export interface Field {
  readonly label: string;
  readonly value: string;
  /** Said of the value by us. */
  readonly note?: string;
}

export interface Button {
  readonly label: string;
  readonly tone: 'go' | 'stop';
  /** A tap writes this mail; nothing is fetched, so that a scanner that follows links changes nothing. */
  readonly mail: { readonly to: string; readonly subject: string; readonly body: string };
}

/** Both versions of it; the buttons are in the HTML alone, so some text beside them has to say what they do. */
export function renderLetter(blocks: readonly LetterBlock[]): { text: string; html: string } {
  return {
    text: blocks.map(asText).filter(Boolean).join('\n\n'),
    html: blocks.map(asHtml).join('\n'),
  };
}

/** Where a program breaks lines by itself, the rest of one would stand without its mark. */
const MAX_LINE = 76;

const marked = (mark: string, text: string): string =>
  text
    .split('\n')
    .flatMap(folded)
    .map((line) => `  ${mark} ${line}`.trimEnd())
    .join('\n');

function folded(line: string): string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > MAX_LINE) {
    const at = rest.lastIndexOf(' ', MAX_LINE);
    // An address stays whole: in two pieces nobody could compare it.
    const end = at > 0 ? at : rest.indexOf(' ', MAX_LINE);
    if (end < 0) break;
    lines.push(rest.slice(0, end));
    rest = rest.slice(end + 1);
  }
  return [...lines, rest];
}

function asText(block: LetterBlock): string {
  switch (block.kind) {
    case 'text':
    case 'heading':
    case 'small':
      return block.plain ?? block.text;
    case 'said':
      return marked('>', block.text);
    case 'box':
    case 'written':
      return [...(block.label === null ? [] : [`${block.label}:`]), marked('|', block.text)].join('\n');
    case 'fields':
      return block.rows
        .map(({ label, value, note }) => marked('|', `${label}: ${value}${note === undefined ? '' : ` (${note})`}`))
        .join('\n');
    case 'buttons':
      return '';
  }
}

const BREAKS = 'overflow-wrap:anywhere;word-break:break-word';
/** The edge stands where its lines begin. */
const QUOTED = {
  ltr: 'padding:2px 0 2px 12px;border-left:3px solid #999',
  rtl: 'padding:2px 12px 2px 0;border-right:3px solid #999',
};
const EDGES = `margin:0 0 14px;padding:10px 14px;border:1px solid #999;border-radius:6px;${BREAKS}`;
const FRAME = `${EDGES};white-space:pre-wrap`;
const CODE = 'font-family:ui-monospace,Menlo,Consolas,monospace;font-size:14px';

function asHtml(block: LetterBlock): string {
  switch (block.kind) {
    case 'text':
      return `<p style="margin:0 0 14px;${BREAKS}">${lines(withCode(block.text))}</p>`;
    case 'heading':
      return `<p style="margin:20px 0 8px;font-weight:bold;${BREAKS}">${lines(escapeHtml(block.text))}</p>`;
    case 'small':
      return `<p style="margin:0 0 14px;font-size:14px;${GREY};${BREAKS}">${lines(withCode(block.text))}</p>`;
    case 'said':
      return `<blockquote style="margin:0 0 14px;${QUOTED[rightToLeft(block.text) ? 'rtl' : 'ltr']};${BREAKS}" dir="auto">${inOrder(block.text, lines(escapeHtml(block.text)))}</blockquote>`;
    case 'written':
      return [...labelOf(block.label), `<div style="${EDGES}" dir="auto">${asItWillLook(block.text)}</div>`].join('\n');
    case 'box':
      return [
        ...labelOf(block.label),
        `<div style="${FRAME}${block.code ? `;${CODE}` : ''}" dir="auto">${block.code ? escapeHtml(block.text) : inOrder(block.text, escapeHtml(block.text))}</div>`,
      ].join('\n');
    case 'fields':
      return `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:0 0 10px;border-collapse:collapse">${block.rows.map(row).join('')}</table>`;
    case 'buttons':
      return `<table role="presentation" cellpadding="0" cellspacing="0" style="margin:4px 0 14px"><tr><td>${block.buttons.map(button).join('\n')}</td></tr></table>`;
  }
}

const labelOf = (label: string | null): readonly string[] =>
  label === null ? [] : [`<p style="margin:0 0 4px;font-size:14px;${GREY}">${escapeHtml(label)}</p>`];

const LINK = '<a href="';

/** What would be a link to somewhere shows where, and is none: in a mail of ours, words of others lead nowhere. */
function asItWillLook(text: string): string {
  const [before = '', ...links] = inOrder(text, markdownToHtml(text)).split(LINK);
  return before + links.map(withoutLink).join('');
}

const inOrder = (text: string, html: string): string => (rightToLeft(text) ? withoutTurning(html) : html);

/** From behind `<a href="` on: the address, what the link is called, and what follows it. */
function withoutLink(piece: string): string {
  const [atQuote, atName, atEnd] = [piece.indexOf('"'), piece.indexOf('>') + 1, piece.indexOf('</a>')];
  const [address, name] = [piece.slice(0, atQuote), piece.slice(atName, atEnd)];
  const shown = name === address ? `<u>${address}</u>` : `<u>${name}</u> (${address})`;
  return shown + piece.slice(atEnd + '</a>'.length);
}

function row({ label, value, note }: Field): string {
  const said = note === undefined ? '' : `<br><span style="font-size:14px;${GREY}">${escapeHtml(note)}</span>`;
  return [
    `<tr><td style="padding:1px 14px 5px 0;vertical-align:top;white-space:nowrap;${GREY}">${escapeHtml(label)}</td>`,
    `<td style="padding:1px 0 5px;vertical-align:top;${BREAKS}"><span dir="auto">${lines(escapeHtml(value))}</span>${said}</td></tr>`,
  ].join('');
}

const TONES = { go: '#1a7f37', stop: '#57606a' } as const;

/** White on a colour of its own is read in light and in dark; the padding makes it large enough for a thumb. */
const button = ({ label, tone, mail }: Button): string =>
  `<a href="${escapeHtml(mailto(mail))}" style="display:inline-block;margin:0 8px 8px 0;padding:11px 24px;border-radius:6px;background-color:${TONES[tone]};color:#ffffff;font-weight:bold;text-decoration:none">${escapeHtml(label)}</a>`;

/** RFC 6068. The plus is encoded, too: some programs read one in a link as a blank. */
export function mailto({ to, subject, body }: Button['mail']): string {
  const address = to.split('@').map(encoded).join('@');
  return `mailto:${address}?subject=${encoded(subject)}&body=${encoded(body)}`;
}

/** Half a character, which a cut or a model leaves, would be an error. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

/** A command in one of our own sentences. */
const withCode = (text: string): string =>
  escapeHtml(text).replace(/`([^`\n]{1,200})`/g, `<code style="${CODE}">$1</code>`);

const lines = (html: string): string => html.replace(/\n/g, '<br>\n');

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** No one grey is read well on white and on black (4.5 to 1); a part of the text's own colour is, and where a program
 * knows nothing of it, the text is as plain as the rest. */
export const GREY = 'opacity:.7';

/** `language` as in `lang`: screen readers and hyphenation go by it. Null where nobody knows it. */
export const page = (body: string, language: string | null, isRtl = false): string => {
  const spoken = language === null ? '' : ` lang="${escapeHtml(language)}"`;
  const turned = isRtl ? `${spoken} dir="rtl"` : '';
  return [
    `<!doctype html><html${isRtl ? turned : spoken}><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark"><style>:root{color-scheme:light dark}</style></head>',
    // Many programs keep the body alone, without what holds it.
    `<body><div${turned} style="${FONT};font-size:16px;line-height:1.5;max-width:680px;overflow-wrap:break-word">`,
    `${body}</div></body></html>\n`,
  ].join('\n');
};
