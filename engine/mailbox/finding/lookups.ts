import { Resolver } from 'node:dns/promises';
import { type Net, systemNet } from '../peer/net.ts';
import { MAX_BYTES } from './autoconfig.ts';
import type { Service } from './candidates.ts';

interface Page {
  readonly status: number;
  readonly text: string;
  /** Where a 3xx points to; null where it points nowhere. */
  readonly location: string | null;
}

/** Whom a search for servers asks. Each rejects when there is no answer. */
export interface Lookups {
  srv(name: string): Promise<readonly Service[]>;
  mx(domain: string): Promise<readonly { readonly exchange: string; readonly priority: number }[]>;
  /** GET without following redirects; the text is cut at 64 KiB. */
  fetch(url: string, signal: AbortSignal): Promise<Page>;
  readonly net: Net;
}

/** The name servers and the network of this machine. */
export function systemLookups(): Lookups {
  const resolver = new Resolver({ timeout: 2000, tries: 1 });
  return {
    srv: (name) => resolver.resolveSrv(name),
    mx: (domain) => resolver.resolveMx(domain),
    async fetch(url, signal) {
      const answer = await fetch(url, { signal, redirect: 'manual', headers: { accept: 'text/xml, application/xml' } });
      return { status: answer.status, text: await beginningOf(answer.body), location: answer.headers.get('location') };
    },
    net: systemNet,
  };
}

/** The names of the servers that take mail for a domain (MX); empty where there is no answer. */
export const exchangesOf = ({ mx }: Pick<Lookups, 'mx'>, domain: string): Promise<readonly string[]> =>
  mx(domain).then(
    (found) => found.map(({ exchange }) => exchange),
    () => [],
  );

async function beginningOf(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  if (body === null) return '';
  for await (const piece of body) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes >= MAX_BYTES) break;
  }
  return Buffer.concat(pieces).subarray(0, MAX_BYTES).toString('utf8');
}
