import type { StartTag } from './tokens.ts';

/** Whose element it is: SVG and MathML have their own `title` and `style`, which hold tags and no raw text. */
export type Space = 'html' | 'svg' | 'math';

export interface OpenElement {
  readonly name: string;
  readonly space: Space;
  /** Whether HTML goes on within it, though it is none of HTML's. */
  readonly holdsHtml: boolean;
}

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const MATH_TEXTS = words('mi mo mn ms mtext');
const SVG_HOLDERS = words('foreignobject desc title');
/** Start tags that end all SVG and MathML around them (HTML standard, section 13.2.6.5). */
const BREAKS_OUT = words(
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol p pre ruby s small span strong strike sub sup table tt u ul var',
);

/** So far up is looked for what a tag ends: a mail of a hundred thousand nested tags must not cost their square. */
export const lowest = (stack: readonly unknown[]): number => Math.max(0, stack.length - MOST_UP);

const MOST_UP = 1024;

/** Whether a tag of HTML that stands here is read by the rules of SVG and MathML. */
export const isForeign = (top: OpenElement | undefined): boolean =>
  top !== undefined && top.space !== 'html' && !top.holdsHtml;

/** How an element that begins here is to be read. */
export function elementOf(tag: StartTag, top: OpenElement | undefined): OpenElement {
  const space = spaceOf(tag.name, top);
  return { name: tag.name, space, holdsHtml: holdsHtml(tag, space) };
}

function spaceOf(name: string, top: OpenElement | undefined): Space {
  if (top !== undefined && top.space !== 'html') {
    const isOwn = MATH_TEXTS.has(top.name) && (name === 'mglyph' || name === 'malignmark');
    if (!top.holdsHtml || isOwn) return top.name === 'annotation-xml' && name === 'svg' ? 'svg' : top.space;
  }
  return name === 'svg' || name === 'math' ? name : 'html';
}

function holdsHtml({ name, attributes }: StartTag, space: Space): boolean {
  if (space === 'svg') return SVG_HOLDERS.has(name);
  if (space !== 'math') return false;
  const encoding = attributes.get('encoding')?.toLowerCase();
  const isText = encoding === 'text/html' || encoding === 'application/xhtml+xml';
  return MATH_TEXTS.has(name) || (name === 'annotation-xml' && isText);
}

/** Index of the outermost element of SVG or MathML that this start tag ends; -1 where it ends none. */
export function brokenByStart(stack: readonly OpenElement[], { name, attributes }: StartTag): number {
  if (!isForeign(stack.at(-1))) return -1;
  const isFont = name === 'font' && ['color', 'face', 'size'].some((each) => attributes.has(each));
  return isFont || BREAKS_OUT.has(name) ? foreignFrom(stack) : -1;
}

function foreignFrom(stack: readonly OpenElement[]): number {
  let index = stack.length;
  while (index > 0 && isForeign(stack[index - 1])) index -= 1;
  return index;
}

/** The same for an end tag: -1 where it closes none of them, and the rules of HTML go on. */
export function closedForeign(stack: readonly OpenElement[], name: string): number {
  if (stack.at(-1)?.space === 'html') return -1;
  if ((name === 'p' || name === 'br') && isForeign(stack.at(-1))) return foreignFrom(stack);
  for (let index = stack.length - 1; index >= lowest(stack) && stack[index]?.space !== 'html'; index -= 1) {
    if (stack[index]?.name === name) return index;
  }
  return -1;
}
