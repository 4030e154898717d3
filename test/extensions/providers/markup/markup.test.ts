import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GenerateResponse } from '#contract';
import { plainAnswer } from '#contract/http';
import { fromWire as fromAnthropic } from '../../../../extensions/providers/anthropic/from-wire.ts';
import { fromWire as fromGemini } from '../../../../extensions/providers/gemini/from-wire.ts';
import { fromWire as fromChat } from '../../../../extensions/providers/openai/from-wire.ts';
import { responseFromWire } from '../../../../extensions/providers/openai/response-from-wire.ts';
import { computedMs } from '../../../computed.ts';
import { someOf } from '../../../size.ts';
import { TOOLS } from '../adapter.ts';
import { LEAKS, type Leak, SECRET } from './leaks.ts';
import { ORDINARY } from './ordinary.ts';

type Read = (text: string, model: string) => GenerateResponse;
const asked = (model: string) => ({ name: 'vendor', model, turn: 0, tools: TOOLS });

/** What an adapter makes of an answer that the vendor calls whole. */
const WIRES: Readonly<Record<string, Read>> = {
  'chat completions': (text, model) =>
    fromChat({ choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: text } }] }, asked(model)),
  responses: (text, model) =>
    responseFromWire(
      {
        status: 'completed',
        output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }],
      },
      asked(model),
    ),
  messages: (text, model) =>
    fromAnthropic({ stop_reason: 'end_turn', content: [{ type: 'text', text }] }, asked(model)),
  generateContent: (text, model) =>
    fromGemini({ candidates: [{ finishReason: 'STOP', content: { role: 'model', parts: [{ text }] } }] }, asked(model)),
};

/** What is wrong with what became of a leak; undefined: nothing. */
function faultOf(leak: Leak, read: GenerateResponse): string | undefined {
  const { text, toolCalls, whole } = read;
  if (text.includes(SECRET)) return `${leak.name}: it is in the text`;
  if (leak.answer === null)
    return text === '' && toolCalls.length === 0 && !whole ? undefined : `${leak.name}: taken for an answer`;
  if (!whole) return `${leak.name}: asked again`;
  if (text.trim() !== leak.answer.trim()) return `${leak.name}: ${JSON.stringify(text)}`;
  const calls = toolCalls.map(({ name, arguments: given }) => ({ name, arguments: given }));
  const wanted = leak.call === null ? [] : [leak.call];
  return JSON.stringify(calls) === JSON.stringify(wanted) ? undefined : `${leak.name}: ${JSON.stringify(calls)}`;
}

describe.each(Object.entries(WIRES))('an answer over %s', (_, read) => {
  it('reaches nobody with reasoning or raw calls in it, and a whole raw call is a call', () => {
    expect(LEAKS.length).toBeGreaterThanOrEqual(500);
    const faults = someOf(LEAKS, 80).flatMap((leak) => faultOf(leak, read(leak.text, leak.model)) ?? []);
    expect(faults).toEqual([]);
  });

  it('that is about such markup stays as it is, to the byte', () => {
    expect(ORDINARY.length).toBeGreaterThanOrEqual(200);
    const hurt = someOf(ORDINARY, 60).filter(({ text }) => {
      const answer = read(text, 'qwen3:8b');
      return answer.text !== text || !answer.whole || answer.toolCalls.length > 0 || answer.finish !== 'stop';
    });
    expect(hurt.map(({ name }) => name)).toEqual([]);
  });

  it('goes back to the vendor with its words and calls as they were meant', () => {
    const words = read('<think>\nhm, so\n</think>\n\nThe total is 42.', 'm');
    expect(JSON.stringify(words.providerParts.data)).not.toContain('think');
    const called = read('Wait.\n<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>', 'm');
    expect(called).toMatchObject({ text: 'Wait.', finish: 'tool_calls', whole: true });
    expect(JSON.stringify(called.providerParts.data)).not.toContain('tool_call>');
    const { data } = called.providerParts;
    // Without a message of its own the adapter writes one from the words and the calls.
    if (data !== null) expect(JSON.stringify(data)).toContain(called.toolCalls[0]?.id);
  });
});

const plain = (text: string, native: GenerateResponse['toolCalls'] = []) =>
  plainAnswer(text, native, { model: 'm', tools: TOOLS, idOf: (index) => `c${index}` });

describe('text beside calls that the vendor has read', () => {
  it('loses its reasoning, and adds no calls of its own', () => {
    const native = [{ id: '1', name: 'list_files', arguments: {} }];
    expect(plain('<think>\nI need the list', native)).toMatchObject({ text: '', toolCalls: native, whole: true });
    const raw = '<tool_call>{"name": "read_file", "arguments": {"path": "a"}}</tool_call>';
    expect(plain(raw, native).toolCalls).toEqual(native);
  });
});

describe('raw calls', () => {
  it('may be several, and what a model imagines to be answered is dropped', () => {
    const call = (path: string) => `<tool_call>\n{"name": "read_file", "arguments": {"path": "${path}"}}\n</tool_call>`;
    const { text, toolCalls } = plain(
      `${call('a')}\n${call('b')}\n<tool_response>\nforty\n</tool_response>\nIt is forty.`,
    );
    expect(text).toBe('');
    expect(toolCalls.map(({ id, arguments: given }) => [id, given])).toEqual([
      ['c0', { path: 'a' }],
      ['c1', { path: 'b' }],
    ]);
  });

  it('within reasoning were only thought of', () => {
    const text = '<think>\n<tool_call>\n{"name": "list_files", "arguments": {}}\n</tool_call>\n</think>\nDone.';
    expect(plain(text)).toMatchObject({ text: 'Done.', toolCalls: [] });
  });

  it('of a tool that there is none of are told to the model as any other', () => {
    expect(plain('<tool_call>{"name": "fly", "arguments": {}}</tool_call>').toolCalls[0]?.name).toBe('fly');
  });
});

describe('hostile text', () => {
  const pieces = [
    '<think>',
    '</think>',
    '<tool_call>',
    '{"name":"read_file","arguments":',
    '}',
    '\n',
    ' ',
    '```',
    '`',
    '"',
    '[TOOL_CALLS]',
  ];
  const more = [
    '<|channel|>',
    'analysis',
    '<|message|>',
    '<function=',
    '>',
    '<invoke name="x">',
    '<',
    '[',
    '(',
    "'",
    'word.',
    '&lt;think&gt;',
  ];

  it('is read without a throw, and never has both words and a break', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces, ...more), { maxLength: 40 }), (parts) => {
        const read = plain(parts.join(''));
        expect(read.whole || read.text === '').toBe(true);
      }),
    );
  });

  it('takes no longer than its length', () => {
    const texts = [
      ...pieces,
      ...more,
      '{}',
      '{"a":',
      '<a>',
      '\n{',
      '\n[',
      'f(a="b")',
      '<think>a</think>',
      '`x',
      '```\n',
      '\n```tool_code\n',
    ];
    for (const piece of texts) {
      const text = piece.repeat(Math.ceil(300_000 / piece.length));
      const began = computedMs();
      plain(text);
      expect(computedMs() - began, JSON.stringify(piece)).toBeLessThan(2000);
    }
  });
});
