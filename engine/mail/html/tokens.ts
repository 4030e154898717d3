import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';
import { Tokenizer } from 'htmlparser2';

export interface StartTag {
  readonly kind: 'start';
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Written `<so/>`, which says something in SVG and MathML alone. */
  readonly closesItself?: boolean;
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
const MAX_ATTRIBUTES = 100;
/** What says whether text is seen is read wherever it stands: a hundred others before it hide nothing from us. */
const READ = new Set('style class id hidden color text bgcolor background href type'.split(' '));

/**
 * Divides HTML as browsers do (HTML standard, section 13.2.5), because what a mail hides from a person is decided by
 * a browser's reading. Each character is passed once; anything unclosed runs to the end. Ends when `take` says false.
 * `isForeign`: whether what comes next stands in SVG or MathML, as far as tokens were taken.
 */
export function readTokens(html: string, take: Take, isForeign: () => boolean): void {
  const read = html.replaceAll('<![CDATA[', CDATA);
  let from: number | null = 0;
  while (from !== null && from < read.length) from = readFrom(read, from, { take, isForeign });
}

type Take = (token: HtmlToken) => boolean;

interface Reader {
  readonly take: Take;
  readonly isForeign: () => boolean;
}

/** In HTML a comment that ends at the next `>`, where the tokenizer would go on to `]]>`; in SVG and MathML it is text. */
const CDATA = '<!\0CDATA[';

/** Reads from `base` on. Returns where to go on; null at the end. */
function readFrom(html: string, base: number, { take, isForeign }: Reader): number | null {
  const part = html.slice(base);
  let next: number | null = null;
  let name = '';
  let attributes = new Map<string, string>();
  let key = '';
  let value = '';
  let raw = false;
  const emit = (token: HtmlToken): void => {
    if (tokenizer.running && !take(token)) tokenizer.pause();
  };
  const goOnAt = (at: number): void => {
    if (!tokenizer.running) return;
    next = base + at;
    tokenizer.pause();
  };
  const comment = (start: number, end: number, signs = 0): void => {
    if (isForeign() && part.startsWith(CDATA, start - 2)) {
      const from = start - 2 + CDATA.length;
      const close = part.indexOf(']]>', from);
      const text = part.slice(from, close < 0 ? part.length : close).replaceAll('&', '&amp;');
      emit({ kind: 'text', text });
      goOnAt(close < 0 ? part.length : close + 3);
    } else emit({ kind: 'comment', text: part.slice(start, Math.max(start, end - signs)).replace('\0', '') });
  };
  const startTag = (closesItself: boolean): void => {
    raw = RAW_TEXT.has(name) && !isForeign();
    emit({ kind: 'start', name, attributes, closesItself });
  };
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname(start, end) {
        name = part.slice(start, end).toLowerCase();
        attributes = new Map();
      },
      onattribname(start, end) {
        key = part.slice(start, end).toLowerCase();
        value = '';
      },
      onattribdata(start, end) {
        value = part.slice(start, end);
      },
      onattribend() {
        if ((attributes.size < MAX_ATTRIBUTES || READ.has(key)) && !attributes.has(key)) {
          attributes.set(key, decodeHTMLAttribute(value));
        }
      },
      onopentagend: () => startTag(false),
      onselfclosingtag: () => startTag(true),
      isInForeignContext: isForeign,
      onclosetag(start, end) {
        raw = false;
        emit({ kind: 'end', name: part.slice(start, end).toLowerCase() });
        // The tokenizer ends it at the first `>`; to a browser one inside of an attribute's quotes ends nothing.
        if (/["']/.test(part.slice(end, part.indexOf('>', end)))) goOnAt(endOfTag(part, end));
      },
      ontext(start, end) {
        // Negative for what is left of a tag that was cut off.
        if (start < 0 || start >= end) return;
        const text = part.slice(start, end);
        emit(raw ? { kind: 'raw', name, text } : { kind: 'text', text });
      },
      oncomment: comment,
      oncdata: comment,
      ondeclaration: comment,
      onprocessinginstruction: comment,
      onattribentity: () => undefined,
      ontextentity: () => undefined,
      onend: () => undefined,
    },
  );
  tokenizer.write(part);
  tokenizer.end();
  return next;
}

const ATTRIBUTE = /[\s/]*(?:[^\s/>][^\s/>=]*(?:\s*=\s*(?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^\s>"'][^\s>]*)?)?)?/y;

/** Behind the `>` that ends a tag whose name ended at `at`. */
function endOfTag(html: string, at: number): number {
  ATTRIBUTE.lastIndex = at;
  while (ATTRIBUTE.lastIndex < html.length && html[ATTRIBUTE.lastIndex] !== '>') {
    const from = ATTRIBUTE.lastIndex;
    if (!ATTRIBUTE.test(html) || ATTRIBUTE.lastIndex === from) return html.length;
  }
  return ATTRIBUTE.lastIndex + 1;
}

/** Text as a person reads it. */
export const decodeEntities = (text: string): string => (text.includes('&') ? decodeHTML(text) : text);
