import { matchesGlob } from './glob.ts';
import type { HeaderLine } from './mime/headers.ts';

/** One `method=result` of an Authentication-Results header (RFC 8601) with its properties, all lower case. */
export interface MethodResult {
  readonly method: string;
  readonly result: string;
  /** By `ptype.property`, such as `header.from` or `smtp.mailfrom`. */
  readonly properties: ReadonlyMap<string, string>;
}

export interface StampedVerdict {
  readonly passed: boolean;
  /** One line: what decided. */
  readonly detail: string;
}

const MAX_HEADERS = 60;

/**
 * The border server's verdict about From. Only its own headers count, and only those above the first Received line
 * that it or a server behind it did not write: everything from there down came with the mail and anyone may have
 * written it. The border's own Received line is the last one that is passed, so a forged second one ends the search.
 */
export function readVerdict(
  headers: readonly HeaderLine[],
  from: { domain: string },
  border: { authservId: string; trustedReceived: readonly string[] },
): StampedVerdict {
  const results = headersOfBorder(headers, border).flatMap((value) => parseFor(value, border.authservId) ?? []);
  if (results.length === 0) return { passed: false, detail: `no Authentication-Results of ${border.authservId}` };
  const dmarc = results.filter(({ method }) => method === 'dmarc');
  const spoken = dmarc.filter(({ result }) => result !== 'none');
  if (spoken.length > 0) {
    // Two of the border's headers that disagree are one too many.
    const proven = spoken.every(
      ({ result, properties }) => result === 'pass' && properties.get('header.from') === from.domain,
    );
    return { passed: proven, detail: spoken.map(describe).join(', ') };
  }
  const aligned = results.find((each) => isAligned(each, from.domain));
  if (aligned) return { passed: true, detail: describe(aligned) };
  return { passed: false, detail: results.map(describe).join(', ').slice(0, 500) };
}

function describe({ method, result, properties }: MethodResult): string {
  const domain = properties.get('header.from') ?? properties.get('header.d') ?? properties.get('smtp.mailfrom');
  return `${method}=${result}${domain ? ` (${domain})` : ''}`;
}

/** DKIM or SPF of the From domain itself, of its parent or of its subdomain. */
function isAligned({ method, result, properties }: MethodResult, domain: string): boolean {
  if (result !== 'pass') return false;
  if (method === 'dkim') return related(properties.get('header.d') ?? domainPart(properties.get('header.i')), domain);
  return method === 'spf' && related(domainPart(properties.get('smtp.mailfrom')), domain);
}

const domainPart = (value: string | undefined): string | undefined => value?.slice(value.lastIndexOf('@') + 1);

function related(other: string | undefined, domain: string): boolean {
  if (!other?.includes('.')) return false;
  return other === domain || domain.endsWith(`.${other}`) || other.endsWith(`.${domain}`);
}

function headersOfBorder(
  headers: readonly HeaderLine[],
  border: { authservId: string; trustedReceived: readonly string[] },
): string[] {
  const isInside = (host: string) => border.trustedReceived.some((pattern) => matchesGlob(host, pattern));
  const values: string[] = [];
  let entered = false;
  for (const { name, value } of headers) {
    if (name === 'authentication-results' && values.length < MAX_HEADERS) values.push(value);
    if (name !== 'received') continue;
    const host = receivedBy(value);
    if (entered || !host) break;
    entered = host === border.authservId.toLowerCase() && !isInside(host);
    if (!entered && !isInside(host)) break;
  }
  return values;
}

/** The host after `by`; comments are left out first, because the sender's greeting stands in some of them. */
function receivedBy(value: string): string | null {
  const words = tokens(value.slice(0, 4000)).filter((token) => token !== ';');
  const by = words.findIndex((word) => word.toLowerCase() === 'by');
  return by < 0 ? null : (words[by + 1]?.toLowerCase().replace(/(?<![;.])[;.]+$/, '') ?? null);
}

/** The results of a header of this server; null when another server wrote it. */
export function parseFor(value: string, authservId: string): MethodResult[] | null {
  const [head, ...rest] = splitAt(tokens(value));
  // A version may follow the id: `mx.example.com 1;`
  if (head?.[0]?.toLowerCase() !== authservId.toLowerCase() || !/^\d*$/.test(head[1] ?? '')) return null;
  return rest.flatMap((words) => readResult(words) ?? []);
}

function readResult(words: readonly string[]): MethodResult | null {
  const joined = joinEquals(words);
  const [method = '', result = ''] = (joined[0] ?? '').split('=');
  if (!result) return null;
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
function tokens(value: string): string[] {
  const found: string[] = [];
  const lexeme = /"(?:[^"\\]|\\.)*"?|\\.|[();]|\s+|[^\s"();\\]+/gs;
  let word = '';
  let depth = 0;
  for (let match = lexeme.exec(value); match; match = lexeme.exec(value)) {
    const [text] = match;
    if (text === '(' || text === ')') {
      depth = Math.max(0, depth + (text === '(' ? 1 : -1));
    } else if (depth > 0) {
      // A quotation mark means nothing in a comment, and must not swallow its end.
      if (text.startsWith('"')) lexeme.lastIndex = match.index + 1;
    } else if (text === ';' || text.trim() === '') {
      found.push(word, text.trim());
      word = '';
    } else {
      word += plainWord(text);
    }
  }
  return [...found, word].filter((each) => each !== '');
}

const plainWord = (text: string): string => {
  if (text.startsWith('"'))
    return text
      .replace(/^"|"$/g, '')
      .replace(/\\(.)/gs, '$1')
      .replace(/[\s;=]/g, '_');
  return text.startsWith('\\') ? text.slice(1) : text;
};
