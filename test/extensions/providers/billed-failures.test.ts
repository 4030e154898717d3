import { afterEach, describe, expect, it } from 'vitest';
import { type HttpAnswer, startHttpServer } from '../../fakes/http-server.ts';
import { adapterOf, never, requestTo } from './adapter.ts';

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const json = (body: object): HttpAnswer => ({ status: 200, body: JSON.stringify(body) });
const events = (...list: readonly object[]): HttpAnswer => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: list.map((one) => `${'type' in one ? `event: ${one.type}\n` : ''}data: ${JSON.stringify(one)}\n\n`).join(''),
});
const lines = (...list: readonly object[]): HttpAnswer => ({
  status: 200,
  body: list.map((one) => `${JSON.stringify(one)}\n`).join(''),
});

const PLACE: Readonly<Record<string, string>> = { anthropic: '', gemini: '' };
const SHOWN = { model_info: { 'm.context_length': 100_000 }, capabilities: ['completion', 'tools'] };

/** A provider's adapter whose server answers all calls so. */
async function adapterWith(name: string, answer: HttpAnswer, config: Record<string, boolean | string> = {}) {
  const server = await startHttpServer(({ path }) => (path === '/api/show' ? json(SHOWN) : answer));
  stops.push(server.stop);
  return adapterOf(name, { base_url: `${server.baseUrl}${PLACE[name] ?? '/v1'}`, ...config });
}

const words = (content: string) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
const CHAT_USAGE = { prompt_tokens: 900, completion_tokens: 40, total_tokens: 940 };
const USED = { input: 900, output: 40 };
const STARTED = { type: 'message_start', message: { content: [], usage: { input_tokens: 900, output_tokens: 1 } } };
const PIECE = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'The total' } };
const OVERLOADED = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
const UPSTREAM = { error: { code: 502, message: 'upstream failed' } };
const CREATED = { type: 'response.created', response: { status: 'in_progress', output: [], usage: null } };
const FAILED = { status: 'failed', error: { code: 'server_error', message: 'x' } };
const SAID = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'The total' }] };

/** How each vendor fails after it has used something, and what is known of that. */
const FAILURES: readonly (readonly [string, string, HttpAnswer, object, Record<string, boolean | string>?])[] = [
  [
    'openai',
    'an error in mid-stream, with usage before it',
    events(words('The total'), { choices: [], usage: CHAT_USAGE }, UPSTREAM),
    { begun: true, usage: USED },
    { stream: true },
  ],
  ['openai', 'an error in mid-stream', events(words('The'), UPSTREAM), { begun: true, usage: null }, { stream: true }],
  ['grok', 'an error in mid-stream', events(words('The'), UPSTREAM), { begun: true, usage: null }, { stream: true }],
  ['openai', 'an error in place of a stream', events(UPSTREAM), { begun: false, usage: null }, { stream: true }],
  ['openrouter', 'an error beside usage', json({ ...UPSTREAM, usage: CHAT_USAGE }), { begun: false, usage: USED }],
  ['openai', 'usage without an answer', json({ choices: [], usage: CHAT_USAGE }), { begun: false, usage: USED }],
  [
    'openai',
    'Responses that failed with usage',
    json({ ...FAILED, output: [SAID], usage: { input_tokens: 900, output_tokens: 40 } }),
    { begun: true, usage: USED },
    { api: 'responses' },
  ],
  [
    'openai',
    'an error event of Responses in mid-stream',
    events(
      CREATED,
      { type: 'response.output_text.delta', delta: 'The' },
      { type: 'error', code: 'server_error', message: 'x' },
    ),
    { begun: true, usage: null },
    { api: 'responses', stream: true },
  ],
  [
    'anthropic',
    'an error event in mid-stream',
    events(STARTED, PIECE, OVERLOADED),
    { begun: true, code: 'overloaded', usage: { input: 900, output: 0, unknown: ['output'] } },
  ],
  [
    'anthropic',
    'an error event behind the counts',
    events(STARTED, PIECE, { type: 'message_delta', delta: {}, usage: { output_tokens: 40 } }, OVERLOADED),
    { begun: true, usage: USED },
  ],
  ['anthropic', 'a stream that ends early', events(STARTED, PIECE), { begun: true, usage: { input: 900 } }],
  ['anthropic', 'an error in place of a stream', events(OVERLOADED), { begun: false, usage: null }],
  [
    'gemini',
    'a call that it could not make',
    json({
      candidates: [{ finishReason: 'MALFORMED_FUNCTION_CALL' }],
      usageMetadata: { promptTokenCount: 900, candidatesTokenCount: 40 },
    }),
    { code: 'unparsable', usage: USED },
  ],
  [
    'gemini',
    'usage without a candidate',
    json({ usageMetadata: { promptTokenCount: 900, thoughtsTokenCount: 40 } }),
    { code: 'unavailable', usage: USED },
  ],
  [
    'ollama',
    'an error in mid-stream',
    lines({ message: { role: 'assistant', content: 'The' }, done: false }, { error: 'the runner has stopped' }),
    { begun: true, message: 'ollama: the runner has stopped' },
  ],
];

describe('what a failed call has used', () => {
  it.each(FAILURES.map((row) => [row[0], row[1], row] as const))('is known of %s: %s', async (_, __, row) => {
    const [name, , answer, known, config] = row;
    const adapter = await adapterWith(name, answer, config);
    await expect(adapter.generate(requestTo(name), never())).rejects.toMatchObject(known);
  });
});

describe('OpenRouter with a key of its customer’s own', () => {
  const cost = async (usage: object) => {
    const body = { choices: [{ message: { content: 'Yes.' }, finish_reason: 'stop' }] };
    const adapter = await adapterWith('openrouter', json({ ...body, usage: { ...CHAT_USAGE, ...usage } }));
    return (await adapter.generate(requestTo('openrouter'), never())).reportedCostUsd;
  };
  const upstream = (usd: number | null) => ({ cost_details: { upstream_inference_cost: usd } });

  it('costs its fee and what the vendor behind it bills', async () => {
    expect(await cost({ cost: 0.05, is_byok: true, ...upstream(1) })).toBeCloseTo(1.05, 9);
    expect(await cost({ cost: 0, is_byok: true, ...upstream(1) })).toBe(1);
  });

  it('costs what nobody knows where the vendor’s part is not said', async () => {
    for (const part of [{}, upstream(null), upstream(0)])
      expect(await cost({ cost: 0.05, is_byok: true, ...part })).toBeNull();
  });

  it('counts what it says twice only once with a key of OpenRouter', async () => {
    expect(await cost({ cost: 1, is_byok: false, ...upstream(1) })).toBe(1);
    expect(await cost({ cost: 1, ...upstream(1) })).toBe(1);
  });
});
