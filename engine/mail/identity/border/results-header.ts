import { normaliseDomain } from '../../mime/address.ts';

/** The setting for a border that writes no name before its results: a bracket stands in no real one. */
export const UNNAMED = '(unnamed)';

/** One `method=result` of an Authentication-Results header (RFC 8601) with its properties. */
export interface MethodResult {
  /** Both in lower case. */
  readonly method: string;
  readonly result: string;
  /** By `ptype.property` in lower case, such as `header.from`; values as written, without quotes. */
  readonly properties: ReadonlyMap<string, string>;
}

type ReadHeader =
  | { readonly ok: true; readonly results: readonly MethodResult[] }
  /** It cannot be told whose words it holds: what a sender chose may have become a result. `why` in words. */
  | { readonly ok: false; readonly why: string };

/** Whether a border can have this name: a word with `=` is a result, which a border without a name begins with. */
export const isBorderName = (name: string): boolean => name === UNNAMED || /^[^\s=;()"\\]{1,253}$/.test(name);

/** The name that a header begins with, lower case; `UNNAMED` where it begins with a result; null where with neither. */
export function stamperOf(value: string): string | null {
  const [, quoted, plain, equals] = FIRST.exec(value) ?? [];
  const word = (quoted ?? plain ?? '').toLowerCase();
  if (word === '') return null;
  return word.includes('=') || equals !== undefined ? UNNAMED : word;
}

/**
 * Whether a header begins as servers begin theirs: the bare name, a version or a comment at most, a semicolon. A border
 * takes away what came under its own name, and may not know it again in quotes.
 */
export const beginsPlainly = (value: string): boolean => PLAIN_BEGINNING.test(value);

const PLAIN_BEGINNING = /^[ \t]*[^\s;"()\\=]+(?:[ \t]+\d{1,3})?[ \t]*(?:\([^()";\\]{0,100}\)[ \t]*)?(?:;|$)/;
const FIRST = /^[ \t]{0,100}(?:"([^"\\;=()]{1,253})"|([^\s;"()\\]{1,300}))[ \t]{0,100}(=)?/;

/**
 * The results of a header of this border (a name, or `UNNAMED`). A border writes what a sender chose into comments and
 * values as it came, so this is stricter than RFC 8601: where anything is left over, or a comment, a quotation or a value
 * could be more than one piece, nothing of the header is believed.
 */
export function readResults(value: string, border: string): ReadHeader {
  const lexed = lexResults(value);
  if (!lexed.ok) return lexed;
  const groups = groupsOf(lexed.atoms);
  const results: MethodResult[] = [];
  for (const [index, group] of groups.entries()) {
    if (index === 0 && border !== UNNAMED) {
      if (!isHead(group)) return fault('its name is followed by something else than results');
      continue;
    }
    const read = readGroup(group, border);
    if (read === null) continue;
    if (typeof read === 'string') return fault(read);
    results.push(read);
  }
  return { ok: true, results };
}

const fault = (why: string): ReadHeader => ({ ok: false, why });

function groupsOf(atoms: readonly Atom[]): (readonly Atom[])[] {
  const groups: Atom[][] = [[]];
  for (const atom of atoms) {
    if (atom.kind === 'semicolon') groups.push([]);
    else groups.at(-1)?.push(atom);
  }
  return groups;
}

/** The name, and a version that may follow it: `mx.example.com 1;` */
function isHead(group: readonly Atom[]): boolean {
  const words = group.filter(({ kind }) => kind !== 'comment');
  return words.length === 1 || (words.length === 2 && /^\d{1,3}$/.test(words[1]?.text ?? ''));
}

/** Whose results are looked at; what they say is read by the letter. */
const CORE: ReadonlySet<string> = new Set(['dkim', 'spf', 'dmarc']);

/** Pieces of Received-SPF that some borders put behind their result of it, each as if it were one. */
const RECEIVED_SPF: ReadonlySet<string> = new Set([
  ...['client-ip', 'envelope-from', 'helo', 'receiver', 'identity', 'mechanism', 'problem'],
]);

/** A result; null where the group has none; why it cannot be read. */
function readGroup(group: readonly Atom[], border: string): MethodResult | string | null {
  const words = group.filter(({ kind }) => kind !== 'comment');
  const [first, ...rest] = words;
  if (first === undefined) return null;
  if (words.length === 1 && first.text.toLowerCase() === 'none') return null;
  // Microsoft 365 wrote the domain of the recipient behind its results.
  if (words.length === 1 && border === UNNAMED && normaliseDomain(first.text) !== null) return null;
  const { name, value } = split(first);
  const method = name.split('/', 1)[0] ?? '';
  const foreign = commentFault(group, method);
  if (foreign !== null) return foreign;
  if (rest.length === 0 && RECEIVED_SPF.has(method)) return null;
  if (first.quoted || !METHOD.test(name) || !RESULT.test(value)) return 'a piece of it is no result';
  const properties = new Map<string, string>();
  for (const word of rest) {
    const property = split(word);
    const wrong = propertyFault(method, property, word.quoted) ?? twice(properties, property);
    if (wrong !== null) return wrong;
    properties.set(property.name, property.value);
  }
  return { method, result: value.toLowerCase(), properties };
}

