export interface StartTag {
  readonly kind: 'start';
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

export type HtmlToken =
  | StartTag
  | { readonly kind: 'end'; readonly name: string }
  /** As written, entities undecoded. */
  | { readonly kind: 'text'; readonly text: string }
  /** What the standard reads as text of the element before it, never as tags. */
  | { readonly kind: 'raw'; readonly name: string; readonly text: string }
  | { readonly kind: 'comment'; readonly text: string };

const RAW_TEXT = new Set(['script', 'style', 'xmp', 'iframe', 'noembed', 'noframes', 'textarea', 'title', 'plaintext']);

/**
 * Splits HTML as browsers do (HTML standard, section 13.2.5), because what a mail hides from a person is decided by
 * a browser's reading. Each character is passed once; anything unclosed runs to the end.
 */
export function* htmlTokens(html: string): Generator<HtmlToken> {
  let position = 0;
  while (position < html.length) {
    const open = html.indexOf('<', position);
    if (open < 0) {
      yield { kind: 'text', text: html.slice(position) };
      return;
    }
    if (open > position) yield { kind: 'text', text: html.slice(position, open) };
    const read = readMarkup(html, open);
    if (read.token) yield read.token;
    position = read.next;
    if (read.token?.kind === 'start' && RAW_TEXT.has(read.token.name)) {
      const end = rawTextEnd(html, position, read.token.name);
      yield { kind: 'raw', name: read.token.name, text: html.slice(position, end) };
      position = end;
    }
  }
}

function readMarkup(html: string, open: number): { token: HtmlToken | null; next: number } {
  const next = html[open + 1] ?? '';
  if (/[a-z]/i.test(next)) return readTag(html, open + 1, 'start');
  if (next === '/' && /[a-z]/i.test(html[open + 2] ?? '')) return readTag(html, open + 2, 'end');
  if (next === '/' && html[open + 2] === '>') return { token: null, next: open + 3 };
  if (html.startsWith('<!--', open)) return readComment(html, open + 4);
  if (next === '!' || next === '?' || next === '/') {
    const close = html.indexOf('>', open);
    const end = close < 0 ? html.length : close;
    return { token: { kind: 'comment', text: html.slice(open + 2, end) }, next: end + 1 };
  }
  return { token: { kind: 'text', text: '<' }, next: open + 1 };
}

function readComment(html: string, start: number): { token: HtmlToken; next: number } {
  // `<!-->` and `<!--->` are whole comments to a browser.
  const abrupt = /^-?>/.exec(html.slice(start, start + 2));
  if (abrupt) return { token: { kind: 'comment', text: '' }, next: start + abrupt[0].length };
  const close = /--!?>/g;
  close.lastIndex = start;
  const match = close.exec(html);
  const end = match?.index ?? html.length;
  return { token: { kind: 'comment', text: html.slice(start, end) }, next: end + (match?.[0].length ?? 0) };
}

function readTag(html: string, start: number, kind: 'start' | 'end'): { token: HtmlToken | null; next: number } {
  const name = sticky(NAME, html, start);
  const attributes = new Map<string, string>();
  let position = start + name.length;
  for (;;) {
    position += sticky(GAP, html, position).length;
    if (position >= html.length) return { token: null, next: position }; // a tag cut off at the end is no tag
    if (html[position] === '>') break;
    const key = sticky(ATTRIBUTE, html, position);
    position += key.length || 1;
    const equals = sticky(EQUALS, html, position);
    position += equals.length;
    const value = equals ? readValue(html, position) : { text: '', next: position };
    position = value.next;
    const lower = key.toLowerCase();
    if (key && (attributes.size < MAX_ATTRIBUTES || READ.has(lower)) && !attributes.has(lower)) {
      attributes.set(lower, decodeEntities(value.text));
    }
  }
  const lower = name.toLowerCase();
  return { token: kind === 'start' ? { kind, name: lower, attributes } : { kind, name: lower }, next: position + 1 };
}

const MAX_ATTRIBUTES = 100;
/** What says whether text is seen is read wherever it stands: a hundred others before it hide nothing from us. */
const READ = new Set('style class id hidden color text bgcolor background href type'.split(' '));

const NAME = /[^\s/>]*/y;
const GAP = /[\s/]*/y;
const ATTRIBUTE = /[^\s/>=][^\s/>=]*/y;
const EQUALS = /\s*=\s*/y;
const BARE = /[^\s>]*/y;

function sticky(pattern: RegExp, text: string, position: number): string {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0] ?? '';
}

function readValue(html: string, position: number): { text: string; next: number } {
  const quote = html[position];
  if (quote === '"' || quote === "'") {
    const close = html.indexOf(quote, position + 1);
    const end = close < 0 ? html.length : close;
    return { text: html.slice(position + 1, end), next: end + 1 };
  }
  const text = sticky(BARE, html, position);
  return { text, next: position + text.length };
}

const RAW_TEXT_ENDS: ReadonlyMap<string, RegExp> = new Map(
  [...RAW_TEXT].map((name) => [name, new RegExp(`</${name}(?=[\\s/>])`, 'gi')]),
);

function rawTextEnd(html: string, position: number, name: string): number {
  if (name === 'plaintext') return html.length;
  const close = RAW_TEXT_ENDS.get(name);
  if (!close) return html.length;
  close.lastIndex = position;
  return close.exec(html)?.index ?? html.length;
}

// Enough to read styles and addresses: whoever hides text writes `display&colon;none`.
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  colon: ':',
  semi: ';',
  comma: ',',
  period: '.',
  lpar: '(',
  rpar: ')',
  num: '#',
  percnt: '%',
  excl: '!',
  sol: '/',
  hyphen: '\u2010',
  Tab: '\t',
  NewLine: '\n',
};

/** Numeric references and the named ones that matter in attributes; others stay as written. */
export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));?/gi, (whole, decimal, hex, name) => {
    if (name) return NAMED[String(name)] ?? whole;
    const code = decimal ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : '';
  });
}
