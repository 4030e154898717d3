import { lookup as systemLookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { isIP, type LookupFunction } from 'node:net';
import { pipeline, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { EngineError, type WebApiCall, type WebCapability, type WebPage } from '#contract';
import { retryAfterMs } from '#contract/http';
import { isPublicAddress } from './address.ts';
import { readableText } from './readable.ts';

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

interface Body {
  readonly body: Uint8Array;
  readonly truncated: boolean;
}

/** Reads and decodes at most `maxBytes`, then hangs up: neither an endless page nor a bomb is read to its end. */
async function readBody(response: IncomingMessage, maxBytes: number): Promise<Body> {
  const decoder = decoderOf(response.headers['content-encoding'] ?? '');
  // The encoded side has the same limit: a stream of empty gzip blocks decodes to nothing for ever.
  const limit = { cut: false };
  const encoded = firstBytes(response, maxBytes, limit);
  const source = decoder ? pipeline(encoded, decoder, () => {}) : encoded;
  const chunks: Uint8Array[] = [];
  for await (const chunk of firstBytes(source, maxBytes, limit)) chunks.push(chunk);
  return { body: new Uint8Array(Buffer.concat(chunks)), truncated: limit.cut };
}

async function* firstBytes(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  limit: { cut: boolean },
): AsyncGenerator<Uint8Array> {
  let total = 0;
  for await (const chunk of source) {
    const room = maxBytes - total;
    total += chunk.length;
    if (chunk.length > room) {
      limit.cut = true;
      yield chunk.subarray(0, room);
      return;
    }
    yield chunk;
  }
}

/** Flushing at the end gives what there is of a cut stream, where the default is an error. */
function decoderOf(encoding: string): Transform | null {
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return null;
    case 'gzip':
    case 'x-gzip':
      return createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
    case 'deflate':
      return createInflate({ finishFlush: constants.Z_SYNC_FLUSH });
    case 'br':
      return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH });
    default:
      throw new EngineError('tool_failed', 'the page is compressed in a way that was not asked for');
  }
}

interface Address {
  readonly address: string;
  readonly family: number;
}

/** Every address of a name, as the system resolves it. */
type Lookup = (hostname: string) => Promise<readonly Address[]>;

const lookupAll: Lookup = (hostname) => systemLookup(hostname, { all: true });

const MAX_URL = 4096;

const refused = (message: string, cause?: unknown) => new EngineError('tool_failed', message, { cause });

/**
 * Parses and checks a URL, or a redirect's target against where it came from. WHATWG parsing turns `0x7f.1`,
 * `2130706433` and `127.1` into the dotted form, so that the address check sees what would be connected to.
 */
export function webUrl(text: string, base?: URL): URL {
  const url = text.length <= MAX_URL ? URL.parse(text, base?.href) : null;
  if (!url) throw refused(base ? 'the page redirects to something that is not a URL' : 'that is not a URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refused(`only http and https can be fetched, not ${url.protocol.slice(0, 20)}`);
  }
  if (url.username || url.password) throw refused('a URL with a user name or password in it is not fetched');
  if (!url.hostname) throw refused('the URL names no host');
  url.hash = '';
  return url;
}

/** The host without brackets, lower case, without the root dot that would make a second spelling. */
const hostOf = (url: URL) => url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');

const portOf = (url: URL): number => Number(url.port) || (url.protocol === 'https:' ? 443 : 80);

/** An entry is a host or `host:port`. */
function isListed(url: URL, allowHosts: readonly string[]): boolean {
  const bare = hostOf(url);
  const names = [bare, `[${bare}]`, `${bare}:${portOf(url)}`, `[${bare}]:${portOf(url)}`];
  return allowHosts.some((entry) => names.includes(entry.toLowerCase()));
}

/**
 * The addresses that may be connected to for this hop. One private address among public ones refuses the host:
 * a name that answers with both is how a rebinding attack begins.
 */
async function checkedAddresses(
  url: URL,
  options: {
    readonly lookup: Lookup;
    readonly isAllowed: (address: string, port: number) => boolean;
    readonly allowHosts: readonly string[];
  },
): Promise<readonly Address[]> {
  const host = hostOf(url);
  const family = isIP(host);
  const addresses = family ? [{ address: host, family }] : await resolved(host, options.lookup);
  if (isListed(url, options.allowHosts)) return addresses;
  if (!addresses.every(({ address }) => options.isAllowed(address, portOf(url)))) {
    throw refused(`${host} is not on the public internet; the gateway's owner can list it in allow_hosts`);
  }
  return addresses;
}

async function resolved(host: string, lookup: Lookup): Promise<readonly Address[]> {
  const addresses = await lookup(host).catch((error: unknown) => {
    throw refused(`the name ${host} could not be resolved`, error);
  });
  if (addresses.length === 0) throw refused(`the name ${host} has no address`);
  for (const { address } of addresses) if (!isIP(address)) throw refused(`the name ${host} has no usable address`);
  return addresses;
}