const METHOD = /^[a-z][a-z0-9_-]{0,40}(?:\/\d{1,3})?$/;
const RESULT = /^[a-z][a-z0-9_-]{0,40}$/i;
const PROPERTY = /^[a-z][a-z0-9_.-]{0,80}$/;

interface Named {
  /** In lower case. */
  readonly name: string;
  readonly value: string;
}

function split({ text }: Atom): Named {
  const equals = text.indexOf('=');
  return { name: text.slice(0, Math.max(equals, 0)).toLowerCase(), value: text.slice(equals + 1) };
}

const twice = (found: ReadonlyMap<string, string>, { name, value }: Named): string | null =>
  found.has(name) && found.get(name) !== value ? `${name} stands in a result twice` : null;

/** What looks like a result of its own. Gmail repeats those of an ARC chain in a comment. */
const RESULT_LIKE = /(?:^|[^a-z0-9_.-])(?:dkim|spf|dmarc)[ \t]{0,40}=/i;

function commentFault(group: readonly Atom[], method: string): string | null {
  const comments = group.filter(({ kind }) => kind === 'comment');
  const isForeign = ({ text }: Atom) => (method !== 'arc' && RESULT_LIKE.test(text)) || beginsPieces(text);
  return comments.some(isForeign) ? 'a comment of it holds what looks like a result' : null;
}

/** `; name=`: the semicolon may have been meant to end something. Words of Received-SPF stand behind one, too. */
const beginsPieces = (text: string): boolean =>
  text
    .split(';')
    .slice(1)
    .some((piece) => {
      const [, name = null] = /^[ \t]*([^\s=]{1,100})[ \t]*=/.exec(piece) ?? [];
      return name !== null && !RECEIVED_SPF.has(name.toLowerCase());
    });

