import { afterEach, describe, expect, it } from 'vitest';
import { createWeb } from '../../../engine/tools/web/web.ts';
import webSearch from '../../../extensions/tools/web_search/index.ts';
import { type HttpAnswer, type HttpRequest, type HttpServer, startHttpServer } from '../../fakes/http-server.ts';
import { errorWith, toolContext } from './context.ts';

const servers: HttpServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});

const KEYS = { brave: 'brave-key-1234', tavily: 'tvly-key-1234' };

const settled = (given: object) => {
  if (!webSearch.config) throw new Error('web_search has a config');
  return webSearch.config.parse(given);
};

async function service(
  vendor: 'brave' | 'tavily' | 'searxng',
  answer: Partial<HttpAnswer> | ((base: string) => object),
) {
  const asked: HttpRequest[] = [];
  const server = await startHttpServer((request) => {
    asked.push(request);
    const body = typeof answer === 'function' ? JSON.stringify(answer(server.baseUrl)) : '{}';
    return { status: 200, body, ...(typeof answer === 'function' ? {} : answer) };
  });
  servers.push(server);
  const config = settled({ vendor, base_url: `${server.baseUrl}/`, allow_hosts: ['127.0.0.1'] });
  const search = (query: string, limit = 5) =>
    webSearch.run({ query, limit }, { ...toolContext({ web: createWeb(), secrets: KEYS }), config });
  return { asked, search, host: new URL(server.baseUrl).host, config };
}

const sent = (request: HttpRequest | undefined) => {
  const { method, path = '', raw } = request ?? {};
  const url = new URL(path, 'http://x.example');
  return { method, path: url.pathname, search: Object.fromEntries(url.searchParams), body: raw?.toString() };
};

describe('each search service is asked and understood by its own wire format', () => {
  it('Brave Search', async () => {
    const { asked, search } = await service('brave', () => ({
      type: 'search',
      query: { original: 'train to Linz' },
      web: {
        type: 'search',
        results: [
          {
            title: '<strong>Train</strong> times',
            url: 'https://rail.example/linz?day=1',
            is_source_local: false,
            description: 'Every\u200b hour\n from Vienna',
            page_age: '2026-11-02T08:00:00',
            age: '3 weeks ago',
          },
          { title: 'Linz', url: 'https://linz.example/', description: '' },
        ],
      },
    }));
    expect(await search('train to Linz & back', 3)).toEqual({
      results: [
        {
          title: 'Train times',
          url: 'https://rail.example/linz?day=1',
          snippet: 'Every hour from Vienna',
          date: '2026-11-02',
        },
        { title: 'Linz', url: 'https://linz.example/', snippet: '' },
      ],
    });
    expect(asked[0]?.headers['x-subscription-token']).toBe(KEYS.brave);
    expect(sent(asked[0])).toEqual({
      method: 'GET',
      path: '/res/v1/web/search',
      search: { q: 'train to Linz & back', count: '3', text_decorations: 'false' },
      body: '',
    });
  });

  it('Tavily', async () => {
    const { asked, search } = await service('tavily', () => ({
      query: 'x',
      follow_up_questions: null,
      answer: null,
      images: [],
      results: [
        {
          title: 'Fares',
          url: 'https://fares.example',
          content: 'From 20 EUR',
          score: 0.98,
          raw_content: null,
          published_date: 'Mon, 02 Nov 2026 08:00:00 GMT',
        },
      ],
      response_time: 1.2,
    }));
    expect(await search('Grüße')).toEqual({
      results: [{ title: 'Fares', url: 'https://fares.example/', snippet: 'From 20 EUR', date: '2026-11-02' }],
    });
    const { method, path, body } = sent(asked[0]);
    expect([method, path, asked[0]?.headers.authorization]).toEqual(['POST', '/search', `Bearer ${KEYS.tavily}`]);
    expect(JSON.parse(body ?? '')).toEqual({ query: 'Grüße', max_results: 5, search_depth: 'basic' });
  });

  it('SearXNG, without any key', async () => {
    const { asked, search } = await service('searxng', () => ({
      query: 'x',
      number_of_results: 0,
      results: [
        { url: 'https://a.example/', title: 'A', content: 'a', engine: 'x', publishedDate: null, score: 1 },
        { url: 'https://b.example/', title: 'B', content: 'b', publishedDate: '2026-01-05T00:00:00' },
      ],
      answers: [],
      unresponsive_engines: [['y', 'timeout']],
    }));
    expect(await search('x')).toMatchObject({ results: [{ title: 'A' }, { title: 'B', date: '2026-01-05' }] });
    expect(sent(asked[0])).toMatchObject({ method: 'GET', path: '/search', search: { q: 'x', format: 'json' } });
    expect(JSON.stringify(asked[0]?.headers)).not.toMatch(/key-1234/);
  });
});

