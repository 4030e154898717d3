import { afterEach, describe, expect, it } from 'vitest';
import type { EngineError, GenerateRequest } from '#contract';
import { silentLog } from '../../../engine/lib/log/log.ts';
import openai from '../../../extensions/providers/openai/index.ts';
import { type HttpServer, startHttpServer } from '../../fakes/http-server.ts';

// biome-ignore lint/suspicious/noExplicitAny: bodies of a protocol; tests assert on what they need.
type Heard = { path: string; body: any };

interface Server {
  show?: object;
  showStatus?: number;
  readonly version?: object;
  readonly ps?: object;
  readonly chat?: object;
  readonly chatStatus?: number;
}

const SHOW = { model_info: { 'qwen3.context_length': 40_960 }, capabilities: ['completion', 'tools'], parameters: '' };
const CHAT = {
  message: { role: 'assistant', content: 'Yes.' },
  done: true,
  done_reason: 'stop',
  prompt_eval_count: 900,
  eval_count: 3,
};
const COMPLETION = { choices: [{ message: { role: 'assistant', content: 'By chat.' }, finish_reason: 'stop' }] };

const open: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.stop()));
});

async function ollama(says: Server, config: object = {}) {
  const heard: Heard[] = [];
  const server = await startHttpServer(({ path, raw }) => {
    heard.push({ path, body: raw.length > 0 ? JSON.parse(raw.toString()) : null });
    const answer = (status: number, body: object | undefined) =>
      body === undefined ? { status: 404, body: '404 page not found' } : { status, body: JSON.stringify(body) };
    if (path === '/api/show') return answer(says.showStatus ?? 200, 'show' in says ? says.show : SHOW);
    if (path === '/api/version') return answer(200, says.version);
    if (path === '/api/ps') return answer(200, says.ps);
    if (path === '/api/chat') return answer(says.chatStatus ?? 200, says.chat ?? CHAT);
    return answer(200, COMPLETION);
  });
  open.push(server);
  const adapter = await openai.create({
    name: 'ollama',
    config: openai.config?.parse({ base_url: `${server.baseUrl}/v1`, api: 'ollama', ...config }) as never,
    secrets: {},
    models: {},
    log: silentLog,
  });
  const ask = (request: Partial<GenerateRequest> = {}) =>
    adapter.generate({ ...REQUEST, ...request }, { signal: new AbortController().signal });
  return { ask, heard, chats: () => heard.filter(({ path }) => path === '/api/chat').map(({ body }) => body) };
}

const user = (text: string) => ({ role: 'user' as const, content: [{ type: 'text' as const, text }] });
const REQUEST: GenerateRequest = {
  model: 'qwen3:8b',
  system: ['You answer.'],
  messages: [user('Well?')],
  tools: [{ name: 'look', description: 'Looks', inputSchema: { type: 'object', properties: {} } }],
  toolChoice: 'auto',
  maxOutputTokens: null,
  temperature: null,
  cacheKey: 'k',
  input: { text: 'Well?' },
};
const thrown = (promise: Promise<unknown>): Promise<EngineError> =>
  promise.then(
    () => Promise.reject(new Error('none')),
    (error) => error,
  );
const LONG = 'It goes on about the weather and the harvest. '.repeat(600);

