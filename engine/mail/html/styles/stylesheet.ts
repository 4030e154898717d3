import { addDeclaration, type Declaration, type Declarations } from './declarations.ts';
import { eachPiece } from './pieces.ts';
import { parseSelector, type Selector } from './selectors.ts';

export interface StyleRule {
  readonly selector: Selector;
  readonly declarations: Declarations;
  /** Its place in the mail. */
  readonly order: number;
  /** Whether it surely holds where its selector does: on an ordinary screen, without a condition we cannot judge. */
  readonly isCertain: boolean;
}

/** Rules of a mail's `<style>` blocks that have a say in what is seen. */
export interface Stylesheet {
  readonly rules: readonly StyleRule[];
  /** A rule that may hold sets a background, so "white text on white" can no longer be told. */
  readonly unknownBackground: boolean;
  /** Not all of it was read: any text may be hidden by what was not. */
  readonly cut: boolean;
}

/** Characters without comments. More is more than any mail program takes, and would be paid for with every element. */
const MAX_STYLES = 50_000;
const MAX_RULES = 1000;
const MAX_DEPTH = 8;
const MAX_SELECTORS = 100;

interface Open {
  /** Null inside of what holds nothing for us: keyframes, fonts, paper. */
  readonly selectors: readonly string[] | null;
  readonly isCertain: boolean;
  readonly declarations: Map<string, Declaration>;
}

export function parseStylesheet(css: string): Stylesheet {
  const sheet: Draft = { rules: [], unknownBackground: false, cut: false };
  let room = MAX_STYLES;
  const open: Open[] = [];
  const root: Open = { selectors: [''], isCertain: true, declarations: new Map() };
  eachPiece(css, 'sheet', ({ text, sign }) => {
    room -= text.length + sign.length;
    sheet.cut ||= room < 0;
    if (room < 0) return;
    const inside = open.at(-1) ?? root;
    if (sign === '{') {
      const next = blockOf(text.trim(), inside);
      sheet.cut ||= open.length >= MAX_DEPTH || (next.selectors?.length ?? 0) > MAX_SELECTORS;
      open.push(open.length >= MAX_DEPTH ? { ...next, selectors: null } : next);
      return;
    }
    if (inside.selectors !== null) addDeclaration(inside.declarations, text);
    if (sign === '}') addRules(sheet, open.pop());
  });
  for (const each of open.reverse()) addRules(sheet, each);
  return sheet;
}

interface Draft {
  readonly rules: StyleRule[];
  unknownBackground: boolean;
  cut: boolean;
}

function addRules(sheet: Draft, block: Open | undefined): void {
  const { selectors, isCertain, declarations } = block ?? { selectors: null, isCertain: true, declarations: new Map() };
  if (selectors === null || declarations.size === 0) return;
  const { rules } = sheet;
  const colours = [...declarations.keys()].some((property) => property.startsWith('background'));
  for (const written of selectors) {
    const selector = rules.length === MAX_RULES ? null : parseSelector(written);
    if (selector === 'never') continue;
    const holds = isCertain && selector?.isCertain === true;
    sheet.unknownBackground ||= colours && !holds;
    sheet.cut ||= selector === null;
    if (rules.length === MAX_RULES) return;
    if (selector !== null) rules.push({ selector, declarations, order: rules.length, isCertain: holds });
  }
}

function blockOf(prelude: string, around: Open): Open {
  const declarations = new Map<string, Declaration>();
  const { selectors, isCertain } = around;
  if (selectors === null) return { selectors, isCertain, declarations };
  if (!prelude.startsWith('@')) {
    const own = listed(prelude).slice(0, MAX_SELECTORS + 1);
    return {
      selectors: own.flatMap((each) => within(selectors, each)).slice(0, MAX_SELECTORS + 1),
      isCertain,
      declarations,
    };
  }
  const [, name = '', condition = ''] = /^@([\w-]+)(.*)$/s.exec(prelude.slice(0, 3000)) ?? [];
  const holds = atRuleHolds(name.toLowerCase(), condition.trim());
  return { selectors: holds === 'no' ? null : selectors, isCertain: isCertain && holds === 'yes', declarations };
}

