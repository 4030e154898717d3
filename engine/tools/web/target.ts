import { lookup as systemLookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { EngineError } from '#contract';

export interface Address {
  readonly address: string;
  readonly family: number;
}

/** Every address of a name, as the system resolves it. */
export type Lookup = (hostname: string) => Promise<readonly Address[]>;

export const lookupAll: Lookup = (hostname) => systemLookup(hostname, { all: true });

const MAX_URL = 4096;

const refused = (message: string, cause?: unknown) => new EngineError('tool_failed', message, { cause });

/**
 * Parses and checks a URL, or a redirect's target against where it came from. WHATWG parsing turns `0x7f.1`,
 * `2130706433` and `127.1` into the dotted form, so that the address check sees what would be connected to.
 */
export function webUrl(text: string, base?: URL): URL {
  const url = text.length <= MAX_URL ? URL.parse(text, base?.href) : null;
  if (!url) throw refused(base ? 'the page redirects to something that is not a URL' : 'that is not a URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refused(`only http and https can be fetched, not ${url.protocol.slice(0, 20)}`);
  }
  if (url.username || url.password) throw refused('a URL with a user name or password in it is not fetched');
  if (!url.hostname) throw refused('the URL names no host');
  url.hash = '';
  return url;
}

/** The host without brackets, lower case, without the root dot that would make a second spelling. */
const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

export const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80);

/** An entry is a host or `host:port`. */
function isListed(url: URL, allowHosts: readonly string[]): boolean {
  const bare = hostOf(url);
  const names = [bare, `[${bare}]`, `${bare}:${portOf(url)}`, `[${bare}]:${portOf(url)}`];
  return allowHosts.some((entry) => names.includes(entry.toLowerCase()));
}

/**
 * The addresses that may be connected to for this hop. One private address among public ones refuses the host:
 * a name that answers with both is how a rebinding attack begins.
 */
export async function checkedAddresses(
  url: URL,
  options: {
    readonly lookup: Lookup;
    readonly isAllowed: (address: string, port: number) => boolean;
    readonly allowHosts: readonly string[];
  },
): Promise<readonly Address[]> {
  const host = hostOf(url);
  const family = isIP(host);
  const addresses = family ? [{ address: host, family }] : await resolved(host, options.lookup);
  if (isListed(url, options.allowHosts)) return addresses;
  if (!addresses.every(({ address }) => options.isAllowed(address, portOf(url)))) {
    throw refused(`${host} is not on the public internet; the gateway's owner can list it in allow_hosts`);
  }
  return addresses;
}

async function resolved(host: string, lookup: Lookup): Promise<readonly Address[]> {
  const addresses = await lookup(host).catch((error: unknown) => {
    throw refused(`the name ${host} could not be resolved`, error);
  });
  if (addresses.length === 0) throw refused(`the name ${host} has no address`);
  for (const { address } of addresses) if (!isIP(address)) throw refused(`the name ${host} has no usable address`);
  return addresses;
}
