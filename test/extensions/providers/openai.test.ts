import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { asVendorError, parseArguments, retryAfterMs } from '#contract/http';
import { errorInAnswer, habits } from '../../../extensions/providers/openai/errors.ts';
import { fromWire } from '../../../extensions/providers/openai/from-wire.ts';
import { adapterOf, KEY, requestTo, user } from './adapter.ts';

const read = (message: Json, rest: Record<string, Json> = {}, turn = 0) =>
  fromWire({ choices: [{ message, finish_reason: 'stop' }], ...rest }, { name: 'openai', model: 'm', turn });

describe('the answer of a server that is almost compatible', () => {
  it('gets ids for calls that have none or share one, the same in what goes back', () => {
    const call = { type: 'function', function: { name: 'f', arguments: '{}' } };
    const message = {
      role: 'assistant',
      content: null,
      tool_calls: [{ ...call, id: 'a' }, { ...call, id: 'a' }, call],
    };
    const { toolCalls, providerParts, finish } = read(message, {}, 3);
    expect(toolCalls.map(({ id }) => id)).toEqual(['a', 'call_3_1', 'call_3_2']);
    expect(providerParts.data).toMatchObject({ tool_calls: [{ id: 'a' }, { id: 'call_3_1' }, { id: 'call_3_2' }] });
    expect(finish).toBe('tool_calls');
  });

  it('may have arguments as an object, as nothing, or as an empty text', () => {
    const named = (given: Json) => ({ id: null, function: { name: 'f', arguments: given } });
    const { toolCalls } = read({ tool_calls: [named({ a: 1 }), named(null), named('')] });
    expect(toolCalls.map((call) => call.arguments)).toEqual([{ a: 1 }, {}, {}]);
  });

  it('may have its text in parts, and thinking before it', () => {
    expect(
      read({
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      }).text,
    ).toBe('ab');
    expect(read({ content: '<think>\nhm <b>\n</think>\n\nYes.' }).text).toBe('Yes.');
    expect(read({ content: 'Write <think>x</think> so.' }).text).toBe('Write <think>x</think> so.');
  });

  it('may count reasoning in the total only, or count nothing', () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 115 };
    expect(read({ content: '' }, { usage }).usage.output).toBe(105);
    expect(read({ content: '' }, { usage: { prompt_tokens: 'many', prompt_tokens_details: 3 } }).usage.input).toBe(0);
    expect(read({ content: '' }).usage).toMatchObject({ input: 0, output: 0, unknown: ['input', 'output'] });
  });

  it('may report a failure inside an answer with status 200', () => {
    const about = { name: 'openrouter', key: 'sk-1' };
    expect(errorInAnswer({ error: { code: 429, message: 'slow down sk-1' } }, about)).toMatchObject({
      code: 'rate_limited',
      message: 'openrouter answered 429: slow down [key]',
    });
    expect(errorInAnswer({ error: { message: 'upstream' } }, about)).toMatchObject({ code: 'unavailable' });
    const within = { choices: [{ error: { code: 503, message: 'upstream' } }] };
    expect(errorInAnswer(within, about)).toMatchObject({ code: 'overloaded', whose: 'unclear' });
    expect(errorInAnswer({ error: 'no such address sk-1' }, about)).toMatchObject({
      code: 'unavailable',
      message: 'openrouter: no such address [key]',
    });
    expect(errorInAnswer({ choices: [], error: null }, about)).toBeUndefined();
    expect(errorInAnswer('error', about)).toBeUndefined();
  });
});

describe('arguments from a model', () => {
  it.each([
    ['{"a":1}', { a: 1 }],
    ['  ', {}],
    ['{"a":"[[[{{{\\""}', { a: '[[[{{{"' }],
    ['{', undefined],
    ['undefined', undefined],
    ['['.repeat(100_000), undefined],
    ['"'.repeat(100_001), undefined],
    ['\\"'.repeat(100_000), undefined],
    [`${'[['.repeat(33)}${']]'.repeat(33)}`, undefined],
  ])('are read or not, without harm: %.40s', (text, expected) => {
    expect(parseArguments(text)).toEqual(expected);
  });
});

describe('the wait that a server asks for', () => {
  it.each<[Record<string, string>, number]>([
    [{ 'retry-after': '2' }, 2000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '1500', 'retry-after': '9' }, 1500],
    [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT', date: 'Wed, 21 Oct 2026 07:28:00 GMT' }, 30_000],
    [{ 'retry-after': 'Wed, 21 Oct 2026 07:28:30 GMT' }, 0],
    [{ 'retry-after': '-5' }, 0],
    [{ 'retry-after': 'soon' }, 0],
    [{ 'retry-after': '99999999999' }, 86_400_000],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1m30s' }, 90_000],
    [{ 'x-ratelimit-remaining-requests': '5', 'x-ratelimit-reset-requests': '1m30s' }, 0],
    [
      {
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '20ms',
        'x-ratelimit-remaining-tokens': '0',
        'x-ratelimit-reset-tokens': '1.5s',
      },
      1500,
    ],
    [{}, 0],
  ])('%j is %i ms', (headers, expected) => {
    expect(retryAfterMs(new Headers(headers))).toBe(expected);
  });
});

