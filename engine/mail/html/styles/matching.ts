import type { Allowance } from '../allowance.ts';
import type { ElementStyles } from '../look.ts';
import type { StartTag } from '../tokens.ts';
import type { Declarations } from './declarations.ts';
import type { Compound } from './selectors.ts';
import type { StyleRule, Stylesheet } from './stylesheet.ts';

/** What is known of an element's ancestors: which beginnings of selectors hold for it, and which for any above it. */
export interface Ancestry {
  readonly here: ReadonlySet<number>;
  readonly above: ReadonlySet<number>;
}

export const NO_ANCESTORS: Ancestry = { here: new Set(), above: new Set() };

interface Matched {
  readonly styles: ElementStyles;
  /** For the elements inside it. */
  readonly ancestry: Ancestry;
}

/** One element of a rule's selector, and where it stands in it. */
interface Place {
  readonly id: number;
  readonly compound: Compound;
  readonly join: 'child' | 'inside' | null;
  /** The rule, where this is the last element of its selector. */
  readonly rule: StyleRule | null;
}

export interface Matcher {
  /** Names of attributes that selectors ask for. */
  readonly attributes: ReadonlySet<string>;
  match(tag: StartTag, parent: Ancestry): Matched;
}

/**
 * Which rules hold for an element. Selectors are followed from the outermost element inwards while the mail is read, so
 * that an element costs as many comparisons as there are rules that name its tag, a class or its id, and never a walk
 * through its ancestors.
 */
export function createMatcher({ rules }: Stylesheet, allowance: Pick<Allowance, 'comparisons'>): Matcher {
  const index = new Map<string, Place[]>();
  const attributes = new Set<string>();
  let lastId = 0;
  for (const rule of rules) {
    const { compounds, joins } = rule.selector;
    for (const [at, compound] of compounds.entries()) {
      const join = at === 0 ? null : (joins[at - 1] ?? null);
      const place = { id: lastId, compound, join, rule: at === compounds.length - 1 ? rule : null };
      lastId += 1;
      const key = keyOf(compound);
      index.set(key, [...(index.get(key) ?? []), place]);
      for (const { name } of compound.attributes) attributes.add(name);
    }
  }

  /** The selectors that end here, and the beginnings of others that lead on from here. */
  function look(element: Element, parent: Ancestry): { found: readonly Found[]; here: ReadonlySet<number> } {
    const here = new Set<number>();
    const found: Found[] = [];
    for (const place of element.keys.flatMap((key) => index.get(key) ?? [])) {
      allowance.comparisons -= 1 + COST_OF_ATTRIBUTE * place.compound.attributes.length;
      const holds = placeHolds(place, element, parent);
      if (holds === 'no') continue;
      const isCertain = holds === 'surely';
      if (place.rule) found.push({ rule: place.rule, isCertain: isCertain && place.rule.isCertain });
      else here.add(stateOf(place.id, isCertain));
    }
    return { found, here };
  }

  function match(tag: StartTag, parent: Ancestry): Matched {
    if (rules.length === 0) return { styles: NO_STYLES, ancestry: NO_ANCESTORS };
    const { found, here } = look(elementOf(tag), parent);
    const styles = stylesOf(found);
    allowance.comparisons -= here.size;
    if (isWithin(here, parent.above)) {
      const isSame = here.size === parent.here.size && isWithin(here, parent.here);
      return { styles, ancestry: isSame ? parent : { here, above: parent.above } };
    }
    allowance.comparisons -= parent.above.size;
    return { styles, ancestry: { here, above: new Set([...parent.above, ...here]) } };
  }

  return { attributes, match };
}

const isWithin = (some: ReadonlySet<number>, all: ReadonlySet<number>): boolean => [...some].every((id) => all.has(id));

/** A beginning of a selector as a number, apart for one that holds surely and one that may. */
const stateOf = (id: number, isCertain: boolean): number => 2 * id + (isCertain ? 0 : 1);

const ledBy = (states: ReadonlySet<number>, id: number): Holds =>
  states.has(stateOf(id, true)) ? 'surely' : states.has(stateOf(id, false)) ? 'perhaps' : 'no';

