import { describe, expect, it } from 'vitest';
import { coveredBy, isWait, partsOf } from '../../../../engine/queries/runs/timeline.ts';
import type { EventType, PayloadOf, RunEvent } from '../../../../engine/record/events.ts';
import { logOf } from '../../../../engine/record/run-log.ts';

const T = 1_790_000_000_000;
const run = (status: 'done' | 'running' | 'waiting_approval' = 'done') => ({
  created_at: T,
  started_at: T + 10,
  status,
});

/** Each event with the ms since the mail came. */
function logAt(...events: readonly (readonly [number, EventType, object])[]) {
  return logOf(
    events.map(([at, type, data], seq) => ({ type, v: 1, data, seq, at: T + at, fence: 1 }) as unknown as RunEvent),
  );
}
const asked = (call_id: string, tool: string): PayloadOf<'approval_requested'> => ({
  items: [{ approval_id: `q-${call_id}`, call_id, tool, risk: 'write' }],
});
const shown = (parts: ReturnType<typeof partsOf>) =>
  parts.map(({ kind, name, from, ms, ok, note }) => [kind, name, from - T, ms, ok, note]);

describe('the parts of a run that took time', () => {
  it('are its queue, its gathering, its calls and what it waited for, each from when it began', () => {
    const log = logAt(
      [10, 'run_started', {}],
      [
        100,
        'context_built',
        {
          spans: [
            { part: 'history', from_ms: 0, ms: 40, chars: 3, error: null },
            { part: 'recall', from_ms: 10, ms: 50, chars: 3, error: 'slow' },
          ],
        },
      ],
      [100, 'model_call_started', { call: 1, provider: 'p', model: 'm' }],
      // On record later than it ended.
      [900, 'model_call_ended', { ok: true, provider: 'p', model: 'm', ms: 700 }],
      [900, 'tool_call_intended', { call_id: 'a', tool: 'read_file', risk: 'read' }],
      [1000, 'tool_call_ended', { call_id: 'a', tool: 'read_file', ok: false, code: 'not_found', ms: 60 }],
      [1000, 'approval_requested', asked('b', 'send_mail')],
      [5000, 'approval_decided', { approval_id: 'q-b', state: 'approved', by: 'boss@x.test' }],
      [5000, 'suspended', { suspension_id: 's', call_id: 'c', tool: 'order', kind: 'external' }],
      [
        6000,
        'resumed',
        { suspension_id: 's', call_id: 'c', tool: 'order', kind: 'external', state: 'timed_out', by: 'x' },
      ],
      [6000, 'deferred', { code: 'budget', until: null }],
      [7000, 'run_started', {}],
    );
    const parts = partsOf(log, run(), T + 8000);
    expect(shown(parts)).toEqual([
      ['queue', 'its turn', 0, 10, true, null],
      ['gather', 'history', 40, 40, true, null],
      ['gather', 'recall', 50, 50, false, 'slow'],
      ['model', 'p/m', 100, 700, true, null],
      ['tool', 'read_file', 900, 60, false, 'not_found'],
      ['owner', 'send_mail', 1000, 4000, true, 'approved by boss@x.test'],
      ['elsewhere', 'order', 5000, 1000, true, 'timed out'],
      ['pause', 'budget', 6000, 1000, true, null],
    ]);
    expect(coveredBy(parts.filter(isWait))).toBe(6010);
  });

  it('go on where nothing on record ends them, as long as the run does', () => {
    const begun = [
      [10, 'run_started', {}],
      [100, 'model_call_started', { call: 1, provider: 'p', model: 'm' }],
    ] as const;
    expect(shown(partsOf(logAt(...begun), run('running'), T + 500))[1]).toEqual(['model', 'p/m', 100, 400, null, null]);
    expect(partsOf(logAt(...begun), run('done'), T + 500)).toHaveLength(1);
    const waits = logAt(...begun, [200, 'approval_requested', asked('b', 'send_mail')]);
    expect(shown(partsOf(waits, run('waiting_approval'), T + 500)).at(-1)).toEqual([
      'owner',
      'send_mail',
      200,
      300,
      null,
      null,
    ]);
  });

  it('count the time that several of them cover once', () => {
    expect(coveredBy([])).toBe(0);
    expect(
      coveredBy([
        { from: 50, ms: 10 },
        { from: 0, ms: 20 },
        { from: 5, ms: 5 },
        { from: 10, ms: 20 },
      ]),
    ).toBe(40);
  });
});
