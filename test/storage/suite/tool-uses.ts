import { describe, expect, it } from 'vitest';
import type { Store } from '../../../engine/storage/ports/store.ts';
import type { StorageEngine } from '../engine.ts';
import { eachWithAStore } from '../world.ts';

export const toolUsePromises = (engine: StorageEngine): void => {
  const NOON = Date.parse('2026-11-21T12:00:00Z');
  const HOUR_MS = 3_600_000;
  const NO_LIMITS = { perRun: null, perDay: null, perSenderHour: null };

  const store = eachWithAStore(engine);

  const call = (callId: string, change: Partial<Parameters<Store['useTool']>[0]> = {}) => ({
    runId: 'run',
    fence: 1,
    turn: 1,
    callId,
    tool: 'send_email',
    sender: 'mia@member.example',
    day: '2026-11-21',
    at: NOON,
    begun: [],
    ...change,
  });

  describe('calls that are counted', () => {
    it('are refused above the limit of their run, and the same call counts once', async () => {
      const limits = { ...NO_LIMITS, perRun: 2 };
      for (const id of ['a', 'b', 'a', 'b']) expect(await store().useTool(call(id), limits, true)).toBeNull();
      expect(await store().useTool(call('c'), limits, true)).toEqual({ limit: 'max_per_run' });
      expect(await store().useTool(call('c', { runId: 'another' }), limits, true)).toBeNull();
    });

    it('are refused above the limit of their day, of all runs together, and begin anew the next day', async () => {
      const limits = { ...NO_LIMITS, perDay: 1 };
      expect(await store().useTool(call('a'), limits, true)).toBeNull();
      expect(await store().useTool(call('b', { runId: 'another' }), limits, true)).toEqual({ limit: 'max_per_day' });
      expect(await store().useTool(call('b', { tool: 'write_file' }), limits, true)).toBeNull();
      expect(await store().useTool(call('b', { day: '2026-11-22' }), limits, true)).toBeNull();
    });

    it('are refused above what a sender may have made within an hour, until the oldest is an hour old', async () => {
      const limits = { ...NO_LIMITS, perSenderHour: 1 };
      expect(await store().useTool(call('a'), limits, true)).toBeNull();
      const spent = { limit: 'calls_per_sender_per_hour', oldest: NOON };
      expect(await store().useTool(call('b', { at: NOON + HOUR_MS - 1 }), limits, true)).toEqual(spent);
      expect(await store().useTool(call('b', { sender: 'bob@member.example' }), limits, true)).toBeNull();
      expect(await store().useTool(call('b', { at: NOON + HOUR_MS }), limits, true)).toBeNull();
    });

    it('hold nobody longer where the clock was ahead and came back', async () => {
      const limits = { ...NO_LIMITS, perSenderHour: 1 };
      expect(await store().useTool(call('a', { at: NOON + 24 * HOUR_MS }), limits, true)).toBeNull();
      expect(await store().useTool(call('b'), limits, true)).toBeNull();
    });

    it('are not counted when they are only asked about', async () => {
      const limits = { ...NO_LIMITS, perRun: 1 };
      expect(await store().useTool(call('a'), limits, false)).toBeNull();
      expect(await store().useTool(call('b'), limits, true)).toBeNull();
    });

    it('cannot all see the same free one side by side', async () => {
      const limits = { ...NO_LIMITS, perRun: 3 };
      const spent = await Promise.all(
        Array.from({ length: 20 }, (_, n) => store().useTool(call(`call ${n}`), limits, true)),
      );
      expect(spent.filter((one) => one === null)).toHaveLength(3);
    });

    it('are given back when the life that counted them died before they were begun, and only then', async () => {
      const limits = { ...NO_LIMITS, perRun: 2 };
      expect(await store().useTool(call('begun'), limits, true)).toBeNull();
      expect(await store().useTool(call('never'), limits, true)).toBeNull();
      const next = { fence: 2, begun: ['begun'] };
      expect(await store().useTool(call('other', next), limits, true)).toBeNull();
      expect(await store().useTool(call('one more', next), limits, true)).toEqual({ limit: 'max_per_run' });
    });
  });
};
