import { createHash } from 'node:crypto';
import { domainOf, normaliseDomain } from '../../mime/address.ts';
import { type HeaderLine, headerValues } from '../../mime/headers.ts';
import type { Identity } from '../../mime/types.ts';
import { bySignature, type MailToJudge, restsOn, unproven } from '../judge-sender.ts';
import {
  type BorderVerdict,
  describe,
  domainPart,
  isRelated,
  mayBeAligned,
  type Stamped,
} from './authentication-results.ts';
import type { MethodResult } from './results-header.ts';

type Said = Extract<BorderVerdict, { kind: 'said' }>;

const METHOD = 'authentication-results';

/**
 * What the border's verdict is worth. A border checks who may speak for From, and does not say what of the mail that
 * covers: its own server does of all of it, a signature of what it signs. `isChecked`: what it covers is found out by our
 * own check afterwards; then the border's policy is enough where it tells of nothing else. Pure.
 */
export function judgeStamp(
  verdict: Said,
  { headers, mailFrom }: Stamped,
  letter: MailToJudge,
  isChecked: boolean,
): Identity {
  const { address } = letter;
  const domain = domainOf(address);
  const refuse = (why: string) => unproven(address, `${verdict.detail}; ${why}`);
  const policy = policyOf(verdict.dmarc, address);
  if (policy === 'against') return unproven(address, verdict.detail);
  if (policy === 'of another') return refuse(`it speaks of another From than ${address}`);
  const signatures = readSignatures(headers);
  if (signatures.some(({ isHostile }) => isHostile))
    return refuse('a signature may have written results of its own, or hides what it says');
  const dkim = dkimResults(verdict.dkim, signatures);
  if (typeof dkim === 'string') return refuse(dkim);
  const detail = policy === 'pass' && verdict.dmarc ? describe(verdict.dmarc) : verdict.detail;
  const senders = [...(mailFrom === null ? [] : [mailFrom]), ...headerValues(headers, 'return-path')].map((sender) =>
    domainPart(sender.trim()),
  );
  const known = signatures.filter((tags) => mayBeAligned(tags.domain, domain));
  const used = known.map(({ sha256 }) => sha256);
  const proven = { address, authenticated: true, method: METHOD, signatures: used, detail, temporary: false } as const;
  if (isOwnServer(verdict.spf, domain, senders)) return { ...proven, ...restsOn(policy, false), covers: null };
  const ground = groundOf({ policy, verdict, dkim, mayRest: isChecked && verdict.greeting === null }, domain);
  if (typeof ground === 'string') return refuse(ground);
  if (signatures.some(({ isPlain }) => !isPlain)) return refuse('a signature could be read in more than one way');
  const isAlone = ground.length === 0 && senders.length > 0 && senders.every((sender) => sender === domain);
  if (isChecked) return { ...proven, ...restsOn(policy, true), covers: isAlone ? null : [] };
  const meant = meantBy(ground, { known, dkim, policy }, domain);
  if (meant.length === 0) return refuse('the signature that it names is not in the mail');
  if (meant.some(({ partial }) => partial))
    return unproven(address, `${detail}; the signature leaves out the end (l=)`);
  const present = new Set(headers.map(({ name }) => name));
  return bySignature(
    {
      covers: [...present].filter((name) => meant.every(({ covers }) => covers.includes(name))),
      signedAt: earliest(meant),
    },
    letter,
    { method: METHOD, ...restsOn(policy, true), signatures: meant.map(({ sha256 }) => sha256), detail },
  );
}

/** Domains of the envelope senders that are known; null where one has none. */
type Senders = readonly (string | null)[];

/**
 * Whether the domain's own server handed the mail over. A border writes the sender down as it reads him, which may be
 * another than the one that it asked SPF about: so every sender that is known has to be of the domain, too. Where none is
 * known, nothing may stand in the result besides.
 */
function isOwnServer(spf: MethodResult | null, domain: string, senders: Senders): boolean {
  if (spf?.result !== 'pass' || domainPart(spf.properties.get('smtp.mailfrom')) !== domain) return false;
  return senders.length === 0 ? spf.properties.size === 1 : senders.every((sender) => sender === domain);
}

