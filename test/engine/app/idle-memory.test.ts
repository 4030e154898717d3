import { afterEach, expect, it } from 'vitest';
import { startIdleMemory } from '../../../engine/app/idle-memory.ts';

const MB = 1024 * 1024;
const IDLE = 5;
const BUSY = 400;

let stop = () => {};
afterEach(() => stop());

it('gives memory back once when the process has become idle, and again after it grew', () => {
  const state = { cpuMs: BUSY, heapBytes: 75 * MB };
  let given = 0;
  const memory = startIdleMemory(
    () => state,
    () => {
      given += 1;
      state.heapBytes = 40 * MB;
    },
  );
  stop = memory.stop;
  const after = (change: Partial<typeof state>) => {
    Object.assign(state, change);
    memory.look();
    return given;
  };
  expect(after({})).toBe(0);
  expect(after({ cpuMs: IDLE })).toBe(1);
  expect(after({})).toBe(1);
  expect(after({ heapBytes: 50 * MB })).toBe(1);
  expect(after({ cpuMs: BUSY, heapBytes: 200 * MB })).toBe(1);
  expect(after({ cpuMs: IDLE })).toBe(2);
});

it('keeps the compiled code once, also of a process that is never idle', () => {
  let kept = 0;
  const memory = startIdleMemory(
    () => ({ cpuMs: BUSY, heapBytes: 200 * MB }),
    () => {},
    () => {
      kept += 1;
    },
  );
  stop = memory.stop;
  const seen = Array.from({ length: 8 }, () => {
    memory.look();
    return kept;
  });
  expect(seen).toEqual([0, 0, 0, 0, 1, 1, 1, 1]);
});
