import { readFile } from 'node:fs/promises';
import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { urlToHttpOptions } from 'node:url';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { CA_FILE_UNREADABLE, CA_FILE_UNUSABLE, isUnknownAuthority, NOT_OF_CA_FILE } from './certificates.ts';
import { fieldOf } from './whose.ts';

// Imported by name, `node:http` brings the global fetch along (its WebSocket is one of the names): 9 MB.
const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');
const tls = process.getBuiltinModule('node:tls');

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** A Response with one of these may not have a body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * For the options that an SDK hands on to its `fetch`: this signal ends the call, in place of the SDK's own. An SDK that
 * shares a signal of its caller among its calls, by weak references and finalizers, spends half as much on that as on
 * the call.
 */
export const endedBy = (signal: AbortSignal): object => ({ endedBy: signal });

/** The same for headers: these are sent, in place of those beside them. To read `Headers` anew takes longer than to send them. */
export const sentWith = (headers: Headers): object => ({ sentWith: Object.fromEntries(headers) });

interface LeanInit extends RequestInit {
  readonly endedBy?: AbortSignal;
  readonly sentWith?: Readonly<Record<string, string>>;
  /** As `fetchTrusting` says. */
  readonly caFile?: string;
  readonly alsoKnown?: boolean;
  /** Redirects that were followed so far. */
  readonly hops?: number;
}

/**
 * A `fetch` for the SDKs of vendors at about half the CPU time of the global one: an answer is read whole and without
 * web streams, over connections that node:http keeps, through a proxy where Node was told to use one. It has no time
 * limit of its own; `endedBy`, or else the signal, ends a call. A stream of events is handed on as it comes. A redirect of
 * the same server is followed with the same method, one to another server is none; bodies that are not text are left to the
 * global fetch, which then follows none at all.
 * Rejects as that does: with the signal's reason, or with a TypeError whose `cause` has the code.
 */
export async function leanFetch(
  input: string | URL | Request,
  { endedBy: ends, sentWith: known, hops = 0, ...given }: LeanInit = {},
): Promise<Response> {
  const init: RequestInit = ends === undefined ? given : { ...given, signal: ends };
  const { body = null, method = 'GET', signal = null } = init;
  if (input instanceof Request || (body !== null && typeof body !== 'string'))
    return fetch(input, { ...init, redirect: 'error' });
  signal?.throwIfAborted();
  const { send, options } = targetOf(String(input));
  const { caFile, alsoKnown } = init as LeanInit;
  const trust = caFile === undefined ? {} : { ca: await authoritiesOf(caFile, alsoKnown === true) };
  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const request = send({ ...options, ...trust, method, headers: headersOf(known ?? entriesOf(init), body) });
  const fail = (error: unknown) =>
    reject(signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause: doubted(error, caFile) }));
  endWith(signal, request);
  request.on('error', fail);
  request.on('response', (incoming) => {
    const { statusCode: status = 0, headers } = incoming;
    if (given.redirect === 'manual' || !isRedirect(status, headers.location))
      return void answerOf(incoming, signal).then(resolve, fail);
    incoming.resume();
    const moved = movedTo(String(input), { status, location: headers.location, hops });
    if (moved instanceof Error) return fail(moved);
    resolve(leanFetch(moved.to, { ...init, ...moved.as, ...(known && { sentWith: known }), hops: hops + 1 }));
  });
  request.end(body ?? undefined);
  return promise;
}

/**
 * `leanFetch` that believes servers by the authority in this file alone (PEM); without one by those that Node knows, and with
 * `alsoKnown` by both. The file is read for each call, so that another one in its place counts.
 */
export const fetchTrusting = (
  caFile: string | undefined,
  { alsoKnown = false }: { readonly alsoKnown?: boolean } = {},
): typeof leanFetch =>
  caFile === undefined ? leanFetch : (input, init) => leanFetch(input, Object.assign({ caFile, alsoKnown }, init));

