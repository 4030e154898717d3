import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import type { Log } from '#contract';
import type { SystemConfig } from '../config/types.ts';
import { notListening } from '../lib/port-taken.ts';
import { answerTo, type ConsoleAnswers } from './answer.ts';
import type { DoorPlace } from './door/allowed.ts';
import type { People } from './people.ts';
import { failed, type Reply } from './reply.ts';

// As CommonJS: `import` of it by name brings the global fetch along, 9 MB.
const { createServer }: typeof import('node:http') = createRequire(import.meta.url)('node:http');

export interface ConsoleServer {
  /** Where it listens, with the port that it got. */
  readonly url: string;
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 1024 * 1024;
const MAX_CONNECTIONS = 64;
/** Beside them, where people look: a page that is open keeps one. */
const MAX_OPEN_PAGES = 200;
const BOUNDS = {
  maxHeaderSize: 8 * 1024,
  headersTimeout: 5000,
  /** From the first byte of a request to its last. */
  requestTimeout: 10_000,
  keepAliveTimeout: 5000,
  /** How often it is looked whether one of them is over. */
  connectionsCheckingInterval: 1000,
} as const;
const FAULT = failed(500, 'internal', 'this is a fault of the gateway; its log says more');
/** Without a byte in either direction. */
const IDLE_MS = 15_000;

/** Answers machines over HTTP, and people where there is a part for them. Throws `port_in_use`. */
export async function startConsoleServer({
  config,
  answers,
  people = null,
  log,
}: {
  readonly config: Pick<SystemConfig['console'], 'host' | 'port' | 'public_url'>;
  readonly answers: ConsoleAnswers;
  /** Loaded at the first request that is for it; null: nobody looks here. */
  readonly people?: ((place: DoorPlace) => Promise<People>) | null;
  readonly log: Log;
}): Promise<ConsoleServer> {
  const { host, port } = config;
  let made: Promise<People> | null = null;
  const server = createServer(BOUNDS, (request, response) => {
    const place: DoorPlace = { host, port: portOf(server) ?? port, publicUrl: config.public_url };
    if (people !== null && !isForMachines(request)) {
      made ??= people(place);
      made.then(
        ({ handle }) => handle(request, response),
        (error: unknown) => {
          made = null;
          log.error({ error: String(error) }, 'the screens of the console could not be loaded');
          send(response, FAULT);
        },
      );
      return;
    }
    if (!isProgramsName(place, request.headers.host)) {
      send(response, failed(421, 'not_found', 'the console has no such name; see console.public_url'));
      return;
    }
    answer(request, answers).then(
      (reply) => send(response, reply),
      (error: unknown) => {
        // Whoever hangs up in the middle of a result is no fault of anybody's.
        if (request.complete) log.error({ error: String(error) }, 'a request to the console failed');
        send(response, FAULT);
      },
    );
  });
  server.maxConnections = MAX_CONNECTIONS + (people === null ? 0 : MAX_OPEN_PAGES);
  server.setTimeout(IDLE_MS);
  await listen(server, host, port);
  const bound = portOf(server) ?? port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function portOf(server: Server): number | null {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : null;
}

/** What machines ask for is answered by its own rules, whoever else looks here. */
function isForMachines({ url = '' }: IncomingMessage): boolean {
  const [path = ''] = url.split('?', 1);
  return path === '/healthz' || path === '/readyz' || path === '/metrics' || path.startsWith('/v1/');
}

const answer = (request: IncomingMessage, answers: ConsoleAnswers): Promise<Reply> =>
  answerTo(
    {
      method: request.method ?? '',
      url: request.url ?? '',
      contentType: request.headers['content-type'] ?? '',
      authorization: request.headers.authorization ?? '',
      body: () => bodyOf(request),
    },
    answers,
  );

async function bodyOf(request: IncomingMessage): Promise<string | null> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return null;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, { status, type, body, headers }: Reply): void {
  // Whoever asked may be gone.
  if (response.destroyed) return;
  const own = { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store' };
  response.writeHead(status, { ...own, 'x-content-type-options': 'nosniff', ...headers }).end(body);
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(notListening(error, { host, port, key: 'console.port', file: 'configs/system.json' }));
    });
    server.listen(port, host, resolve);
  });
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.');
const bare = (url: string): string => URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? '';

/**
 * Pure. Whether a program is answered that names the door so; undefined: it names nothing, which no browser leaves out. Its own names count
 * as for people (`calledAs`), but under any port, since one may be led on to ours. Beside them count names that no page of the web can have:
 * an address, and, where others of the network reach the door, a name without a dot, such as that of a container.
 */
function isProgramsName({ host, publicUrl }: DoorPlace, named: string | undefined): boolean {
  if (named === undefined) return true;
  const name = bare(`http://${named}`);
  const ours = ['localhost', host.toLowerCase(), ...(publicUrl === null ? [] : [bare(publicUrl)])];
  return isIP(name) !== 0 || ours.includes(name) || (!isLoopback(host) && /^[a-z0-9_-]+$/.test(name));
}
