import { lowest, type Space } from './foreign.ts';

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

export const VOID = words('area base br col embed hr img input link meta param source track wbr');
export const BLOCKS = words(
  'address article aside blockquote center details dd dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p pre search section summary table ul',
);
/** Written again for the converter; every other block becomes a div, and inline elements only their text. */
export const WRITTEN = words('p div ul ol li table tr td th h1 h2 h3 h4 h5 h6 blockquote pre');
/** Never shown in a mail, or shown only where scripts or plug-ins run. */
export const DROPPED = words(
  'head noscript template object applet audio video canvas datalist dialog defs desc metadata symbol',
);

/** More of the kind on a page of the web, where they are controls, pictures and other pages. */
export const DROPPED_OF_PAGES = words('svg math select embed');

/** Elements of SVG and MathML out of which no tag of HTML reaches. */
const HOLDERS = words('foreignobject desc title mi mo mn ms mtext annotation-xml');
const NOTHING = { name: '', space: 'html' } as const;

const IN_HEAD = words('base basefont bgsound link meta noframes noscript script style template title');
const SCOPES = words('html table td th caption object marquee applet template');
const SPECIAL = new Set([...BLOCKS, ...SCOPES, 'tr', 'tbody', 'thead', 'tfoot', 'body', 'button', 'select']);
const TABLE_ENDS = words('table tbody thead tfoot tr td th body html');

/** What no end tag of these names reaches out of. */
const BARRIERS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    ul: words('li'),
    ol: words('li'),
    button: words('p'),
    table: words('tbody thead tfoot tr td th'),
  }),
);

/** A start tag that ends an open one of the same family (HTML standard, section 13.2.6.4). */
const FAMILIES: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    li: ['li'],
    dt: ['dt', 'dd'],
    dd: ['dt', 'dd'],
    td: ['td', 'th'],
    th: ['td', 'th'],
    tr: ['tr', 'td', 'th'],
  }),
);

interface Named {
  readonly name: string;
  readonly space: Space;
}

/**
 * Index of the open element that this start tag ends, with all above it; -1 when it ends none. `isOpen` spares the
 * walk through the stack where no element of that name is open at all.
 */
export function endedByStart(stack: readonly Named[], name: string, isOpen: (name: string) => boolean): number {
  if (stack.at(-1)?.name === 'head' && !IN_HEAD.has(name)) return stack.length - 1;
  // One choice ends another only where nothing else is open between them.
  if (name === 'option') return stack.at(-1)?.name === name ? stack.length - 1 : -1;
  const family = FAMILIES.get(name);
  const sibling = family?.some(isOpen) ? nearest(stack, family, OPEN_ITEMS.has(name)) : -1;
  if (sibling < 0) return BLOCKS.has(name) && isOpen('p') ? nearest(stack, ['p'], false) : -1;
  // A new row ends the open cell and the row around it.
  return name === 'tr' && stack[sibling - 1]?.name === 'tr' ? sibling - 1 : sibling;
}

/** Ended by the next of their kind within one block alone: a quotation between them is none of theirs. */
const OPEN_ITEMS = words('li dt dd');
/** What an item may go on in without being ended. */
const PASSED = words('address div p');

function nearest(stack: readonly Named[], names: readonly string[], isItem: boolean): number {
  for (let index = stack.length - 1; index >= lowest(stack); index -= 1) {
    const { name: open, space } = stack[index] ?? NOTHING;
    if (space !== 'html') {
      if (HOLDERS.has(open)) return -1;
      continue;
    }
    if (names.includes(open)) return index;
    if (isItem && SPECIAL.has(open) && !PASSED.has(open)) return -1;
    if (SCOPES.has(open) || open === 'ul' || open === 'ol' || open === 'dl') return -1;
  }
  return -1;
}

/**
 * Index of the open element that this end tag closes; -1 when a browser ignores the tag. An end tag must not reach
 * across a block or a table cell: closing a hidden block by a stray `</b>` would show what it hides.
 */
export function closedByEnd(stack: readonly Named[], name: string): number {
  for (let index = stack.length - 1; index >= lowest(stack); index -= 1) {
    const { name: open, space } = stack[index] ?? NOTHING;
    if (space !== 'html') {
      if (HOLDERS.has(open)) return -1;
      continue;
    }
    if (open === name) return index;
    if (SPECIAL.has(open) && !SPECIAL.has(name)) return -1;
    if (SCOPES.has(open) && !TABLE_ENDS.has(name)) return -1;
    if (BARRIERS.get(open)?.has(name)) return -1;
  }
  return -1;
}

const MAY_STAY_OPEN = words(
  'html head body p li dt dd option optgroup tr td th tbody thead tfoot colgroup caption rb rt rp rtc',
);

/** Whether writers of HTML leave out its end tag: what ends with the element around it says nothing about that one. */
export const mayStayOpen = ({ name, space }: Named): boolean =>
  space === 'html' && (MAY_STAY_OPEN.has(name) || (!SPECIAL.has(name) && !DROPPED.has(name)));
