import { connect } from 'node:net';
import type { Service } from '../../../../engine/mailbox/finding/candidates.ts';
import type { Lookups } from '../../../../engine/mailbox/finding/lookups.ts';
import type { Issued } from '../../../fakes/certificates.ts';
import { startHttpServer } from '../../../fakes/http-server.ts';
import { type MailPeer, startMailPeer } from '../../../fakes/mail-peer.ts';

export interface World {
  /** By address of the page. */
  readonly pages?: Readonly<
    Record<
      string,
      { readonly status?: number; readonly body?: string; readonly location?: string; readonly delayMs?: number }
    >
  >;
  readonly srv?: Readonly<Record<string, readonly Service[]>>;
  readonly mx?: Readonly<Record<string, readonly string[]>>;
  /** `imap.example.test:993`, and what listens there. */
  readonly servers?: Readonly<
    Record<string, { readonly tls: 'implicit' | 'starttls' | 'none'; readonly certificate?: Issued }>
  >;
}

const unknown = (code: string) => Object.assign(new Error(code), { code });

/** A small internet on loopback: names, pages and mail servers, and what each of them was asked. */
export async function startWorld(world: World) {
  const urls: string[] = [];
  const names: string[] = [];
  const http = await startHttpServer(({ headers, path }) => {
    const page = world.pages?.[`${headers['x-scheme']}//${headers['x-host']}${path}`];
    if (!page) return { status: 404, body: '' };
    const { status = 200, body = '', location, delayMs } = page;
    return {
      status,
      body,
      headers: location === undefined ? {} : { location },
      ...(delayMs === undefined ? {} : { delayMs }),
    };
  });
  const peers = new Map<string, MailPeer>();
  for (const [place, { tls, certificate }] of Object.entries(world.servers ?? {})) {
    const protocol = /:(993|143)$/.test(place) ? 'imap' : 'smtp';
    peers.set(place, await startMailPeer({ protocol, tls, certificate }));
  }
  const hosts = [...new Set([...peers.keys()].map((place) => place.slice(0, place.lastIndexOf(':'))))];
  const lookups: Lookups = {
    srv: async (name) => world.srv?.[name] ?? Promise.reject(unknown('ENOTFOUND')),
    mx: async (domain) =>
      world.mx?.[domain]?.map((exchange, priority) => ({ exchange, priority })) ?? Promise.reject(unknown('ENODATA')),
    async fetch(written, signal) {
      urls.push(written);
      const url = new URL(written);
      const answer = await fetch(`${http.baseUrl}${url.pathname}${url.search}`, {
        signal,
        redirect: 'manual',
        headers: { 'x-scheme': url.protocol, 'x-host': url.host },
      });
      return { status: answer.status, text: await answer.text(), location: answer.headers.get('location') };
    },
    net: {
      // An address for each host, so that one server's port is not another's.
      addressesOf: async (host) => {
        names.push(host);
        const at = hosts.indexOf(host);
        return at < 0 ? Promise.reject(unknown('ENOTFOUND')) : [{ address: `198.51.100.${at}`, family: 4 }];
      },
      connect: (address, port) => {
        const peer = peers.get(`${hosts[Number(address.split('.').at(-1))]}:${port}`);
        return connect({ host: '127.0.0.1', port: peer?.port ?? 1 });
      },
    },
  };
  return {
    lookups,
    urls,
    names,
    /** Everything that any mail server was told. */
    heard: () => [...peers.values()].flatMap((peer) => peer.heard),
    async stop() {
      await http.stop();
      for (const peer of peers.values()) await peer.stop();
    },
  };
}

interface Line {
  readonly type: 'imap' | 'pop3' | 'smtp';
  readonly host: string;
  readonly port: number;
  readonly socket: 'SSL' | 'STARTTLS' | 'plain';
  readonly user?: string;
  readonly auth?: string;
}

/** An autoconfig answer as providers give it. */
export function clientConfig(lines: readonly Line[]): string {
  const servers = lines.map(({ type, host, port, socket, user = '%EMAILADDRESS%', auth = 'password-cleartext' }) => {
    const element = type === 'smtp' ? 'outgoingServer' : 'incomingServer';
    return `    <${element} type="${type}">
      <hostname>${host}</hostname>
      <port>${port}</port>
      <socketType>${socket}</socketType>
      <username>${user}</username>
      <authentication>${auth}</authentication>
    </${element}>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>
<clientConfig version="1.1">
  <emailProvider id="provider">
    <domain>%EMAILDOMAIN%</domain>
    <displayName>Mail &amp; more</displayName>
${servers.join('\n')}
    <documentation url="https://provider.test/help"/>
  </emailProvider>
</clientConfig>
`;
}
