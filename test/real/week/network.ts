import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { HttpAnswer } from '../../fakes/http-server.ts';

/** A vendor behind the proxy, by the name of its host. */
export interface Behind {
  /** Where it listens in truth. */
  readonly baseUrl: string;
  /** What it answers in place of a model that it has retired; null while it has it. */
  instead(body: string): HttpAnswer | null;
}

/**
 * The HTTP proxy of an office, which every request to a vendor takes. It hands requests on, or, as long as `instead` says
 * so, answers them itself. `asked`: what it was asked for, and who answered.
 */
export async function startNetwork(vendors: Readonly<Record<string, Behind>>, instead: () => HttpAnswer | null) {
  const asked: { host: string; by: 'vendor' | 'proxy'; status: number }[] = [];

  async function answerTo(request: IncomingMessage, host: string, path: string): Promise<HttpAnswer> {
    const raw = await buffer(request);
    const own = instead();
    const vendor = vendors[host];
    if (own !== null) return own;
    if (vendor === undefined) return { status: 504, body: '{"error":"no such host"}' };
    const gone = vendor.instead(raw.toString());
    if (gone !== null) return gone;
    const { method = 'GET', headers } = request;
    const { host: _host, connection: _connection, 'proxy-connection': _proxy, ...rest } = headers;
    const answer = await fetch(`${vendor.baseUrl}${path}`, {
      method,
      headers: Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]),
      ...(raw.length > 0 && { body: raw }),
    });
    return {
      status: answer.status,
      headers: { 'content-type': answer.headers.get('content-type') ?? 'application/json' },
      body: await answer.text(),
    };
  }

  const server = createServer(async (request, response) => {
    const { host, pathname, search } = new URL(request.url ?? '/', 'http://nowhere.test');
    const by = instead() === null ? 'vendor' : 'proxy';
    const { status, headers, body } = await answerTo(request, host, `${pathname}${search}`);
    asked.push({ host, by, status });
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    asked,
    /** What programs of this office have in their environment. */
    environment: {
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: `http://127.0.0.1:${port}`,
      NO_PROXY: '127.0.0.1,localhost',
    },
    async stop() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
