import { describe, expect, it } from 'vitest';
import type { GenerateRequest, GenerateResponse, ModelMessage } from '#contract';
import { countedUsage, requestBytes, usageOfLate } from '../../../engine/models/answers/usage.ts';
import { fromWire as fromAnthropic } from '../../../extensions/providers/anthropic/from-wire.ts';
import { fromWire as fromGemini } from '../../../extensions/providers/gemini/from-wire.ts';
import { fromWire as fromChat } from '../../../extensions/providers/openai/from-wire.ts';
import { responseFromWire } from '../../../extensions/providers/openai/response-from-wire.ts';

const ABOUT = { name: 'main', model: 'm1', turn: 0 };
/** About 900 tokens. */
const TEXT = 'The total is 42. '.repeat(180);
type Json = string | number | null | object;

/** The same answer in each wire form, with a usage that is left out, null, or whatever a server makes of it. */
const WIRES: Readonly<Record<string, (usage?: Json) => GenerateResponse>> = {
  'chat completions': (usage) =>
    fromChat(
      { choices: [{ finish_reason: 'stop', message: { content: TEXT } }], ...(usage !== undefined && { usage }) },
      ABOUT,
    ),
  responses: (usage) =>
    responseFromWire(
      {
        status: 'completed',
        output: [{ type: 'message', content: [{ type: 'output_text', text: TEXT }] }],
        ...(usage !== undefined && { usage }),
      },
      ABOUT,
    ),
  messages: (usage) =>
    fromAnthropic(
      { stop_reason: 'end_turn', content: [{ type: 'text', text: TEXT }], ...(usage !== undefined && { usage }) },
      ABOUT,
    ),
  generateContent: (usage) =>
    fromGemini(
      {
        candidates: [{ finishReason: 'STOP', content: { parts: [{ text: TEXT }] } }],
        ...(usage !== undefined && { usageMetadata: usage }),
      },
      ABOUT,
    ),
};

const nulls = {
  prompt_tokens: null,
  completion_tokens: null,
  total_tokens: null,
  input_tokens: null,
  output_tokens: null,
  promptTokenCount: null,
  candidatesTokenCount: null,
};
const UNSAID: readonly (Json | undefined)[] = [
  undefined,
  null,
  {},
  nulls,
  Object.fromEntries(Object.keys(nulls).map((key) => [key, 0])),
];

const request: GenerateRequest = {
  model: 'm1',
  system: ['You are Ada. '.repeat(1000)],
  tools: [],
  toolChoice: 'auto',
  cacheKey: '',
  input: { text: '' },
  messages: [{ role: 'user', content: [{ type: 'text', text: 'How much is it?' }] }],
  maxOutputTokens: 1000,
  temperature: null,
};

describe.each(Object.entries(WIRES))('usage over %s', (_, answer) => {
  it.each(UNSAID.map((usage) => [usage]))('that is %j is estimated', (usage) => {
    const counted = countedUsage(request, answer(usage));
    expect(counted).toMatchObject({ usageBasis: 'estimated' });
    expect(counted.usage.input).toBeGreaterThan(3000);
    expect(counted.usage.output).toBeGreaterThan(800);
    expect(counted.usageSaid).toBeUndefined();
  });

  it('that is far below what was sent is booked as we count it, and kept as it was said', () => {
    const said = {
      prompt_tokens: 10,
      completion_tokens: 2,
      total_tokens: 12,
      input_tokens: 10,
      output_tokens: 2,
      promptTokenCount: 10,
      candidatesTokenCount: 2,
    };
    const counted = countedUsage(request, answer(said));
    expect(counted).toMatchObject({ usageBasis: 'estimated', usageSaid: { input: 10, output: 2 } });
    expect(counted.usage.input).toBeGreaterThan(3000);
  });

  it('that is about as we count it is the vendor’s, also where it thought at length', () => {
    const said = {
      prompt_tokens: 3300,
      completion_tokens: 20_000,
      total_tokens: 23_300,
      input_tokens: 3300,
      output_tokens: 20_000,
      promptTokenCount: 3300,
      candidatesTokenCount: 20_000,
    };
    expect(countedUsage(request, answer(said))).toEqual({
      usage: { input: 3300, output: 20_000, cached: 0, cacheWrite: 0 },
    });
  });
});

describe('a provider that counts nothing', () => {
  it('is left alone where it says so', () => {
    const [chat] = Object.values(WIRES);
    const usage = { input: 0, output: 0, cached: 0, cacheWrite: 0, unknown: [] } as const;
    if (chat)
      expect(countedUsage(request, { ...chat(), usage })).toEqual({
        usage: { input: 0, output: 0, cached: 0, cacheWrite: 0 },
      });
  });
});

describe('usage of a short answer', () => {
  it('that is far too low is booked as the larger one, and nobody is told of so little', () => {
    const [chat] = Object.values(WIRES);
    const usage = { input: 3300, output: 20, cached: 0, cacheWrite: 0 };
    const short = { ...(chat?.() as GenerateResponse), text: TEXT.slice(0, 350), usage };
    const counted = countedUsage(request, short);
    expect(counted).toMatchObject({ usageBasis: 'estimated', usage: { input: 3300 } });
    expect(counted.usage.output).toBeGreaterThan(90);
    expect(counted.usageSaid).toBeUndefined();
  });
});

describe('an answer that is given up', () => {
  it('may have been written as long as it was waited for, and never longer than it may be', () => {
    expect(usageOfLate(request, 5000).output).toBe(500);
    expect(usageOfLate(request, 120_000).output).toBe(1000);
  });
});

describe('the bytes of a request', () => {
  const said = (text: string): ModelMessage => ({ role: 'user', content: [{ type: 'text', text }] });
  const system = ['You are Ada.', 'Grüße, "今日"'];
  const tools = [{ name: 'note', description: 'Reads a note.', input: { type: 'object' as const } }];

  it.each([
    ['with nothing in it', { system: [], tools: [], messages: [] }],
    ['with one message', { system, tools: [], messages: [said('one')] }],
    ['with several', { system, tools, messages: [said('one'), said('zwei ü'), said('\ud800')] }],
  ])('%s are those of its JSON', (_, request) => {
    const { messages } = request;
    const whole = JSON.stringify([request.system, request.tools, messages.map((message) => [message])]);
    expect(requestBytes((message) => [message])(request as unknown as GenerateRequest)).toBe(Buffer.byteLength(whole));
  });

  it('are counted of each message once, however many requests it is part of', () => {
    const counted: ModelMessage[] = [];
    const bytes = requestBytes((message) => {
      counted.push(message);
      return message;
    });
    const [first, second] = [said('one'), said('two')];
    const request = { system, tools } as unknown as Pick<GenerateRequest, 'system' | 'tools'>;
    bytes({ ...request, messages: [first] });
    bytes({ ...request, messages: [first, second] });
    expect(counted).toEqual([first, second]);
  });
});
