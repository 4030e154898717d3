import { domainToASCII, domainToUnicode } from 'node:url';
import { matchesGlob } from '../../lib/glob.ts';
import type { HeaderBlock } from './headers.ts';
import type { FromHeader, Mailbox } from './types.ts';
import { decodeWords, headerText } from './words.ts';

// RFC 5321 section 4.5.3.1; longer ones are somebody testing a parser.
const MAX_LOCAL = 64;
const MAX_ADDRESS = 254;
const DOMAIN = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;
const HOST_CHARACTERS = /^[\p{L}\p{N}\p{M}_.\u3002\uff0e\uff61-]{1,253}$/u;
/** Dots in a row or at the end are not RFC 5321's, and stand in addresses that telephone companies gave to millions. */
const ATOMS = /^[^\s"(),:;<>@[\]\\.][^\s"(),:;<>@[\]\\]*$/;
const QUOTED_LOCAL = /^"(?:[^"\\\r\n]|\\[ -~])*"$/;
const CONTROL = /\p{Cc}/u;

/** Lower-case punycode of a host name; null when it is none (address literals included). */
export function normaliseDomain(domain: string): string | null {
  // domainToASCII follows the URL rules, which turn "0x7f.1" into an address: give it only what needs it.
  // It also drops line ends and cuts at a slash, so nothing but letters, digits, marks and dots may reach it.
  if (!HOST_CHARACTERS.test(domain)) return null;
  const ascii = /^[!-~]*$/.test(domain) ? domain.toLowerCase() : inAscii(domain);
  return ascii.length <= 253 && DOMAIN.test(ascii) ? ascii : null;
}

/**
 * Empty where a name stands in letters that only become those of another name (wide ones, or with a mark that is not seen):
 * in DNS they can be somebody else's, and a server may have asked for those.
 */
function inAscii(domain: string): string {
  // A sign that is another one when it is composed, as the Kelvin sign is a K.
  if ([...domain].some((sign) => sign.normalize('NFC') !== sign)) return '';
  const ascii = domainToASCII(domain);
  return domainToUnicode(ascii) === domain.normalize('NFC').toLowerCase() ? ascii : '';
}

/**
 * The local part as written, without quotation marks that it does not need (RFC 5321 section 4.1.2: the same mailbox), the
 * domain in lower-case punycode; null when it is not one address.
 */
export function normaliseAddress(address: string): string | null {
  const at = address.lastIndexOf('@');
  const local = unquoted(address.slice(0, Math.max(at, 0)));
  if (!local || local.length > MAX_LOCAL || CONTROL.test(local)) return null;
  if (!ATOMS.test(local) && !QUOTED_LOCAL.test(local)) return null;
  const domain = normaliseDomain(address.slice(at + 1));
  return domain && local.length + domain.length < MAX_ADDRESS ? `${local}@${domain}` : null;
}

function unquoted(local: string): string {
  if (!QUOTED_LOCAL.test(local)) return local;
  const plain = local.slice(1, -1).replace(/\\(.)/g, '$1');
  return ATOMS.test(plain) ? plain : local;
}

/** Unicode has other letters whose lower case is ASCII: the Kelvin sign would make one person of two. */
export const lowerAscii = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** For comparing and for keys: ASCII letters in lower case, the domain in punycode; null when it is none. */
export function addressKey(address: string): string | null {
  const normal = normaliseAddress(address);
  return normal === null ? null : lowerAscii(normal);
}

export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/**
 * Whether mail may go to this address. Stricter than what we read: no quoted local part, comment, group or literal,
 * because senders' libraries disagree about those and one such string has sent mail to somebody else (GHSA-mm7p-fcc7-pg87).
 */
export const notSendable = (address: string): string => `${address} is not an address that mail can be sent to`;

export function isSendable(address: string): boolean {
  return !address.includes('"') && normaliseAddress(address) !== null;
}

/** Without what stands from the first `+` of the local part on. */
export function stripPlusTag(address: string): string {
  const at = address.lastIndexOf('@');
  const plus = address.indexOf('+');
  return plus > 0 && plus < at ? address.slice(0, plus) + address.slice(at) : address;
}

