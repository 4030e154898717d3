import { describe, expect, it } from 'vitest';
import type { Json, ModelMessage } from '#contract';
import { configSchema } from '../../../extensions/providers/gemini/config.ts';
import { fromWire } from '../../../extensions/providers/gemini/from-wire.ts';
import { toWire } from '../../../extensions/providers/gemini/to-wire.ts';
import { startFakeModel } from '../../fakes/model-server.ts';
import { adapterOf, never, requestTo, user } from './adapter.ts';

const read = (candidate: Json, rest: Record<string, Json> = {}) =>
  fromWire({ candidates: [candidate], ...rest }, { name: 'gemini', model: 'm', turn: 2 });

describe('an answer from Gemini', () => {
  it('shows no thought', () => {
    const parts = [{ text: 'Let me think.', thought: true }, { text: 'Yes' }, { text: ', sir.' }];
    expect(read({ content: { parts }, finishReason: 'STOP' }).text).toBe('Yes, sir.');
  });

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'refusal'],
    ['PROHIBITED_CONTENT', 'refusal'],
    ['SPII', 'refusal'],
    ['OTHER', 'other'],
  ])('that ended by %s is finished as %s', (finishReason, finish) => {
    expect(read({ finishReason }).finish).toBe(finish);
  });

  it('that blocks the mail itself is a refusal', () => {
    const body = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: { promptTokenCount: 4 } };
    const response = fromWire(body, { name: 'gemini', model: 'm', turn: 0 });
    expect(response).toMatchObject({ finish: 'refusal', text: '', usage: { input: 4 } });
  });

  it.each(['MALFORMED_FUNCTION_CALL', 'UNEXPECTED_TOOL_CALL'])('that ended by %s is unparsable', (finishReason) => {
    expect(() => read({ finishReason, finishMessage: 'print(x' })).toThrow(
      expect.objectContaining({ code: 'unparsable', retry: { afterMs: 0 } }),
    );
  });

  it('counts thinking as output', () => {
    const usageMetadata = {
      promptTokenCount: 50,
      cachedContentTokenCount: 30,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 40,
    };
    expect(read({}, { usageMetadata }).usage).toEqual({ input: 50, output: 45, cached: 30, cacheWrite: 0 });
  });
});

describe('calls of a Gemini model that gives no ids', () => {
  it('are told apart by made-up ids that never go over the wire', async () => {
    const calls = ['list_files', 'list_files'].map((name) => ({ name, id: null }));
    const fake = await startFakeModel('gemini', [{ calls }, { text: 'Done.' }]);
    const adapter = await adapterOf('gemini', { base_url: `${fake.baseUrl}/` });
    const first = await adapter.generate(requestTo('gemini'), never());
    expect(first.toolCalls.map(({ id }) => id)).toEqual(['call_0_0', 'call_0_1']);
    const { text, toolCalls, providerParts } = first;
    const messages: ModelMessage[] = [
      user('x'),
      { role: 'assistant', text, toolCalls, providerParts },
      {
        role: 'tool',
        results: toolCalls.map(({ id, name }) => ({ callId: id, name, content: '[1]', isError: false })),
      },
    ];
    expect((await adapter.generate(requestTo('gemini', { messages }), never())).text).toBe('Done.');
    await fake.stop();
    const raw = fake.requests[1]?.raw.toString() ?? '';
    expect(raw).not.toContain('call_0');
    // The vendor wants an object as response.
    expect(raw).toContain('{"functionResponse":{"name":"list_files","response":{"result":[1]}}}');
  });
});

describe('a request to Gemini', () => {
  it('leaves out turns that would be empty', () => {
    const empty: ModelMessage = {
      role: 'assistant',
      text: '',
      toolCalls: [],
      providerParts: { provider: 'gemini', model: requestTo('gemini').model, data: null },
    };
    const config = configSchema.parse({ generation_config: { thinkingConfig: { thinkingLevel: 'low' } } });
    const body = toWire(requestTo('gemini', { messages: [user('a'), empty, user('b')], maxOutputTokens: 9 }), {
      name: 'gemini',
      config,
    });
    expect(body).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingLevel: 'low' }, maxOutputTokens: 9 },
      contents: [{ role: 'user' }, { role: 'user' }],
    });
  });
});