function placeHolds({ id, compound, join }: Place, element: Element, parent: Ancestry): Holds {
  const led = join === null ? 'surely' : ledBy(join === 'child' ? parent.here : parent.above, id - 1);
  if (led === 'no') return 'no';
  const holds = holdsFor(compound, element);
  return holds === 'surely' ? led : holds;
}

/** `perhaps`: but for capitals, which some mail programs tell apart in classes and others do not. */
type Holds = 'surely' | 'perhaps' | 'no';

interface Found {
  readonly rule: StyleRule;
  readonly isCertain: boolean;
}

const NO_STYLES: ElementStyles = { certain: [], possible: null };

function stylesOf(found: readonly Found[]): ElementStyles {
  if (found.length === 0) return NO_STYLES;
  const sorted = found.toSorted(
    ({ rule: a }, { rule: b }) => a.selector.weight - b.selector.weight || a.order - b.order,
  );
  const of = (some: readonly Found[]): readonly Declarations[] => some.map(({ rule }) => rule.declarations);
  const certain = sorted.filter(({ isCertain }) => isCertain);
  return { certain: of(certain), possible: certain.length === sorted.length ? null : of(sorted) };
}

/** The index key of a selector: its id, class, attribute or name, whichever the fewest elements have. */
function keyOf({ ids: [id], classes: [first], attributes: [asked], name }: Compound): string {
  if (id !== undefined) return `#${id.toLowerCase()}`;
  if (first === undefined && asked) return `[${asked.name}`;
  return first === undefined ? (name ?? '*') : `.${first.toLowerCase()}`;
}

interface Element {
  readonly keys: readonly string[];
  readonly name: string;
  readonly id: string;
  readonly classes: ReadonlySet<string>;
  readonly attributes: ReadonlyMap<string, string>;
}

function elementOf({ name, attributes }: StartTag): Element {
  const id = attributes.get('id') ?? '';
  const classes = new Set((attributes.get('class') ?? '').split(/\s+/).filter(Boolean));
  const lower = [...new Set([...classes].map((each) => each.toLowerCase()))];
  return {
    keys: [
      '*',
      name,
      ...lower.map((each) => `.${each}`),
      `#${id.toLowerCase()}`,
      ...[...attributes.keys()].map((each) => `[${each}`),
    ],
    name,
    id,
    classes: new Set([...classes, ...lower.map((each) => `${LOOSELY}${each}`)]),
    attributes,
  };
}

/** Before a class in lower case; no class holds a blank. */
const LOOSELY = ' ';

function holdsFor(compound: Compound, element: Element): Holds {
  if (compound.name !== null && compound.name !== element.name) return 'no';
  const all = [
    ...compound.ids.map((id) => alike(id === element.id, id.toLowerCase() === element.id.toLowerCase())),
    ...compound.classes.map((each) =>
      alike(element.classes.has(each), element.classes.has(`${LOOSELY}${each.toLowerCase()}`)),
    ),
    ...compound.attributes.map((asked) => attributeHolds(asked, element.attributes.get(asked.name))),
  ];
  if (all.includes('no')) return 'no';
  return all.includes('perhaps') ? 'perhaps' : 'surely';
}

const alike = (exactly: boolean, loosely: boolean): Holds => (exactly ? 'surely' : loosely ? 'perhaps' : 'no');

function attributeHolds({ sign, value }: Compound['attributes'][number], written: string | undefined): Holds {
  if (written === undefined) return 'no';
  const have = written.slice(0, MAX_COMPARED);
  return alike(compares(sign, have, value), compares(sign, have.toLowerCase(), value.toLowerCase()));
}

function compares(sign: string, have: string, value: string): boolean {
  if (sign === '') return true;
  if (sign === '=') return have === value;
  if (sign === '|=') return have === value || have.startsWith(`${value}-`);
  if (value === '') return false;
  if (sign === '~=') return have.split(/\s+/).includes(value);
  if (sign === '^=') return have.startsWith(value);
  return sign === '$=' ? have.endsWith(value) : have.includes(value);
}

const MAX_COMPARED = 300;
/** Beside the comparison of a name. */
const COST_OF_ATTRIBUTE = 20;