const authoritiesOf = async (caFile: string, alsoKnown: boolean): Promise<string | string[]> =>
  alsoKnown ? [...tls.getCACertificates('default'), await authorityIn(caFile)] : authorityIn(caFile);

async function authorityIn(caFile: string): Promise<string> {
  const failed = (code: string) => new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
  const text = await readFile(caFile, 'utf8').catch(() => {
    throw failed(CA_FILE_UNREADABLE);
  });
  if (!text.includes('-----BEGIN CERTIFICATE-----')) throw failed(CA_FILE_UNUSABLE);
  return text;
}

/** With a file it is that file which knows nothing of the server's authority. */
const doubted = (error: unknown, caFile: string | undefined): unknown =>
  caFile !== undefined && isUnknownAuthority(String(fieldOf(error, 'code')))
    ? Object.assign(new Error(NOT_OF_CA_FILE), { code: NOT_OF_CA_FILE })
    : error;

interface Target {
  readonly send: typeof http.request;
  readonly options: RequestOptions;
}

const MAX_TARGETS = 64;
const targets = new Map<string, Target>();

/** What node:http makes of an address; an adapter calls one or two of them again and again. */
function targetOf(address: string): Target {
  const known = targets.get(address);
  if (known) return known;
  const url = new URL(address);
  const { protocol, hostname, port, path, auth } = urlToHttpOptions(url);
  // These alone: node:http copies them for each call, and what that makes has no prototype, which is slow to copy.
  const place = { protocol, hostname, port, path };
  const options = auth === undefined ? place : { ...place, auth };
  const target = { send: (url.protocol === 'https:' ? https : http).request, options };
  if (targets.size >= MAX_TARGETS) targets.clear();
  targets.set(address, target);
  return target;
}

const entriesOf = ({ headers }: RequestInit): Readonly<Record<string, string>> =>
  Object.fromEntries(headers instanceof Headers ? headers : new Headers(headers));

function headersOf(given: Readonly<Record<string, string>>, body: string | null): Record<string, string | number> {
  const all: Record<string, string | number> = { 'accept-encoding': 'gzip, deflate, br', ...given };
  // Known beforehand, it saves the chunks that some local servers do not understand.
  if (body !== null) all['content-length'] = Buffer.byteLength(body);
  return all;
}

