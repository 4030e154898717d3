import { afterEach, describe, expect, it } from 'vitest';
import { EngineError, type GenerateRequest, type GenerateResponse, type Json, type ModelMessage } from '#contract';
import type { Script, Turn } from '../../fakes/model-script.ts';
import { type FakeModel, startFakeModel, type VendorName } from '../../fakes/model-server.ts';
import { adapterOf, KEY, never, requestTo, user } from './adapter.ts';

/** The same table for every vendor; Anthropic streams or not by the size of the answer that it may give. */
const WAYS: { way: string; wire: VendorName; provider: string; limits: Partial<GenerateRequest> }[] = [
  { way: 'openai', wire: 'openai', provider: 'openai', limits: {} },
  { way: 'openai by responses', wire: 'openai-responses', provider: 'openai', limits: { model: 'gpt-6.1-sol' } },
  { way: 'anthropic, streamed', wire: 'anthropic', provider: 'anthropic', limits: {} },
  { way: 'anthropic, in one piece', wire: 'anthropic', provider: 'anthropic', limits: { maxOutputTokens: 4096 } },
  { way: 'gemini', wire: 'gemini', provider: 'gemini', limits: {} },
];

const running: FakeModel[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((fake) => fake.stop()));
});

describe.each(WAYS)('a conversation with $way', ({ wire, provider, limits }) => {
  async function start(script: Script) {
    const fake = await startFakeModel(wire, script, { key: KEY });
    running.push(fake);
    const adapter = await adapterOf(provider, { base_url: fake.baseUrl });
    const ask = (change: Partial<GenerateRequest> = {}, options = never()) =>
      adapter.generate(requestTo(provider, { ...limits, ...change }), options);
    return { fake, ask };
  }

  const failureOf = async (script: Script): Promise<EngineError> => {
    const { ask } = await start(script);
    const error: unknown = await ask().catch((thrown: unknown) => thrown);
    if (!(error instanceof EngineError)) throw new Error('it did not fail as the contract says', { cause: error });
    return error;
  };

  it('gives back plain text with what it cost in tokens', async () => {
    const { fake, ask } = await start([{ text: 'It is empty.', usage: { input: 900, output: 12, cached: 700 } }]);
    const response = await ask();
    expect(response).toMatchObject({
      text: 'It is empty.',
      toolCalls: [],
      finish: 'stop',
      usage: { input: 900, output: 12, cached: 700, cacheWrite: 0 },
      reportedCostUsd: null,
    });
    expect(fake.requests[0]?.view).toMatchObject({
      system: 'You are Ada.\n\nAnswer briefly.',
      tools: ['list_files', 'read_file'],
      lastUser: 'What is in plan.txt?',
    });
  });

  it('carries a call out and its result back', async () => {
    const { fake, ask } = await start([
      { calls: [{ name: 'read_file', arguments: { path: 'plan.txt' } }] },
      { text: 'Buy milk.' },
    ]);
    const first = await ask();
    expect(first).toMatchObject({
      finish: 'tool_calls',
      text: '',
      toolCalls: [{ name: 'read_file', arguments: { path: 'plan.txt' } }],
    });
    const second = await ask({ messages: answered(first, [{ ok: true, result: 'milk' }]) });
    expect(second).toMatchObject({ text: 'Buy milk.', finish: 'stop' });
    expect(fake.requests[1]?.view.results).toEqual([
      { id: first.toolCalls[0]?.id, content: '{"ok":true,"result":"milk"}', isError: false },
    ]);
  });

  it('keeps parallel calls apart and in order, also when one fails', async () => {
    const { fake, ask } = await start([
      { text: 'I look.', calls: [{ name: 'list_files' }, { name: 'read_file', arguments: { path: 'x' } }] },
      { text: 'There is no x.' },
    ]);
    const first = await ask();
    expect(first.text).toBe('I look.');
    expect(first.toolCalls.map(({ name }) => name)).toEqual(['list_files', 'read_file']);
    expect(new Set(first.toolCalls.map(({ id }) => id)).size).toBe(2);
    const failure = { ok: false, error: { code: 'tool_not_found', message: 'no such file' } };
    await ask({ messages: answered(first, [{ ok: true, result: [] }, failure]) });
    expect(fake.requests[1]?.view.results.map(({ isError }) => isError)).toEqual([false, true]);
  });

  it('hands on arguments that are no JSON as text, and the model can be told', async () => {
    const { ask } = await start([{ rawArguments: '{"path": plan' }, { text: 'Sorry.' }]);
    const first = await ask();
    expect(first.toolCalls).toMatchObject([{ name: 'list_files', rawArguments: '{"path": plan' }]);
    expect(first.toolCalls[0]?.arguments).toBeUndefined();
    const told = { ok: false, error: { code: 'invalid_arguments', message: 'not JSON' } };
    expect(await ask({ messages: answered(first, [told]) })).toMatchObject({ text: 'Sorry.' });
  });

  it('sends thinking back untouched, through storage, and never shows it', async () => {
    const { ask } = await start([
      { thinking: 'Ümlaut "first" I read it.', text: 'Wait.', calls: [{ name: 'list_files' }] },
      { thinking: 'Now I know.', text: 'Done.' },
    ]);
    const first = stored(await ask());
    expect(first.text).toBe('Wait.');
    // The fake refuses the request, as the vendor would, when thinking or signature came back altered.
    expect((await ask({ messages: answered(first, [{ ok: true, result: 1 }]) })).text).toBe('Done.');
  });

  it('lets another model go on where this one stopped', async () => {
    const { ask } = await start([{ text: 'Taken over.' }]);
    const foreign: GenerateResponse = {
      text: '',
      toolCalls: [
        { id: 'functions.read_file:0', name: 'read_file', arguments: { path: 'a' } },
        { id: 'functions.read_file:1', name: 'read_file', arguments: undefined, rawArguments: '{' },
      ],
      finish: 'tool_calls',
      usage: { input: 1, output: 1, cached: 0, cacheWrite: 0 },
      providerParts: { provider: 'another', model: 'm', data: { secret: 'parts' } },
      reportedCostUsd: null,
    };
    const messages = answered(foreign, [{ ok: true, result: 'a' }, { ok: false }]);
    expect(await ask({ messages })).toMatchObject({ text: 'Taken over.' });
  });

  it.each<[string, Partial<GenerateRequest>]>([
    ['with its tools still listed', { toolChoice: 'none' }],
    ['with no tool left', { tools: [] }],
  ])('can be made to answer in text after calls, %s', async (_how, change) => {
    const { fake, ask } = await start([{ calls: [{ name: 'list_files' }] }, { text: 'So far this.' }]);
    const first = await ask();
    const last = await ask({ messages: answered(first, [{ ok: true, result: [] }]), ...change });
    expect(last.text).toBe('So far this.');
    expect(fake.requests[1]?.view.tools).toEqual([]);
  });

  it('shows images to the model', async () => {
    const { fake, ask } = await start([{ text: 'A dot.' }]);
    const image = { type: 'image', mediaType: 'image/png', data: 'aGVsbG8=' } as const;
    await ask({ messages: [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] }] });
    expect(fake.requests[0]?.view.images).toEqual(['aGVsbG8=']);
  });

  it('knows a refusal and drops the calls of a refused turn', async () => {
    const { ask } = await start([{ refusal: true, text: 'I will not.', calls: [{ name: 'list_files' }] }]);
    expect(await ask()).toMatchObject({ finish: 'refusal', text: 'I will not.', toolCalls: [] });
  });

  it('knows an answer that broke off at the limit', async () => {
    const { ask } = await start([{ text: 'Half a sen', length: true }]);
    expect(await ask()).toMatchObject({ finish: 'length', text: 'Half a sen' });
  });

  it.each<[string, Turn, Partial<EngineError>]>([
    ['a rate limit with its wait', { status: 429, retryAfter: 7 }, { code: 'rate_limited', retry: { afterMs: 7000 } }],
    ['an overloaded vendor', { status: 503 }, { code: 'overloaded', retry: { afterMs: 0 } }],
    ['a broken vendor', { status: 500 }, { code: 'unavailable', retry: { afterMs: 0 } }],
    ['a forbidden model', { status: 403 }, { code: 'auth', retry: 'never' }],
    ['an unknown model', { status: 404 }, { code: 'model_gone', retry: 'never' }],
    [
      'a connection cut in mid-answer',
      { text: 'x'.repeat(4000), cut: true },
      { code: 'unavailable', retry: { afterMs: 0 } },
    ],
  ])('reports %s by code', async (_what, turn, expected) => {
    expect(await failureOf([turn])).toMatchObject(expected);
  });

  it.each([
    ['no JSON', '<html>Welcome to the hotel</html>'],
    ['cut-off JSON', '{"choices": [{"mess'],
    ['another shape', '{"choices": 7, "content": "x", "candidates": {}}'],
    ['an empty list', '{"choices": [], "candidates": []}'],
    ['null', 'null'],
    ['hostile nesting', `{"choices":[${'['.repeat(50_000)}${']'.repeat(50_000)}]}`],
  ])('reports an answer that is %s as none', async (_what, body) => {
    const { ask } = await start([{ body }]);
    const asked = ask({ maxOutputTokens: 1000 });
    await expect(asked).rejects.toMatchObject({ code: 'unavailable', whose: 'unclear', retry: { afterMs: 0 } });
  });

  it('reports a wrong key, without repeating it', async () => {
    const { fake } = await start([{ text: 'never' }]);
    const wrong = 'sk-wrong-98765';
    const adapter = await adapterOf(provider, { base_url: fake.baseUrl }, { api_key: wrong });
    const error: unknown = await adapter
      .generate(requestTo(provider, limits), never())
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'auth', retry: 'never' });
    expect(String(error)).not.toContain(wrong);
    expect(fake.requests).toHaveLength(0);
  });

  it('reports a server that is not there', async () => {
    const { fake, ask } = await start([]);
    await fake.stop();
    running.splice(running.indexOf(fake), 1);
    await expect(ask()).rejects.toMatchObject({ code: 'unavailable', retry: { afterMs: 0 } });
  });

  it('ends at once when it is cancelled, before or during the call', async () => {
    const { ask } = await start([{ text: 'too late', delayMs: 10_000 }]);
    await expect(ask({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'cancelled' });
    const controller = new AbortController();
    const asked = ask({}, { signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    await expect(asked).rejects.toMatchObject({ code: 'cancelled', retry: 'never' });
  });

  it('tells a deadline from a cancellation', async () => {
    const { ask } = await start([{ text: 'too late', delayMs: 10_000 }]);
    const asked = ask({}, { signal: AbortSignal.timeout(50) });
    await expect(asked).rejects.toMatchObject({ code: 'timeout', retry: { afterMs: 0 } });
  });

  it('asks once and leaves trying again to the engine', async () => {
    const { fake, ask } = await start([{ status: 429, retryAfter: 0 }, { text: 'second' }]);
    await expect(ask()).rejects.toMatchObject({ code: 'rate_limited' });
    expect(fake.requests).toHaveLength(1);
  });

  it('extends the bytes of the last request from mail to mail of a thread', async () => {
    const { fake, ask } = await start(Array.from({ length: 5 }, (_, n) => ({ text: `Answer ${n}` })));
    const history: ModelMessage[] = [];
    for (let mail = 0; mail < 5; mail++) {
      const block = user(`Mail ${mail} «ü» "quoted"`);
      const response = await ask({ messages: [...history, block] });
      // History keeps the rendered mail and the text of the answer; the vendor's parts end with the run.
      history.push(block, { role: 'assistant', text: response.text, toolCalls: [] });
    }
    const bodies = fake.requests.map(({ raw }) => raw.toString());
    for (const [at, body] of bodies.slice(1).entries()) {
      const before = bodies[at] ?? '';
      const upToLastMail = before.slice(0, before.lastIndexOf(`Mail ${at} `));
      expect(upToLastMail.length).toBeGreaterThan(400);
      expect(body.startsWith(upToLastMail)).toBe(true);
    }
  });

  it('writes the same request in the same bytes', async () => {
    const { fake, ask } = await start([{ text: 'a' }, { text: 'a' }]);
    await ask();
    await ask();
    expect(fake.requests[0]?.raw.equals(fake.requests[1]?.raw ?? Buffer.alloc(0))).toBe(true);
  });
});

/** The mail, what the model said, and the results of its calls. */
function answered(response: GenerateResponse, results: readonly Json[]): ModelMessage[] {
  const { text, toolCalls, providerParts } = response;
  return [
    user('What is in plan.txt?'),
    { role: 'assistant', text, toolCalls, providerParts },
    {
      role: 'tool',
      results: toolCalls.map(({ id, name }, at) => {
        const content = JSON.stringify(results[at]);
        return { callId: id, name, content, isError: content.startsWith('{"ok":false') };
      }),
    },
  ];
}

/** What the engine keeps of a response between two calls is JSON. */
function stored(response: GenerateResponse): GenerateResponse {
  const copy: GenerateResponse = JSON.parse(JSON.stringify(response));
  return copy;
}
