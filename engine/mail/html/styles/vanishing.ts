import { pixels, type Style } from './declarations.ts';

const FAR = 400;

/** Whether a style takes all that is inside it out of sight. */
export function isGone(style: Style): boolean {
  if (style.size === 0) return false;
  if (style.get('display') === 'none' || style.get('mso-hide') === 'all') return true;
  if (style.get('content-visibility') === 'hidden') return true;
  if (fraction(style.get('opacity')) <= 0.05 || fraction(style.get('zoom')) <= 0.05) return true;
  if (argumentsOf('opacity', style.get('filter')).some((amount) => fraction(amount[0]) <= 0.05)) return true;
  return hasNoRoom(style) || isClipped(style) || isOffScreen(style) || isMovedAway(style);
}

/**
 * Whether it may hide, and we cannot work out how much: a length that is computed, a value that stands elsewhere, a
 * colour of another model, a movement that ends nobody knows where.
 */
export function mayHide(style: Style): boolean {
  for (const [property, value] of style) {
    if (/\b(?:var|env|attr)\(/.test(value)) return true;
    if (COMPUTED.has(property) && value.includes('(')) return true;
    if (property === 'color' || property === '-webkit-text-fill-color') if (OTHER_COLOUR.test(value)) return true;
    if (property.startsWith('animation') && value !== 'none') return true;
  }
  return false;
}

const COMPUTED = new Set(
  'opacity font-size max-height height left top right bottom inset text-indent margin margin-left letter-spacing'.split(
    ' ',
  ),
);
const OTHER_COLOUR = /^(?:color|color-mix|lab|lch|oklab|oklch|hwb|light-dark|device-cmyk)\(|\bfrom\b|calc\(/;

/** A share of one; what is no number hides nothing. */
function fraction(value: string | undefined): number {
  const number = Number.parseFloat(value ?? '');
  if (Number.isNaN(number)) return 1;
  return value?.endsWith('%') ? number / 100 : number;
}

function hasNoRoom(style: Style): boolean {
  const none = (property: string) => {
    const length = pixels(style.get(property));
    return length !== null && length <= 1;
  };
  // A maximum of nothing is only ever written to hide; a height of nothing shows its text unless it is clipped.
  if (none('max-height') || none('max-width')) return true;
  const overflow = ['overflow', 'overflow-x', 'overflow-y'].map((property) => style.get(property) ?? '').join(' ');
  return /hidden|clip|scroll|auto/.test(overflow) && (none('height') || none('width'));
}

function isClipped(style: Style): boolean {
  for (const edges of argumentsOf('rect', style.get('clip'))) {
    const [top, right, bottom, left] = edges.map((edge) => pixels(edge));
    const isThin = (from?: number | null, to?: number | null) =>
      typeof from === 'number' && typeof to === 'number' && to - from <= 1;
    if (isThin(top, bottom) || isThin(left, right)) return true;
  }
  const path = style.get('clip-path');
  if (argumentsOf('circle', path).some(([radius]) => (pixels(radius) ?? 9) <= 1)) return true;
  if (argumentsOf('ellipse', path).some((radii) => radii.slice(0, 2).some((each) => (pixels(each) ?? 9) <= 1)))
    return true;
  if (argumentsOf('polygon', path).some((points) => points.every((point) => (pixels(point) ?? 9) <= 1))) return true;
  return argumentsOf('inset', path).some((edges) => {
    const [top = '', right = top, bottom = top, left = right] = edges;
    const takes = (one: string, other: string) => share(one) + share(other) >= 0.95;
    return takes(top, bottom) || takes(left, right);
  });
}

/** The share of a box that moving this edge inwards hides; a length of FAR or more hides all of it. */
const share = (edge: string): number => (edge.endsWith('%') ? fraction(edge) : (pixels(edge) ?? 0) >= FAR ? 1 : 0);

function isOffScreen(style: Style): boolean {
  const lengths = (property: string) => (style.get(property) ?? '').split(/\s+/, 4).map((each) => pixels(each) ?? 0);
  const far = (property: string) => lengths(property).some((length) => length <= -FAR);
  const away = (property: string) => lengths(property).some((length) => Math.abs(length) >= 2000);
  if (far('text-indent') || far('margin-left') || far('margin-top') || far('margin') || far('letter-spacing'))
    return true;
  if (away('text-indent') || away('margin-left') || away('padding-left')) return true;
  if (!/absolute|fixed|relative|sticky/.test(style.get('position') ?? '')) return false;
  return ['left', 'top', 'right', 'bottom', 'inset'].some((property) => far(property) || away(property));
}

function isMovedAway(style: Style): boolean {
  const transform = style.get('transform');
  const moved = [
    ...['translate', 'translatex', 'translatey', 'translate3d'].flatMap((name) => argumentsOf(name, transform)),
    (style.get('translate') ?? '').split(/\s+/, 3),
  ].flat();
  if (moved.some((by) => Math.abs(pixels(by) ?? 0) >= FAR || (by.endsWith('%') && fraction(by) <= -1))) return true;
  const scaled = [
    ...['scale', 'scalex', 'scaley', 'scale3d'].flatMap((name) => argumentsOf(name, transform)),
    (style.get('scale') ?? '').split(/\s+/, 3),
  ].flat();
  if (scaled.some((by) => Math.abs(fraction(by)) <= 0.05)) return true;
  // Turned on its edge.
  const turned = ['rotatex', 'rotatey'].flatMap((name) => argumentsOf(name, transform)).flat();
  if (turned.some((angle) => Math.abs(Math.cos(degrees(angle) * (Math.PI / 180))) <= 0.05)) return true;
  return argumentsOf('matrix', transform).some((matrix) => {
    const [a = 1, b = 0, c = 0, d = 1, x = 0, y = 0] = matrix.map(Number.parseFloat);
    return Math.abs(a * d - b * c) <= 0.0025 || Math.abs(x) >= FAR || Math.abs(y) >= FAR;
  });
}

const TURNS: readonly (readonly [string, number])[] = [
  ['grad', 0.9],
  ['rad', 57.3],
  ['turn', 360],
];

const degrees = (angle: string): number =>
  Number.parseFloat(angle) * (TURNS.find(([unit]) => angle.endsWith(unit))?.[1] ?? 1);

/** What stands in the brackets of each call of a function, divided at commas and blanks. */
function argumentsOf(name: string, value = ''): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  for (let at = value.indexOf(`${name}(`); at >= 0; at = value.indexOf(`${name}(`, at + 1)) {
    if (/[a-z0-9-]/.test(value.charAt(at - 1))) continue;
    const end = value.indexOf(')', at);
    const inside = value.slice(at + name.length + 1, end < 0 ? value.length : end);
    found.push(inside.split(/[\s,/]+/).filter((each) => each !== '' && each !== 'round'));
    if (found.length === MAX_CALLS) break;
  }
  return found;
}

const MAX_CALLS = 20;
