import { domainToASCII } from 'node:url';
import { EngineError } from '#contract';
import { look, type Seen } from '../peer/look.ts';
import type { Protocol } from '../peer/net.ts';
import { isHostName, isPublicName, readAutoconfig } from './autoconfig.ts';
import {
  candidate,
  guesses,
  inOrder,
  type NamedBy,
  ofProvider,
  ofServices,
  organisationOf,
  SERVICES,
  type ServerCandidate,
} from './candidates.ts';
import { byDomain, byExchangers } from './known.ts';
import type { Lookups } from './lookups.ts';
import type { Provider } from './provider-types.ts';

export interface FoundServers {
  readonly address: string;
  readonly provider: Provider | null;
  /** The best of each kind; null where nobody named one and none was found. */
  readonly imap: FoundServer | null;
  readonly smtp: FoundServer | null;
  /** What else was named, best first. */
  readonly others: readonly ServerCandidate[];
}

export interface FoundServer extends ServerCandidate {
  /** It answered in its protocol, with a certificate that proves its name; not looked at where its provider is known. */
  readonly answered: boolean;
}

const GATHER_MS = 3000;
const LOOK_MS = 1500;
const MAX_LOOKED_AT = 24;
const MAX_HOPS = 3;
const DIRECTORY = 'https://autoconfig.thunderbird.net/v1.1/';

interface Search {
  readonly address: string;
  readonly domain: string;
  readonly lookups: Lookups;
  readonly signal: AbortSignal;
}

/**
 * The servers of a mail address: from the table of providers, else from what its domain says of itself (autoconfig,
 * .well-known, SRV, its mail exchangers), all asked at once within 3 s, else by trying the usual names. Nothing secret
 * is sent. The address goes to nobody but its own domain, and there over HTTPS alone; `askDirectory` lets Thunderbird's
 * directory be asked for the domain. Throws `usage` for what is no address.
 */
export async function findServers(
  written: string,
  options: {
    readonly lookups: Lookups;
    readonly askDirectory: boolean;
    readonly gatherMs?: number;
    readonly ca?: string;
  },
): Promise<FoundServers> {
  const at = written.lastIndexOf('@');
  const domain = domainToASCII(
    written
      .slice(at + 1)
      .toLowerCase()
      .replace(/\.$/, ''),
  );
  if (at < 1 || /[\p{Cc}\s<>,;]/u.test(written) || !isHostName(domain)) {
    throw new EngineError('usage', `"${written}" is no mail address`);
  }
  const address = `${written.slice(0, at)}@${domain}`;
  // A network at home or in a company has names that nobody outside can look up.
  if (!isPublicName(domain)) return settle(address, [], []);
  const known = byDomain(domain);
  if (known) return settle(address, ofProvider(known, address, 'known'), []);
  const { lookups, askDirectory, gatherMs = GATHER_MS } = options;
  const named = await gather({ address, domain, lookups, signal: AbortSignal.timeout(gatherMs) }, askDirectory);
  const exchanger = named.filter(({ source }) => source === 'exchanger');
  if (exchanger.length > 0) return settle(address, exchanger, []);
  const all = inOrder([...named, ...guesses(address, domain)]);
  const seen = await Promise.all(
    all.slice(0, MAX_LOOKED_AT).map(async (one): Promise<readonly [ServerCandidate, boolean]> => {
      const { net } = lookups;
      const ca = options.ca;
      return [one, isProven(await look({ net, protocol: one.protocol, server: one.server, ca, ms: LOOK_MS }))];
    }),
  );
  return settle(
    address,
    all,
    seen.flatMap(([one, answered]) => (answered ? [one] : [])),
  );
}

const isProven = ({ tls, greeting }: Seen): boolean => tls?.ok === true && tls.code === null && greeting !== null;

