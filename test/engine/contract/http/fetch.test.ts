import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { endedBy, leanFetch } from '../../../../engine/contract/http/fetch.ts';

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

async function serve(handle: (request: IncomingMessage, response: ServerResponse) => unknown): Promise<string> {
  const server = createServer((request, response) => void handle(request, response));
  stops.push(() => {
    server.close();
    server.closeAllConnections();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}`;
}

const post = (url: string, init: RequestInit = {}) => leanFetch(url, { method: 'POST', body: '{"a":"ü"}', ...init });

describe('a lean fetch', () => {
  it('sends text with its length, and reads status, headers and body', async () => {
    const url = await serve(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { 'content-length': length, 'x-own': own } = request.headers;
      response.writeHead(429, { 'retry-after': '7', 'set-cookie': ['a=1', 'b=2'] });
      response.end(JSON.stringify({ method: request.method, length, own, said: Buffer.concat(chunks).toString() }));
    });
    const response = await post(url, { headers: { 'x-own': 'yes' } });
    expect([response.status, response.ok]).toEqual([429, false]);
    expect([response.headers.get('retry-after'), response.headers.getSetCookie()]).toEqual(['7', ['a=1', 'b=2']]);
    expect(await response.json()).toEqual({ method: 'POST', length: '10', own: 'yes', said: '{"a":"ü"}' });
  });

  it('keeps its connection', async () => {
    const ports = new Set<number | undefined>();
    const url = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
    });
    for (let call = 0; call < 3; call += 1) await (await post(url)).text();
    expect(ports.size).toBe(1);
  });

  it('reads what is compressed', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync('{"ok":true}'));
    });
    expect(await (await post(url)).json()).toEqual({ ok: true });
  });

  it('hands on a stream of events as it comes', async () => {
    const more = Promise.withResolvers<void>();
    const url = await serve(async (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.write('data: 1\n\n');
      await more.promise;
      response.end('data: 2\n\n');
    });
    const { body } = await post(url);
    const said: string[] = [];
    for await (const chunk of body ?? []) {
      said.push(Buffer.from(chunk).toString());
      more.resolve();
    }
    expect(said).toEqual(['data: 1\n\n', 'data: 2\n\n']);
  });

  it('ends with the reason of its signal, before, while and after the headers come', async () => {
    const reason = new Error('it took too long');
    await expect(post('http://127.0.0.1:1', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    for (const begin of [() => {}, (response: ServerResponse) => response.write('{')]) {
      const asked = Promise.withResolvers<void>();
      const closed = Promise.withResolvers<void>();
      const url = await serve((request, response) => {
        request.socket.on('close', () => closed.resolve());
        begin(response);
        asked.resolve();
      });
      const ending = new AbortController();
      const answer = post(url, { signal: ending.signal });
      await asked.promise;
      ending.abort(reason);
      await expect(answer).rejects.toBe(reason);
      await closed.promise;
    }
  });

  it('ends with the signal that it is ended by, in place of the one of an SDK', async () => {
    const [ending, reason] = [new AbortController(), new Error('enough')];
    const url = await serve((request) => request.on('end', () => ending.abort(reason)).resume());
    await expect(post(url, { ...endedBy(ending.signal), signal: new AbortController().signal })).rejects.toBe(reason);
  });

  it('ends a stream of events with its signal', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: 1\n\n');
    });
    const ending = new AbortController();
    const { body } = await post(url, { signal: ending.signal });
    const reader = body?.getReader();
    await reader?.read();
    const rest = reader?.read();
    ending.abort(new Error('enough'));
    await expect(rest).rejects.toThrow('enough');
  });

  it('says why there is no answer, with the code as the cause', async () => {
    const cut = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"half":', () => response.destroy());
    });
    const failure = (url: string) => post(url).then(String, (error: Error) => [error.message, error.cause]);
    const reset = { code: 'BROKEN_OFF', cause: expect.objectContaining({ code: 'ECONNRESET' }) };
    expect(await failure(cut)).toEqual(['fetch failed', expect.objectContaining(reset)]);
    expect(await failure('http://127.0.0.1:1')).toEqual([
      'fetch failed',
      expect.objectContaining({ code: 'ECONNREFUSED' }),
    ]);
  });

  it.each([301, 302, 307, 308])('keeps a call as it was where the same server has moved it with %i', async (status) => {
    const url = await serve(async (request, response) => {
      if (request.url !== '/new') return void response.writeHead(status, { location: '/new' }).end();
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      response.end(JSON.stringify([request.method, request.headers['x-own'], Buffer.concat(chunks).toString()]));
    });
    expect(await (await post(url, { headers: { 'x-own': 'yes' } })).json()).toEqual(['POST', 'yes', '{"a":"ü"}']);
  });

  it.each([302, 303, 307, 308])(
    'hands another server nothing of a call, to which one sends with %i',
    async (status) => {
      const asked: unknown[] = [];
      const other = await serve((request, response) => {
        asked.push(request.headers);
        response.end('{}');
      });
      const location = other.replace('127.0.0.1', 'localhost');
      const url = await serve((_request, response) => void response.writeHead(status, { location }).end());
      const failed = post(url, { headers: { 'x-api-key': 'secret' } }).then(String, (error: Error) => error.cause);
      expect(await failed).toMatchObject({ code: 'MOVED_ELSEWHERE' });
      expect(asked).toEqual([]);
    },
  );

  it('follows a redirect as the global fetch does', async () => {
    const url = await serve((request, response) => {
      if (request.url === '/new') return void response.end('{"found":true}');
      response.writeHead(308, { location: '/new' });
      response.end();
    });
    expect(await (await post(url)).json()).toEqual({ found: true });
  });

  it('has an empty answer without a body', async () => {
    const url = await serve((_request, response) => {
      response.writeHead(204);
      response.end();
    });
    const response = await post(url);
    expect([response.status, response.body]).toEqual([204, null]);
  });
});
