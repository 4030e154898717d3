import { describe, expect, it } from 'vitest';
import {
  decodeToolEvent,
  encodeToolPayload,
  MAX_PAYLOAD_CHARS,
  resultIn,
} from '../../../engine/record/codec/run-events.ts';
import type { StoredToolEvent } from '../../../engine/storage/types/runs.ts';

const LONG = 'x'.repeat(MAX_PAYLOAD_CHARS);

function trace(
  event_type: StoredToolEvent['event_type'],
  payload: { readonly ok?: boolean; readonly [name: string]: unknown },
) {
  const kept: Buffer[] = [];
  const artifacts = {
    put: (bytes: Uint8Array) => String(kept.push(Buffer.from(bytes)) - 1),
    getSync: (hash: string): Uint8Array => kept[Number(hash)] ?? Buffer.from('null'),
  };
  const payload_json = encodeToolPayload(payload, artifacts);
  const row = { event_type, tool_name: 't', tool_call_id: 'c', payload_json };
  const rest = { id: 'i', thread_id: 't', parent_message_id: 'm', run_id: 'r', step_index: 0, created_at: 1 };
  return { artifacts, kept, payload_json, read: () => decodeToolEvent({ ...row, ...rest }, artifacts) };
}

describe('a row of the trace of tools', () => {
  it.each([
    ['a call', 'tool_call', { arguments: { to: 'x' } }],
    ['a long call', 'tool_call', { arguments: { text: LONG } }],
    ['a result', 'tool_result', { ok: true, result: { a: 1 }, artifact: null }],
    ['a long result', 'tool_result', { ok: true, result: { a: LONG }, artifact: null }],
    ['an error', 'tool_result', { ok: false, error: { code: 'x', message: 'm' }, artifact: null }],
    ['a long error', 'tool_result', { ok: false, error: { code: 'x', message: LONG }, artifact: null }],
    ['a result made once for two calls', 'tool_result', { ok: true, result: 1, artifact: null, same_as: 'b' }],
  ] as const)('holds %s as it was written', (_what, type, payload) => {
    const { read, payload_json } = trace(type, payload);
    expect(payload_json.length).toBeLessThanOrEqual(MAX_PAYLOAD_CHARS);
    expect(read()).toEqual({ type, tool: 't', callId: 'c', payload });
  });

  it('leaves a result that is an artifact of its own there, whatever is in it', () => {
    const { read, kept, artifacts } = trace('tool_result', { ok: true, artifact: '0' });
    const whole = { ok: true, rows: [1, 2] };
    kept.push(Buffer.from(JSON.stringify(whole)));
    const { payload } = read();
    expect(payload).toEqual({ ok: true, artifact: '0' });
    expect(resultIn({ ok: true, artifact: '0' }, artifacts)).toEqual(whole);
  });
});
