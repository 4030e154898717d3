import type { IncomingMessage } from 'node:http';
import type { LookupFunction } from 'node:net';
import { EngineError, type WebApiCall, type WebCapability, type WebPage } from '#contract';
import { retryAfterMs } from '#contract/http';
import { isPublicAddress } from './address.ts';
import { readBody } from './body.ts';
import { readableText } from './readable.ts';
import { type Address, checkedAddresses, type Lookup, lookupAll, webUrl } from './target.ts';

// Imported by name, `node:http` brings the global fetch along: 9 MB.
const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');

const MAX_REDIRECTS = 5;
const MAX_HEADER_BYTES = 16 * 1024;

const HEADERS = {
  'user-agent': 'Epistle/1 (mail gateway; reads one page at a time)',
  accept: 'text/html, text/plain, application/json, application/xml;q=0.9, */*;q=0.1',
  'accept-encoding': 'gzip, br',
};

export interface WebOptions {
  readonly lookup?: Lookup;
  /** Which addresses may be connected to; the public internet by default. */
  readonly isAllowed?: (address: string, port: number) => boolean;
  /** Whether a page may send us on to this URL, which is on another host than the one that was asked for. */
  readonly mayFollow?: (url: URL) => Promise<boolean>;
  readonly readDocument?: WebCapability['readDocument'];
}

/** One request of one hop. */
interface Hop {
  readonly url: URL;
  readonly addresses: readonly Address[];
  readonly maxBytes: number;
  readonly signal: AbortSignal;
  readonly api: WebApiCall | null;
}

const noDocuments: WebCapability['readDocument'] = async () => {
  throw new EngineError('tool_failed', 'documents cannot be read here');
};

/**
 * GET that cannot be turned against the network it runs in. Every hop is resolved once, checked, and connected to
 * at exactly the checked addresses. No proxy, no cookies, no connection kept; no credentials but those of an `api` call.
 */
export function createWeb({
  lookup = lookupAll,
  isAllowed = isPublicAddress,
  mayFollow = async () => true,
  readDocument = noDocuments,
}: WebOptions = {}): WebCapability {
  return {
    async fetch({ url, allowHosts, maxBytes, signal, api = null }) {
      const asked = webUrl(url);
      let target = asked;
      for (let hop = 0; hop <= MAX_REDIRECTS; hop += 1) {
        const addresses = await orAborted(checkedAddresses(target, { lookup, isAllowed, allowHosts }), signal);
        const visited = await visit({ url: target, addresses, maxBytes, signal, api });
        if (!(visited instanceof URL)) return visited;
        if (api) throw new EngineError('tool_failed', `${asked.host} redirects, where its API was to answer`);
        target = visited;
        if (isSameSite(asked, target) || (await mayFollow(target))) continue;
        // The host alone: the whole URL in a result would be one that was read.
        const host = target.host.slice(0, 100);
        throw new EngineError('tool_failed', `the page redirects to another host, ${host}, where this run may not go`);
      }
      throw new EngineError('tool_failed', `the page redirects more than ${MAX_REDIRECTS} times`);
    },
    readHtml: readableText,
    readDocument,
  };
}

/** The page, or where it redirects to. */
async function visit({ maxBytes, ...hop }: Hop): Promise<WebPage | URL> {
  const { url, signal } = hop;
  try {
    const response = await get(hop);
    try {
      const next = redirectOf(response, url);
      if (next) return next;
      const { body, truncated } = await readBody(response, maxBytes);
      return {
        url: url.href,
        status: response.statusCode ?? 0,
        contentType: response.headers['content-type'] ?? '',
        body,
        truncated,
        ...waitOf(response),
      };
    } finally {
      response.destroy();
    }
  } catch (error) {
    throw asWebError(error, url, signal);
  }
}

/** Only of an answer that is a refusal. */
function waitOf({ statusCode = 0, headers }: IncomingMessage): Pick<WebPage, 'retryAfterMs'> {
  const { 'retry-after': after, date } = headers;
  if (statusCode < 400 || after === undefined) return {};
  return { retryAfterMs: retryAfterMs(new Headers({ 'retry-after': after, ...(date === undefined ? {} : { date }) })) };
}

function get({ url, addresses, signal, api }: Omit<Hop, 'maxBytes'>): Promise<IncomingMessage> {
  const { headers = {}, body } = api ?? {};
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { request } = url.protocol === 'https:' ? https : http;
  request(
    url,
    // A shared agent could hand over a connection that was opened, under the same name, without this check.
    {
      method: body === undefined ? 'GET' : 'POST',
      agent: false,
      lookup: pinned(addresses),
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
      headers: { ...HEADERS, ...headers, ...length },
    },
    resolve,
  )
    .on('error', reject)
    .end(body);
  return promise;
}

/** Answers the socket's own look-up with what was checked: a second DNS answer is never asked for. */
function pinned(addresses: readonly Address[]): LookupFunction {
  return (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else if (first) callback(null, first.address, first.family);
    else callback(new Error('no address'), '', 0);
  };
}

function redirectOf(response: IncomingMessage, from: URL): URL | null {
  const { location } = response.headers;
  const isRedirect = [301, 302, 303, 307, 308].includes(response.statusCode ?? 0);
  return isRedirect && location !== undefined ? webUrl(location, from) : null;
}

/** The same host, with or without `www.`, as its servers send each other's visitors on; at the usual ports or the same one. */
function isSameSite(from: URL, to: URL): boolean {
  const bare = ({ hostname }: URL) => hostname.replace(/^www\./, '');
  return bare(from) === bare(to) && from.port === to.port;
}

/** A look-up cannot be cancelled, so it is left behind. */
async function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const stopped = Promise.withResolvers<never>();
  const stop = () => stopped.reject(abortError(signal));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const abortError = (signal: AbortSignal): EngineError =>
  signal.reason instanceof EngineError
    ? signal.reason
    : new EngineError('tool_failed', 'fetching the page was cancelled', { cause: signal.reason });

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses the connection',
  ECONNRESET: 'closed the connection before the page was complete',
  ETIMEDOUT: 'does not answer',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  HPE_HEADER_OVERFLOW: 'sent headers that are too large',
};

/** In words for the model, without addresses of this network. */
function asWebError(error: unknown, url: URL, signal: AbortSignal): EngineError {
  if (signal.aborted) return abortError(signal);
  if (error instanceof EngineError) return error;
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
  const what = WORDS[code] ?? `could not be read (${code})`;
  return new EngineError('tool_failed', `${url.host} ${what}`, { cause: error });
}