/** Also while the answer is read: what was aborted must not go on to arrive. */
function endWith(signal: AbortSignal | null, what: ClientRequest | Readable): void {
  if (signal === null) return;
  const abort = () => what.destroy(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
  signal.addEventListener('abort', abort, { once: true });
  what.once('close', () => signal.removeEventListener('abort', abort));
}

const MAX_HOPS = 5;

/** A redirect to another server: it is handed nothing of a call, which has a key in a header. */
export const MOVED_ELSEWHERE = 'MOVED_ELSEWHERE';

interface Moved {
  readonly to: string;
  /** What becomes of the call there; empty: it is made again as it was. */
  readonly as: { readonly method?: 'GET'; readonly body?: null };
}

/**
 * Where the same server has what was asked for: the call is made again there as it was, where the global fetch would turn a
 * POST into a GET after 301 and 302. An error where it names another server, or leads out of TLS (the global fetch would hand
 * that one all headers but `authorization`), and where there is no end of it.
 */
function movedTo(
  from: string,
  {
    status,
    location = '',
    hops,
  }: { readonly status: number; readonly location?: string | undefined; readonly hops: number },
): Moved | Error {
  const target = URL.parse(location, from);
  const here = new URL(from);
  const isSafer = target?.hostname === here.hostname && target.protocol === 'https:' && here.protocol === 'http:';
  if (target === null || (target.origin !== here.origin && !isSafer))
    return Object.assign(new Error('another server'), { code: MOVED_ELSEWHERE });
  if (hops >= MAX_HOPS) return Object.assign(new Error('too many redirects'), { code: 'ERR_TOO_MANY_REDIRECTS' });
  return { to: target.href, as: status === 303 ? { method: 'GET', body: null } : {} };
}

const isRedirect = (status: number, location: string | null | undefined): location is string =>
  REDIRECTS.has(status) && typeof location === 'string';

/**
 * The global fetch, by the same rules of redirects: for answers that have to be read as they come. `redirect: 'manual'` hands
 * on what the server said.
 */
export async function fetchStaying(input: string | URL, init: RequestInit = {}, hops = 0): Promise<Response> {
  const response = await fetch(input, { ...init, redirect: 'manual' });
  const { status } = response;
  const location = response.headers.get('location');
  if (init.redirect === 'manual' || !isRedirect(status, location)) return response;
  await response.body?.cancel();
  const moved = movedTo(String(input), { status, location, hops });
  if (moved instanceof Error) throw new TypeError('fetch failed', { cause: moved });
  return fetchStaying(moved.to, { ...init, ...moved.as }, hops + 1);
}

async function answerOf(incoming: IncomingMessage, signal: AbortSignal | null): Promise<Response> {
  const { statusCode: status = 0, statusMessage: statusText = '', headers: fields } = incoming;
  const headers = Object.entries(fields).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  const source = decoded(incoming);
  const isEvents = fields['content-type']?.startsWith('text/event-stream') === true;
  if (isEvents) {
    endWith(signal, source);
    return new Response(ReadableStream.from<Uint8Array>(untilItBreaks(source, { status, signal })), {
      status,
      statusText,
      headers,
    });
  }
  const bytes = await bytesOf(source).catch((error) => Promise.reject(brokenOff(error, status)));
  const init = { status, statusText, headers };
  return BODILESS.has(status) ? new Response(null, init) : new WholeResponse(bytes, init);
}

/** Of a good answer that had begun to come: the model has written it, and it is billed. */
export const BROKEN_OFF = 'BROKEN_OFF';
const brokenOff = (cause: unknown, status: number): unknown =>
  status >= 300 ? cause : Object.assign(new Error('the answer broke off', { cause }), { code: BROKEN_OFF });

async function* untilItBreaks(
  source: AsyncIterable<Uint8Array>,
  { status, signal }: { readonly status: number; readonly signal: AbortSignal | null },
): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    throw signal?.aborted ? error : brokenOff(error, status);
  }
}

/** An answer that has been read: without the stream that `Response` makes of its body, and reads back. */
class WholeResponse extends Response {
  readonly #bytes: Buffer<ArrayBuffer>;

  constructor(bytes: Buffer<ArrayBuffer>, init: ResponseInit) {
    super(null, init);
    this.#bytes = bytes;
  }

  static {
    Object.defineProperties(WholeResponse.prototype, {
      text: {
        async value(this: WholeResponse) {
          return this.#bytes.toString('utf8');
        },
      },
      json: {
        value(this: WholeResponse) {
          return new Response(this.#bytes).json();
        },
      },
      arrayBuffer: {
        value(this: WholeResponse) {
          return new Response(this.#bytes).arrayBuffer();
        },
      },
      // An SDK that asked for a stream reads this, also of a page that is none.
      body: {
        get(this: WholeResponse) {
          return new Response(this.#bytes).body;
        },
      },
    });
  }
}

function decoded(incoming: IncomingMessage): Readable {
  const decoder = decoderOf(incoming.headers['content-encoding']);
  return decoder === null ? incoming : pipeline(incoming, decoder, () => {});
}

function decoderOf(encoding: string | undefined): Transform | null {
  switch (encoding?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      return null;
  }
}

/** By events: an answer of one packet then costs one call. */
function bytesOf(source: Readable): Promise<Buffer<ArrayBuffer>> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    source.on('data', (chunk: Buffer) => chunks.push(chunk));
    source.on('end', () => resolve(Buffer.concat(chunks)));
    source.on('error', reject);
  });
}