/** What DMARC says: that From is proven, that its domain has no record, or that nobody is to be believed. */
type Policy = 'pass' | 'silent' | 'against' | 'of another';

/** No record: by their own words Yahoo's, and Microsoft's where it would have passed. */
const SILENT: ReadonlySet<string> = new Set(['none', 'unknown', 'bestguesspass']);

export function policyOf(dmarc: MethodResult | null, address: string): Policy {
  if (dmarc === null) return 'silent';
  const { result, properties } = dmarc;
  if (result !== 'pass' && !SILENT.has(result)) return 'against';
  const from = properties.get('header.from');
  // What is no plain name was asked for as another one.
  if (from !== undefined && /[^\p{L}\p{N}\p{M}@<>.!#$%&'*+/=?^_`{|}~-]/u.test(from)) return 'of another';
  // A border that has read another From than we have judged that one. Some write the whole address.
  const written = from?.replace(/^<|>$/g, '').toLowerCase() ?? '';
  const isOurs = domainPart(from) === domainOf(address) && (!written.includes('@') || written === address);
  if (isOurs) return result === 'pass' ? 'pass' : 'silent';
  return from === undefined && result !== 'pass' ? 'silent' : 'of another';
}

interface Heard {
  readonly policy: Policy;
  readonly verdict: Said;
  readonly dkim: readonly DkimResult[];
  /** Its policy alone may be enough, where it tells of nothing else. */
  readonly mayRest: boolean;
}

/**
 * The results on which the proof rests, none where the border tells of its policy alone; or why there is no proof.
 *
 * SPF of another domain is none, however DMARC aligns it: whoever has a mailbox or a host anywhere below the domain
 * passes it, could write as anybody of the domain, and could hand on what somebody else has signed long ago.
 */
function groundOf({ policy, verdict: { spf }, dkim, mayRest }: Heard, domain: string): readonly DkimResult[] | string {
  const passed = dkim.filter(({ result }) => result === 'pass');
  if (policy !== 'pass') {
    const exact = passed.filter((each) => isExactly(each, domain));
    return exact.length > 0 ? exact : `no signature and no server of ${domain} itself`;
  }
  const aligned = passed.filter((each) => each.domain === null || isRelated(each.domain, domain));
  if (aligned.length > 0 || (spf === null && dkim.length === 0 && mayRest)) return aligned;
  const other = spf?.result === 'pass' ? domainPart(spf.properties.get('smtp.mailfrom')) : null;
  return other === null
    ? `nothing that it saw speaks for ${domain}`
    : `SPF speaks for ${other} and not for ${domain} itself, and no signature does`;
}

/** Without DMARC nobody says that another domain may speak for it. */
function isExactly({ domain: named, isDomainExact, named: signatures }: DkimResult, domain: string): boolean {
  // A signature that is not named is one of those in the mail.
  if (named === null) return signatures.length > 0 && signatures.every((tags) => tags.domain === domain);
  if (isDomainExact || signatures.length === 0) return named === domain;
  // A name below the domain may be that of a neighbour who signed, too.
  return signatures.every((tags) => tags.domain === domain);
}

/**
 * The signatures that count: those that are named, and where one is not found, or none is named, all of a related domain.
 * What all of them cover is covered, whichever of them the border has seen.
 */
function meantBy(
  ground: readonly DkimResult[],
  { known, dkim, policy }: { readonly known: readonly SignatureTags[] } & Pick<Heard, 'dkim' | 'policy'>,
  domain: string,
): readonly SignatureTags[] {
  const told = (tags: SignatureTags) => dkim.filter((each) => !isNone(each) && each.named.includes(tags));
  const mayProve = (tags: SignatureTags) => {
    const isOfDomain = policy === 'pass' ? isRelated(tags.domain, domain) : tags.domain === domain;
    // Of one that failed nobody has seen more than what it claims.
    return isOfDomain && (told(tags).length === 0 || told(tags).some(({ result }) => result === 'pass'));
  };
  const named = ground.flatMap((each) => {
    const found = each.named.filter(({ domain: signer }) => mayBeAligned(signer, domain));
    return found.some(mayProve) ? found : known;
  });
  // DMARC may rest on one that the border does not tell of.
  const untold = policy === 'pass' ? known.filter((tags) => told(tags).length === 0) : [];
  const meant = [...new Set([...named, ...untold])];
  return meant.some(mayProve) ? meant : [];
}

function earliest(meant: readonly SignatureTags[]): number | null {
  const times = meant.map(({ signedAt }) => signedAt);
  return times.some((time) => time === null) ? null : Math.min(...times.map(Number));
}

/** How a result of DKIM names the signature that it is about; null where the border does not tell. */
interface SignatureName {
  /** `header.d`, or else the domain of `header.i`, which may lie below it. */
  readonly domain: string | null;
  /** It is `d=` itself. */
  readonly isDomainExact: boolean;
  readonly selector: string | null;
  /** The beginning of `b=`, without blanks. */
  readonly value: string | null;
}

interface DkimResult extends SignatureName {
  readonly result: string;
  /** Signatures of the mail that it may be about. */
  readonly named: readonly SignatureTags[];
}

/** What each result is about, or why they prove nobody. Pure. */
function dkimResults(
  results: readonly MethodResult[],
  signatures: readonly SignatureTags[],
): readonly DkimResult[] | string {
  const read: DkimResult[] = [];
  for (const result of results) {
    const name = nameIn(result);
    if (name === null) return 'it names a signature by two domains';
    read.push({ ...name, result: result.result, named: signatures.filter((tags) => isNamed(tags, name)) });
  }
  if (read.some(isNone) && !read.every(isNone)) return 'it saw signatures, and none';
  if (signatures.length > 0 && read.some((each) => tellsTooOften(each, read)))
    return 'it tells of more signatures than there are';
  return disagree(read) ? 'two results for one signature' : read;
}

/** One that stands there once more than its signatures do was written by somebody else. */
function tellsTooOften(one: DkimResult, all: readonly DkimResult[]): boolean {
  if (one.value !== null || one.domain === null || one.named.length === 0) return false;
  const same = all.filter(
    ({ domain, selector, value }) => domain === one.domain && selector === one.selector && value === null,
  );
  return same.length > one.named.length;
}

const NONE: ReadonlySet<string> = new Set(['none', 'unknown']);

/** There was no signature, or none to look at. */
const isNone = ({ result }: Pick<DkimResult, 'result'>): boolean => NONE.has(result);

function nameIn({ properties }: MethodResult): SignatureName | null {
  const said = properties.get('header.d') ?? '';
  const exact = said === '' || said.toLowerCase() === 'none' ? null : normaliseDomain(said);
  if (exact === null && said !== '' && said.toLowerCase() !== 'none') return null;
  const below = domainPart(properties.get('header.i'));
  if (exact !== null && below !== null && below !== exact && !below.endsWith(`.${exact}`)) return null;
  const value = (properties.get('header.b') ?? '').replace(/[ \t]+/g, '');
  const selector = (properties.get('header.s') ?? '').toLowerCase();
  return {
    domain: exact ?? below,
    isDomainExact: exact !== null,
    selector: selector === '' ? null : selector,
    value: value === '' ? null : value,
  };
}

function isNamed(tags: SignatureTags, { domain, isDomainExact, selector, value }: SignatureName): boolean {
  const isOfDomain =
    domain === null || tags.domain === domain || (!isDomainExact && domain.endsWith(`.${tags.domain}`));
  return (
    isOfDomain && (selector === null || tags.selector === selector) && (value === null || begins(tags.value, value))
  );
}

/** Some borders write it in small letters. */
const begins = (whole: string, start: string): boolean =>
  whole.startsWith(start) || (start === start.toLowerCase() && whole.toLowerCase().startsWith(start));

/** Whether two results that differ are about one signature, as far as the border tells. */
function disagree(results: readonly DkimResult[]): boolean {
  return results.some((one, index) =>
    results.slice(index + 1).some((other) => one.result !== other.result && mayBeOne(one, other)),
  );
}

function mayBeOne(one: DkimResult, other: DkimResult): boolean {
  const isSame =
    isCompatible(one.domain, other.domain) &&
    isCompatible(one.selector, other.selector) &&
    isCompatible(one.value, other.value, (left, right) => left.startsWith(right) || right.startsWith(left));
  if (!isSame) return false;
  // A border that tells no `b=` says twice the same of two signatures of one key.
  if (one.value !== null && other.value !== null) return true;
  return new Set([...one.named, ...other.named]).size < 2;
}

const isCompatible = (
  left: string | null,
  right: string | null,
  isSame = (one: string, other: string) => one === other,
): boolean => left === null || right === null || isSame(left, right);

/** What a DKIM-Signature header says of itself (RFC 6376 section 3.5). Whether it holds is another question. */
interface SignatureTags {
  /** In lower-case punycode. */
  readonly domain: string;
  /** In lower case. */
  readonly selector: string;
  /** `b=` without blanks. */
  readonly value: string;
  /** SHA-256 of the signature's bytes: blanks may change on the way, these may not. */
  readonly sha256: string;
  /** Lower-case names in `h=`. */
  readonly covers: readonly string[];
  /** `t=` in ms; null without one. */
  readonly signedAt: number | null;
  /** `l=` may leave a part of the body out. */
  readonly partial: boolean;
  /** Every verifier reads it as it is read here. */
  readonly isPlain: boolean;
  /** A border that writes its tags out may write more than one word of them; one that is long, or says a thing twice, hides that. */
  readonly isHostile: boolean;
}

const MAX_NAMES = 100;
const MAX_TAGS = 50;
/** Of a longer header the end was cut off. */
const MAX_CHARS = 8000;

export function readSignatures(headers: readonly HeaderLine[]): SignatureTags[] {
  return headerValues(headers, 'dkim-signature').map(readTags);
}

function readTags(header: string): SignatureTags {
  const parts = header.split(';');
  const pieces = parts.filter((piece) => piece.trim() !== '');
  const tags = new Map<string, string>();
  // Of a tag that stands there twice a border may write either.
  const written: string[] = [];
  for (const piece of pieces) {
    const equals = piece.indexOf('=');
    const name = piece.slice(0, Math.max(equals, 0)).trim();
    const value = piece.slice(equals + 1).trim();
    if (name !== '' && !tags.has(name)) tags.set(name, value);
    if (WRITTEN_OUT.includes(name.toLowerCase())) written.push(value);
  }
  const value = (tags.get('b') ?? '').replace(/[ \t]+/g, '');
  const signed = tags.get('t') ?? '';
  const domain = normaliseDomain(tags.get('d') ?? '');
  const isPlain =
    header.length < MAX_CHARS &&
    parts.length <= MAX_TAGS + 1 &&
    tags.size === pieces.length &&
    // Of letters in another case some readers make the same tag.
    [...tags.keys()].every((name) => /^[a-z][a-z0-9_]{0,40}$/.test(name)) &&
    /^[ -~\t\p{L}\p{N}\p{M}]*$/u.test(header) &&
    /^[ -~\t]*$/.test(tags.get('h') ?? '') &&
    domain !== null &&
    SELECTOR.test(tags.get('s') ?? '') &&
    BASE64.test(value);
  return {
    domain: domain ?? '',
    selector: (tags.get('s') ?? '').toLowerCase(),
    value,
    sha256: createHash('sha256').update(Buffer.from(value, 'base64')).digest('hex'),
    covers: (tags.get('h') ?? '')
      .split(':', MAX_NAMES)
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ''),
    signedAt: /^\d{1,12}$/.test(signed) ? Number(signed) * 1000 : null,
    partial: tags.has('l'),
    isPlain,
    isHostile:
      header.length >= MAX_CHARS ||
      parts.length > MAX_TAGS + 1 ||
      new Set(pieces.map(nameOf)).size < pieces.length ||
      written.some((tag) => ENDING.test(decoded(tag))),
  };
}

const nameOf = (piece: string): string =>
  piece
    .slice(0, Math.max(piece.indexOf('='), 0))
    .trim()
    .toLowerCase();

const SELECTOR = /^[\p{L}\p{N}\p{M}._-]{1,253}$/u;
const BASE64 = /^[A-Za-z0-9+/]{1,4000}={0,2}$/;

/** The tags that borders name a signature by, and what a word of theirs must not hold. */
const WRITTEN_OUT = ['d', 's', 'i', 'a'];
const ENDING = /["();\\\s]/;

/** `i=` may spell signs as `=3B`; a border writes what they mean. */
const decoded = (tag: string): string =>
  tag.replace(/=([0-9A-F]{2})/gi, (_whole, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