describe('Ollama by its own API', () => {
  it('is asked for a window that holds the request, and for no smaller one afterwards', async () => {
    const { ask, chats } = await ollama({});
    expect((await ask()).text).toBe('Yes.');
    await ask({ messages: [user(LONG)] });
    await ask();
    expect(chats().map(({ options }) => options.num_ctx)).toEqual([8192, 16_384, 16_384]);
    expect(chats()[0]).toMatchObject({ model: 'qwen3:8b', stream: false, tools: [{ function: { name: 'look' } }] });
  });

  it('never asks for more than the model has room for, and sends nothing that does not fit', async () => {
    const { ask, chats } = await ollama({ show: { ...SHOW, model_info: { 'x.context_length': 8192 } } });
    const error = await thrown(ask({ messages: [user(LONG.repeat(3))] }));
    expect([error.code, error.whose]).toEqual(['context_overflow', 'request']);
    expect(chats()).toEqual([]);
  });

  it('notices a prompt that the server cut, by what it has loaded', async () => {
    const chat = { ...CHAT, prompt_eval_count: 2048 };
    const { ask } = await ollama({ chat, ps: { models: [{ model: 'qwen3:8b', context_length: 4096 }] } });
    const error = await thrown(ask({ messages: [user(LONG)] }));
    expect(error.code).toBe('context_overflow');
    expect(error.message).toContain('cut the prompt');
  });

  it('notices it by its count alone where the server does not say what it has loaded', async () => {
    const { ask } = await ollama({ chat: { ...CHAT, prompt_eval_count: 2048 } });
    expect((await thrown(ask({ messages: [user(LONG)] }))).code).toBe('context_overflow');
  });

  it('believes a low count where the window that is loaded holds all of it', async () => {
    const chat = { ...CHAT, prompt_eval_count: 1200 };
    const { ask } = await ollama({ chat, ps: { models: [{ model: 'qwen3:8b', context_length: 16_384 }] } });
    expect((await ask({ messages: [user(LONG)] })).text).toBe('Yes.');
  });

  it('tells its owner of a model that is not there, or that calls no tools', async () => {
    const gone = await ollama({ show: { error: 'model not found' }, showStatus: 404, version: { version: '0.13.0' } });
    const first = await thrown(gone.ask());
    expect([first.code, first.whose]).toEqual(['model_gone', 'setup']);
    const mute = await ollama({ show: { ...SHOW, capabilities: ['completion'] } });
    expect((await thrown(mute.ask())).whose).toBe('setup');
    expect((await mute.ask({ tools: [] })).text).toBe('Yes.');
  });

  it('sends calls with their results, and numbers the calls that it gets', async () => {
    const call = { function: { name: 'look', arguments: { at: 1 } } };
    const { ask, chats } = await ollama({
      chat: { ...CHAT, message: { role: 'assistant', content: '', thinking: 'Hm.', tool_calls: [call, call] } },
    });
    const answer = await ask();
    expect(answer.toolCalls.map(({ id, arguments: args }) => [id, args])).toEqual([
      ['call_0_0', { at: 1 }],
      ['call_0_1', { at: 1 }],
    ]);
    const { text, toolCalls, providerParts } = answer;
    const results = toolCalls.map(({ id }) => ({ callId: id, name: 'look', content: '{"ok":true}', isError: false }));
    const said = { role: 'assistant' as const, text, toolCalls, providerParts };
    await ask({ messages: [user('Well?'), said, { role: 'tool', results }] });
    expect(chats()[1].messages.slice(2)).toEqual([
      { role: 'assistant', content: '', thinking: 'Hm.', tool_calls: [call, call] },
      { role: 'tool', tool_name: 'look', content: '{"ok":true}' },
      { role: 'tool', tool_name: 'look', content: '{"ok":true}' },
    ]);
  });

  it('is no whole answer where it was cut or is not done', async () => {
    const cut = await ollama({ chat: { ...CHAT, done_reason: 'length' } });
    expect(await cut.ask()).toMatchObject({ finish: 'length', whole: false });
    const load = await ollama({ chat: { ...CHAT, done_reason: 'load' } });
    expect((await load.ask()).whole).toBe(false);
  });

  it('goes on by chat completions where the address is another server’s', async () => {
    const { ask, heard } = await ollama({ show: { error: { message: 'no such path' } }, showStatus: 404 });
    expect((await ask()).text).toBe('By chat.');
    await ask();
    expect(heard.map(({ path }) => path)).toEqual([
      '/api/show',
      '/api/version',
      '/v1/chat/completions',
      '/v1/chat/completions',
    ]);
  });

  it.each([500, 503, 429, 401])(
    'is asked by its own API again after a moment in which it answers %i',
    async (status) => {
      const says: Server = { show: { error: 'not now' }, showStatus: status, version: { version: '0.12.1' } };
      const { ask, heard } = await ollama(says);
      const failed: EngineError = await ask().then(
        () => expect.unreachable(),
        (error) => error,
      );
      expect(failed.code).not.toBe('model_gone');
      Object.assign(says, { show: SHOW, showStatus: 200 });
      expect((await ask()).text).toBe('Yes.');
      expect(heard.map(({ path }) => path)).not.toContain('/v1/chat/completions');
    },
  );

  it('keeps to the window that its owner has set', async () => {
    const { ask, chats } = await ollama({}, { num_ctx: 65_536 });
    await ask();
    expect(chats()[0].options.num_ctx).toBe(65_536);
  });
});
