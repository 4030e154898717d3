import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body's bytes as they arrived. */
  readonly raw: Buffer;
}

/** What goes back. `body` may be cut: half of it is written, then the connection is destroyed. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly cut?: boolean;
  /** It is written in pieces of so many bytes, in the middle of letters too. */
  readonly pieceBytes?: number;
  readonly delayMs?: number;
  /** It goes back when this has come true. */
  readonly until?: Promise<unknown>;
}

export interface HttpServer {
  readonly baseUrl: string;
  stop(): Promise<void>;
}

/** A real HTTP server on loopback, on a port of its own. */
export async function startHttpServer(
  handle: (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>,
): Promise<HttpServer> {
  const server = createServer(async (request, response) => {
    const raw = await buffer(request);
    const { method = '', url = '', headers } = request;
    const answer = await handle({ method, path: url, headers, raw });
    const send = () => write(response, answer);
    if (answer.until !== undefined) await answer.until;
    if (answer.delayMs === undefined) return send();
    const timer = setTimeout(send, answer.delayMs);
    response.on('close', () => clearTimeout(timer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    async stop() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

function write(response: ServerResponse, { status, headers, body, cut, pieceBytes }: HttpAnswer): void {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const length = { 'content-length': String(bytes.length) };
  response.writeHead(status, { 'content-type': 'application/json', ...headers, ...length });
  if (cut) response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => response.destroy());
  else if (pieceBytes === undefined) response.end(bytes);
  else writePieces(response, bytes, pieceBytes);
}

function writePieces(response: ServerResponse, bytes: Uint8Array, pieceBytes: number): void {
  if (bytes.length <= pieceBytes) return void response.end(bytes);
  response.write(bytes.subarray(0, pieceBytes), () => {
    setImmediate(() => writePieces(response, bytes.subarray(pieceBytes), pieceBytes));
  });
}
