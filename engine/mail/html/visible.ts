import { ANY_MARK, MARKS, marksFor, NOTE_MARKS } from '../text/quote-marks.ts';
import type { Allowance } from './allowance.ts';
import { createContexts, type HtmlContext } from './contexts.ts';
import { tableAttributes } from './data-table.ts';
import {
  BLOCKS,
  closedByEnd,
  DROPPED,
  DROPPED_OF_PAGES,
  endedByStart,
  mayStayOpen,
  VOID,
  WRITTEN,
} from './elements.ts';
import { type BegunTag, createEndTags } from './end-tags.ts';
import { brokenByStart, closedForeign, elementOf, isForeign, type OpenElement } from './foreign.ts';
import { isHidden, type Look, plainLook } from './look.ts';
import { cascade, parseStyle, pixels } from './styles/declarations.ts';
import { createMatcher, NO_ANCESTORS } from './styles/matching.ts';
import { parseStylesheet, type Stylesheet } from './styles/stylesheet.ts';
import { decodeEntities, type HtmlToken, readTokens, type StartTag } from './tokens.ts';

interface VisibleHtml {
  /** A few plain tags, text escaped, marks where quotes begin and end. */
  readonly html: string;
  readonly hiddenCharacters: number;
  /** Whether a mail program's own signs of a quote were found. */
  readonly marked: boolean;
  /** Whether some words are struck out, or may be hidden: they stand between the marks for that. */
  readonly noted: boolean;
  /** Whether it was read only in part. */
  readonly cut: boolean;
  /** The first `<title>`. */
  readonly title: string | null;
}

/** A page of the web has pictures and forms that say nothing, links that are relative, and no quotes. */
type HtmlKind = 'mail' | 'page';

interface Frame extends OpenElement {
  readonly tag: BegunTag;
  readonly inside: HtmlContext;
  readonly close: string;
  /** What to write instead where nobody can say that a quotation ends here; null for all that is none. */
  readonly unclear: string | null;
  /** Whether its tag was written, and so nests the output. */
  readonly written: boolean;
}

/** Deeper elements keep their text but look like the one around them; browsers give up at the same depth. */
const MAX_DEPTH = 512;
/** In SVG and MathML, what is a name or a rule and no word of the picture. */
const SILENT_IN_FOREIGN = new Set(['title', 'style', 'script', 'desc', 'metadata', 'defs', 'symbol']);
const IS_UNCLEAR = `<div>${MARKS.unclear}</div>`;
const MAX_WRITTEN_DEPTH = 60;

/**
 * HTML as a person sees it, rewritten so that the converter behind it cannot read it differently. Where styles are not
 * read and the HTML has some, all of it may be hidden.
 */
export function visibleHtml(input: string, allowance: Allowance, kind: HtmlKind): VisibleHtml {
  const isLong = input.length > allowance.characters;
  const html = input.slice(0, Math.max(0, allowance.characters)).replace(NOT_IN_NAMES, '\0');
  allowance.characters -= input.length;
  const { styles } = allowance;
  const sheet = parseStylesheet(styles ? styleText(html) : '');
  const writer = createWriter(sheet, { known: styles || !/\bstyle\b/i.test(html), allowance, kind });
  let isSpent = false;
  const take = (token: HtmlToken): boolean => {
    allowance.tags -= 1;
    // What stands behind this is not read at all, so that nothing hidden gets through.
    isSpent = allowance.tags < 0 || allowance.comparisons < 0;
    if (!isSpent) writer.take(token.kind === 'start' && !styles ? withoutStyle(token) : token);
    return !isSpent;
  };
  readTokens(html, take, writer.isForeign);
  return writer.finish(isSpent || isLong);
}

/**
 * Taken out of what is read, but not out of the names of tags: to a browser they make another name of it. The last two are
 * `/` and `<` to the tokenizer where it looks for the end of raw text.
 */
const NOT_IN_NAMES = new RegExp(`${ANY_MARK.source}|[\\x0f\\x1c]`, 'g');

