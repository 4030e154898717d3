import { problem } from '../../config/problems/problem.ts';
import type { GatewayConfig, SecurityConfig } from '../../config/types.ts';
import { isBorderName, UNNAMED } from '../../mail/identity/border/results-header.ts';
import { trustedServers } from '../../mail/identity/login-line.ts';
import { domainsOf, providersHops } from '../gateway/borders/own-servers.ts';
import { bad, type Check, warn } from './check.ts';

const GATEWAY = 'configs/gateway.json';
const SECURITY = 'configs/security.json';

/** Pure. Borders whose name can be none. `where`: the id of a mailbox, or the address of a relay. */
export function namelessBorders({ mailboxes, smtp_listener }: GatewayConfig) {
  const named = [
    ...mailboxes.map(({ id, imap }, at) => ({
      where: id,
      name: `mailbox:${id}:border`,
      key: `mailboxes.${at}.imap.authserv_id`,
      value: imap?.authserv_id ?? null,
      other: 'take it out, and signatures (DKIM) are checked here',
    })),
    ...smtp_listener.trusted_relays.map(({ ip, authserv_id }, at) => ({
      where: ip,
      name: `relay:${ip}:border`,
      key: `smtp_listener.trusted_relays.${at}.authserv_id`,
      value: authserv_id,
      other: 'set it to the name with which Authentication-Results of its mail begin',
    })),
  ];
  return named.flatMap(({ value, ...rest }) => (value === null || isBorderName(value) ? [] : [{ ...rest, value }]));
}

/** Pure. What such a border says proves nobody. */
export function borderNameChecks(gateway: GatewayConfig): Check[] {
  return namelessBorders(gateway).map(({ name, key, value, other }) => {
    const message = `${JSON.stringify(value)} is no name of a border, so nobody is proven by it`;
    const cure = `${other}; for a border that writes no name before its verdicts (Microsoft 365) set ${key} in ${GATEWAY} to "${UNNAMED}"`;
    return bad(name, message, cure, problem({ file: GATEWAY, key, code: 'invalid_value', message }));
  });
}

/**
 * Pure. L1: patterns of `trusted_received` that servers of others fit, too. Where a line of theirs is passed, what came
 * with the mail stands where the border's own words are believed.
 */
export function trustedChecks(gateway: GatewayConfig, { gateway_auth }: Pick<SecurityConfig, 'gateway_auth'>): Check[] {
  const zones = domainsOf(bordersOf(gateway));
  const known = providersHops(gateway);
  const wide = trustedServers(gateway_auth.trusted_received).hops.filter(
    (pattern) =>
      pattern.includes('*') &&
      // An inner IPv6 address is no name.
      !pattern.includes(':') &&
      !known.includes(pattern.toLowerCase()) &&
      !zones.some((zone) => endsWithin(pattern, zone)),
  );
  if (wide.length === 0) return [];
  const own = zones.length === 0 ? 'no border is set' : `those of the border end in ${zones.join(' or ')}`;
  const message = `${wide.join(', ')} in trusted_received fits servers of others, too (${own}): a verdict that came with a mail below a line of theirs would be believed`;
  const cure = `name those servers in full in gateway_auth.trusted_received of ${SECURITY}, or end the pattern in a domain of the border, such as *.${zones[0] ?? 'example.com'}`;
  const key = 'gateway_auth.trusted_received';
  return [bad('trusted_received', message, cure, problem({ file: SECURITY, key, code: 'invalid_value', message }))];
}

/** Pure. What was trusted on somebody's word stays to be known: nobody reads again what was typed at setup. */
export function loginChecks({ gateway_auth }: Pick<SecurityConfig, 'gateway_auth'>): Check[] {
  const servers = trustedServers(gateway_auth.trusted_received).loginServers;
  return servers.length === 0 ? [] : [warn('trusted logins', loginsInWords(servers))];
}

/** Of servers that are believed about logins: what that lets others do. */
export const loginsInWords = (servers: readonly string[]): string =>
  `logins at ${servers.join(', ')} are trusted: where that server does not say whose login it was, anybody with one there can write as you (smtpd_sasl_authenticated_header = yes in Postfix ends that)`;

/** The names of the borders; where one has none, or is none, the server from which its mail is read. */
const bordersOf = ({ mailboxes, smtp_listener }: GatewayConfig): readonly string[] => [
  ...mailboxes.flatMap(({ imap }) => (imap ? [isHost(imap.authserv_id) ? imap.authserv_id : imap.host] : [])),
  ...smtp_listener.trusted_relays.map(({ authserv_id }) => authserv_id).filter(isHost),
];

const isHost = (name: string | null): name is string => name !== null && name !== UNNAMED && isBorderName(name);

/** Whatever fits the pattern is a name in this domain. */
function endsWithin(pattern: string, zone: string): boolean {
  const end = pattern.slice(pattern.lastIndexOf('*') + 1).toLowerCase();
  return end === `.${zone}` || end.endsWith(`.${zone}`);
}
