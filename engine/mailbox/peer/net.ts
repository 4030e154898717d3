import { lookup } from 'node:dns/promises';
import { connect, type Socket } from 'node:net';

export type Protocol = 'imap' | 'smtp';

/** Where a mail server listens, and how it is secured. */
export interface Server {
  readonly host: string;
  readonly port: number;
  readonly tls: 'implicit' | 'starttls' | 'none';
}

/** The network as it is asked here. */
export interface Net {
  /** IP addresses of a name. Rejects with a `code` of the name server, such as ENOTFOUND. */
  addressesOf(host: string): Promise<readonly { readonly address: string; readonly family: number }[]>;
  /** Begins a connection; the socket tells how it went. */
  connect(address: string, port: number): Socket;
}

/** The network of this machine. */
export const systemNet: Net = {
  addressesOf: (host) => lookup(host, { all: true, verbatim: false }),
  connect: (host, port) => connect({ host, port }),
};

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'EUNKNOWN';