/** A tracking pixel or a spacer: nobody reads what it is called. */
function isPixel({ attributes }: StartTag): boolean {
  const style = cascade([parseStyle(attributes.get('style') ?? '')]);
  return ['width', 'height'].some((side) => {
    const length = pixels(style.get(side)) ?? pixels(attributes.get(side));
    return length !== null && length <= 1;
  });
}

const withoutStyle = (tag: StartTag): StartTag => ({
  ...tag,
  attributes: new Map([...tag.attributes].filter(([name]) => name !== 'style')),
});

function styleText(html: string): string {
  if (!/<style/i.test(html)) return '';
  let css = '';
  const take = (token: HtmlToken): boolean => {
    if (token.kind === 'raw' && token.name === 'style') css += `${token.text}\n`;
    return true;
  };
  readTokens(html, take, () => false);
  return css.replace(/<!--|-->/g, ' ');
}

interface WriterOptions {
  /** Whether every style of the HTML is read. */
  readonly known: boolean;
  readonly allowance: Allowance;
  readonly kind: HtmlKind;
}

function createWriter(sheet: Stylesheet, { known, allowance, kind }: WriterOptions) {
  const isMail = kind === 'mail';
  const out: string[] = [];
  const stack: Frame[] = [];
  const names = new Map<string, number>();
  const contexts = createContexts(createMatcher(sheet, allowance));
  const root: HtmlContext = {
    look: plainLook({ background: !sheet.unknownBackground, styles: known && !sheet.cut }),
    ancestry: NO_ANCESTORS,
  };
  let title: string | null = null;
  let hiddenCharacters = 0;
  let noted = false;
  let marked = false;
  let written = 0;
  const quotes = createOpenQuotes();
  const endTags = createEndTags();

  const inside = (): HtmlContext => stack.at(-1)?.inside ?? root;
  const hidden = () => isHidden(inside().look);
  const hide = (text: string) => {
    hiddenCharacters += decodeEntities(text).replace(/\s+/g, ' ').trim().length;
  };

  const isOpen = (name: string): boolean => (names.get(name) ?? 0) > 0;
  const isDropped = (name: string): boolean => DROPPED.has(name) || (!isMail && DROPPED_OF_PAGES.has(name));
  const isInForeign = (): boolean => isForeign(stack.at(-1));

  /** `closed`: the outermost of them ends with a tag of its own. */
  function popTo(index: number, closed = false): void {
    const frame = stack[index];
    if (closed && frame) endTags.close(frame.tag);
    while (index >= 0 && stack.length > index) pop(closed && stack.length === index + 1);
  }

  function pop(closed: boolean): void {
    const frame = stack.pop();
    if (!frame) return;
    frame.tag.isOpen = false;
    if (!closed) quotes.endWithout(frame, frame.unclear !== null);
    if (frame.written) written -= 1;
    out.push(frame.unclear === null || quotes.end() ? frame.close : frame.unclear);
    if (frame.space === 'html') names.set(frame.name, (names.get(frame.name) ?? 1) - 1);
  }

  function insideOf(tag: StartTag): HtmlContext {
    const found = contexts.inside(inside(), tag);
    const isSilent = isDropped(tag.name) || (isInForeign() && SILENT_IN_FOREIGN.has(tag.name));
    return isSilent && !found.look.gone ? { ...found, look: { ...found.look, gone: true } } : found;
  }

  /** Text as it is written out, with signs around what is struck out or may be hidden. */
  function write(text: string, { struck, doubtful }: Look): void {
    if (!isMail || (!struck && !doubtful)) {
      out.push(text);
      return;
    }
    noted = true;
    const [start, end] = struck
      ? [NOTE_MARKS.struckStart, NOTE_MARKS.struckEnd]
      : [NOTE_MARKS.doubtfulStart, NOTE_MARKS.doubtfulEnd];
    // Each line for itself: an answer is read line by line.
    const lines = text.split('\n').map((line) => {
      const words = line.trim();
      return words === '' ? line : line.replace(words, () => `${start}${words}${end}`);
    });
    out.push(lines.join('\n'));
  }

  function mark(tag: StartTag, look: Look): { before: string; after: string; unclear: string | null } {
    const marks = look.gone || !isMail || isInForeign() ? null : marksFor(tag);
    if (!marks) return { before: '', after: '', unclear: null };
    marked = true;
    const unclear = marks.before === MARKS.quoteStart ? '' : marks.before === MARKS.indentStart ? IS_UNCLEAR : null;
    return { before: `<div>${marks.before}</div>`, after: marks.after ? `<div>${marks.after}</div>` : '', unclear };
  }

  function voidElement(tag: StartTag): void {
    const { look } = insideOf(tag);
    const unseen = isHidden(look);
    // Within its brackets, where it cannot be taken for what stands beside the picture.
    const alt = (tag.attributes.get('alt') ?? '')
      .replace(ANY_MARK, '')
      .replaceAll('\0', '')
      .replace(/[[\]\s]+/gu, ' ')
      .trim()
      .slice(0, 100);
    if (tag.name === 'input' && (unseen || tag.attributes.get('type')?.toLowerCase() === 'hidden')) {
      hide(tag.attributes.get('value') ?? '');
    } else if (tag.name === 'img' && (unseen || isPixel(tag))) {
      hide(alt);
    } else if (tag.name === 'img' && alt && isMail) {
      write(escapeAttribute(`[image: ${alt}]`), look);
    } else if ((tag.name === 'br' || tag.name === 'hr') && !unseen) {
      out.push(mark(tag, look).before, `<${tag.name}>`);
    }
  }

  function push(tag: StartTag, inside: HtmlContext): void {
    const { before, after, unclear } = mark(tag, inside.look);
    const element = elementOf(tag, stack.at(-1));
    const href = tag.name === 'a' ? safeHref(tag.attributes.get('href'), kind) : null;
    const name = WRITTEN.has(tag.name) || href ? tag.name : 'div';
    const isTold = BLOCKS.has(tag.name) || name !== 'div' || tag.name === 'div';
    const writes = isTold && !inside.look.gone && written < MAX_WRITTEN_DEPTH;
    if (writes) written += 1;
    const target = href ? ` href="${href}"` : '';
    out.push(before, writes ? `<${name}${target}${tableAttributes(tag)}>` : '');
    const end = writes ? `</${name}>` : '';
    take(element, { inside, close: end + after, unclear: unclear === null ? null : end + unclear, written: writes });
  }

  /** Beyond the depth that is told apart, an element looks like the one around it, or is not seen. */
  function pushDeep(tag: StartTag): void {
    const around = inside();
    const isUnseen = !around.look.gone && isHidden(insideOf(tag).look);
    const look = isUnseen ? { ...around, look: { ...around.look, gone: true } } : around;
    take(elementOf(tag, stack.at(-1)), { inside: look, close: '', unclear: null, written: false });
  }

  function take(element: OpenElement, rest: Omit<Frame, keyof OpenElement | 'tag'>): void {
    if (rest.unclear !== null) quotes.begin(stack.length);
    quotes.take(element, stack.at(-1));
    if (element.space === 'html') names.set(element.name, (names.get(element.name) ?? 0) + 1);
    stack.push({ ...element, ...rest, tag: endTags.begin(element.name) });
  }

  function start(tag: StartTag): void {
    popTo(brokenByStart(stack, tag));
    const { space } = elementOf(tag, stack.at(-1));
    if (space === 'html') popTo(endedByStart(stack, tag.name, isOpen));
    if (space === 'html' && VOID.has(tag.name)) {
      voidElement(tag);
      return;
    }
    if (stack.length < MAX_DEPTH) push(tag, insideOf(tag));
    else pushDeep(tag);
    if (space !== 'html' && tag.closesItself) popTo(stack.length - 1, true);
  }

  function end(name: string): void {
    if (endTags.isOfEnded(name)) return;
    const foreign = closedForeign(stack, name);
    popTo(foreign, stack[foreign]?.name === name);
    if (foreign >= 0 && name !== 'p' && name !== 'br') return;
    if (name === 'br') out.push('<br>');
    if (!isOpen(name)) return;
    const index = closedByEnd(stack, name);
    // To a browser what stands behind the end of the page goes on where it was.
    if ((name === 'body' || name === 'html') && quotes.isWithin(index)) return;
    popTo(index, true);
  }

  function raw(name: string, text: string): void {
    quotes.read(name, text, isOpen('select'));
    if (name === 'title') title ??= decodeEntities(text).trim() || null;
    if (name === 'textarea' && !hidden()) write(escapeText(text), inside().look);
    else if (name !== 'script' && name !== 'style' && name !== 'title') hide(text);
  }

  const seen = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '') : text);

  return {
    /** Whether what comes next stands in SVG or MathML. */
    isForeign: isInForeign,
    take(token: HtmlToken): void {
      if (token.kind === 'start') start(token);
      else if (token.kind === 'end') end(token.name);
      else if (token.kind === 'raw') raw(token.name, seen(token.text));
      else if (token.kind === 'comment') {
        // Outlook's conditions are markup, not words.
        if (!/^(\[if|\[endif|-?\[|doctype|\?xml|!\[)/i.test(token.text.trim())) hide(token.text);
      } else if (hidden()) hide(seen(token.text));
      else write(escapeText(seen(token.text)), inside().look);
    },
    finish(cut: boolean): VisibleHtml {
      // Nothing stands below, whatever was left open.
      for (const { close } of stack.toReversed()) out.push(close);
      return { html: out.join(''), hiddenCharacters, marked, noted, cut, title };
    },
  };
}

const escapeAttribute = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');

/** References stay for the converter to decode, except those that would become one of our marks. */
function escapeText(text: string): string {
  if (!/[<>&]/.test(text)) return text;
  return text
    .replace(/&#(?:(\d+)|x([0-9a-f]+));?/gi, (whole, decimal, hex) => {
      const code = decimal ? Number(decimal) : Number.parseInt(String(hex), 16);
      return code >= 0xfdd0 && code <= 0xfdef ? '' : whole;
    })
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;');
}

/**
 * An address that may be shown as a link's target, ready for an attribute; null for scripts, data and fragments. On a
 * page it may be relative.
 */
export function safeHref(href: string | undefined, kind: 'mail' | 'page'): string | null {
  const target = (href ?? '')
    .replace(ANY_MARK, '')
    .replace(/[\s\p{Cc}]+/gu, '')
    .slice(0, 500);
  const isSafe =
    /^(https?:\/\/|mailto:)/i.test(target) || (kind === 'page' && /^(?![a-z][a-z0-9+.-]*:|#)./i.test(target));
  return isSafe ? escapeAttribute(target) : null;
}

/** A tag in what is read as text: a reader with other rules would open or close an element there. */
const TAG = /<\/?[a-z]/i;

/**
 * The quotations that are open, and whether their ends can be believed. Programs put the HTML of others into theirs, and it may be
 * such that readers divide it in different ways. The end of a quotation ends nothing where an element inside of it was left
 * open, or where it holds what one reader takes for text and another for tags: words would come out of it.
 */
function createOpenQuotes() {
  /** Where they stand among the open elements. */
  const open: number[] = [];
  /** Of so many of the outermost ones nobody can say where they end. */
  let doubted = 0;

  const doubt = (): void => {
    doubted = open.length;
  };

  return {
    begin: (index: number): void => {
      open.push(index);
    },
    /** Whether the innermost one surely ends here. */
    end(): boolean {
      const isSure = open.length > doubted;
      open.pop();
      doubted = Math.min(doubted, open.length);
      return isSure;
    },
    isWithin: (index: number): boolean => (open.at(-1) ?? -1) > index,
    /** An element ends for another reason than its own end tag. */
    endWithout(element: OpenElement, isQuote: boolean): void {
      if (isQuote || !mayStayOpen(element)) doubt();
    },
    /** An element begins: HTML within a picture or a formula, and what is text where scripts run. */
    take(element: OpenElement, around: OpenElement | undefined): void {
      const isWithin = element.space === 'html' && around !== undefined && around.space !== 'html';
      if (isWithin || element.name === 'noscript') doubt();
    },
    read(name: string, text: string, inSelect: boolean): void {
      if (inSelect || TAG.test(text) || (name === 'script' && text.includes('<!--'))) doubt();
    },
  };
}
