import { matchesGlob } from '../../../lib/glob.ts';
import { normaliseDomain } from '../../mime/address.ts';
import { firstHeader, type HeaderLine, headerValues } from '../../mime/headers.ts';
import { isPlainLine, receivedBy } from '../received-line.ts';
import { beginsPlainly, type MethodResult, readResults, stamperOf, UNNAMED } from './results-header.ts';

/** A server whose word on senders counts. */
export interface TrustedServer {
  /** The name that its headers begin with, or `UNNAMED`. */
  readonly authservId: string;
  /** Names after `by` in Received lines of servers behind it, `*` for any run. */
  readonly trustedReceived: readonly string[];
}

/** What a border is asked about: a mail's header, and MAIL FROM where its door knows it. */
export interface Stamped {
  readonly headers: readonly HeaderLine[];
  readonly mailFrom: string | null;
}

/** What a border says of a mail. */
export type BorderVerdict =
  /** Nothing. */
  | { readonly kind: 'silent' }
  /** Something of which it cannot be told whose words it is. `detail` in words. */
  | { readonly kind: 'unbelieved'; readonly detail: string }
  | {
      readonly kind: 'said';
      readonly dmarc: MethodResult | null;
      /** Of the envelope sender. */
      readonly spf: MethodResult | null;
      /** Of the greeting. */
      readonly greeting: MethodResult | null;
      readonly dkim: readonly MethodResult[];
      /** One line: all that it said. */
      readonly detail: string;
    };

const MAX_HEADERS = 60;
const MAX_SIGNATURES = 50;

/** Before the name of a border that said nothing of a mail. */
export const NO_VERDICT = 'no Authentication-Results of ';
/** Behind a setting that can be no border's name. */
export const NO_BORDER = ' is no name of a border';
/** Between the name of a border and what it said of a mail, where that proves nobody. */
export const BORDER_SAYS = ' says ';
/** Before what the gateway's own check found of a mail that a border vouches for. */
export const OWN_CHECK = '; by our own check: ';
/** Before the reason, where a sender may have put words into the border's mouth. */
export const UNBELIEVED = 'nothing that can be believed: ';

/**
 * What the border says. Only its own headers count, and only those above the first Received line that it or a server
 * behind it did not write: everything from there down came with the mail and anyone may have written it. A border that
 * writes its results below its own Received line has to be named in `trustedReceived`. Of a border without a name one
 * header counts, the topmost.
 *
 * `mailFrom`: the envelope sender, where the door knows it.
 */
export function readVerdict(
  headers: readonly HeaderLine[],
  border: TrustedServer,
  { mailFrom }: { readonly mailFrom: string | null } = { mailFrom: null },
): BorderVerdict {
  const chosen = chosenBySender(headers, mailFrom);
  if (chosen !== null) return unbelieved(chosen);
  const { values, isPlain } = headersOfBorder(headers, border);
  if (values.length === 0) return { kind: 'silent' };
  if (values.length > MAX_HEADERS) return unbelieved(`it has more than ${MAX_HEADERS} headers`);
  if (!isPlain) return unbelieved('a sender or his server may have written one of its lines');
  const results: MethodResult[] = [];
  for (const value of values) {
    const read = readResults(value, border.authservId);
    if (!read.ok) return unbelieved(read.why);
    results.push(...read.results);
  }
  const isNull = (mailFrom ?? firstHeader(headers, 'return-path')?.replace(/^<>$/, '')) === '';
  return verdictOf(results, isNull);
}

const unbelieved = (why: string): BorderVerdict => ({ kind: 'unbelieved', detail: UNBELIEVED + why });