function propertyFault(method: string, { name, value }: Named, quoted: boolean): string | null {
  if (!PROPERTY.test(name) || CORE.has(name)) return 'a word of it is no property';
  if (name === 'reason' && quoted) {
    return RESULT_LIKE.test(value) || beginsPieces(value) ? 'a reason in it holds what looks like a result' : null;
  }
  if (/["();\\]/.test(value)) return `${name} holds a sign that a sender may have chosen`;
  if (!CORE.has(method)) return RESULT_LIKE.test(value) ? `${name} holds what looks like a result` : null;
  return (VALUES.get(name) ?? OTHER).test(value) ? null : `${name} is not what such a property holds`;
}

const DOMAIN = /^[\p{L}\p{N}\p{M}._-]{0,255}$/u;
/** An address or a domain, also in angle brackets. */
const MAILBOX = /^<?[^\s<>]{0,320}>?$/;
/** How a value is written in a result that proves somebody. */
const VALUES: ReadonlyMap<string, RegExp> = new Map([
  ['header.d', DOMAIN],
  ['header.s', DOMAIN],
  ['header.a', /^[a-z0-9-]{0,40}$/i],
  ['header.b', /^[A-Za-z0-9+/= \t]{0,1000}$/],
  ['header.i', /^[^\s<>]{0,320}$/],
  ['header.from', MAILBOX],
  ['smtp.mailfrom', MAILBOX],
  ['smtp.helo', MAILBOX],
]);
/** Whose meaning is not known: nothing that could be the end of somebody's address. */
const OTHER = /^[\p{L}\p{N}\p{M}._:/+,|[\]*-]{0,500}$/u;

/** A piece of an Authentication-Results header. Words hold `name=value`; a quoted value is without its quotes. */
interface Atom {
  readonly kind: 'word' | 'comment' | 'semicolon';
  readonly text: string;
  /** Its value stood in quotes. */
  readonly quoted: boolean;
}

type Lexed = { readonly ok: true; readonly atoms: readonly Atom[] } | { readonly ok: false; readonly why: string };

/** A header is cut at 8192; of one that is longer the end is not known. */
const MAX_CHARS = 8000;

/**
 * Cuts a header into words, comments and semicolons. Fails where a comment or a quotation may have been ended or begun by
 * whoever sent the mail: none of them may hold half of a pair, and no border escapes anything. Pure.
 */
function lexResults(value: string): Lexed {
  const foreign = foreignSign(value);
  if (foreign !== null) return no(foreign);
  const atoms: Atom[] = [];
  let gap: Gap = 'none';
  for (let at = 0; at < value.length; ) {
    const piece = pieceAt(value, at);
    if (typeof piece === 'string') return no(piece);
    at = piece.end;
    if (piece.atom === null) {
      if (gap === 'none') gap = 'blank';
      continue;
    }
    const whole = piece.atom.kind === 'word' ? joined(atoms.at(-1), piece.atom, gap) : null;
    if (whole === 'fault') return no('an equals sign of it stands alone');
    if (whole !== null) atoms.pop();
    atoms.push(whole ?? piece.atom);
    gap = piece.atom.kind === 'comment' ? 'comment' : 'none';
  }
  return { ok: true, atoms };
}

/** Signs that no border writes of itself, and that readers take for different things. */
function foreignSign(value: string): string | null {
  if (value.length > MAX_CHARS) return 'it is too long';
  if (/[^ -~\t\p{L}\p{N}\p{M}]/u.test(value)) return 'it holds a character that no border writes';
  if (value.includes('\\')) return 'it holds a backslash';
  return value.includes('=?') ? 'it holds an encoded word' : null;
}

interface Piece {
  /** Null: blanks. */
  readonly atom: Atom | null;
  readonly end: number;
}

/** What begins here, or why it cannot be told. */
function pieceAt(value: string, at: number): Piece | string {
  switch (value[at]) {
    case ' ':
    case '\t':
      return { atom: null, end: at + 1 };
    case ';':
      return { atom: { kind: 'semicolon', text: ';', quoted: false }, end: at + 1 };
    case ')':
      return 'a bracket of it closes nothing';
    case '(':
      return commentAt(value, at) ?? 'a comment of it does not end where it seems to';
    default:
      return wordAt(value, at) ?? 'a quotation of it does not stand by itself';
  }
}

function commentAt(value: string, at: number): Piece | null {
  const close = endOfComment(value, at);
  const text = value.slice(at + 1, Math.max(close, at + 1));
  return close >= 0 && isBalanced(text) ? { atom: { kind: 'comment', text, quoted: false }, end: close + 1 } : null;
}

/** What stands between a word and the piece before it. */
type Gap = 'none' | 'blank' | 'comment';

const no = (why: string): Lexed => ({ ok: false, why });

/** The place of the bracket that closes the one at `from`; -1 where none does. */
function endOfComment(value: string, from: number): number {
  let depth = 0;
  for (let at = from; at < value.length; at += 1) {
    if (value[at] === '(') depth += 1;
    if (value[at] === ')') depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

const PAIRS: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };

/** Whether brackets of each kind and quotation marks close what was opened, inside of quotations and outside. */
function isBalanced(text: string): boolean {
  const open: string[] = [];
  for (const sign of text) {
    if (sign === '"') {
      if (open.at(-1) === '"') open.pop();
      else if (open.includes('"')) return false;
      else open.push(sign);
    } else if ('([{'.includes(sign)) open.push(sign);
    else if (PAIRS[sign] !== undefined && open.pop() !== PAIRS[sign]) return false;
  }
  return open.length === 0;
}

/** The word that begins here, and where it ends; null where a quotation stands in the middle of it, or does not end. */
function wordAt(value: string, from: number): Piece | null {
  let end = from;
  while (end < value.length && !' \t;()"'.includes(value[end] ?? '')) end += 1;
  const name = value.slice(from, end);
  if (value[end] !== '"') return { atom: { kind: 'word', text: name, quoted: false }, end };
  // A value is quoted as a whole; the quotes of a sender's own address end in the middle of one.
  if (name !== '' && name.indexOf('=') !== name.length - 1) return null;
  const close = value.indexOf('"', end + 1);
  if (close < 0 || !' \t;('.includes(value[close + 1] ?? ' ')) return null;
  const text = value.slice(end + 1, close);
  return isBalanced(text) ? { atom: { kind: 'word', text: name + text, quoted: true }, end: close + 1 } : null;
}

/**
 * Blanks are allowed around `=`, so a word may be the rest of the one before; null where it is not. A value that is empty
 * is not the next word, where that has a value of its own.
 */
function joined(last: Atom | undefined, { text, quoted }: Atom, gap: Gap): Atom | 'fault' | null {
  const isRest = text.startsWith('=') && !quoted;
  if (gap !== 'blank' || last?.kind !== 'word') return isRest ? 'fault' : null;
  const equals = last.text.indexOf('=');
  const isOpen = !last.quoted && equals > 0 && equals === last.text.length - 1;
  const isOne = isRest ? equals < 0 : isOpen && (quoted || !text.includes('='));
  return isOne ? { kind: 'word', text: last.text + text, quoted } : null;
}