describe('what a service sends', () => {
  it('is bounded, and pages of the web alone, each once', async () => {
    const result = (n: number, url = `https://site${n}.example/`) => ({
      url,
      title: 't'.repeat(999),
      content: 'c'.repeat(9999),
    });
    const odd = [
      'javascript:alert(1)',
      'nonsense',
      'ftp://x.example/',
      'https://u:p@x.example/',
      `https://x.example/${'l'.repeat(3000)}`,
    ];
    const results = [
      ...odd.map((url) => result(0, url)),
      result(1),
      result(1),
      ...Array.from({ length: 30 }, (_, n) => result(n + 2)),
    ];
    const { search } = await service('searxng', () => ({ results }));
    const { results: shown } = (await search('x', 10)) as {
      results: { url: string; title: string; snippet: string }[];
    };
    expect(shown.map(({ url }) => url)).toEqual(Array.from({ length: 10 }, (_, n) => `https://site${n + 1}.example/`));
    expect(Math.max(...shown.map(({ title, snippet }) => title.length + snippet.length))).toBe(700);
  });

  it.each([
    ['brave', 401, {}, 'auth', 'never'],
    ['brave', 422, {}, 'auth', 'never'],
    ['brave', 429, { 'retry-after': '3' }, 'rate_limited', { afterMs: 3000 }],
    ['tavily', 401, {}, 'auth', 'never'],
    ['tavily', 432, {}, 'rate_limited', 'never'],
    ['tavily', 500, {}, 'unavailable', { afterMs: 0 }],
    ['searxng', 429, {}, 'rate_limited', { afterMs: 0 }],
    ['searxng', 502, {}, 'unavailable', { afterMs: 0 }],
  ] as const)('%s: status %i is a typed error that quotes nothing', async (vendor, status, headers, code, retry) => {
    const { search } = await service(vendor, { status, headers, body: `secret ${KEYS.brave} ${KEYS.tavily}` });
    const error = await Promise.resolve(search('x')).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code, retry });
    expect(String(error)).toContain(String(status));
    expect(String(error)).not.toMatch(/secret|key-1234/);
    if (typeof retry !== 'string' && retry.afterMs > 0) expect(String(error)).toContain('again in 3 s');
  });

  it.each(['<html>', '{"results": 7}', '[]', `{"results": [], "pad": "${'x'.repeat(1_100_000)}"}`])(
    'of another shape is no result',
    async (body) => {
      const { search } = await service('searxng', { body });
      await expect(search('x')).rejects.toEqual(errorWith('unparsable', 'SearXNG'));
    },
  );

  it('of SearXNG without JSON says what to set up', async () => {
    const { search } = await service('searxng', { status: 403 });
    await expect(search('x')).rejects.toEqual(errorWith('auth', 'search.formats'));
  });

  it('never takes the key to another place', async () => {
    const other = await service('brave', () => ({}));
    const { search } = await service('brave', { status: 302, headers: { location: `http://${other.host}/x` } });
    await expect(search('x')).rejects.toEqual(errorWith('tool_failed', 'redirects'));
    expect(other.asked).toEqual([]);
  });
});

describe('the set-up of web_search', () => {
  it.each([
    [{}, {}, 'no service is set up'],
    [{ vendor: 'brave' }, {}, 'BRAVE_API_KEY is not set'],
    [{ vendor: 'tavily' }, { brave: 'x' }, 'TAVILY_API_KEY is not set'],
    [{ vendor: 'searxng' }, {}, 'SearXNG needs base_url'],
    [{ vendor: 'searxng', base_url: 'http://searx.example' }, {}, null],
    [{ vendor: 'brave' }, { brave: 'x' }, null],
  ] as const)('%j with the keys %j: %s', (config, secrets, why) => {
    expect(webSearch.ready?.({ config: settled(config), secrets })).toBe(why);
  });

  it('asks a host of the own network only when the owner lists it, and names it as its target', async () => {
    const { asked, config, host } = await service('searxng', () => ({ results: [] }));
    const context = { ...toolContext({ web: createWeb() }), config: { ...config, allow_hosts: [] } };
    await expect(webSearch.run({ query: 'x', limit: 1 }, context)).rejects.toEqual(
      errorWith('tool_failed', 'allow_hosts'),
    );
    expect(asked).toEqual([]);
    expect(await webSearch.effects?.({ query: 'x', limit: 1 }, context)).toEqual({ targets: [host] });
  });
});
