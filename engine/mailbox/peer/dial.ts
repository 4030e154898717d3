import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { codeOf, type Net } from './net.ts';

/** How far a connection came before anything was said. */
export type Reached =
  | { readonly ok: true; readonly address: string }
  /** `families`: of the addresses that the name has; empty when the name was not found. */
  | { readonly ok: false; readonly code: string; readonly families: readonly number[] };

/** What a server shows of itself in a TLS handshake. */
export interface SeenTls {
  /** The handshake came to its end, whoever the server may be. */
  readonly ok: boolean;
  /** Why the server is not believed to be who it says, or why there was no handshake; null when it is believed. */
  readonly code: string | null;
  /** Words of the library where there was no handshake. */
  readonly text: string;
  /** Names in the certificate. */
  readonly names: readonly string[];
  readonly issuer: string | null;
  /** The certificate is its own issuer. */
  readonly isSelfSigned: boolean;
  readonly validFrom: string | null;
  readonly validTo: string | null;
}

const MAX_ADDRESSES = 4;

/** The first address of `host` that takes a connection, within `ms` for all of them. */
export async function dial(
  net: Net,
  { host, port, ms }: { readonly host: string; readonly port: number; readonly ms: number },
): Promise<{ readonly reached: Reached; readonly socket: Socket | null }> {
  const until = Date.now() + ms;
  let found: Awaited<ReturnType<Net['addressesOf']>>;
  try {
    found = await within(net.addressesOf(host), ms);
  } catch (error) {
    return { reached: { ok: false, code: codeOf(error), families: [] }, socket: null };
  }
  const families = [...new Set(found.map(({ family }) => family))];
  let code = 'ENOTFOUND';
  for (const { address } of found.slice(0, MAX_ADDRESSES)) {
    const socket = net.connect(address, port);
    socket.on('error', () => {});
    try {
      await within(once(socket, 'connect'), Math.max(until - Date.now(), 1));
      return { reached: { ok: true, address }, socket };
    } catch (error) {
      code = codeOf(error);
      socket.destroy();
    }
  }
  return { reached: { ok: false, code, families }, socket: null };
}

/**
 * A TLS handshake that is not broken off when the certificate is wrong: nothing secret follows here, and what is wrong
 * with it is what is asked. The stream is null where there was no handshake.
 */
export async function handshake(
  socket: Duplex,
  { host, ca, ms }: { readonly host: string; readonly ca: string | undefined; readonly ms: number },
): Promise<{ readonly tls: SeenTls; readonly stream: TLSSocket | null }> {
  const name = /^[\d.]+$|:/.test(host) ? {} : { servername: host };
  let stream: TLSSocket;
  try {
    stream = connectTls({ socket, host, ...name, ...(ca === undefined ? {} : { ca }), rejectUnauthorized: false });
  } catch (error) {
    return { tls: failed(error), stream: null };
  }
  stream.on('error', () => {});
  try {
    const closed = once(stream, 'close').then(() =>
      Promise.reject(Object.assign(new Error('closed'), { code: 'ECONNRESET' })),
    );
    await within(Promise.race([once(stream, 'secureConnect'), closed]), ms);
  } catch (error) {
    stream.destroy();
    return { tls: failed(error), stream: null };
  }
  const certificate = stream.getPeerCertificate();
  const reason: unknown = stream.authorizationError;
  const code = stream.authorized ? null : reason instanceof Error ? codeOf(reason) : String(reason);
  const subject = certificate.subject?.CN;
  const names = (certificate.subjectaltname ?? '')
    .split(', ')
    .filter((one) => one !== '')
    .map((one) => one.replace(/^[^:]*:/, ''));
  return {
    tls: {
      ok: true,
      code,
      text: '',
      names: names.length > 0 ? names : [subject].flat().filter((one) => one !== undefined),
      issuer: firstOf(certificate.issuer?.O) ?? firstOf(certificate.issuer?.CN),
      isSelfSigned: code === 'DEPTH_ZERO_SELF_SIGNED_CERT',
      validFrom: certificate.valid_from ?? null,
      validTo: certificate.valid_to ?? null,
    },
    stream,
  };
}

const firstOf = (name: string | string[] | undefined): string | null => [name].flat()[0] ?? null;

const failed = (error: unknown): SeenTls => ({
  ok: false,
  code: codeOf(error),
  text: error instanceof Error ? error.message : String(error),
  names: [],
  issuer: null,
  isSelfSigned: false,
  validFrom: null,
  validTo: null,
});

/** Rejects with ETIMEDOUT when it takes longer. */
function within<Result>(work: Promise<Result>, ms: number): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const timer = setTimeout(() => reject(Object.assign(new Error('timed out'), { code: 'ETIMEDOUT' })), ms);
  work.then(resolve, reject).finally(() => clearTimeout(timer));
  return promise;
}