/** Signs with which a comment, a quotation or a result ends: what a sender needs to write results of his own. */
const ENDING = /["();\\<>\s]/;

/** A border writes the envelope sender into its comments as it came. */
function chosenBySender(headers: readonly HeaderLine[], mailFrom: string | null): string | null {
  // That of a mailbox is written by its own server; one that came with the mail harms its sender alone.
  const known = [...(mailFrom === null ? [] : [mailFrom]), ...headerValues(headers, 'return-path')];
  return known.some((sender) => ENDING.test(sender.replace(/^<|>$/g, '').trim()))
    ? 'the envelope sender holds quotes, brackets, semicolons, backslashes or blanks'
    : null;
}

/** The headers of the border that are believed. */
export const believedHeaders = (headers: readonly HeaderLine[], border: TrustedServer): readonly string[] =>
  headersOfBorder(headers, border).values;

function headersOfBorder(headers: readonly HeaderLine[], { authservId, trustedReceived }: TrustedServer): Believed {
  const own = authservId.toLowerCase();
  const isInside = (host: string | null) => host !== null && trustedReceived.some((glob) => matchesGlob(host, glob));
  // By its name alone: a pattern for the servers behind the border must not let a second line of the border in.
  const stampsBelow = trustedReceived.some((pattern) => pattern.toLowerCase() === own);
  const values: string[] = [];
  let isPlain = true;
  let isBelowOwn = false;
  for (const [index, { results, received }] of stretchesOf(headers, own).entries()) {
    const host: string | null = received === null || isBelowOwn ? null : receivedBy(received);
    const isOurs = host === own || isInside(host);
    const believed = believedIn(results, { above: index, isOurs });
    values.push(...believed.map(({ value }) => value));
    isPlain &&= own === UNNAMED || believed.every(({ value }) => beginsPlainly(value));
    // What follows the results below its own line came with the mail, whoever that line names.
    if (received === null || isBelowOwn) break;
    isPlain &&= isPlainLine(received);
    isBelowOwn = host === own && stampsBelow;
    if (!isBelowOwn && (host === own || !isOurs)) break;
  }
  return { values: own === UNNAMED ? values.slice(0, 1) : values, isPlain };
}

interface Result {
  readonly value: string;
  /** Its place among the headers. */
  readonly at: number;
}

/**
 * Below a Received line of the border's own servers nothing says where their headers end and those of the sender begin, and
 * the next line in their name may be the sender's, too. What one server writes for several filters stands together.
 */
function believedIn(
  results: readonly Result[],
  // `above`: how many Received lines stand above them. `isOurs`: whether the one below them names the border or a server of it.
  { above, isOurs }: { readonly above: number; readonly isOurs: boolean },
): readonly Result[] {
  if (above === 0) return results;
  if (!isOurs) return results.slice(0, 1);
  const end = results.findIndex(({ at }, index) => index > 0 && at !== (results[index - 1]?.at ?? 0) + 1);
  return end < 0 ? results : results.slice(0, end);
}

interface Believed {
  readonly values: readonly string[];
  readonly isPlain: boolean;
}

/** The results of a border between two Received lines, with the line that stands below them; null at the end. */
function stretchesOf(headers: readonly HeaderLine[], own: string) {
  const stretches: { results: Result[]; received: string | null }[] = [{ results: [], received: null }];
  for (const [at, { name, value }] of headers.entries()) {
    const last = stretches.at(-1);
    if (last && name === 'authentication-results' && stamperOf(value) === own) last.results.push({ value, at });
    if (!last || name !== 'received') continue;
    last.received = value;
    stretches.push({ results: [], received: null });
  }
  return stretches;
}

/**
 * One verdict for each method, or none is believed. A repeated one is the same; `none` is one, too: it is what a border
 * writes beside a result that a sender has slipped in.
 */
function verdictOf(results: readonly MethodResult[], isNull: boolean): BorderVerdict {
  const detail = results.length === 0 ? 'none' : results.map(describe).join(', ').slice(0, 500);
  const of = (method: string) => results.filter((each) => each.method === method);
  const dmarc = distinct(of('dmarc'), ({ properties }) => properties.get('header.from'));
  const spf = of('spf');
  // The greeting is checked as well by some, and told beside it.
  const greeting = distinct(spf.filter(isOfGreeting), ({ properties }) => properties.get('smtp.helo'));
  const envelope = distinct(
    spf.filter((each) => !isOfGreeting(each)),
    ({ properties }) => domainPart(properties.get('smtp.mailfrom')),
  );
  const dkim = of('dkim');
  if (dmarc.length > 1) return unbelieved(`${detail} are more than one verdict of DMARC`);
  if (envelope.length > 1 || greeting.length > 1) return unbelieved(`${detail} are more than one verdict of SPF`);
  if (!isNull && spf.some(isCutOff)) return unbelieved('the sender that SPF speaks of may have ended early');
  // Where there is no envelope sender, what is said of one beside the greeting was said by the greeting.
  if (greeting.length > 0 && isNull && domainPart(envelope[0]?.properties.get('smtp.mailfrom')) !== null)
    return unbelieved(`${detail} speaks of an envelope sender where there is none`);
  if (dkim.length > MAX_SIGNATURES) return unbelieved(`it has more than ${MAX_SIGNATURES} results of DKIM`);
  return {
    kind: 'said',
    dmarc: dmarc[0] ?? null,
    spf: envelope[0] ?? null,
    greeting: greeting[0] ?? null,
    dkim,
    detail,
  };
}

/** Nothing stands where a sender does: a semicolon of his own may have ended it. */
const isCutOff = ({ properties }: MethodResult): boolean =>
  [properties.get('smtp.mailfrom'), properties.get('smtp.helo')].includes('');

const isOfGreeting = ({ properties }: MethodResult): boolean =>
  properties.has('smtp.helo') && !properties.has('smtp.mailfrom');

function distinct(
  results: readonly MethodResult[],
  of: (result: MethodResult) => string | null | undefined,
): readonly MethodResult[] {
  const seen = new Map(results.map((each) => [`${each.result} ${(of(each) ?? '').toLowerCase()}`, each]));
  return [...seen.values()];
}

export function describe({ method, result, properties }: MethodResult): string {
  const domain = properties.get('header.from') ?? properties.get('header.d') ?? properties.get('smtp.mailfrom');
  return `${method}=${result}${domain ? ` (${domain.toLowerCase()})` : ''}`;
}

/** The domain of an address or of itself, also in angle brackets, in lower-case punycode; null where there is none. */
export const domainPart = (value: string | undefined): string | null =>
  value === undefined ? null : normaliseDomain(value.replace(/^<|>$/g, '').replace(/^.*@/s, ''));

/** The same domain, its parent or its subdomain. */
export const isRelated = (other: string, domain: string): boolean =>
  other.includes('.') && (other === domain || domain.endsWith(`.${other}`) || other.endsWith(`.${domain}`));

/** Whether a border may take the one to speak for the other (RFC 7489 section 3.1). More than it will, never less. */
export const mayBeAligned = (other: string, domain: string): boolean =>
  isRelated(other, domain) || organisation(other) === organisation(domain);

const organisation = (domain: string): string => domain.split('.').slice(-2).join('.');
