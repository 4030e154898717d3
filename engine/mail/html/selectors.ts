import { unescapeCss } from './css.ts';

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
   * Whether it asks for something that we do not look at (brothers, `:nth-child`, `:not`): then it holds for more
   * elements here than in a browser, and is only a possibility.
   */
  readonly isCertain: boolean;
}

const IDENTIFIER = /(?:[\w-]|[^\p{ASCII}]|\\[0-9a-f]{1,6}\s?|\\[^\n])+/iuy;
const ATTRIBUTE =
  /\[\s{0,99}([\w-]{1,100})\s{0,99}(?:([~|^$*]?=)\s{0,99}("[^"]*"|'[^']*'|[^\s\]"']+)\s{0,99}([is]\s{0,99})?)?\]/iy;
const PSEUDO = /(::?)((?:[a-z-]|\\.){1,50})(\()?/iy;
const JOIN = /\s*([>+~]|\|\|)?\s*/y;
/** What holds for no element of a mail that nobody touches, or for what is not its text. */
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
  weight: number;
  isCertain: boolean;
}

/** A text and how far it is read. */
interface Reader {
  readonly text: string;
  at: number;
}

/** `never` for one that holds for nothing; null for one that is too long or too strange to be read. */
export function parseSelector(written: string): Selector | 'never' | null {
  const reader: Reader = { text: written.trim(), at: 0 };
  if (reader.text === '') return 'never';
  if (reader.text.length > MAX_LENGTH) return null;
  const compounds: Draft[] = [];
  const joins: ('child' | 'inside')[] = [];
  let isCertain = true;
  let weight = 0;
  while (compounds.length < MAX_COMPOUNDS) {
    const compound = readCompound(reader);
    if (compound === null || compound === 'never') return compound;
    compounds.push(compound);
    isCertain &&= compound.isCertain;
    weight += compound.weight;
    if (reader.at === reader.text.length) return { compounds, joins, weight, isCertain };
    const join = readJoin(reader);
    if (join === null) return null;
    if (join === 'brother') {
      // Brothers are not looked at: what is left says where both of them stand.
      compounds.pop();
      isCertain = false;
    } else joins.push(join);
  }
  return null;
}

function readJoin(reader: Reader): 'child' | 'inside' | 'brother' | null {
  const [join = '', sign = ' '] = eat(reader, JOIN) ?? [];
  if (join === '' || sign === '||') return null;
  if (sign === '>') return 'child';
  return sign === ' ' ? 'inside' : 'brother';
}

function eat(reader: Reader, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reader.at;
  const match = pattern.exec(reader.text);
  if (match) reader.at += match[0].length;
  return match;
}

const eatName = (reader: Reader): string => unescapeCss(eat(reader, IDENTIFIER)?.[0] ?? '');

function readCompound(reader: Reader): Draft | 'never' | null {
  const draft: Draft = { name: null, ids: [], classes: [], attributes: [], weight: 0, isCertain: true };
  const start = reader.at;
  for (;;) {
    const sign = reader.text.charAt(reader.at);
    const read = READERS.get(sign) ?? (reader.at === start ? readTag : null);
    if (sign === '' || read === null || /[\s>+~|]/.test(sign)) return reader.at === start ? null : draft;
    const done = read(reader, draft);
    if (done !== 'read') return done === 'never' ? 'never' : null;
  }
}

type Done = 'read' | 'never' | 'strange';

function readTag(reader: Reader, draft: Draft): Done {
  draft.name = eatName(reader).toLowerCase();
  draft.weight += 1;
  return draft.name === '' ? 'strange' : 'read';
}

function readNamed(reader: Reader, into: string[]): Done {
  reader.at += 1;
  const name = eatName(reader);
  into.push(name);
  return name === '' ? 'strange' : 'read';
}

function readAttribute(reader: Reader, draft: Draft): Done {
  const match = eat(reader, ATTRIBUTE);
  if (!match) return 'strange';
  const [, name = '', sign = '', value = ''] = match;
  const bare = unescapeCss(value.replace(/^["']|["']$/g, ''));
  draft.attributes.push({ name: name.toLowerCase(), sign, value: bare });
  draft.weight += 100;
  return 'read';
}

function readPseudo(reader: Reader, draft: Draft): Done {
  const match = eat(reader, PSEUDO);
  const name = unescapeCss(match?.[2] ?? '').toLowerCase();
  if (name === '') return 'strange';
  if (match?.[1] === '::' || NEVER.has(name)) return 'never';
  if (LINKS.has(name)) draft.attributes.push({ name: 'href', sign: '', value: '' });
  else if (name === 'root') draft.name = 'html';
  else draft.isCertain = false;
  draft.weight += 100;
  if (match?.[3]) reader.at = endOfBrackets(reader.text, reader.at);
  return 'read';
}

const READERS: ReadonlyMap<string, (reader: Reader, draft: Draft) => Done> = new Map([
  [
    '*',
    (reader) => {
      reader.at += 1;
      return 'read';
    },
  ],
  [
    '.',
    (reader, draft) => {
      draft.weight += 100;
      return readNamed(reader, draft.classes);
    },
  ],
  [
    '#',
    (reader, draft) => {
      draft.weight += 10_000;
      return readNamed(reader, draft.ids);
    },
  ],
  ['[', readAttribute],
  [':', readPseudo],
]);

/** Behind the bracket that closes what was opened before `at`. */
function endOfBrackets(text: string, at: number): number {
  let depth = 1;
  for (let index = at; index < text.length; index += 1) {
    const sign = text[index];
    if (sign === '\\') index += 1;
    else if (sign === '(') depth += 1;
    else if (sign === ')') depth -= 1;
    if (depth === 0) return index + 1;
  }
  return text.length;
}
