import { describe, expect, it } from 'vitest';
import type { Json, ModelMessage } from '#contract';
import { configSchema } from '../../../extensions/providers/anthropic/config.ts';
import { collectMessage } from '../../../extensions/providers/anthropic/from-stream.ts';
import { fromWire } from '../../../extensions/providers/anthropic/from-wire.ts';
import { toWire } from '../../../extensions/providers/anthropic/to-wire.ts';
import { startHttpServer } from '../../fakes/http-server.ts';
import { startFakeModel } from '../../fakes/model-server.ts';
import { adapterOf, KEY, never, requestTo, user } from './adapter.ts';

const options = { name: 'anthropic', config: configSchema.parse({}), maxTokens: 1000, stream: false };
const wire = (messages: ModelMessage[], change = {}) =>
  toWire(requestTo('anthropic', { messages, ...change }), options);

describe('a request to Anthropic', () => {
  it('marks the system for the cache, and the rest by the one mark that never moves', () => {
    const body = wire([user('a'), user('b')]);
    const mark = { type: 'ephemeral', ttl: '5m' };
    expect(body).toMatchObject({
      cache_control: mark,
      system: [{ text: 'You are Ada.' }, { text: 'Answer briefly.', cache_control: mark }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'a' }] },
        { role: 'user', content: [{ type: 'text', text: 'b' }] },
      ],
    });
    expect(Object.keys(body).at(-1)).toBe('messages');
  });

  it('marks the mail that is answered, where something stands behind it that no later request has', () => {
    const mark = { type: 'ephemeral', ttl: '5m' };
    const of = (...texts: string[]): ModelMessage => ({
      role: 'user',
      content: texts.map((text) => ({ type: 'text', text })),
    });
    const { messages } = wire([user('earlier'), of('mail', 'about it')]) as { messages: { content: object[] }[] };
    expect(messages.map(({ content }) => content)).toEqual([
      [{ type: 'text', text: 'earlier' }],
      [
        { type: 'text', text: 'mail', cache_control: mark },
        { type: 'text', text: 'about it' },
      ],
    ]);
  });

  it('leaves out what the API refuses: blank texts, empty turns, a temperature', () => {
    const blank: ModelMessage = { role: 'assistant', text: ' \n', toolCalls: [] };
    const body = wire([user('a'), blank, user('')], { temperature: 0.2, system: ['', ' '] });
    expect(body).toMatchObject({ messages: [{ role: 'user' }] });
    expect(body).not.toHaveProperty('temperature');
    expect(body).not.toHaveProperty('system');
  });

  it('streams only where the answer may become long', async () => {
    const fake = await startFakeModel('anthropic', [{ text: 'a' }, { text: 'b' }]);
    const adapter = await adapterOf('anthropic', { base_url: fake.baseUrl });
    await adapter.generate(requestTo('anthropic', { maxOutputTokens: 16_000 }), never());
    await adapter.generate(requestTo('anthropic'), never());
    await fake.stop();
    expect(fake.requests.map(({ body }) => body)).toMatchObject([
      { max_tokens: 16_000 },
      { max_tokens: 128_000, stream: true },
    ]);
    expect(fake.requests[0]?.body).not.toHaveProperty('stream');
  });

  it('is not made without a key', async () => {
    const adapter = await adapterOf('anthropic', {}, {});
    await expect(adapter.generate(requestTo('anthropic'), never())).rejects.toMatchObject({ code: 'auth' });
  });
});

describe('a stream from Anthropic', () => {
  async function* events(...list: Json[]) {
    yield* list;
  }
  const start = { type: 'message_start', message: { role: 'assistant', usage: { input_tokens: 5, output_tokens: 1 } } };
  const end = [
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9, input_tokens: null } },
    { type: 'message_stop' },
  ];

  it('keeps redacted thinking and blocks that it does not know, with their places', async () => {
    const redacted = { type: 'redacted_thinking', data: 'b3BhcXVl' };
    const message = await collectMessage(
      events(start, { type: 'content_block_start', index: 0, content_block: redacted }, { type: 'news' }, ...end),
    );
    const { providerParts, usage } = fromWire(message, { name: 'anthropic', model: 'm', turn: 0 });
    expect(providerParts.data).toEqual([redacted]);
    expect(usage).toMatchObject({ input: 5, output: 9 });
  });

  it.each<[string, Json[]]>([
    ['nothing', []],
    ['no end', [start]],
    ['an end without a start', [{ type: 'message_stop' }]],
    ['garbage', [7, null, 'x', { type: 5 }, { type: 'content_block_delta', index: 3, delta: { type: 'text_delta' } }]],
  ])('that has %s is no message', async (_what, list) => {
    expect(await collectMessage(events(...list))).toBeUndefined();
  });

  it('that breaks off with an error after a good start is reported by the type of the error', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
    const body = [start, error].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    const server = await startHttpServer(() => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body,
    }));
    const adapter = await adapterOf('anthropic', { base_url: server.baseUrl });
    await expect(adapter.generate(requestTo('anthropic'), never())).rejects.toMatchObject({ code: 'overloaded' });
    await server.stop();
  });
});

describe('an answer from Anthropic', () => {
  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'refusal'],
    ['pause_turn', 'other'],
    ['something_new', 'other'],
  ])('that ended by %s is finished as %s', (stop_reason, finish) => {
    const body = { content: [{ type: 'text', text: 'x' }], stop_reason };
    expect(fromWire(body, { name: 'anthropic', model: 'm', turn: 0 }).finish).toBe(finish);
  });

  it('counts what was cached as input', () => {
    const usage = { input_tokens: 3, cache_read_input_tokens: 70, cache_creation_input_tokens: 20, output_tokens: 8 };
    const response = fromWire({ content: [], usage }, { name: 'anthropic', model: 'm', turn: 0 });
    expect(response.usage).toEqual({ input: 93, output: 8, cached: 70, cacheWrite: 20 });
  });

  it('that may be about the account as well as about the mail is held against neither', async () => {
    const script = [{ status: 400, message: 'Your credit balance is too low to access the API.' }];
    const fake = await startFakeModel('anthropic', script, { key: KEY });
    const adapter = await adapterOf('anthropic', { base_url: fake.baseUrl });
    await expect(adapter.generate(requestTo('anthropic'), never())).rejects.toMatchObject({
      code: 'bad_request',
      whose: 'unclear',
    });
    await fake.stop();
  });
});
