import { describe, expect, it } from 'vitest';
import type { Json, ModelMessage } from '#contract';
import { createBlobs } from '../../../../engine/storage/blobs.ts';
import { fitObservations, observe, roomFor } from '../../../../engine/tools/observe/observe.ts';

const nowhere = createBlobs('/dev/null');
const clock = { minute: 0 };

/** One turn that called one tool. */
function turn(id: string, result: Json, name = 'look'): ModelMessage[] {
  clock.minute += 1;
  const seen = observe({ id, name }, { ok: true, result, ms: 0 }, nowhere, clock.minute * 60_000);
  return [
    { role: 'assistant', text: '', toolCalls: [{ id, name, arguments: {} }] },
    { role: 'tool', results: [{ callId: id, name, content: seen.content, isError: false }] },
  ];
}

const shownOf = (messages: readonly ModelMessage[]) =>
  Object.fromEntries(
    messages.flatMap((message) =>
      message.role === 'tool' ? message.results.map(({ callId, content }) => [callId, JSON.parse(content)]) : [],
    ),
  );
const fitInto = (messages: readonly ModelMessage[], room: number, rescue = false) =>
  fitObservations(messages, { room, rescue });

describe('observations that fit', () => {
  it('are left as they are, the messages themselves', () => {
    const messages = [...turn('a', 'x'.repeat(3000)), ...turn('b', 'y'.repeat(3000))];
    expect(fitInto(messages, 10_000)).toEqual({ messages, compacted: 0 });
    expect(fitInto(messages, 10_000).messages).toBe(messages);
  });

  it('may fill a part of the model’s context', () => {
    expect(roomFor({ context_tokens: 101_000, max_output_tokens: 1000 })).toBe(140_000);
    expect(roomFor({ context_tokens: 100, max_output_tokens: 4000 })).toBe(0);
  });
});

describe('observations that do not fit together', () => {
  const messages = [
    ...turn('small', { text: 's'.repeat(900) }),
    ...turn('largest', { url: 'https://example.com', text: 'l'.repeat(9000) }),
    ...turn('middle', { text: 'm'.repeat(5000) }),
  ];

  it('give way largest first, to a reference and a summary', () => {
    const { messages: fitted, compacted } = fitInto(messages, 8000);
    const shown = shownOf(fitted);
    expect(compacted).toBe(1);
    expect(shown.largest).toMatchObject({
      ok: true,
      result: { url: 'https://example.com', text: expect.stringMatching(/^l{100,}$/) },
      truncated: true,
      cut: [{ at: 'text', total_chars: 9000 }],
      source: { tool: 'look', url: 'https://example.com' },
      observed_at: expect.any(String),
      ref: expect.stringMatching(/^[0-9a-f]{64}$/),
      more: expect.stringContaining('resolve_ref'),
    });
    expect(JSON.stringify(shown.largest).length).toBeLessThan(1200);
    expect(shown.middle.result.text).toHaveLength(5000);
  });

  it('stay compacted, byte for byte, when more are added', () => {
    const before = fitInto(messages, 8000).messages;
    const after = fitInto([...messages, ...turn('more', { text: 'n'.repeat(700) })], 8000).messages;
    expect(after.slice(0, before.length)).toEqual(before);
  });

  it('leave a page that was asked for whole, until the vendor has refused the request', () => {
    const withPage = [...turn('page', { ref: 'r', page: 2, text: 'p'.repeat(11_000) }, 'resolve_ref'), ...messages];
    expect(shownOf(fitInto(withPage, 100).messages).page.result.text).toHaveLength(11_000);
    expect(shownOf(fitInto(withPage, 100, true).messages).page).toMatchObject({ truncated: true });
  });

  it('are rescued by dropping more of them', () => {
    expect(fitInto(messages, 16_000).compacted).toBe(0);
    expect(fitInto(messages, 16_000, true).compacted).toBe(2);
  });
});

describe('an observation that repeats an earlier one', () => {
  const text = 'same '.repeat(1000);

  it('refers to the first, whenever it was made', () => {
    const { messages, compacted } = fitInto([...turn('a', { text }), ...turn('b', { text })], 1e6);
    const shown = shownOf(messages);
    expect(compacted).toBe(1);
    expect(shown.a.result.text).toBe(text);
    expect(shown.b).toMatchObject({ ok: true, same_as: 'a', ref: expect.any(String), observed_at: expect.any(String) });
    expect(shown.b.observed_at).not.toBe(shown.a.observed_at);
    expect(JSON.stringify(shown.b).length).toBeLessThan(1200);
  });

  it.each([
    ['came of another tool', text, turn('b', { text }, 'other')],
    ['differs in one character', text, turn('b', { text: `${text}.` })],
    ['is short', 'short', turn('b', { text: 'short' })],
  ])('is shown whole where it %s', (_what, earlier, second) => {
    const first = turn('a', { text: earlier });
    expect(fitInto([...first, ...second], 1e6).compacted).toBe(0);
  });
});