describe('a status', () => {
  const answered = (status: number, message: string, code: unknown) =>
    asVendorError({ status, message, code }, { name: 'openai', key: '', signal: AbortSignal.any([]) }, habits);

  it.each<[number, unknown, string, string]>([
    [400, 'context_length_exceeded', 'context_overflow', 'request'],
    [413, null, 'context_overflow', 'request'],
    [400, 'content_filter', 'content_refused', 'request'],
    [400, 'invalid_prompt', 'content_refused', 'request'],
    [400, 'tool_use_failed', 'unparsable', 'request'],
    [401, 'whatever', 'auth', 'setup'],
    [404, 'model_not_found', 'model_gone', 'setup'],
    [403, 'unsupported_country_region_territory', 'auth', 'setup'],
    [404, 404, 'model_gone', 'unclear'],
    [403, null, 'auth', 'unclear'],
    [402, 402, 'no_credit', 'unclear'],
    [400, 'x', 'bad_request', 'unclear'],
    [422, null, 'bad_request', 'unclear'],
    [408, null, 'timeout', 'unclear'],
    [429, 'rate_limit_exceeded', 'rate_limited', 'unclear'],
    [502, null, 'unavailable', 'unclear'],
    [529, null, 'overloaded', 'unclear'],
  ])('%i with the code %s means %s, of the %s', (status, vendorCode, code, whose) => {
    // What it says means nothing: it quotes the mail, and is reworded.
    const words = 'context length exceeded, credit balance too low, content violates usage guidelines';
    expect(answered(status, words, vendorCode)).toMatchObject({ code, whose });
  });

  it('of a full window that does not hold the request says that it is too long', () => {
    const headers = new Headers({ 'x-ratelimit-limit-tokens': '30000', 'x-ratelimit-remaining-tokens': '30000' });
    const call = { name: 'openai', key: '', signal: AbortSignal.any([]) };
    expect(asVendorError({ status: 429, message: 'too large', headers }, call, habits)).toMatchObject({
      code: 'context_overflow',
      whose: 'request',
    });
  });

  it('of one that was never seen is the vendor’s, where the connection did not come about', () => {
    const failed = (code: string) =>
      asVendorError(Object.assign(new Error('fetch failed'), { code }), {
        name: 'x',
        key: '',
        signal: AbortSignal.any([]),
      });
    expect(failed('ECONNREFUSED')).toMatchObject({ code: 'unavailable', whose: 'vendor' });
    expect(failed('ECONNRESET')).toMatchObject({ code: 'unavailable', whose: 'unclear' });
  });

  it('of an empty account is worth no second try', () => {
    expect(answered(429, 'quota', 'insufficient_quota')).toMatchObject({
      code: 'no_credit',
      whose: 'setup',
      retry: 'never',
    });
  });
});

describe('call after call', () => {
  it('sends the same address and headers, its own words, and ends with its own signal', async () => {
    const heard: { url: string | undefined; headers: object; body: string }[] = [];
    const server = createServer(async (request, response) => {
      const { 'content-length': _, ...headers } = request.headers;
      const body = await text(request);
      heard.push({ url: request.url, headers, body });
      if (body.includes('never')) return stop.abort(new Error('enough'));
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"choices":[{"message":{"content":"Yes."},"finish_reason":"stop"}]}');
    });
    const stop = new AbortController();
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : null;
    const adapter = await adapterOf('openai', {
      base_url: `http://127.0.0.1:${port}/v1`,
      headers: { 'x-own': 'yes' },
      responses_models: [],
    });
    const ask = (words: string, signal = new AbortController().signal) =>
      adapter.generate(requestTo('openai', { messages: [user(words)] }), { signal });
    await ask('first');
    await ask('second');
    await expect(ask('never', stop.signal)).rejects.toThrow();
    await ask('last');
    server.close();
    server.closeAllConnections();
    expect(heard.map(({ body }) => /first|second|never|last/.exec(body)?.[0])).toEqual([
      'first',
      'second',
      'never',
      'last',
    ]);
    for (const { url, headers } of heard) {
      expect(url).toBe('/v1/chat/completions');
      expect(headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-own': 'yes' });
      expect(headers).toEqual(heard[0]?.headers);
    }
  });
});
