import { type Colour, cascade, type Declarations, parseColour, pixels, type Style, sameColour } from './css.ts';

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
}

const FAR = 400;

export const plainLook = (backgroundKnown: boolean): Look => ({
  gone: false,
  invisible: false,
  tiny: false,
  colour: [0, 0, 0],
  background: backgroundKnown ? [255, 255, 255] : null,
});

export function isHidden(look: Look): boolean {
  if (look.gone || look.invisible || look.tiny || look.colour === 'transparent') return true;
  return look.colour !== null && look.background !== null && sameColour(look.colour, look.background);
}

/** The look inside an element: its parent's, changed by its styles (weakest first) and its old-style attributes. */
export function lookInside(
  parent: Look,
  styles: readonly Declarations[],
  attributes: ReadonlyMap<string, string>,
): Look {
  if (styles.length === 0 && attributes.size === 0) return parent;
  const style = cascade(styles);
  return {
    gone: parent.gone || attributes.has('hidden') || isGone(style),
    invisible: inherited(parent.invisible, style.get('visibility'), (value) => /^(hidden|collapse)/.test(value)),
    tiny: inherited(parent.tiny, fontSize(style), isTiny),
    colour: colourInside(parent.colour, style, attributes),
    background: backgroundInside(parent.background, style, attributes),
  };
}

function inherited(parent: boolean, value: string | undefined, test: (value: string) => boolean): boolean {
  return value === undefined || value === 'inherit' ? parent : test(value);
}

function isGone(style: Style): boolean {
  if (style.size === 0) return false;
  if (style.get('display') === 'none' || style.get('mso-hide') === 'all') return true;
  if (Number.parseFloat(style.get('opacity') ?? '1') <= 0.05) return true;
  return hasNoRoom(style) || isOffScreen(style);
}

function hasNoRoom(style: Style): boolean {
  const none = (property: string) => {
    const length = pixels(style.get(property));
    return length !== null && length <= 1;
  };
  // A maximum of nothing is only ever written to hide; a height of nothing shows its text unless it is clipped.
  if (none('max-height') || none('max-width')) return true;
  const clipped = /hidden|clip/.test(style.get('overflow') ?? style.get('overflow-y') ?? '');
  if (clipped && (none('height') || none('width'))) return true;
  const clip = `${style.get('clip') ?? ''} ${style.get('clip-path') ?? ''}`;
  return (
    /rect\(\s*[01](px)?[\s,]+[01](px)?[\s,]+[01](px)?[\s,]+[01](px)?\s*\)|inset\(\s*(100|[5-9]\d)%|circle\(\s*0/.test(
      clip,
    ) || /scale[xy3d]{0,2}\(\s*0?(\.0\d*)?\s*[,)]/.test(style.get('transform') ?? '')
  );
}

function isOffScreen(style: Style): boolean {
  const far = (property: string) => (pixels(style.get(property)) ?? 0) <= -FAR;
  if (far('text-indent') || far('margin-left') || far('margin-top') || far('margin')) return true;
  if (!/absolute|fixed|relative/.test(style.get('position') ?? '')) return false;
  const away = (property: string) => Math.abs(pixels(style.get(property)) ?? 0) >= 2000;
  return far('left') || far('top') || far('right') || far('bottom') || away('left') || away('top');
}

function fontSize(style: Style): string | undefined {
  const short = style.get('font') ?? '';
  // `font: 0/0 a` is the usual way to write it short.
  const inFont = /(?:^|\s)(\d*\.?\d+(?:px|pt|em|rem|%)?)(?:\/\S+)?\s/.exec(`${short.slice(0, 200)} `)?.[1];
  return style.get('font-size') ?? (/^\d00$/.test(inFont ?? '') ? undefined : inFont);
}

function isTiny(value: string): boolean {
  const size = pixels(value);
  return size !== null && size < 1.5;
}

function colourInside(parent: Look['colour'], style: Style, attributes: ReadonlyMap<string, string>): Look['colour'] {
  const written =
    style.get('-webkit-text-fill-color') ?? style.get('color') ?? attributes.get('color') ?? attributes.get('text');
  if (written === undefined || written === 'inherit') return parent;
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
