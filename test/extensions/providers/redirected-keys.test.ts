import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { limitedFetch } from '../../../engine/lib/http/limited-fetch.ts';
import { type HttpRequest, type HttpServer, startHttpServer } from '../../fakes/http-server.ts';
import { adapterOf, KEY, never, requestTo } from './adapter.ts';

const PLACE = { anthropic: '', openai: '/v1', gemini: '', ollama: '' } as const;
const NAMES = Object.keys(PLACE) as (keyof typeof PLACE)[];
const OWN = 'secret-of-the-company';
const elsewhere: HttpRequest[] = [];
const way: { status: number; first: number | null } = { status: 302, first: null };
let other: HttpServer;
let front: HttpServer;

beforeAll(async () => {
  other = await startHttpServer((request) => {
    elsewhere.push(request);
    return { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' };
  });
  // As somebody who has a way in between the vendor and the network, or a vendor that has moved.
  front = await startHttpServer(({ path }) =>
    way.first !== null && !path.startsWith('/again')
      ? { status: way.first, headers: { location: '/again' }, body: '' }
      : { status: way.status, headers: { location: `${other.baseUrl}/taken` }, body: '' },
  );
});
beforeEach(() => {
  elsewhere.length = 0;
});
afterAll(async () => {
  await Promise.all([other.stop(), front.stop()]);
});

describe.each([301, 302, 303, 307, 308])('a server that redirects to another one by %d', (status) => {
  it.each(NAMES.flatMap((name) => [null, 303, 307].map((first) => [name, first] as const)))(
    'gets nothing of a call of %s there, after %s of the same server',
    async (name, first) => {
      Object.assign(way, { status, first });
      const config = { base_url: `${front.baseUrl}${PLACE[name]}`, headers: { 'x-company': OWN } };
      const adapter = await adapterOf(name, config);
      for (const call of [() => adapter.generate(requestTo(name), never()), () => adapter.models?.(never())])
        await expect(call()).rejects.toMatchObject({
          code: 'unavailable',
          message: expect.stringContaining('base_url'),
        });
      expect(elsewhere.map(({ path, headers }) => [path, headers])).toEqual([]);
    },
  );

  it('gets nothing of an MCP server’s headers, also after a redirect of the same server', async () => {
    for (const first of [null, 303, 307]) {
      Object.assign(way, { status, first });
      for (const method of ['GET', 'POST', 'DELETE']) {
        const body = method === 'POST' ? { body: '{}' } : {};
        const call = limitedFetch(1000)(front.baseUrl, { method, ...body, headers: { 'x-api-key': KEY } });
        const cause = await call.then(String, (error: Error) => error.cause);
        expect(cause).toMatchObject({ code: 'MOVED_ELSEWHERE' });
      }
    }
    expect(elsewhere).toEqual([]);
  });
});

it('a model server that redirects within itself is followed, with the key and as a POST', async () => {
  const seen: HttpRequest[] = [];
  const moved = await startHttpServer((request) => {
    seen.push(request);
    return request.path.startsWith('/new')
      ? {
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ candidates: [{ content: { parts: [{ text: 'Yes.' }] }, finishReason: 'STOP' }] }),
        }
      : { status: 302, headers: { location: `/new${request.path}` }, body: '' };
  });
  const adapter = await adapterOf('gemini', { base_url: moved.baseUrl });
  expect((await adapter.generate(requestTo('gemini'), never())).text).toBe('Yes.');
  expect(seen.map(({ method, headers }) => [method, headers['x-goog-api-key']])).toEqual([
    ['POST', KEY],
    ['POST', KEY],
  ]);
  await moved.stop();
});
