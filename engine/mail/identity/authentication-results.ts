import { matchesGlob } from '../../lib/glob.ts';
import { normaliseDomain } from '../mime/address.ts';
import type { HeaderLine } from '../mime/headers.ts';

/** One `method=result` of an Authentication-Results header (RFC 8601) with its properties, all lower case. */
export interface MethodResult {
  readonly method: string;
  readonly result: string;
  /** By `ptype.property`, such as `header.from` or `smtp.mailfrom`. */
  readonly properties: ReadonlyMap<string, string>;
}

export interface StampedVerdict {
  readonly passed: boolean;
  /** The border saw the mail come from a server of the From domain itself. */
  readonly spfAligned: boolean;
  /** The aligned signatures that the border saw pass; `signature` is the beginning of `b=` where it tells. */
  readonly signers: readonly {
    readonly domain: string;
    readonly selector: string | null;
    readonly signature: string | null;
  }[];
  /** One line: what decided. */
  readonly detail: string;
}

const MAX_HEADERS = 60;

/** Before the name of a border that said nothing of a mail. */
export const NO_VERDICT = 'no Authentication-Results of ';
/** Between the name of a border and what it said of a mail, where that proves nobody. */
export const BORDER_SAYS = ' says ';

/**
 * The border server's verdict about From. Only its own headers count, and only those above the first Received line
 * that it or a server behind it did not write: everything from there down came with the mail and anyone may have
 * written it. A border that writes its results below its own Received line has to be named in `trustedReceived`.
 */
export function readVerdict(
  headers: readonly HeaderLine[],
  from: { domain: string },
  border: { authservId: string; trustedReceived: readonly string[] },
): StampedVerdict {
  const results = headersOfBorder(headers, border).flatMap((value) => parseFor(value, border.authservId) ?? []);
  const aligned = results.filter((each) => isAligned(each, from.domain));
  const ground = {
    spfAligned: aligned.some(({ method }) => method === 'spf'),
    signers: aligned.filter(({ method }) => method === 'dkim').map(signerOf),
  };
  const verdict = (passed: boolean, detail: string): StampedVerdict => ({ passed, detail, ...ground });
  if (results.length === 0) return verdict(false, `${NO_VERDICT}${border.authservId}`);
  const spoken = results.filter(({ method, result }) => method === 'dmarc' && result !== 'none');
  if (spoken.length > 0) {
    // Two of the border's headers that disagree are one too many.
    const proven = spoken.every(
      ({ result, properties }) => result === 'pass' && properties.get('header.from') === from.domain,
    );
    return verdict(proven, spoken.map(describe).join(', '));
  }
  const [first] = aligned;
  if (first) return verdict(true, describe(first));
  return verdict(false, results.map(describe).join(', ').slice(0, 500));
}

const signerOf = ({ properties }: MethodResult) => ({
  domain: signingDomain(properties) ?? '',
  selector: properties.get('header.s') ?? null,
  signature: properties.get('header.b') ?? null,
});

function describe({ method, result, properties }: MethodResult): string {
  const domain = properties.get('header.from') ?? properties.get('header.d') ?? properties.get('smtp.mailfrom');
  return `${method}=${result}${domain ? ` (${domain})` : ''}`;
}

function isAligned({ method, result, properties }: MethodResult, domain: string): boolean {
  if (result !== 'pass') return false;
  if (method === 'dkim') return isRelated(signingDomain(properties), domain);
  return method === 'spf' && isRelated(domainPart(properties.get('smtp.mailfrom')), domain);
}

const signingDomain = (properties: MethodResult['properties']): string | undefined =>
  properties.get('header.d') ?? domainPart(properties.get('header.i'));

const domainPart = (value: string | undefined): string | undefined => value?.slice(value.lastIndexOf('@') + 1);

/** The same domain, its parent or its subdomain. A border that decodes what a sender wrote may hand on more than a domain. */
export function isRelated(other: string | undefined, domain: string): boolean {
  if (!other?.includes('.') || normaliseDomain(other) !== other) return false;
  return other === domain || domain.endsWith(`.${other}`) || other.endsWith(`.${domain}`);
}

function headersOfBorder(
  headers: readonly HeaderLine[],
  border: { authservId: string; trustedReceived: readonly string[] },
): string[] {
  const own = border.authservId.toLowerCase();
  const isInside = (host: string) => border.trustedReceived.some((pattern) => matchesGlob(host, pattern));
  // By its name alone: a pattern for the servers behind the border must not let a second line of the border in.
  let stampsBelow = border.trustedReceived.some((pattern) => pattern.toLowerCase() === own);
  const values: string[] = [];
  for (const { name, value } of headers) {
    if (name === 'authentication-results' && values.length < MAX_HEADERS) values.push(value);
    if (name !== 'received') continue;
    const host = receivedBy(value);
    if (host === own && stampsBelow) stampsBelow = false;
    else if (!host || host === own || !isInside(host)) break;
  }
  return values;
}

/** The server that wrote this Authentication-Results header, lower case; null where it names none. */
export const stamperOf = (value: string): string | null => tokens(value.slice(0, 4000))[0]?.toLowerCase() ?? null;

const MAX_CHARS = 4000;

/**
 * Words of a Received line outside of its comments, in lower case. Null where it cannot be told which of them its server
 * wrote: a greeting with half a comment or half a quotation, or a very long one, hides all that stands behind it.
 */
function wordsOf(value: string): readonly string[] | null {
  if (value.length > MAX_CHARS) return null;
  const read = lexed(value);
  return read.isWhole ? read.words.filter((word) => word !== ';').map((word) => word.toLowerCase()) : null;
}

const countOf = (words: readonly string[], wanted: string): number => words.filter((word) => word === wanted).length;

