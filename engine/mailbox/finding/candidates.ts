import { getDomain } from 'tldts';
import type { Protocol, Server } from '../peer/net.ts';
import { isPublicName, type NamedServer } from './autoconfig.ts';
import { byServer } from './known.ts';
import type { Provider } from './provider-types.ts';

/** Who named a server, in the order in which they are believed. */
const SOURCES = [
  'known',
  'exchanger',
  'autoconfig',
  'well_known',
  'srv',
  'guess',
  'exchanger_autoconfig',
  'directory',
  'plain_http',
] as const;
export type NamedBy = (typeof SOURCES)[number];

/**
 * `known`: a server of a provider in our table; `own`: within the domain of the address, so that its certificate
 * proves it; `foreign`: elsewhere; `unproven`: said over plain HTTP, by whoever sat in between. A person has to
 * confirm the last two before anything secret is sent to such a server.
 */
type Trust = 'known' | 'own' | 'foreign' | 'unproven';

export interface ServerCandidate {
  readonly protocol: Protocol;
  readonly server: Server;
  readonly user: string;
  readonly auth: 'password' | 'oauth';
  readonly source: NamedBy;
  readonly trust: Trust;
  /** Whose server it is, where that is in the table. */
  readonly provider: Provider | null;
}

/** Pure. What one source named, with how far it is to be believed. */
export function candidate(named: NamedServer, source: NamedBy, domain: string): ServerCandidate {
  const provider = byServer(named.server.host);
  return { ...named, source, trust: trustIn(named.server.host, source, domain), provider };
}

function trustIn(host: string, source: NamedBy, domain: string): Trust {
  if (source === 'plain_http') return 'unproven';
  if (byServer(host) !== null) return 'known';
  const own = organisationOf(domain);
  return own !== null && organisationOf(host) === own ? 'own' : 'foreign';
}

/** example.co.uk of mail.example.co.uk, by the Public Suffix List with its private part: customers of one hoster are strangers. */
export const organisationOf = (host: string): string | null => getDomain(host, { allowPrivateDomains: true });

export const hasToBeConfirmed = ({ trust }: ServerCandidate): boolean => trust === 'foreign' || trust === 'unproven';

/** Both servers of a provider in the table. */
export const ofProvider = (
  provider: Provider,
  address: string,
  source: 'known' | 'exchanger',
): readonly ServerCandidate[] => {
  const auth = provider.login === 'oauth' ? 'oauth' : 'password';
  const shared = { user: address, auth, source, trust: 'known', provider } as const;
  return [
    { ...shared, protocol: 'imap', server: provider.imap },
    { ...shared, protocol: 'smtp', server: provider.smtp },
  ];
};

/** A record of RFC 2782. */
export interface Service {
  readonly name: string;
  readonly port: number;
  readonly priority: number;
  readonly weight: number;
}

/** What is asked for by SRV, and what an answer means (RFC 6186 section 3, RFC 8314 section 5.1). */
export const SERVICES = [
  { label: '_imaps._tcp', protocol: 'imap', tls: 'implicit' },
  { label: '_imap._tcp', protocol: 'imap', tls: 'starttls' },
  { label: '_submissions._tcp', protocol: 'smtp', tls: 'implicit' },
  { label: '_submission._tcp', protocol: 'smtp', tls: 'starttls' },
] as const;

/** Pure. A target of `.` says that the service is not offered. */
export function ofServices(
  service: (typeof SERVICES)[number],
  records: readonly Service[],
  { address, domain }: { readonly address: string; readonly domain: string },
): readonly ServerCandidate[] {
  const { protocol, tls } = service;
  return records
    .toSorted((a, b) => a.priority - b.priority || b.weight - a.weight)
    .map(({ name, port }) => ({ host: name.toLowerCase().replace(/\.$/, ''), port }))
    .filter(({ host }) => isPublicName(host))
    .slice(0, 2)
    .map(({ host, port }) =>
      candidate({ protocol, server: { host, port, tls }, user: address, auth: 'password' }, 'srv', domain),
    );
}

const USUAL_PORTS = {
  imap: [
    { port: 993, tls: 'implicit' },
    { port: 143, tls: 'starttls' },
  ],
  smtp: [
    { port: 465, tls: 'implicit' },
    { port: 587, tls: 'starttls' },
  ],
} as const;

/** Pure. Where servers of a domain usually are, best first; only there can a certificate prove them. */
export function guesses(address: string, domain: string): readonly ServerCandidate[] {
  return (['imap', 'smtp'] as const).flatMap((protocol) =>
    [`${protocol}.${domain}`, `mail.${domain}`, domain].flatMap((host) =>
      USUAL_PORTS[protocol].map(({ port, tls }) =>
        candidate({ protocol, server: { host, port, tls }, user: address, auth: 'password' }, 'guess', domain),
      ),
    ),
  );
}

/** Pure. Best first: what needs nobody's word before what has to be confirmed, TLS at once before STARTTLS (RFC 8314). */
export function inOrder(candidates: readonly ServerCandidate[]): readonly ServerCandidate[] {
  const rank = (one: ServerCandidate) => [hasToBeConfirmed(one) ? 1 : 0, SOURCES.indexOf(one.source)] as const;
  const sorted = candidates.toSorted((a, b) => rank(a)[0] - rank(b)[0] || rank(a)[1] - rank(b)[1]);
  const seen = new Set<string>();
  return sorted.filter(({ protocol, server }) => {
    const key = `${protocol} ${server.host} ${server.port} ${server.tls}`;
    return !seen.has(key) && seen.add(key);
  });
}
