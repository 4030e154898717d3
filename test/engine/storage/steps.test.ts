import { describe, expect, it } from 'vitest';
import type { StepBatch } from '../../../engine/storage/ports/runs.ts';
import { isRepeatable } from '../../../engine/storage/sqlite/repositories/steps.ts';
import type { NewEvent } from '../../../engine/storage/types/runs.ts';

const step = (types: readonly NewEvent['type'][], more: Partial<StepBatch> = {}): StepBatch => ({
  lease: { runId: 'r', fence: 1 },
  firstSeq: 0,
  events: types.map((type) => ({ type, v: 1, payload_json: '{}' })),
  patch: {},
  now: 0,
  ...more,
});

describe('what is not flushed by itself', () => {
  it('is the beginning of a model call', () => {
    expect(isRepeatable(step(['context_built', 'decision', 'model_call_started']))).toBe(true);
    expect(isRepeatable(step(['model_call_ended', 'decision', 'tool_call_intended']))).toBe(false);
    expect(isRepeatable(step(['decision', 'tool_call_intended']))).toBe(false);
    expect(isRepeatable(step(['tool_call_ended', 'observation', 'decision', 'model_call_started']))).toBe(false);
    const spent = { day: '2026-11-23', usd: 1, tokens: 1 };
    expect(isRepeatable(step(['decision', 'model_call_started'], { spent }))).toBe(false);
  });

  it('is what calls that only read have found, which then read again', () => {
    const found = ['tool_call_ended', 'observation', 'decision', 'model_call_started'] as const;
    expect(isRepeatable(step(found, { onlyReads: true }))).toBe(true);
    expect(isRepeatable(step(['model_call_ended', ...found], { onlyReads: true }))).toBe(false);
    expect(isRepeatable(step(['tool_call_intended'], { onlyReads: true }))).toBe(false);
  });
});