function atRuleHolds(name: string, condition: string) {
  if (name === 'media') return mediaHolds(condition);
  if (name === 'layer') return 'yes';
  if (name === 'supports') return /^\([^()]{1,100}\)\s*$/.test(condition) ? 'yes' : 'unknown';
  return name === 'container' || name === 'scope' || name === 'starting-style' || name.includes('document')
    ? 'unknown'
    : 'no';
}

/** A rule inside another one: `&` is the outer selector, which otherwise stands before the inner. */
function within(outer: readonly string[], inner: string): readonly string[] {
  return outer.map((each) => {
    if (each === '') return inner;
    return inner.includes('&') ? inner.replaceAll('&', each).slice(0, 2000) : `${each} ${inner}`;
  });
}

function listed(prelude: string): string[] {
  const parts: string[] = [];
  eachPiece(prelude, 'list', ({ text }) => parts.push(text.trim()));
  return parts;
}

type Holds = 'yes' | 'no' | 'unknown';

/** What people read mail on when nothing else is said: rules for it hold, rules for other screens or for paper do not. */
const SCREEN: Readonly<Record<string, number>> = {
  width: 1280,
  height: 800,
  'device-width': 1280,
  'device-height': 800,
};
const SETTINGS: ReadonlyMap<string, string> = new Map([
  ['orientation', 'landscape'],
  ['prefers-color-scheme', 'light'],
  ['hover', 'hover'],
  ['pointer', 'fine'],
  ['scripting', 'none'],
]);

/** Whether the rules inside `@media …` hold on an ordinary screen; one that we cannot read may hold. */
function mediaHolds(prelude: string): Holds {
  const queries = prelude.slice(0, 2000).toLowerCase().split(',').map(queryHolds);
  if (queries.includes('yes')) return 'yes';
  return queries.includes('unknown') ? 'unknown' : 'no';
}

function queryHolds(query: string): Holds {
  const words = query.trim().replace(/\s+/g, ' ');
  const [, sign, rest = ''] = /^(not |only )?(.*)$/.exec(words) ?? [];
  const parts = rest.split(' and ').map(partHolds);
  const all = parts.includes('no') ? 'no' : parts.includes('unknown') ? 'unknown' : 'yes';
  return sign === 'not ' && all !== 'unknown' ? (all === 'yes' ? 'no' : 'yes') : all;
}

function partHolds(part: string): Holds {
  const text = part.trim();
  if (text === '' || text === 'all' || text === 'screen') return 'yes';
  if (/^[a-z]+$/.test(text)) return 'no';
  const [, name = '', value] = /^\( ?([a-z-]{1,40}) ?(?:: ?([^()]{1,40}))?\)$/.exec(text) ?? [];
  const [, bound, side = ''] = /^(min|max)-(.{1,40})$/.exec(name) ?? [];
  const have = SCREEN[side];
  const length = lengthOf(value);
  if (have !== undefined && length !== null) return (bound === 'min' ? have >= length : have <= length) ? 'yes' : 'no';
  const setting = SETTINGS.get(name);
  if (setting !== undefined) return value === undefined || value.trim() === setting ? 'yes' : 'no';
  return rangeHolds(text);
}

/** `(width >= 600px)`, `(400px < width <= 600px)`. */
function rangeHolds(text: string): Holds {
  const [, low, lowSign, side = '', highSign, high] =
    /^\( ?(?:([\d.]{1,9}[a-z]{0,4}) ?(<=?|>=?) ?)?(width|height) ?(?:(<=?|>=?) ?([\d.]{1,9}[a-z]{0,4}) ?)?\)$/.exec(
      text,
    ) ?? [];
  const have = SCREEN[side];
  if (have === undefined || (low ?? high) === undefined) return 'unknown';
  const within = (sign: string | undefined, limit: number | null, isLeft: boolean): boolean =>
    limit === null || (sign?.startsWith('<') === isLeft ? have >= limit : have <= limit);
  return within(lowSign, lengthOf(low), true) && within(highSign, lengthOf(high), false) ? 'yes' : 'no';
}

function lengthOf(value: string | undefined): number | null {
  const [, number, unit] = /^([\d.]{1,9}) ?(px|em|rem|pt)?$/.exec(value?.trim() ?? '') ?? [];
  if (number === undefined) return null;
  return Number(number) * (unit === 'em' || unit === 'rem' ? 16 : unit === 'pt' ? 4 / 3 : 1);
}
