import { ident } from 'css-tree/utils';
import { isColour } from './colours.ts';
import { eachPiece } from './pieces.ts';

export interface Declaration {
  readonly value: string;
  readonly important: boolean;
}

/** Declarations as written in one place, by lower-case property; only those that have a say in what is seen. */
export type Declarations = ReadonlyMap<string, Declaration>;
/** What holds in the end. */
export type Style = ReadonlyMap<string, string>;

export function parseStyle(style: string): Declarations {
  const declarations = new Map<string, Declaration>();
  eachPiece(style, 'attribute', ({ text }) => addDeclaration(declarations, text));
  return declarations;
}

/** `property: value`, when it has a say in what is seen. */
export function addDeclaration(declarations: Map<string, Declaration>, text: string): void {
  const colon = text.indexOf(':');
  if (colon < 1) return;
  const property = propertyOf(ident.decode(text.slice(0, colon).trim().slice(0, MAX_PROPERTY)).toLowerCase());
  const isRead = READ.get(property);
  if (isRead === undefined) return;
  const written = ident
    .decode(
      text
        .slice(colon + 1)
        .trim()
        .slice(0, MAX_VALUE),
    )
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
  const value = written.replace(/! ?important$/, '').trim();
  // What a browser does not understand it ignores, and what was said before it stays: `display:none;display:x`.
  if (!isRead(value) && !EVERYWHERE.test(value)) return;
  override(declarations, property, { value, important: value !== written });
}

/** Long enough for names and values that are spelt in escapes. */
const MAX_PROPERTY = 500;
const MAX_VALUE = 2000;

/** Later wins, unless only the earlier one is important. */
function override(into: Map<string, Declaration>, property: string, declaration: Declaration): void {
  if (into.get(property)?.important && !declaration.important) return;
  into.set(property, declaration);
}

/** Weakest first. */
export function cascade(all: readonly Declarations[]): Style {
  const merged = new Map<string, Declaration>();
  for (const each of all) for (const [property, declaration] of each) override(merged, property, declaration);
  return new Map([...merged].map(([property, { value }]) => [property, value]));
}

/** A length in pixels, roughly; relative units count from 16 px. Null when it is no plain length. */
export function pixels(value: string | undefined): number | null {
  const match = /^[+-]?(?=\.?\d)[\d.]+(?:e[+-]?\d{1,3})?([a-z]{0,6}|%)$/.exec(value ?? '');
  if (!match) return null;
  return Number.parseFloat(value ?? '') * (match[1] ? (UNITS.get(match[1]) ?? 16) : 1);
}

const UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries({
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
  }),
);

/** One spelling for vendors' names and for those that follow the direction of the text. */
function propertyOf(name: string): string {
  const plain = name.replace(/^-(?:webkit|moz|ms|o)-(?!text-fill)/, '');
  return ALIASES.get(plain) ?? plain;
}

const ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'block-size': 'height',
    'inline-size': 'width',
    'max-block-size': 'max-height',
    'max-inline-size': 'max-width',
    'overflow-block': 'overflow-y',
    'overflow-inline': 'overflow-x',
    'inset-block-start': 'top',
    'inset-block-end': 'bottom',
    'inset-inline-start': 'left',
    'inset-inline-end': 'right',
    'margin-inline': 'margin-left',
    'margin-block': 'margin-top',
    'margin-inline-start': 'margin-left',
    'margin-block-start': 'margin-top',
    'padding-inline-start': 'padding-left',
    'text-decoration-line': 'text-decoration',
  }),
);

type Test = (value: string) => boolean;
const any: Test = () => true;
const length: Test = (value) => pixels(value) !== null || /^(?:[a-z-]{1,30}$|[a-z-]{1,20}\()/.test(value);
const word: Test = (value) => /^[a-z-]{1,30}(?: [a-z-]{1,30}){0,3}$/.test(value);
const colour: Test = (value) => isColour(value) || /^[a-z-]{1,20}\(/.test(value);
const oneOf =
  (words: string): Test =>
  (value) =>
    words.split(' ').includes(value);
/** Valid for every property. */
const EVERYWHERE = /^(?:inherit|initial|unset|revert|revert-layer)$|^(?:var|env|attr)\(/;

/** The properties that can hide text or strike it out, each with what a browser takes for a value of it. */
const READ: ReadonlyMap<string, Test> = new Map(
  Object.entries({
    display: (value) =>
      /^(?:none|block|inline|flex|grid|table|list-item|contents|flow|flow-root|ruby|run-in|math|-webkit-(?:inline-)?box|-ms-(?:inline-)?(?:flexbox|grid)|inline-(?:block|flex|grid|table)|table-[a-z-]{1,15}|(?:block|inline) [a-z-]{1,15})$/.test(
        value,
      ),
    visibility: oneOf('visible hidden collapse'),
    opacity: (value) => /^[+-]?(?=\.?\d)[\d.]+(?:e[+-]?\d{1,3})?%?$/.test(value) || value.includes('('),
    'font-size': length,
    font: any,
    color: colour,
    '-webkit-text-fill-color': colour,
    'background-color': colour,
    background: any,
    'background-image': any,
    'max-height': length,
    'max-width': length,
    height: length,
    width: length,
    overflow: word,
    'overflow-x': word,
    'overflow-y': word,
    clip: any,
    'clip-path': any,
    transform: any,
    translate: any,
    scale: any,
    rotate: any,
    filter: any,
    position: oneOf('static relative absolute fixed sticky -webkit-sticky'),
    left: length,
    top: length,
    right: length,
    bottom: length,
    inset: any,
    'text-indent': any,
    'letter-spacing': length,
    margin: any,
    'margin-left': length,
    'margin-top': length,
    'padding-left': length,
    zoom: any,
    'mso-hide': any,
    'content-visibility': oneOf('visible hidden auto'),
    'text-decoration': any,
    animation: any,
    'animation-name': any,
  }),
);