/** A guess counts only if somebody answered there; what was named counts also where nobody does, so that it can be said. */
function settle(address: string, all: readonly ServerCandidate[], answered: readonly ServerCandidate[]): FoundServers {
  const best = (protocol: Protocol): FoundServer | null => {
    const mine = all.filter((one) => one.protocol === protocol);
    const one = mine.find((each) => answered.includes(each)) ?? mine.find(({ source }) => source !== 'guess');
    return one ? { ...one, answered: answered.includes(one) } : null;
  };
  const [imap, smtp] = [best('imap'), best('smtp')];
  const taken = [imap?.server, smtp?.server];
  const others = all.filter((one) => !taken.includes(one.server) && (one.source !== 'guess' || answered.includes(one)));
  return { address, provider: imap?.provider ?? smtp?.provider ?? null, imap, smtp, others };
}

/** Asks everybody at once; whoever does not answer in time has said nothing. */
async function gather(search: Search, askDirectory: boolean): Promise<readonly ServerCandidate[]> {
  const { domain, address } = search;
  const path = 'mail/config-v1.1.xml';
  const asking = `?emailaddress=${encodeURIComponent(address)}`;
  const exchangers = ofExchangers(search);
  const asked = [
    exchangers,
    page(search, `https://autoconfig.${domain}/${path}${asking}`, 'autoconfig'),
    page(search, `https://${domain}/.well-known/autoconfig/${path}`, 'well_known'),
    page(search, `http://autoconfig.${domain}/${path}`, 'plain_http'),
    page(search, `http://${domain}/.well-known/autoconfig/${path}`, 'plain_http'),
    ...SERVICES.map((service) => ofService(search, service)),
    ...(askDirectory ? [page(search, `${DIRECTORY}${domain}`, 'directory')] : []),
  ];
  const everything = Promise.all(asked.map((one) => inTime(one, search.signal)));
  // Customers of a provider in the table are settled by that.
  const early = inTime(exchangers, search.signal).then((found) =>
    found.some(({ source }) => source === 'exchanger') ? [found] : everything,
  );
  return (await early).flat();
}

/** What it comes to, or nothing when it fails or is too late. */
function inTime(work: Promise<readonly ServerCandidate[]>, signal: AbortSignal): Promise<readonly ServerCandidate[]> {
  const { promise, resolve } = Promise.withResolvers<readonly ServerCandidate[]>();
  signal.addEventListener('abort', () => resolve([]), { once: true });
  work.then(resolve, () => resolve([]));
  return promise;
}

async function ofService(
  { lookups, address, domain }: Search,
  service: (typeof SERVICES)[number],
): Promise<readonly ServerCandidate[]> {
  return ofServices(service, await lookups.srv(`${service.label}.${domain}`), { address, domain });
}

/** The provider to which the domain's mail goes; else what the domain of its exchanger says of itself. */
async function ofExchangers(search: Search): Promise<readonly ServerCandidate[]> {
  const { lookups, address, domain } = search;
  const records = (await lookups.mx(domain)).toSorted((a, b) => a.priority - b.priority);
  const hosts = records.map(({ exchange }) => exchange.toLowerCase().replace(/\.$/, '')).filter(isPublicName);
  const provider = byExchangers(hosts);
  if (provider) return ofProvider(provider, address, 'exchanger');
  const parent = hosts[0] === undefined ? null : organisationOf(hosts[0]);
  if (parent === null || parent === domain) return [];
  return page(search, `https://autoconfig.${parent}/mail/config-v1.1.xml`, 'exchanger_autoconfig');
}

/** An autoconfig answer, redirects followed; one over plain HTTP anywhere on the way makes all of it a hint. */
async function page(search: Search, first: string, named: NamedBy): Promise<readonly ServerCandidate[]> {
  const { lookups, signal, address, domain } = search;
  let url = first;
  let source = named;
  for (let hop = 0; hop <= MAX_HOPS; hop += 1) {
    const { status, text, location } = await lookups.fetch(url, signal);
    if (status === 200) return readAutoconfig(text, address).map((one) => candidate(one, source, domain));
    const next = status >= 300 && status < 400 && location !== null ? URL.parse(location, url) : null;
    if (!next || !isPublicName(next.hostname) || !/^https?:$/.test(next.protocol)) return [];
    if (next.protocol === 'http:') source = 'plain_http';
    // The address is for the domain's own page, and not for whoever that names.
    next.search = '';
    url = next.href;
  }
  return [];
}
