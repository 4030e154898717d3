import { type Colour, parseColour, sameColour } from './styles/colours.ts';
import { cascade, type Declarations, pixels, type Style } from './styles/declarations.ts';
import { isGone, mayHide } from './styles/vanishing.ts';

/** How text inside an element looks, as far as being seen goes. */
export interface Look {
  /** Not shown, whatever is inside: display:none, opacity 0, no height, far off the screen. */
  readonly gone: boolean;
  /** These three a child can take back. */
  readonly invisible: boolean;
  readonly tiny: boolean;
  readonly colour: Colour | 'transparent' | null;
  /** Null when it cannot be known (a picture, a rule we cannot place). */
  readonly background: Colour | null;
  /** Crossed out; nothing inside can take that back. */
  readonly struck: boolean;
  /** Something may hide it on some screens, and we cannot tell. */
  readonly doubtful: boolean;
}

export const plainLook = (known: { background: boolean; styles: boolean }): Look => ({
  gone: false,
  invisible: false,
  tiny: false,
  colour: [0, 0, 0],
  background: known.background ? [255, 255, 255] : null,
  struck: false,
  doubtful: !known.styles,
});

export function isHidden(look: Look): boolean {
  if (look.gone || look.invisible || look.tiny || look.colour === 'transparent') return true;
  return look.colour !== null && look.background !== null && sameColour(look.colour, look.background);
}

export interface ElementStyles {
  /** Weakest first. */
  readonly certain: readonly Declarations[];
  /** The same with those that may hold for this element; null where there are none. */
  readonly possible: readonly Declarations[] | null;
}

const STRUCK = new Set(['s', 'strike', 'del']);

/** The look inside an element: its parent's, changed by its styles and its old-style attributes. */
export function lookInside(
  parent: Look,
  name: string,
  { certain, possible }: ElementStyles,
  attributes: ReadonlyMap<string, string>,
): Look {
  const look = lookWith(parent, name, certain, attributes);
  if (possible === null || look.doubtful || isHidden(look)) return look;
  const other = lookWith(parent, name, possible, attributes);
  return isHidden(other) || other.doubtful || other.struck !== look.struck ? { ...look, doubtful: true } : look;
}

function lookWith(
  parent: Look,
  name: string,
  styles: readonly Declarations[],
  attributes: ReadonlyMap<string, string>,
): Look {
  const struck = parent.struck || STRUCK.has(name);
  if (styles.length === 0 && attributes.size === 0) return struck === parent.struck ? parent : { ...parent, struck };
  const style = cascade(styles);
  return {
    gone: parent.gone || attributes.has('hidden') || isGone(style),
    invisible: inherited(parent.invisible, style.get('visibility'), (value) => /^(hidden|collapse)/.test(value)),
    tiny: inherited(parent.tiny, fontSize(style), isTiny),
    colour: colourInside(parent.colour, style, attributes),
    background: backgroundInside(parent.background, style, attributes),
    struck: struck || (style.get('text-decoration') ?? '').includes('line-through'),
    doubtful: parent.doubtful || mayHide(style),
  };
}

function inherited(parent: boolean, value: string | undefined, test: (value: string) => boolean): boolean {
  return value === undefined || value === 'inherit' || value === 'unset' ? parent : test(value);
}

function fontSize(style: Style): string | undefined {
  // `font: 0/0 a` is the usual way to write it short.
  const inFont = (style.get('font') ?? '')
    .slice(0, 200)
    .split(/\s+/)
    .map((word) => word.split('/')[0] ?? '')
    .find((word) => pixels(word) !== null && !/^\d00$/.test(word));
  return style.get('font-size') ?? inFont;
}

function isTiny(value: string): boolean {
  const size = pixels(value);
  return size !== null && size < 1.5;
}

function colourInside(parent: Look['colour'], style: Style, attributes: ReadonlyMap<string, string>): Look['colour'] {
  const written =
    style.get('-webkit-text-fill-color') ?? style.get('color') ?? attributes.get('color') ?? attributes.get('text');
  if (written === undefined || written === 'inherit' || written === 'unset' || written === 'currentcolor')
    return parent;
  return parseColour(written);
}

function backgroundInside(parent: Colour | null, style: Style, attributes: ReadonlyMap<string, string>): Colour | null {
  if (attributes.has('background')) return null;
  const short = style.get('background');
  const written = style.get('background-color') ?? short ?? attributes.get('bgcolor');
  if (style.has('background-image') && style.get('background-image') !== 'none') return null;
  if (written === undefined || written === 'inherit' || written === 'none' || written === 'initial') return parent;
  if (/url\(|gradient/.test(written)) return null;
  const colour = parseColour(written) ?? parseColour(written.split(/\s+/)[0]);
  return colour === 'transparent' ? parent : colour;
}
