import { ANY_MARK, marksFor, NOTE_MARKS } from '../text/quote-marks.ts';
import type { Allowance } from './allowance.ts';
import { createContexts, type Inside } from './contexts.ts';
import { tableAttributes } from './data-table.ts';
import { BLOCKS, closedByEnd, DROPPED, DROPPED_OF_PAGES, endedByStart, VOID, WRITTEN } from './elements.ts';
import { escapeAttribute, escapeText, safeHref } from './escape.ts';
import { isHidden, type Look, plainLook } from './look.ts';
import { cascade, parseStyle, pixels } from './styles/declarations.ts';
import { createMatcher, NO_ANCESTORS } from './styles/matching.ts';
import { parseStylesheet, type Stylesheet } from './styles/stylesheet.ts';
import { decodeEntities, type HtmlToken, readTokens, type StartTag } from './tokens.ts';

export interface VisibleHtml {
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
export type HtmlKind = 'mail' | 'page';

interface Frame {
  readonly name: string;
  readonly inside: Inside;
  readonly close: string;
  /** Whether its tag was written, and so nests the output. */
  readonly written: boolean;
}

/** Deeper elements keep their text but are no longer told apart; browsers give up at the same depth. */
const MAX_DEPTH = 512;
const MAX_WRITTEN_DEPTH = 60;

/**
 * HTML as a person sees it, rewritten so that the converter behind it cannot read it differently. Where styles are not
 * read and the HTML has some, all of it may be hidden.
 */
export function visibleHtml(input: string, allowance: Allowance, kind: HtmlKind): VisibleHtml {
  const isLong = input.length > allowance.characters;
  const html = input.slice(0, Math.max(0, allowance.characters)).replace(ANY_MARK, '').replaceAll('\0', '');
  allowance.characters -= input.length;
  const { styles } = allowance;
  const sheet = parseStylesheet(styles ? styleText(html) : '');
  const writer = createWriter(sheet, { known: styles || !/\bstyle\b/i.test(html), allowance, kind });
  let isSpent = false;
  readTokens(html, (token) => {
    allowance.tags -= 1;
    // What stands behind this is not read at all, so that nothing hidden gets through.
    isSpent = allowance.tags < 0 || allowance.comparisons < 0;
    if (!isSpent) writer.take(token.kind === 'start' && !styles ? withoutStyle(token) : token);
    return !isSpent;
  });
  return writer.finish(isSpent || isLong);
}

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
  readTokens(html, (token) => {
    if (token.kind === 'raw' && token.name === 'style') css += `${token.text}\n`;
    return true;
  });
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
  const root: Inside = {
    look: plainLook({ background: !sheet.unknownBackground, styles: known && !sheet.cut }),
    ancestry: NO_ANCESTORS,
  };
  let title: string | null = null;
  let hiddenCharacters = 0;
  let noted = false;
  let marked = false;
  let written = 0;
  // Elements beyond MAX_DEPTH; hidden as soon as one of them is.
  let overflow = 0;
  let overflowHidden = false;

  const inside = (): Inside => stack.at(-1)?.inside ?? root;
  const hidden = () => overflowHidden || isHidden(inside().look);
  const hide = (text: string) => {
    hiddenCharacters += decodeEntities(text).replace(/\s+/g, ' ').trim().length;
  };

  const isOpen = (name: string): boolean => (names.get(name) ?? 0) > 0;
  const isDropped = (name: string): boolean => DROPPED.has(name) || (!isMail && DROPPED_OF_PAGES.has(name));

  function popTo(index: number): void {
    while (index >= 0 && stack.length > index) {
      const frame = stack.pop();
      if (frame?.written) written -= 1;
      if (frame) out.push(frame.close);
      if (frame) names.set(frame.name, (names.get(frame.name) ?? 1) - 1);
    }
  }

  function insideOf(tag: StartTag): Inside {
    const found = contexts.inside(inside(), tag);
    return isDropped(tag.name) && !found.look.gone ? { ...found, look: { ...found.look, gone: true } } : found;
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

  function mark(tag: StartTag, look: Look): { before: string; after: string } {
    const marks = look.gone || !isMail ? null : marksFor(tag);
    if (!marks) return { before: '', after: '' };
    marked = true;
    return { before: `<div>${marks.before}</div>`, after: marks.after ? `<div>${marks.after}</div>` : '' };
  }

  function voidElement(tag: StartTag): void {
    const { look } = insideOf(tag);
    const unseen = overflowHidden || isHidden(look);
    const alt = (tag.attributes.get('alt') ?? '').replace(ANY_MARK, '').trim().slice(0, 100);
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

  function push(tag: StartTag, inside: Inside): void {
    const { before, after } = mark(tag, inside.look);
    const href = tag.name === 'a' ? safeHref(tag.attributes.get('href'), kind) : null;
    const name = WRITTEN.has(tag.name) || href ? tag.name : 'div';
    const writes =
      !inside.look.gone &&
      written < MAX_WRITTEN_DEPTH &&
      (BLOCKS.has(tag.name) || name !== 'div' || tag.name === 'div');
    if (writes) written += 1;
    out.push(before, writes ? `<${name}${href ? ` href="${href}"` : ''}${tableAttributes(tag)}>` : '');
    names.set(tag.name, (names.get(tag.name) ?? 0) + 1);
    stack.push({ name: tag.name, inside, close: (writes ? `</${name}>` : '') + after, written: writes });
  }

  function start(tag: StartTag): void {
    popTo(endedByStart(stack, tag.name, isOpen));
    if (VOID.has(tag.name)) {
      voidElement(tag);
    } else if (stack.length < MAX_DEPTH) {
      push(tag, insideOf(tag));
    } else {
      overflow += 1;
      overflowHidden ||= isHidden(insideOf(tag).look);
    }
  }

  function end(name: string): void {
    if (overflow > 0) {
      overflow -= 1;
      overflowHidden &&= overflow > 0;
    } else if (name === 'br') {
      out.push('<br>');
    } else if (isOpen(name)) {
      popTo(closedByEnd(stack, name));
    }
  }

  function raw(name: string, text: string): void {
    if (name === 'title' && !isOpen('svg')) title ??= decodeEntities(text).trim() || null;
    if (name === 'textarea' && !hidden()) write(escapeText(text), inside().look);
    else if (name !== 'script' && name !== 'style' && name !== 'title') hide(text);
  }

  return {
    take(token: HtmlToken): void {
      if (token.kind === 'start') start(token);
      else if (token.kind === 'end') end(token.name);
      else if (token.kind === 'raw') raw(token.name, token.text);
      else if (token.kind === 'comment') {
        // Outlook's conditions are markup, not words.
        if (!/^(\[if|\[endif|-?\[|doctype|\?xml|!\[)/i.test(token.text.trim())) hide(token.text);
      } else if (hidden()) hide(token.text);
      else write(escapeText(token.text), inside().look);
    },
    finish(cut: boolean): VisibleHtml {
      popTo(0);
      return { html: out.join(''), hiddenCharacters, marked, noted, cut, title };
    },
  };
}
