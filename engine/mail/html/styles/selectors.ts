import type { AttributeSelector, CssNode } from 'css-tree';
import parse from 'css-tree/selector-parser';
import { ident } from 'css-tree/utils';

/** One element of a selector: `td.note[dir]`. Its tag and the names of its attributes are in lower case, the rest as written. */
export interface Compound {
  readonly name: string | null;
  readonly ids: readonly string[];
  readonly classes: readonly string[];
  readonly attributes: readonly { readonly name: string; readonly sign: string; readonly value: string }[];
}

export interface Selector {
  /** From the outermost to the element itself. */
  readonly compounds: readonly Compound[];
  /** `child` or `inside`: how each but the first stands to the one before it. */
  readonly joins: readonly ('child' | 'inside')[];
  readonly weight: number;
  /**
   * Whether it asks for something that we do not look at (siblings, `:nth-child`, `:not`): then it holds for more
   * elements here than in a browser, and is only a possibility.
   */
  readonly isCertain: boolean;
}

/** These hold for no element of a mail that nobody touches, or not for its text. */
const NEVER = new Set(
  'hover active focus focus-within focus-visible visited target before after first-line first-letter'.split(' '),
);
const LINKS = new Set(['link', 'any-link', '-webkit-any-link']);
const MAX_COMPOUNDS = 12;
const MAX_LENGTH = 1000;

interface Draft {
  name: string | null;
  readonly ids: string[];
  readonly classes: string[];
  readonly attributes: { name: string; sign: string; value: string }[];
}

/** A selector while it is read. */
interface Reading {
  readonly compounds: Draft[];
  readonly joins: ('child' | 'inside')[];
  weight: number;
  isCertain: boolean;
}

const empty = (): Draft => ({ name: null, ids: [], classes: [], attributes: [] });

/** `never` for one that holds for nothing; null for one that is too long or too strange to be read. */
export function parseSelector(written: string): Selector | 'never' | null {
  if (written.trim() === '') return 'never';
  const nodes = written.length > MAX_LENGTH ? null : nodesOf(written);
  if (nodes === null || nodes[0]?.type === 'Combinator') return null;
  const reading: Reading = { compounds: [empty()], joins: [], weight: 0, isCertain: true };
  for (const node of nodes) {
    const done = read(reading, node);
    if (done !== 'read') return done === 'never' ? 'never' : null;
  }
  return reading;
}

/** Mail is written with names like `.3col`, which CSS forbids and some mail programs take. */
const DIGIT_FIRST = /(?<=^|[.#\s>+~])\d/g;

function nodesOf(written: string): readonly CssNode[] | null {
  for (const text of [written, written.replace(DIGIT_FIRST, (digit) => `\\3${digit} `)]) {
    try {
      const ast = parse(text, { context: 'selector' });
      return ast.type === 'Selector' ? ast.children.toArray() : null;
    } catch {}
  }
  return null;
}

type Done = 'read' | 'never' | 'strange';

function read(reading: Reading, node: CssNode): Done {
  if (node.type === 'Combinator') return readCombinator(reading, node.name);
  const compound = reading.compounds.at(-1) ?? empty();
  reading.weight += WEIGHTS.get(node.type) ?? 0;
  switch (node.type) {
    case 'TypeSelector':
      return readTag(reading, compound, ident.decode(node.name).toLowerCase());
    case 'ClassSelector':
      compound.classes.push(ident.decode(node.name));
      return 'read';
    case 'IdSelector':
      compound.ids.push(ident.decode(node.name));
      return 'read';
    case 'AttributeSelector':
      return readAttribute(compound, node);
    case 'PseudoClassSelector':
      return readPseudo(reading, compound, ident.decode(node.name).toLowerCase());
    case 'PseudoElementSelector':
      return 'never';
    default:
      return 'strange';
  }
}

const WEIGHTS: ReadonlyMap<string, number> = new Map([
  ['ClassSelector', 100],
  ['IdSelector', 10_000],
  ['AttributeSelector', 100],
  ['PseudoClassSelector', 100],
]);

function readCombinator(reading: Reading, sign: string): Done {
  if (reading.compounds.length === MAX_COMPOUNDS || !' >+~'.includes(sign)) return 'strange';
  if (sign === '+' || sign === '~') {
    // Siblings are not looked at: what is left says where both of them stand.
    reading.compounds.pop();
    reading.isCertain = false;
  } else reading.joins.push(sign === '>' ? 'child' : 'inside');
  reading.compounds.push(empty());
  return 'read';
}

function readTag(reading: Reading, compound: Draft, name: string): Done {
  if (name === '*') return 'read';
  compound.name = name;
  reading.weight += 1;
  // A namespace prefix.
  return name.includes('|') ? 'strange' : 'read';
}

function readAttribute(compound: Draft, { name: { name: written }, matcher, value }: AttributeSelector): Done {
  const name = ident.decode(written).toLowerCase();
  const bare = value?.type === 'String' ? value.value : ident.decode(value?.name ?? '');
  compound.attributes.push({ name, sign: matcher ?? '', value: bare });
  return name.includes('|') ? 'strange' : 'read';
}

function readPseudo(reading: Reading, compound: Draft, name: string): Done {
  if (NEVER.has(name)) return 'never';
  if (LINKS.has(name)) compound.attributes.push({ name: 'href', sign: '', value: '' });
  else if (name === 'root') compound.name = 'html';
  else reading.isCertain = false;
  return 'read';
}
