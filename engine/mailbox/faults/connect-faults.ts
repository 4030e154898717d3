import type { Seen } from '../peer/look.ts';
import { isGreetingOf } from '../peer/look.ts';
import { type Fault, fault, keyOf, placeOf, type Side, USUAL } from './fault.ts';

const REFUSED = new Set(['ECONNREFUSED']);
const UNREACHABLE = new Set(['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL', 'ENETDOWN', 'EHOSTDOWN']);
const NO_NAME = new Set(['ENOTFOUND', 'ENODATA', 'ENONAME', 'EBADNAME']);

/** Pure. Why no connection came about; null when one did. */
export function unreachedFault(side: Side, { reached }: Seen): Fault | null {
  if (reached.ok) return null;
  const { code, families } = reached;
  const { host } = side.server;
  const place = placeOf(side);
  if (families.length === 0) {
    return NO_NAME.has(code)
      ? fault(
          'name_not_found',
          `there is no server named ${host}`,
          `correct ${keyOf(side, 'host')} in configs/gateway.json`,
        )
      : fault(
          'name_server_silent',
          `the name server did not answer for ${host} (${code})`,
          'check the network and the name servers of this machine',
        );
  }
  if (families.every((family) => family === 6) && !REFUSED.has(code)) {
    const cure = 'give this machine IPv6, or name a server that has an IPv4 address';
    return fault('ipv6_only', `${host} has only IPv6 addresses, and this machine does not reach them`, cure);
  }
  if (REFUSED.has(code)) {
    const cure = `check ${keyOf(side, 'port')} (usually ${usualPorts(side)}), and whether the server runs`;
    return fault('refused', `nothing listens on ${place}`, cure);
  }
  if (UNREACHABLE.has(code))
    return fault(
      'unreachable',
      `${host} cannot be reached from here (${code})`,
      'check the network, a VPN or a firewall',
    );
  const blocked =
    side.protocol === 'smtp' ? '; many hosting companies block outgoing mail ports, 465 and 587 the least' : '';
  const cure = `check ${keyOf(side, 'port')} (usually ${usualPorts(side)}) and the firewall${blocked}`;
  return fault('timed_out', `${place} does not answer (${code})`, cure);
}

const usualPorts = ({ protocol }: Side) =>
  `${USUAL[protocol].implicit} with "tls": "implicit", ${USUAL[protocol].starttls} with "starttls"`;

/** Pure. Why what listens there is not the server that the settings speak of; null when it may be. */
export function otherServiceFault(side: Side, seen: Seen): Fault | null {
  const { protocol, server } = side;
  const { greeting, speaksFirst } = seen;
  const place = placeOf(side);
  const other = greeting === null ? null : ofGreeting(side, greeting);
  if (other) return other;
  if (server.tls === 'implicit' && speaksFirst === 'clear') {
    const cure = `set ${keyOf(side, 'tls')} to "starttls", or ${keyOf(side, 'port')} to ${USUAL[protocol].implicit}`;
    return fault('tls_not_spoken', `${place} does not speak TLS at once`, cure);
  }
  if (server.tls !== 'implicit' && speaksFirst === 'tls') {
    const cure = `set ${keyOf(side, 'tls')} to "implicit", or ${keyOf(side, 'port')} to ${USUAL[protocol].starttls}`;
    return fault('tls_spoken_at_once', `${place} speaks TLS at once, and not only after STARTTLS`, cure);
  }
  if (seen.wantsProxyLine) {
    const cure = `connect by the balancer's port, or switch the PROXY protocol off for ${place}`;
    return fault('proxy_line_expected', `${place} waits for the line of a proxy before it says anything`, cure);
  }
  return null;
}

/** Pure. What may be only slow: it counts once a login has failed, too. */
export function silentFault(side: Side, seen: Seen): Fault | null {
  if (!seen.reached.ok || seen.speaksFirst !== 'nothing') return null;
  const place = placeOf(side);
  if (seen.hungUp) {
    const cure = `wait some minutes: after many logins servers do so for a while; else check ${keyOf(side, 'port')}`;
    return fault('hung_up', `${place} ends the connection before it says anything`, cure);
  }
  return fault(
    'silent',
    `${place} takes the connection and says nothing`,
    `check ${keyOf(side, 'port')} (usually ${usualPorts(side)})`,
  );
}

function ofGreeting(side: Side, greeting: string): Fault | null {
  const { protocol } = side;
  const place = placeOf(side);
  if (/^\+OK/i.test(greeting)) {
    return fault(
      'pop3_port',
      `${place} is a POP3 server`,
      `set ${keyOf(side, 'port')} to ${USUAL.imap.implicit}: mail is fetched by IMAP`,
    );
  }
  if (/^HTTP\//i.test(greeting))
    return fault('http_port', `${place} is a web server`, `correct ${keyOf(side, 'host')} or ${keyOf(side, 'port')}`);
  if (protocol === 'imap' && /^\* BYE/i.test(greeting)) return busy(place, greeting);
  if (protocol === 'smtp' && /^4\d\d/.test(greeting)) return busy(place, greeting);
  if (protocol === 'smtp' && /^5\d\d/.test(greeting)) {
    const cure = 'ask whoever runs it, or send through the submission server of your provider (port 465 or 587)';
    return fault('address_blocked', `${place} takes nothing from the address of this machine: ${greeting}`, cure);
  }
  if (isGreetingOf(protocol, greeting)) return null;
  if (protocol === 'imap' && isGreetingOf('smtp', greeting)) {
    return fault(
      'smtp_on_imap_port',
      `${place} is an SMTP server`,
      `set imap.port to ${USUAL.imap.implicit}, and imap.host to the server for IMAP`,
    );
  }
  if (protocol === 'smtp' && isGreetingOf('imap', greeting)) {
    return fault(
      'imap_on_smtp_port',
      `${place} is an IMAP server`,
      `set smtp.port to ${USUAL.smtp.starttls}, and smtp.host to the server for SMTP`,
    );
  }
  return fault(
    'other_service',
    `${place} is no mail server; it says "${greeting.slice(0, 60)}"`,
    `correct ${keyOf(side, 'host')} or ${keyOf(side, 'port')}`,
  );
}

const busy = (place: string, greeting: string): Fault =>
  fault(
    'server_busy',
    `${place} takes no connection now: ${greeting}`,
    'wait; it is tried again. If it stays, close other mail programs of this account',
  );
