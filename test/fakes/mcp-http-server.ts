import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { answersTo, type Message } from './mcp-script.ts';

export interface McpHttpOptions {
  /** It hands out sessions, and answers those that it does not know with this status. */
  readonly lost?: 400 | 404;
  /** It lives at `/mcp/`, and sends from `/mcp` there with this status, or to another address. */
  readonly redirect?: { readonly status: number; readonly to: string };
  /** It answers in a stream of events. */
  readonly streams?: boolean;
  /** Only the transport of before 2025: one stream of events, messages by POST beside it. */
  readonly isOld?: boolean;
  /** It opens that stream and says nothing in it. */
  readonly isMute?: boolean;
  /** By method: a status, and a body if there is one, in place of an answer. */
  /** It wants a token, and says where one is given (RFC 9728). */
  readonly guard?: Guard;
  readonly statuses?: Readonly<Record<string, Instead>>;
}

interface Instead {
  readonly status: number;
  readonly body?: string;
  readonly headers?: Record<string, string>;
}

export interface Guard {
  readonly issuer: string;
  isGood(token: string): boolean;
  /** Fields of what it says of itself in place of the usual ones. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** It is reached by TLS, through something in front of it. */
  readonly secured?: true;
}

export interface McpHttpServer {
  readonly baseUrl: string;
  readonly authorizations: string[];
  /** How often it was greeted. */
  readonly greetings: () => number;
  /** As after a restart: it knows none of its sessions any more. */
  forget(): void;
  /** Ends it with all that was asked of it, and begins it anew at the same address; `meanwhile` is done in between. */
  restart(meanwhile?: () => Promise<unknown>): Promise<void>;
  stop(): Promise<void>;
}

/** The same server behind a URL (streamable HTTP). Keeps the headers that it was sent. */
export async function startMcpServer(path: string, options: McpHttpOptions = {}): Promise<McpHttpServer> {
  const authorizations: string[] = [];
  const sessions = new Set<string>();
  const state: { greetings: number; stream: ServerResponse | null } = { greetings: 0, stream: null };
  type End = (status: number, body?: string, more?: Record<string, string>) => void;

  /** A door before all else; true: it was answered there. */
  function stoppedBy(
    { issuer, isGood, metadata, secured }: Guard,
    { url = '', headers }: IncomingMessage,
    end: End,
  ): boolean {
    const base = `${secured ? 'https' : 'http'}://${headers.host}`;
    if (url === '/.well-known/oauth-protected-resource/mcp') {
      const usual = { resource: `${base}/mcp`, authorization_servers: [issuer], scopes_supported: ['tools'] };
      end(200, JSON.stringify({ ...usual, ...metadata }));
      return true;
    }
    if (isGood((headers.authorization ?? '').replace('Bearer ', ''))) return false;
    const place = `${base}/.well-known/oauth-protected-resource/mcp`;
    end(401, 'SERVER-WORDS: no token', { 'www-authenticate': `Bearer resource_metadata="${place}", scope="tools"` });
    return true;
  }

  /** What has nothing to do with messages; true: it was answered. */
  function answeredBefore(request: IncomingMessage, response: ServerResponse, end: End): boolean {
    const { method, url = '' } = request;
    const { redirect, isOld, isMute } = options;
    if (redirect && url === '/mcp') end(redirect.status, '', { location: redirect.to });
    else if (isOld && method === 'GET') {
      state.stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (isMute) response.flushHeaders();
      else response.write('event: endpoint\ndata: /messages?session=1\n\n');
    } else if (method !== 'POST' || (isOld && !url.startsWith('/messages'))) end(405);
    else return false;
    return true;
  }

  /** The session that a greeting begins; null where the message belongs to one that is not known. */
  function sessionOf(message: Message, known: string): Record<string, string> | null {
    if (!options.lost) return {};
    if (message.method !== 'initialize') return sessions.has(known) ? {} : null;
    const id = randomUUID();
    sessions.add(id);
    return { 'mcp-session-id': id };
  }

  function toStream(events: readonly string[], end: End): void {
    for (const event of events) state.stream?.write(event);
    end(202);
  }

  /** A question without an answer hangs; nobody answers a message that has no number. */
  function answer(message: Message, end: End, more: Record<string, string>): void {
    const answers = answersTo(message, path);
    const last = answers.at(-1);
    const events = answers.map((one) => `event: message\ndata: ${JSON.stringify(one)}\n\n`);
    const streams = { ...more, 'content-type': 'text/event-stream' };
    if (last === undefined && message.id !== undefined) return;
    if (options.isOld) toStream(events, end);
    else if (last === undefined) end(202);
    else if (last === 'die') end(500, 'no');
    else if (last === 'long') end(200, `"${'x'.repeat(12 * 1024 * 1024)}"`);
    else if (last === 'garbage') end(200, 'this is no JSON');
    else if (options.streams) end(200, `: a comment\n\n${events.join('')}`, streams);
    else end(200, JSON.stringify(last), more);
  }

  const server = createServer(async (request, response) => {
    const end: End = (status, body = '', more = {}) =>
      void response.writeHead(status, { 'content-type': 'application/json', ...more }).end(body);
    if (options.guard && stoppedBy(options.guard, request, end)) return;
    if (answeredBefore(request, response, end)) return;
    authorizations.push(request.headers.authorization ?? '');
    const message: Message = JSON.parse(await text(request));
    if (message.method === 'initialize') state.greetings += 1;
    const session = sessionOf(message, String(request.headers['mcp-session-id'] ?? ''));
    const error = { code: -32_000, message: 'No valid session ID' };
    if (session === null) return end(options.lost ?? 404, JSON.stringify({ jsonrpc: '2.0', id: null, error }));
    const instead = options.statuses?.[message.method ?? ''];
    if (instead) return end(instead.status, instead.body, instead.headers);
    answer(message, end, session);
  });
  const listen = async (port: number): Promise<number> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
    return address.port;
  };
  const stop = async () => {
    if (!server.listening) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  };
  const port = await listen(0);
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    authorizations,
    greetings: () => state.greetings,
    forget: () => sessions.clear(),
    async restart(meanwhile) {
      sessions.clear();
      await stop();
      await meanwhile?.();
      await listen(port);
    },
    stop,
  };
}
