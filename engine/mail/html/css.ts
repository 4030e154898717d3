export interface Declaration {
  readonly value: string;
  readonly important: boolean;
}

/** Declarations as written in one place, by lower-case property. */
export type Declarations = ReadonlyMap<string, Declaration>;
/** What holds in the end. */
export type Style = ReadonlyMap<string, string>;

const MAX_STYLE = 100_000;

export function parseStyle(style: string): Declarations {
  const declarations = new Map<string, Declaration>();
  for (const text of stripCssComments(style.slice(0, MAX_STYLE)).split(';')) {
    const colon = text.indexOf(':');
    if (colon < 1) continue;
    const property = unescapeCss(text.slice(0, colon)).trim().toLowerCase();
    const written = unescapeCss(text.slice(colon + 1))
      .trim()
      .toLowerCase();
    const value = written.replace(/!\s*important$/, '').trim();
    override(declarations, property, { value, important: value !== written });
  }
  return declarations;
}

/** Later wins, unless only the earlier one is important. */
export function override(into: Map<string, Declaration>, property: string, declaration: Declaration): void {
  if (into.get(property)?.important && !declaration.important) return;
  into.set(property, declaration);
}

/** Weakest first. */
export function cascade(all: readonly Declarations[]): Style {
  const merged = new Map<string, Declaration>();
  for (const each of all) for (const [property, declaration] of each) override(merged, property, declaration);
  return new Map([...merged].map(([property, { value }]) => [property, value]));
}

/** `/*` to the next end sign, by search: a lazy pattern would try every opening again. */
export function stripCssComments(css: string): string {
  let out = '';
  let position = 0;
  for (;;) {
    const open = css.indexOf('/*', position);
    if (open < 0) return out + css.slice(position);
    out += css.slice(position, open);
    const close = css.indexOf('*/', open + 2);
    if (close < 0) return out;
    position = close + 2;
  }
}

function unescapeCss(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(?:([0-9a-f]{1,6})\s?|([^\n]))/gi, (_whole, hex, character) => {
    const code = hex ? Number.parseInt(String(hex), 16) : 0;
    return hex ? (code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '') : String(character);
  });
}

/** A length in pixels, roughly; relative units count from 16 px. Null when it is no plain length. */
export function pixels(value: string | undefined): number | null {
  const match = /^([+-]?(?:\d+\.?\d{0,20}|\.\d{1,20}))(px|pt|em|rem|ex|%|vw|vh|in|cm|mm|pc)?$/.exec(value ?? '');
  if (!match) return null;
  const number = Number(match[1]);
  return number * (UNITS[match[2] ?? 'px'] ?? 1);
}

const UNITS: Readonly<Record<string, number>> = {
  px: 1,
  pt: 4 / 3,
  em: 16,
  rem: 16,
  ex: 8,
  '%': 0.16,
  vw: 10,
  vh: 10,
  in: 96,
  cm: 38,
  mm: 3.8,
  pc: 16,
};

export type Colour = readonly [number, number, number];

/** Red, green, blue; 'transparent' for no colour at all; null for what is not understood. */
export function parseColour(value: string | undefined): Colour | 'transparent' | null {
  const text = (value ?? '').trim().toLowerCase();
  if (text === 'transparent') return 'transparent';
  const named = NAMED_COLOURS[text];
  const hex = /^#?([0-9a-f]{3,8})$/.exec(named ?? text)?.[1];
  if (hex) return fromHex(hex);
  const channels = /^rgba?\(([^()]{1,60})\)$/
    .exec(text)?.[1]
    ?.split(/[\s,/]+/)
    .filter(Boolean);
  if (!channels || channels.length < 3) return null;
  const numbers = channels.map((channel) => Number.parseFloat(channel) * (channel.endsWith('%') ? 2.55 : 1));
  const [red, green, blue, alpha] = numbers;
  if (alpha !== undefined && alpha <= 0.05) return 'transparent';
  return red === undefined || green === undefined || blue === undefined || numbers.some(Number.isNaN)
    ? null
    : [red, green, blue];
}

function fromHex(hex: string): Colour | 'transparent' | null {
  const long = hex.length <= 4 ? Array.from(hex, (digit) => digit + digit).join('') : hex;
  if (long.length !== 6 && long.length !== 8) return null;
  if (long.length === 8 && Number.parseInt(long.slice(6), 16) <= 12) return 'transparent';
  const channel = (start: number) => Number.parseInt(long.slice(start, start + 2), 16);
  return [channel(0), channel(2), channel(4)];
}

/** So near that nobody reads it. */
export const sameColour = (left: Colour, right: Colour): boolean =>
  Math.abs(left[0] - right[0]) + Math.abs(left[1] - right[1]) + Math.abs(left[2] - right[2]) <= 18;

const NAMED_COLOURS: Readonly<Record<string, string>> = {
  white: '#ffffff',
  black: '#000000',
  red: '#ff0000',
  green: '#008000',
  blue: '#0000ff',
  yellow: '#ffff00',
  gray: '#808080',
  grey: '#808080',
  silver: '#c0c0c0',
  maroon: '#800000',
  navy: '#000080',
  orange: '#ffa500',
  purple: '#800080',
  teal: '#008080',
  snow: '#fffafa',
  ivory: '#fffff0',
  ghostwhite: '#f8f8ff',
  whitesmoke: '#f5f5f5',
  floralwhite: '#fffaf0',
  azure: '#f0ffff',
  mintcream: '#f5fffa',
  lightgray: '#d3d3d3',
  lightgrey: '#d3d3d3',
};
