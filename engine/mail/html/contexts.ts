import { type Look, lookInside } from './look.ts';
import { type Declarations, parseStyle } from './styles/declarations.ts';
import type { Ancestry, Matcher } from './styles/matching.ts';
import type { StartTag } from './tokens.ts';

/** All that an element hands on to what is inside it. */
export interface HtmlContext {
  readonly look: Look;
  readonly ancestry: Ancestry;
}

/** Elements that were worked out and are kept, and how long the words are that they are known by. */
const MAX_KEPT = 20_000;
const MAX_KEY = 300;
/** What the styles of an element depend on besides. */
const LOOKED_AT = ['style', 'class', 'id', 'hidden', 'color', 'text', 'bgcolor', 'background'];

/**
 * What holds inside an element, worked out once for all elements that are alike and stand alike: mail of thousands of
 * equal tags, nested or not, costs what one of them does.
 */
export function createContexts(matcher: Matcher) {
  const asked = [...new Set([...LOOKED_AT, ...matcher.attributes])];
  const kept = new Map<HtmlContext, Map<string, HtmlContext>>();
  const alike = new Map<string, HtmlContext>();
  const ancestries = new Map<string, Ancestry>();
  let size = 0;

  function inside(parent: HtmlContext, tag: StartTag): HtmlContext {
    const key = keyOf(tag);
    const known = key === null ? undefined : kept.get(parent)?.get(key);
    if (known) return known;
    const found = same(parent, work(parent, tag));
    if (key !== null && size < MAX_KEPT) {
      size += 1;
      const children = kept.get(parent) ?? new Map<string, HtmlContext>();
      kept.set(parent, children.set(key, found));
    }
    return found;
  }

  function keyOf({ name, attributes }: StartTag): string | null {
    if (attributes.size === 0) return name;
    let key = name;
    for (const each of asked) {
      const value = attributes.get(each);
      if (value !== undefined) key += `\n${each}=${value}`;
      if (key.length > MAX_KEY) return null;
    }
    return key;
  }

  function work(parent: HtmlContext, tag: StartTag): HtmlContext {
    const { styles, ancestry } = matcher.match(tag, parent.ancestry);
    const own = tag.attributes.get('style');
    const more: readonly Declarations[] = own === undefined ? [] : [parseStyle(own)];
    const look = lookInside(
      parent.look,
      tag.name,
      {
        certain: [...styles.certain, ...more],
        possible: styles.possible === null ? null : [...styles.possible, ...more],
      },
      tag.attributes,
    );
    return { look, ancestry };
  }

  /** One object for all that are equal, or a thousand nested tags would each be a new place to stand in. */
  function same(parent: HtmlContext, found: HtmlContext): HtmlContext {
    if (found.look === parent.look && found.ancestry === parent.ancestry) return parent;
    if (size >= MAX_KEPT) return found;
    const ancestry = sameAncestry(found.ancestry);
    const key = `${nameOf(ancestry)} ${JSON.stringify(found.look)}`;
    const known = alike.get(key) ?? { look: found.look, ancestry };
    alike.set(key, known);
    return known;
  }

  function sameAncestry(ancestry: Ancestry): Ancestry {
    const key = nameOf(ancestry);
    const known = ancestries.get(key) ?? ancestry;
    ancestries.set(key, known);
    return known;
  }

  return { inside };
}

const nameOf = ({ here, above }: Ancestry): string => `${[...here]}|${[...above]}`;
