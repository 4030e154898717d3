import { domainToASCII, domainToUnicode } from 'node:url';
import { matchesGlob } from '../../lib/glob.ts';

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
 * Whether an address fits a pattern of interfaces.md: the whole address, any case, domain in punycode, `*` for any
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
