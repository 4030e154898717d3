import type { Provider } from './provider-types.ts';
import { PROVIDERS } from './providers.ts';

const isWithin = (host: string, domain: string): boolean => host === domain || host.endsWith(`.${domain}`);

/** `yahoo.*` fits yahoo.de and yahoo.co.uk, and not yahoo.example.com. */
function fits(pattern: string, domain: string): boolean {
  if (!pattern.endsWith('.*')) return isWithin(domain, pattern);
  const name = pattern.slice(0, -1);
  return domain.startsWith(name) && /^([a-z]{2,3}|com?\.[a-z]{2})$/.test(domain.slice(name.length));
}

/** The provider of addresses in `domain` (lower case, punycode). */
export const byDomain = (domain: string): Provider | null =>
  PROVIDERS.find(({ domains }) => domains.some((pattern) => fits(pattern, domain))) ?? null;

/** The provider to which one of these mail exchangers belongs. */
export const byExchangers = (hosts: readonly string[]): Provider | null =>
  PROVIDERS.find(({ exchangers }) => exchangers.some((domain) => hosts.some((host) => isWithin(host, domain)))) ?? null;

/** The provider whose server this is; of several with one server the first. */
export const byServer = (host: string): Provider | null =>
  host === '127.0.0.1' ? null : (PROVIDERS.find(({ imap, smtp }) => imap.host === host || smtp.host === host) ?? null);
