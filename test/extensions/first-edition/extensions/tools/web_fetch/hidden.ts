/** As much of a parsed element as is needed here. */
export interface Element {
  readonly type: string;
  readonly name?: string | undefined;
  readonly data?: string | undefined;
  readonly attribs?: Readonly<Record<string, string>> | undefined;
  children?: Element[];
}

export interface Found {
  title: string | null;
}

const NOT_PROSE = new Set(
  'script style template noscript title svg math iframe object embed canvas audio video select datalist'.split(' '),
);

/** Inline styles that show nothing; text hidden so is how a page talks to a machine behind a reader's back. */
const HIDING: readonly RegExp[] = [
  /^display:none/,
  /^visibility:(hidden|collapse)/,
  /^opacity:0?(\.0+)?%?$/,
  /^max-height:0(px|em|rem|%)?$/,
  /^(left|right|top|bottom|text-indent|margin-left|margin-top):-(999|\d{4,})/,
  /^clip:rect\(0/,
  /^clip-path:inset\((50|100)%/,
];
const NO_HEIGHT = /^height:0(px|em|rem|%)?$/;
const NO_OVERFLOW = /^overflow(-y)?:(hidden|clip)/;
const TINY = /^font-size:((0?\.)?0+(px|pt|em|rem|%)?|(0?\.\d+|1(\.\d+)?)(px|pt))$/;

const declarationsOf = ({ attribs }: Element): string[] =>
  (attribs?.style ?? '')
    .slice(0, 2000)
    .toLowerCase()
    .split(';')
    .map((declaration) => declaration.replace(/\s+|!important/g, ''));

function isHidden(element: Element, declarations: readonly string[]): boolean {
  if (element.name && NOT_PROSE.has(element.name)) return true;
  if (element.attribs && 'hidden' in element.attribs) return true;
  const has = (pattern: RegExp) => declarations.some((declaration) => pattern.test(declaration));
  return HIDING.some(has) || (has(NO_HEIGHT) && has(NO_OVERFLOW));
}

/** A tiny font hides text until an element inside sets its own size, as mail and page builders do for layout. */
function isTiny(declarations: readonly string[], inherited: boolean): boolean {
  const size = declarations.findLast((declaration) => declaration.startsWith('font-size:'));
  return size === undefined ? inherited : TINY.test(size);
}

/**
 * Cuts from the tree what a person would not see, and notes the page's first title on the way. Iterative, since a
 * page decides how deep it nests.
 */
export function pruneHidden(root: Element, found: Found): void {
  const open = [{ element: root, tiny: false }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { element, tiny } = next;
    found.title ??= titleIn(element);
    const kept: Element[] = [];
    for (const child of element.children ?? []) {
      if (child.type === 'text' && !tiny) kept.push(child);
      if (child.type !== 'tag') continue;
      const declarations = declarationsOf(child);
      if (isHidden(child, declarations)) continue;
      kept.push(child);
      open.push({ element: child, tiny: isTiny(declarations, tiny) });
    }
    element.children = kept;
  }
}

/** <head> itself is walked like any other: where its end tag is left out, the parser puts the body inside. */
function titleIn({ children = [] }: Element): string | null {
  const title = children.find(({ name }) => name === 'title');
  const text = (title?.children ?? []).map(({ data }) => data ?? '').join('');
  return text.trim() || null;
}