/**
 * Whether an address fits a pattern: the whole address, any case, domain in punycode, `*` for any
 * run of characters on its own side of the `@`. So `*@example.com` fits neither a subdomain nor `a@example.com.test`.
 */
export function matchesPattern(address: string, pattern: string): boolean {
  const key = addressKey(address);
  if (key === null) return false;
  if (pattern === '*') return true;
  const at = key.lastIndexOf('@');
  const patternAt = pattern.lastIndexOf('@');
  if (patternAt < 0) return false;
  const domainPattern = pattern
    .slice(patternAt + 1)
    .split('.')
    .map((label) => (/^[ -~]*$/.test(label) ? label : domainToASCII(label)))
    .join('.');
  return matchesGlob(key.slice(0, at), pattern.slice(0, patternAt)) && matchesGlob(key.slice(at + 1), domainPattern);
}

// Two readings of one grammar: whom a list of addresses names, and which one address From is.
const MAX_HEADER = 65_536;
const MAX_MAILBOXES = 500;
const MAX_NAME = 200;

interface Token {
  readonly kind:
    | 'text'
    | 'quoted'
    | 'angle'
    | 'comment'
    | 'comma'
    | 'colon'
    | 'semicolon'
    | 'stray'
    | 'unopened'
    | 'broken';
  /** What stands inside of the signs. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The mailboxes of an address header (RFC 5322 section 3.4) in their order, members of groups among them. What names
 * nobody is left out. In one pass.
 */
export function parseAddressList(header: string): readonly Mailbox[] {
  const mailboxes: Mailbox[] = [];
  const read = [...tokens(header.slice(0, MAX_HEADER))];
  const entries = entriesOf(read).map((entry) => {
    // What stands before a colon is the name of a group.
    const member = entry.slice(entry.findLastIndex(({ kind }) => kind === 'colon') + 1);
    const address = member.some(({ kind }) => kind === 'angle') ? inLastAngle(member) : bareAddress(shownOf(member));
    return { entry, member, address };
  });
  const isDoubtful =
    read.some(({ kind }) => DOUBTFUL.has(kind)) ||
    entries.some(({ entry, address }) => address === null && shownOf(entry).length > 0) ||
    !holdsEachWord(header, read);
  const sole = isDoubtful ? soleAddressIn(header) : null;
  for (const { entry, member, address } of entries) {
    if (address === null || mailboxes.length === MAX_MAILBOXES) continue;
    const found = isDoubtful ? sole : soleAddressIn(header.slice(entry[0]?.start, entry.at(-1)?.end));
    const mailbox = { address, name: nameOf(member, address) };
    mailboxes.push(isSame(found, address) ? mailbox : { ...mailbox, isUnsure: true });
  }
  return mailboxes;
}

/** Signs of a group, and such as let two readers part the field in different places. */
const DOUBTFUL: ReadonlySet<Token['kind']> = new Set(['colon', 'stray', 'unopened', 'broken']);

/** The one address that stands in a text, its names and comments among it; null where there is another, or what may be one. */
function soleAddressIn(text: string): string | null {
  const shown = decodeWords(text);
  const found = shown.split(/[\s"'()<>,:;[\]“”]/u).filter((word) => word.includes('@'));
  const [address = null, ...others] = found.map(normaliseAddress);
  const isAll = found.length === shown.split('@').length - 1;
  return address !== null && isAll && others.every((each) => isSame(each, address)) ? address : null;
}

/** Whether each encoded word that begins ends as it has to, and within what its beginning stands in. */
function holdsEachWord(header: string, read: readonly Token[]): boolean {
  let at = 0;
  return [...header.matchAll(BEGIN)].every(({ index }) => {
    ENCODED.lastIndex = index;
    const end = index + (ENCODED.exec(header)?.[0].length ?? Number.POSITIVE_INFINITY);
    while (at < read.length && (read[at]?.end ?? 0) <= index) at += 1;
    return (read[at]?.start ?? Number.POSITIVE_INFINITY) <= index && end <= (read[at]?.end ?? 0);
  });
}

/**
 * The one mailbox that a From names, as people's programs write it: one address, in angle brackets or alone; what
 * stands around brackets is a name, commas included. Null where a reader could see another sender than we do: two
 * addresses outside of quotes and comments, a group, an address in an encoded word, something that is not closed. The
 * same address may stand there more than once.
 */
function soleMailbox(header: string): Mailbox | null {
  if (header.length > MAX_HEADER) return null;
  const read = unwrapped([...tokens(header)]);
  if (read.some(({ kind }) => kind === 'broken') || (isUnsure(read) && !holdsOneAlone(header, read))) return null;
  const entries = entriesOf(read).map(shownOf);
  const addresses = entries.flatMap(addressesOf);
  const [address] = addresses;
  if (!address || addresses.some((each) => each === null || !isSame(each, address))) return null;
  const comments = read.filter(({ kind }) => kind === 'comment');
  // A reader that looks for brackets first finds those of a comment where there are no others.
  const isBare = !read.some(({ kind }) => kind === 'angle');
  const isHidden = isBare && comments.some(({ text }) => anglesIn(text).some((each) => !isSame(each, address)));
  return isHidden ? null : { address, name: nameOf(read, address) };
}

/** A colon may belong to a name or begin a group, and a bracket that nothing has opened may hide what stands before it. */
const isUnsure = (read: readonly Token[]): boolean => read.some(({ kind }) => kind === 'colon' || kind === 'unopened');

/** "Ada :) <a@b>": with one sign in all of the header, and brackets around it, nobody can see another address. */
const holdsOneAlone = (header: string, read: readonly Token[]): boolean =>
  decodeWords(header).split('@').length === 2 &&
  read.some(({ kind, text }) => kind === 'angle' && text.includes('@')) &&
  !read.some(({ kind }) => kind === 'semicolon');

/** Some programs put all of it into quotation marks; what stands beside those could be read instead. */
function unwrapped(read: readonly Token[]): readonly Token[] {
  const [only, ...more] = read;
  return only?.kind === 'quoted' && more.length === 0 ? [...tokens(only.text)] : read;
}

function entriesOf(read: readonly Token[]): readonly (readonly Token[])[] {
  const entries: Token[][] = [[]];
  for (const token of read) {
    if (token.kind === 'comma' || token.kind === 'semicolon') entries.push([]);
    else entries.at(-1)?.push(token);
  }
  return entries;
}

const SILENT: ReadonlySet<Token['kind']> = new Set(['comment', 'stray']);

const shownOf = (entry: readonly Token[]): readonly Token[] => entry.filter(({ kind }) => !SILENT.has(kind));

/** Each address that a reader could find in an entry; null for what could be one and is not read. */
function addressesOf(entry: readonly Token[]): readonly (string | null)[] {
  const angles = entry.filter(({ kind }) => kind === 'angle');
  const around = entry.filter(({ kind, text }) => kind === 'text' && text.includes('@'));
  if (angles.length > 0) return [...angles.map(addressInside), ...around.map(({ text }) => wordAsAddress(text))];
  const bare = bareAddress(entry);
  // An entry of its own is no name, whatever its words are quoted or encoded with.
  return bare !== null || entry.some(({ text }) => decodeWords(text).includes('@')) ? [bare] : [];
}

/** Programs that write the address in place of a name may encode it like one. */
const wordAsAddress = (text: string): string | null => normaliseAddress(withoutQuotes(decodeWords(text)));

function inLastAngle(entry: readonly Token[]): string | null {
  const angle = entry.findLast(({ kind }) => kind === 'angle');
  return angle ? addressInside(angle) : null;
}

const anglesIn = (comment: string): readonly (string | null)[] =>
  [...tokens(comment)].flatMap((token) =>
    token.kind === 'angle' && token.text.includes('@') ? [addressInside(token)] : [],
  );

/** `<a@b>`, and as programs write it: in quotation marks, in brackets once more, behind a route (RFC 5322 section 4.4). */
function addressInside({ text }: Pick<Token, 'text'>): string | null {
  const inside = [...tokens(text)];
  if (inside.some((token) => token.kind === 'comment' && token.text.includes('@'))) return null;
  const shown = shownOf(inside);
  const [only] = shown;
  if (only && shown.length === 1 && only.kind === 'angle') return bareAddress(shownOf([...tokens(only.text)]));
  if (only && shown.length === 1 && only.kind === 'quoted') return bareAddress([...tokens(only.text)]);
  return bareAddress(shown.slice(routeIn(shown)));
}

/** How many pieces are the domains that a mail was to pass through, each behind its sign, and the colon; 0 without them. */
function routeIn(shown: readonly Token[]): number {
  const colon = shown.findIndex(({ kind }) => kind === 'colon');
  const isHop = ({ kind, text }: Token) =>
    kind === 'comma' || (kind === 'text' && text.startsWith('@') && normaliseDomain(text.slice(1)) !== null);
  return colon > 0 && shown.slice(0, colon).every(isHop) ? colon + 1 : 0;
}

/**
 * One word, or a quoted local part and its domain right behind it. Gluing more together would invent an address, and
 * readers disagree about words before a bare one: `x a@b.test` is `xa@b.test` to some.
 */
function bareAddress(entry: readonly Token[]): string | null {
  const [first, second] = entry;
  if (first?.kind === 'text' && entry.length === 1) {
    return first.text.includes('=?') ? null : normaliseAddress(withoutQuotes(first.text));
  }
  const isOne = first?.kind === 'quoted' && second?.kind === 'text' && entry.length === 2 && first.end === second.start;
  return isOne && !second.text.includes('=?') ? normaliseAddress(requote(first.text) + second.text) : null;
}

const QUOTES: readonly string[] = ["''", "`'", '[]', '‘’', '“”', '„“', '«»'];

/** `'a@b'`: what stands around it is no part of an address, although an apostrophe could be. */
const withoutQuotes = (text: string): string =>
  text.length > 2 && QUOTES.includes(`${text[0]}${text.at(-1)}`) ? text.slice(1, -1) : text;

const isSame = (one: string | null, other: string): boolean => one !== null && lowerAscii(one) === lowerAscii(other);

/** Of an entry, or of all of a From: the words beside the address, else what a comment says, else the address as a name. */
function nameOf(read: readonly Token[], address: string): string {
  const words = read.filter(({ kind }) => kind === 'text' || kind === 'quoted' || SIGNS.has(kind));
  const hasAngle = read.some(({ kind }) => kind === 'angle');
  const isAddress = ({ kind, text }: Token) => kind === 'text' && isSame(wordAsAddress(text), address);
  const named = hasAngle ? joined(words.filter((token) => !isAddress(token))) : '';
  if (named !== '') return named;
  const comment = read.find(({ kind }) => kind === 'comment');
  if (comment) return headerText(comment.text, MAX_NAME);
  return hasAngle ? joined(words) : '';
}

const SIGNS: ReadonlySet<Token['kind']> = new Set(['comma', 'colon', 'unopened']);

function joined(words: readonly Token[]): string {
  const line = words.map(({ kind, text }) => (SIGNS.has(kind) ? text : ` ${text}`)).join('');
  return withoutQuotes(headerText(line, MAX_NAME).replace(/^[ ,]{1,9}|[ ,]{1,9}$/g, '')).trim();
}

const requote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;

function* tokens(header: string): Generator<Token> {
  let position = 0;
  while (position < header.length) {
    const { token, next } = readToken(header, position);
    if (token) yield { ...token, start: position, end: next };
    position = next;
  }
}

interface Piece {
  readonly token: Pick<Token, 'kind' | 'text'> | null;
  readonly next: number;
}

function readToken(header: string, position: number): Piece {
  const character = header[position] ?? '';
  if (character === '"') return delimited(header, 'quoted', quotedString(header, position + 1));
  if (character === '<') return delimited(header, 'angle', angle(header, position));
  if (character === '(') return delimited(header, 'comment', comment(header, position));
  const kind = PUNCTUATION[character];
  if (kind) return { token: { kind, text: character }, next: position + 1 };
  // Of other blanks of Unicode a server makes a part of the word.
  if (/[ \t\r\n]/.test(character)) return { token: null, next: position + 1 };
  MAILTO.lastIndex = position;
  const [link, opening = '', linked = ''] = MAILTO.exec(header) ?? [];
  if (link !== undefined) return { token: { kind: 'text', text: opening + linked }, next: position + link.length };
  ENCODED.lastIndex = position;
  const word = ENCODED.exec(header)?.[0];
  if (word !== undefined) return { token: { kind: 'text', text: word }, next: position + word.length };
  PLAIN.lastIndex = position;
  const text = PLAIN.exec(header)?.[0] ?? character;
  return { token: { kind: 'text', text }, next: position + text.length };
}

/** Past the end means that the closing sign is missing. */
const delimited = (header: string, kind: Token['kind'], { text, next }: { text: string; next: number }): Piece => ({
  token: { kind: next > header.length ? 'broken' : kind, text },
  next,
});

/** An address as a link; the sign before it closes behind it. */
const MAILTO = /(['[]?)(?:mailto|smtp):([^ \t\r\n"(<>,:;)]{1,400})/iy;
/** An encoded word (RFC 2047): none of its signs parts addresses. */
const BEGIN = /=\?[^?\s]{1,80}\?[bq]\?/gi;
const ENCODED = /=\?[^?\s]{1,80}\?[bq]\?[^?\s]{0,2000}\?=/iy;
const PLAIN = /[^ \t\r\n"(<>,:;)]+/y;

const PUNCTUATION: Readonly<Record<string, Token['kind']>> = {
  ',': 'comma',
  ':': 'colon',
  ';': 'semicolon',
  '>': 'stray',
  ')': 'unopened',
};

/** Each reader answers with where to go on; past the end means that its closing sign is missing. */
function quotedString(header: string, start: number): { text: string; next: number } {
  let text = '';
  let position = start;
  while (position < header.length && header[position] !== '"') {
    if (header[position] === '\\') position += 1;
    text += header[position] ?? '';
    position += 1;
  }
  return { text, next: position + (position < header.length ? 1 : 2) };
}

/** Brackets inside of brackets count; quotation marks hide them. */
function angle(header: string, start: number): { text: string; next: number } {
  let position = start + 1;
  let quoted = false;
  let depth = 1;
  while (position < header.length) {
    const character = header[position];
    if (character === '\\' && quoted) position += 1;
    else if (character === '"') quoted = !quoted;
    else if (character === '<' && !quoted) depth += 1;
    else if (character === '>' && !quoted) depth -= 1;
    if (depth === 0) return { text: header.slice(start + 1, position), next: position + 1 };
    position += 1;
  }
  return { text: header.slice(start + 1), next: header.length + 1 };
}

function comment(header: string, start: number): { text: string; next: number } {
  let depth = 0;
  for (let position = start; position < header.length; position += 1) {
    const character = header[position];
    if (character === '\\') position += 1;
    else if (character === '(') depth += 1;
    else if (character === ')') {
      depth -= 1;
      if (depth === 0) return { text: header.slice(start + 1, position), next: position + 1 };
    }
  }
  return { text: header.slice(start + 1), next: header.length + 1 };
}

/** Whom From names: exactly one header with exactly one mailbox, else nobody (RFC 5322 section 3.6.2, RFC 6854). */
export function readFrom(block: HeaderBlock): FromHeader {
  const headers = block.lines.filter((line) => line.name === 'from');
  if (headers.length === 0) return { kind: block.hiddenFrom ? 'ambiguous' : 'missing' };
  if (headers.length > 1 || block.hiddenFrom) return { kind: 'ambiguous' };
  const value = headers[0]?.value ?? '';
  if (value === '') return { kind: 'missing' };
  const mailbox = soleMailbox(value);
  return mailbox ? { kind: 'one', mailbox } : { kind: 'ambiguous' };
}
