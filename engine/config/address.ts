import { domainToASCII } from 'node:url';

const PLAIN_DOMAIN = /^[a-z0-9.-]+$/;

/**
 * An address as it is compared: lower case, domain in punycode without a closing dot. Null when it is not one
 * address. Local parts are case-sensitive by RFC 5321 and nowhere in practice; two personas that differ in case
 * alone would be a trap.
 */
export function addressKey(address: string): string | null {
  const at = address.lastIndexOf('@');
  if (at < 1 || at === address.length - 1 || address.length > 320) return null;
  const local = address.slice(0, at).normalize('NFC').toLowerCase();
  const written = address
    .slice(at + 1)
    .toLowerCase()
    .replace(/\.$/, '');
  const domain = PLAIN_DOMAIN.test(written) ? written : domainToASCII(written);
  return domain === '' ? null : `${local}@${domain}`;
}

/** The address without its plus-tag; null when it has none. Takes and returns a key of `addressKey`. */
export function withoutPlusTag(key: string): string | null {
  const plus = key.indexOf('+');
  const at = key.lastIndexOf('@');
  return plus < 1 || plus > at ? null : key.slice(0, plus) + key.slice(at);
}
