import { addDeclaration, type Declaration, type Declarations } from './declarations.ts';
import { mediaHolds } from './media.ts';
import { eachPiece } from './pieces.ts';
import { parseSelector, type Selector } from './selectors.ts';

export interface Rule {
  readonly selector: Selector;
  readonly declarations: Declarations;
  /** Its place in the mail. */
  readonly order: number;
  /** Whether it surely holds where its selector does: on an ordinary screen, without a condition we cannot judge. */
  readonly isCertain: boolean;
}

/** Rules of a mail's `<style>` blocks that have a say in what is seen. */
export interface Stylesheet {
  readonly rules: readonly Rule[];
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
  readonly rules: Rule[];
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