/**
 * The host after `by`; comments are left out first, because the sender's greeting stands in some of them. Null where `by`
 * stands there twice: one of them may be the greeting's.
 */
export function receivedBy(value: string): string | null {
  const words = wordsOf(value);
  if (words === null || countOf(words, 'by') !== 1) return null;
  return words[words.indexOf('by') + 1]?.replace(/(?<![;.])[;.]+$/, '') ?? null;
}

const WITH_LOGIN: ReadonlySet<string | undefined> = new Set(['esmtpsa', 'esmtpa', 'utf8smtpsa', 'utf8smtpa']);

/**
 * Whether the line says that its server took the mail from somebody who had logged in (RFC 3848). A line in which `by`
 * or a protocol stands twice says nothing, also where one of them is in a comment: the sender's greeting may be the other.
 */
export function isTakenWithLogin(value: string): boolean {
  const words = wordsOf(value);
  if (words === null) return false;
  const by = words.indexOf('by');
  const written = value.toLowerCase().split(/[\s()"\\]{1,200}/);
  const protocols = written.filter((word, at) => word === 'with' && PROTOCOL.test(written[at + 1] ?? ''));
  const isOnce = countOf(words, 'with') === 1 && countOf(written, 'by') === 1 && protocols.length === 1;
  return by >= 0 && isOnce && words[by + 2] === 'with' && WITH_LOGIN.has(words[by + 3]);
}

/** How its server took the mail, as the line says behind `by`; null where it does not. */
export function protocolIn(value: string): string | null {
  const words = wordsOf(value) ?? [];
  const by = words.indexOf('by');
  return by >= 0 && words[by + 2] === 'with' ? (words[by + 3] ?? null) : null;
}

/** Of mail that a server has handed to a program of its own house. */
export const isLmtp = (protocol: string | null): boolean => /^(?:utf8)?lmtp/.test(protocol ?? '');

const PROTOCOL = /^(?:utf8)?e?(?:smtp|lmtp)/;

/** The results of a header of this server, none when they cannot be told apart; null when another server wrote it. */
export function parseFor(value: string, authservId: string): MethodResult[] | null {
  const [head, ...rest] = splitAt(tokens(value));
  // A version may follow the id: `mx.example.com 1;`
  if (head?.[0]?.toLowerCase() !== authservId.toLowerCase() || !/^\d*$/.test(head[1] ?? '')) return null;
  const read = rest.filter((words) => words.length > 0 && words.join(' ') !== 'none').map(readResult);
  // A border that writes what a sender chose without quotes lets his semicolon or blank end a result: where something
  // is left over, what stands before it may be half of it.
  const whole = read.filter((result) => result !== null);
  return whole.length === read.length ? whole : [];
}

function readResult(words: readonly string[]): MethodResult | null {
  const joined = joinEquals(words);
  const [method = '', result = ''] = (joined[0] ?? '').split('=');
  if (!method || !result || !joined.every((word) => word.indexOf('=') > 0)) return null;
  const properties = new Map<string, string>();
  for (const word of joined.slice(1)) {
    const equals = word.indexOf('=');
    const key = word.slice(0, equals).toLowerCase();
    if (equals > 0 && !properties.has(key)) properties.set(key, word.slice(equals + 1).toLowerCase());
  }
  return { method: method.split('/')[0]?.toLowerCase() ?? '', result: result.toLowerCase(), properties };
}

/** Blanks are allowed around `=`. */
function joinEquals(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const last = joined.at(-1);
    if (last !== undefined && (word.startsWith('=') || last.endsWith('='))) joined[joined.length - 1] = last + word;
    else joined.push(word);
  }
  return joined;
}

function splitAt(words: readonly string[]): string[][] {
  const groups: string[][] = [[]];
  for (const word of words) {
    if (word === ';') groups.push([]);
    else groups.at(-1)?.push(word);
  }
  return groups;
}

/**
 * Words and semicolons, without comments, quoted strings as part of their word. A sender chooses the local part that
 * a border writes into `smtp.mailfrom`, so a semicolon inside quotes must not begin a new result.
 */
function lexed(value: string): { readonly words: string[]; readonly isWhole: boolean } {
  const found: string[] = [];
  const lexeme = /"(?:[^"\\]|\\.)*"?|\\.|[();]|\s+|[^\s"();\\]+/gs;
  let word = '';
  let depth = 0;
  let isWhole = true;
  for (let match = lexeme.exec(value); match; match = lexeme.exec(value)) {
    const [text] = match;
    if (text === '(' || text === ')') {
      isWhole &&= text === '(' || depth > 0;
      depth = Math.max(0, depth + (text === '(' ? 1 : -1));
    } else if (depth > 0) {
      // A quotation mark means nothing in a comment, and must not swallow its end.
      if (text.startsWith('"')) lexeme.lastIndex = match.index + 1;
    } else if (text === ';' || text.trim() === '') {
      found.push(word, text.trim());
      word = '';
    } else {
      isWhole &&= !isHalfQuoted(text);
      word += plainWord(text);
    }
  }
  return { words: [...found, word].filter((each) => each !== ''), isWhole: isWhole && depth === 0 };
}

/** A quotation that does not end. */
const isHalfQuoted = (text: string): boolean => text.startsWith('"') && !/^"(?:[^"\\]|\\.)*"$/s.test(text);

const tokens = (value: string): string[] => lexed(value).words;

const plainWord = (text: string): string => {
  if (text.startsWith('"'))
    return text
      .replace(/^"|"$/g, '')
      .replace(/\\(.)/gs, '$1')
      .replace(/[\s;=]/g, '_');
  return text.startsWith('\\') ? text.slice(1) : text;
};
