import { getDomain } from 'tldts';
import type { GatewayConfig } from '../../../config/types.ts';
import { PROVIDERS } from '../../../mailbox/finding/providers.ts';

/** Pure. The domains of these hosts, as their owners have registered them: `example.co.uk` of `mx.example.co.uk`. */
export const domainsOf = (hosts: readonly string[]): readonly string[] => [
  ...new Set(hosts.map((host) => getDomain(host) ?? host.toLowerCase())),
];

/** Pure. Patterns by which the providers of these mailboxes are known to name servers of their own. */
export const providersHops = ({ mailboxes }: Pick<GatewayConfig, 'mailboxes'>): readonly string[] =>
  PROVIDERS.filter(({ imap }) => mailboxes.some((one) => one.imap?.host.toLowerCase() === imap.host)).flatMap(
    ({ trustedReceived }) => trustedReceived,
  );
