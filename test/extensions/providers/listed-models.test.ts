import { afterEach, describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { type HttpAnswer, type HttpRequest, type HttpServer, startHttpServer } from '../../fakes/http-server.ts';
import { adapterOf, KEY, never } from './adapter.ts';

const open: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.stop()));
});

/** What a provider makes of the list of a server that answers each path with this. */
async function list(
  name: string,
  answer: (path: string) => Json | HttpAnswer,
  { base = '', config = {} }: { base?: string; config?: Record<string, Json> } = {},
) {
  const heard: Pick<HttpRequest, 'method' | 'path' | 'headers'>[] = [];
  const server = await startHttpServer(({ method, path, headers }) => {
    heard.push({ method, path, headers });
    const given = answer(path);
    return isAnswer(given) ? given : { status: 200, body: JSON.stringify(given) };
  });
  open.push(server);
  const adapter = await adapterOf(name, { base_url: `${server.baseUrl}${base}`, ...config });
  const models = adapter.models?.(never());
  return { models, heard };
}

const isAnswer = (given: Json | HttpAnswer): given is HttpAnswer =>
  typeof given === 'object' && given !== null && 'status' in given && 'body' in given;

const refusal = (status: number, body: object): HttpAnswer => ({ status, body: JSON.stringify(body) });

describe('the models that a service lists', () => {
  it('are those of /v1/models, with the key of the provider', async () => {
    const { models, heard } = await list('openai', () => ({ data: [{ id: 'b' }, { id: 'a' }, { id: 'b' }, {}, 7] }), {
      base: '/v1',
    });
    expect(await models).toEqual([{ id: 'b' }, { id: 'a' }]);
    expect(heard).toMatchObject([{ method: 'GET', path: '/v1/models', headers: { authorization: `Bearer ${KEY}` } }]);
  });

  it('have the prices that OpenRouter says, and none where it depends on the model behind it', async () => {
    const { models } = await list('openrouter', () => ({
      data: [
        { id: 'x/one', pricing: { prompt: '0.00000125', completion: '0.00001' } },
        { id: 'x/free', pricing: { prompt: '0', completion: '0' } },
        { id: 'x/auto', pricing: { prompt: '-1', completion: '-1' } },
        { id: 'x/odd', pricing: { prompt: 'soon', completion: null } },
      ],
    }));
    expect(await models).toEqual([
      { id: 'x/one', usd_per_million_tokens: { input: 1.25, output: 10 } },
      { id: 'x/free', usd_per_million_tokens: { input: 0, output: 0 } },
      { id: 'x/auto' },
      { id: 'x/odd' },
    ]);
  });

  it('are read page by page at Anthropic', async () => {
    const { models, heard } = await list('anthropic', (path) =>
      path.includes('after_id=claude-a')
        ? { data: [{ id: 'claude-b' }], has_more: false, last_id: 'claude-b' }
        : { data: [{ id: 'claude-a' }], has_more: true, last_id: 'claude-a' },
    );
    expect(await models).toEqual([{ id: 'claude-a' }, { id: 'claude-b' }]);
    expect(heard.map(({ path }) => path.split('?')[0])).toEqual(['/v1/models', '/v1/models']);
  });

  it('are at Gemini those that answer, page by page and without the word before their names', async () => {
    const { models, heard } = await list('gemini', (path) =>
      path.includes('pageToken=next')
        ? { models: [{ name: 'models/gemini-b', supportedGenerationMethods: ['generateContent', 'countTokens'] }] }
        : {
            models: [
              { name: 'models/embed-1', supportedGenerationMethods: ['embedContent'] },
              { name: 'models/gemini-a', supportedGenerationMethods: ['generateContent'] },
            ],
            nextPageToken: 'next',
          },
    );
    expect(await models).toEqual([{ id: 'gemini-a' }, { id: 'gemini-b' }]);
    expect(heard[0]).toMatchObject({ path: '/v1beta/models?pageSize=1000', headers: { 'x-goog-api-key': KEY } });
    expect(heard.map(({ path }) => path).join()).not.toContain(KEY);
  });

  it('are those that an Ollama has pulled, and the list of another server that stands in its place', async () => {
    const tags = { models: [{ name: 'qwen3:8b', model: 'qwen3:8b' }, { name: 'old:1b' }] };
    const own = await list('ollama', (path) => (path === '/api/tags' ? tags : refusal(404, {})), { base: '/v1' });
    expect(await own.models).toEqual([{ id: 'qwen3:8b' }, { id: 'old:1b' }]);
    const other = await list(
      'ollama',
      (path) => (path === '/v1/models' ? { data: [{ id: 'local' }] } : refusal(404, { error: 'no such path' })),
      { base: '/v1' },
    );
    expect(await other.models).toEqual([{ id: 'local' }]);
  });

  it('end at a bound where the pages never do', async () => {
    let count = 0;
    const { models } = await list('gemini', () => {
      count += 1;
      return { models: [{ name: `models/m-${count}` }], nextPageToken: `page-${count}` };
    });
    expect(await models).toHaveLength(20);
  });

  it.each([
    ['openai', refusal(401, { error: { message: 'no such key', code: 'invalid_api_key' } }), 'auth', 'setup'],
    ['anthropic', refusal(401, { error: { type: 'authentication_error', message: 'no' } }), 'auth', 'setup'],
    [
      'gemini',
      refusal(400, {
        error: { code: 400, message: 'API key not valid', details: [{ reason: 'API_KEY_INVALID' }] },
      }),
      ...(['auth', 'setup'] as const),
    ],
    ['openai', { status: 200, body: '<html>log in</html>' }, 'unavailable', 'unclear'],
    ['gemini', { status: 200, body: '<html>log in</html>' }, 'unavailable', 'unclear'],
    ['ollama', refusal(500, { error: 'busy' }), 'unavailable', 'unclear'],
  ] as const)('are refused by %s as an answer would be', async (name, answer, code, whose) => {
    const { models } = await list(name, () => answer);
    await expect(models).rejects.toMatchObject({ code, whose, message: expect.not.stringContaining(KEY) });
  });
});
