import { Parser } from 'htmlparser2';
import type { Protocol, Server } from '../peer/net.ts';

/** A server as an autoconfig answer names it. */
export interface NamedServer {
  readonly protocol: Protocol;
  readonly server: Server;
  /** The name to log in with, placeholders filled in. */
  readonly user: string;
  readonly auth: 'password' | 'oauth';
}

export const MAX_BYTES = 64 * 1024;
const MAX_SERVERS = 20;
/** A name with a dot, of whatever network. */
const HOST = /^(?=.{4,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

const OF_NO_NETWORK = /\.(localhost|local|internal|lan|onion|home\.arpa)$/;

export const isHostName = (host: string): boolean => HOST.test(host);

/** A name of the public DNS: no IP address, no single word, nothing but letters, digits, dots and hyphens. */
export const isPublicName = (host: string): boolean => HOST.test(host) && !OF_NO_NETWORK.test(host);

/**
 * The IMAP and SMTP servers in a `clientConfig` document, best first as it lists them. Servers without TLS and hosts
 * that are no name of the public DNS are left out. Any text is taken; what is no such document names none.
 */
export function readAutoconfig(xml: string, address: string): readonly NamedServer[] {
  const found: NamedServer[] = [];
  const at = address.lastIndexOf('@');
  const fill = (text: string) =>
    text
      .replaceAll('%EMAILADDRESS%', address)
      .replaceAll('%EMAILLOCALPART%', address.slice(0, at))
      .replaceAll('%EMAILDOMAIN%', address.slice(at + 1));
  let type: string | null = null;
  let field = '';
  let values: Record<string, string> = {};
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        field = name;
        if (name !== 'incomingServer' && name !== 'outgoingServer') return;
        type = attributes.type ?? '';
        values = {};
      },
      ontext(text) {
        // Of several ways to log in the first that is known here counts.
        if (type !== null && field !== '') values[field] = `${values[field] ?? ''}${text} `;
      },
      onclosetag(name) {
        field = '';
        if (name !== 'incomingServer' && name !== 'outgoingServer') return;
        const one = type === null ? null : named(type, values, fill);
        if (one && found.length < MAX_SERVERS) found.push(one);
        type = null;
      },
    },
    { xmlMode: true, decodeEntities: true },
  );
  parser.end(xml.slice(0, MAX_BYTES));
  return found;
}

function named(
  type: string,
  values: Readonly<Record<string, string>>,
  fill: (text: string) => string,
): NamedServer | null {
  if (type !== 'imap' && type !== 'smtp') return null;
  const value = (name: string) => fill((values[name] ?? '').trim());
  const host = value('hostname').toLowerCase().replace(/\.$/, '');
  const port = Number(value('port'));
  const tls = { SSL: 'implicit', STARTTLS: 'starttls' }[value('socketType').toUpperCase()];
  if (!isPublicName(host) || !Number.isInteger(port) || port < 1 || port > 65_535) return null;
  if (tls !== 'implicit' && tls !== 'starttls') return null;
  const user = value('username').replace(/[\p{Cc}\s]/gu, '');
  const auth =
    /password/.test(value('authentication')) || !/oauth2/i.test(value('authentication')) ? 'password' : 'oauth';
  return {
    protocol: type,
    server: { host, port, tls },
    user: user === '' ? fill('%EMAILADDRESS%') : user.slice(0, 320),
    auth,
  };
}
