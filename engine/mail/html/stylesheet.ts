import { type Declaration, type Declarations, override, parseStyle, stripCssComments } from './css.ts';

/** Declarations of the simple selectors of a mail's `<style>` blocks: a tag, `.class`, `#id`, or `tag.class`. */
export interface Stylesheet {
  readonly rules: ReadonlyMap<string, Declarations>;
  /** A rule we cannot place sets a background, so "white text on white" can no longer be told. */
  readonly unknownBackground: boolean;
}

const MAX_RULES = 2000;
const SIMPLE = /^(?:\*|(?:[a-z][a-z0-9]*)?(?:[.#][\w-]+)?)$/i;

export function parseStylesheet(css: string): Stylesheet {
  const rules = new Map<string, Map<string, Declaration>>();
  let unknownBackground = false;
  let count = 0;
  for (const { selectors, body } of blocks(stripCssComments(css.slice(0, 500_000)))) {
    count += 1;
    if (count > MAX_RULES) break;
    const style = parseStyle(body);
    for (const selector of selectors.split(',').slice(0, 100)) {
      const key = selector.trim().toLowerCase();
      if (SIMPLE.test(key) && key !== '') {
        const merged = rules.get(key) ?? new Map<string, Declaration>();
        for (const [property, declaration] of style) override(merged, property, declaration);
        rules.set(key, merged);
      } else unknownBackground ||= [...style.keys()].some((property) => property.startsWith('background'));
    }
  }
  return { rules, unknownBackground };
}

/** Rules in order. What is meant for every screen counts; what is for print or some widths does not. */
function* blocks(css: string): Generator<{ selectors: string; body: string }> {
  let position = 0;
  while (position < css.length) {
    const open = css.indexOf('{', position);
    if (open < 0) return;
    // A statement such as @import, or the end of an @media block, may stand before the selector.
    const head = css.slice(position, open).split(/[;}]/).at(-1)?.trim() ?? '';
    if (head.startsWith('@')) {
      const everywhere = /^@media\s+(all|screen|only screen)\s*$/i.test(head);
      position = everywhere ? open + 1 : endOfBlock(css, open);
      continue;
    }
    const close = css.indexOf('}', open);
    const end = close < 0 ? css.length : close;
    yield { selectors: head, body: css.slice(open + 1, end) };
    position = end + 1;
  }
}

function endOfBlock(css: string, open: number): number {
  let depth = 0;
  for (let index = open; index < css.length; index += 1) {
    if (css[index] === '{') depth += 1;
    else if (css[index] === '}') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return css.length;
}

/** Styles that hold for an element, weakest first. */
export function stylesFor(
  sheet: Stylesheet,
  name: string,
  classes: readonly string[],
  id: string,
): readonly Declarations[] {
  if (sheet.rules.size === 0) return [];
  const keys = ['*', name, ...classes.flatMap((each) => [`.${each}`, `${name}.${each}`]), `#${id}`, `${name}#${id}`];
  return keys.flatMap((key) => sheet.rules.get(key) ?? []);
}
