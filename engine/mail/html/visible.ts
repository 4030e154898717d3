import { parseStyle } from './css.ts';
import { BLOCKS, closedByEnd, DROPPED, endedByStart, VOID, WRITTEN } from './elements.ts';
import { escapeAttribute, escapeText, safeHref } from './escape.ts';
import { isHidden, type Look, lookInside, plainLook } from './look.ts';
import { ANY_MARK, marksFor } from './quote-marks.ts';
import { parseStylesheet, type Stylesheet, stylesFor } from './stylesheet.ts';
import { decodeEntities, htmlTokens, type StartTag } from './tokens.ts';

export interface VisibleHtml {
  /** A few plain tags, text escaped, marks where quotes begin and end. */
  readonly html: string;
  readonly hiddenCharacters: number;
  /** Whether a mail program's own signs of a quote were found. */
  readonly marked: boolean;
}

interface Frame {
  readonly name: string;
  readonly look: Look;
  readonly close: string;
  /** Whether its tag was written, and so nests the output. */
  readonly written: boolean;
}

/** Deeper elements keep their text but are no longer told apart; browsers give up at the same depth. */
const MAX_DEPTH = 512;
const MAX_WRITTEN_DEPTH = 60;

/** HTML as a person sees it, rewritten so that the converter behind it cannot read it differently. */
export function visibleHtml(input: string): VisibleHtml {
  const html = input.replace(ANY_MARK, '').replaceAll('\0', '');
  const writer = createWriter(parseStylesheet(styleText(html)));
  for (const token of htmlTokens(html)) {
    if (token.kind === 'start') writer.start(token);
    else if (token.kind === 'end') writer.end(token.name);
    else if (token.kind === 'text') writer.text(token.text);
    else if (token.kind === 'comment') writer.comment(token.text);
    else writer.raw(token.name, token.text);
  }
  return writer.finish();
}

function styleText(html: string): string {
  if (!/<style/i.test(html)) return '';
  let css = '';
  for (const token of htmlTokens(html)) if (token.kind === 'raw' && token.name === 'style') css += `${token.text}\n`;
  return css.replace(/<!--|-->/g, ' ');
}

function createWriter(sheet: Stylesheet) {
  const out: string[] = [];
  const stack: Frame[] = [];
  const root = plainLook(!sheet.unknownBackground);
  let hiddenCharacters = 0;
  let marked = false;
  let written = 0;
  // Elements beyond MAX_DEPTH; hidden as soon as one of them is.
  let overflow = 0;
  let overflowHidden = false;

  const look = () => stack.at(-1)?.look ?? root;
  const hidden = () => overflowHidden || isHidden(look());
  const hide = (text: string) => {
    hiddenCharacters += decodeEntities(text).replace(/\s+/g, ' ').trim().length;
  };

  function popTo(index: number): void {
    while (index >= 0 && stack.length > index) {
      const frame = stack.pop();
      if (frame?.written) written -= 1;
      if (frame) out.push(frame.close);
    }
  }

  function lookOf(tag: StartTag): Look {
    const classes = (tag.attributes.get('class') ?? '').toLowerCase().split(/\s+/, 20).filter(Boolean);
    const styles = [...stylesFor(sheet, tag.name, classes, (tag.attributes.get('id') ?? '').toLowerCase())];
    const own = tag.attributes.get('style');
    if (own !== undefined) styles.push(parseStyle(own));
    const inside = lookInside(look(), styles, tag.attributes);
    return DROPPED.has(tag.name) && !inside.gone ? { ...inside, gone: true } : inside;
  }

  function mark(tag: StartTag, inside: Look): { before: string; after: string } {
    const marks = inside.gone ? null : marksFor(tag);
    if (!marks) return { before: '', after: '' };
    marked = true;
    return { before: `<div>${marks.before}</div>`, after: marks.after ? `<div>${marks.after}</div>` : '' };
  }

  function voidElement(tag: StartTag): void {
    const inside = lookOf(tag);
    const unseen = overflowHidden || isHidden(inside);
    const alt = (tag.attributes.get('alt') ?? '').replace(ANY_MARK, '').trim().slice(0, 100);
    if (tag.name === 'input' && (unseen || tag.attributes.get('type')?.toLowerCase() === 'hidden')) {
      hide(tag.attributes.get('value') ?? '');
    } else if (tag.name === 'img' && unseen) {
      hide(alt);
    } else if (tag.name === 'img' && alt) {
      out.push(escapeAttribute(`[image: ${alt}]`));
    } else if ((tag.name === 'br' || tag.name === 'hr') && !unseen) {
      out.push(mark(tag, inside).before, `<${tag.name}>`);
    }
  }

  function push(tag: StartTag, inside: Look): void {
    const { before, after } = mark(tag, inside);
    const href = tag.name === 'a' ? safeHref(tag.attributes.get('href')) : null;
    const name = WRITTEN.has(tag.name) || href ? tag.name : 'div';
    const writes =
      !inside.gone && written < MAX_WRITTEN_DEPTH && (BLOCKS.has(tag.name) || name !== 'div' || tag.name === 'div');
    if (writes) written += 1;
    out.push(before, writes ? `<${name}${href ? ` href="${href}"` : ''}>` : '');
    stack.push({ name: tag.name, look: inside, close: (writes ? `</${name}>` : '') + after, written: writes });
  }

  return {
    start(tag: StartTag): void {
      popTo(endedByStart(stack, tag.name));
      if (VOID.has(tag.name)) {
        voidElement(tag);
      } else if (stack.length < MAX_DEPTH) {
        push(tag, lookOf(tag));
      } else {
        overflow += 1;
        overflowHidden ||= isHidden(lookOf(tag));
      }
    },
    end(name: string): void {
      if (overflow > 0) {
        overflow -= 1;
        overflowHidden &&= overflow > 0;
      } else if (name === 'br') {
        out.push('<br>');
      } else {
        popTo(closedByEnd(stack, name));
      }
    },
    text(text: string): void {
      if (hidden()) hide(text);
      else out.push(escapeText(text));
    },
    raw(name: string, text: string): void {
      if (name === 'textarea' && !hidden()) out.push(escapeText(text));
      else if (name !== 'script' && name !== 'style' && name !== 'title') hide(text);
    },
    comment(text: string): void {
      // Outlook's conditions are markup, not words.
      if (!/^(\[if|\[endif|-?\[|doctype|\?xml|!\[)/i.test(text.trim())) hide(text);
    },
    finish(): VisibleHtml {
      popTo(0);
      return { html: out.join(''), hiddenCharacters, marked };
    },
  };
}
