import { describe, expect, it } from 'vitest';
import { createPace } from '../../../../engine/gateway/smtp/listener.ts';

const MB = 1024 * 1024;

/** Waiting is what moves this clock. */
function paced(bytesPerSecond: number) {
  const state = { now: 1_000_000 };
  const clock = {
    now: () => state.now,
    sleep: async (ms: number) => {
      state.now += ms;
    },
  };
  const pace = createPace({ bytesPerSecond, clock });
  const { signal } = new AbortController();
  return async (bytes: number, before = 0) => {
    const begun = state.now;
    await pace(bytes, before, signal);
    return state.now - begun;
  };
}

describe('M8: how fast large mails of strangers come in', () => {
  it('is what they share', async () => {
    const read = paced(8 * MB);
    let waited = 0;
    for (let before = MB; before < 25 * MB; before += 64 * 1024) waited += await read(64 * 1024, before);
    expect(waited).toBeGreaterThan(2700);
    expect(waited).toBeLessThan(3001);
  });

  it('slows down no letter, however much else comes in', async () => {
    const read = paced(MB);
    await read(10 * MB, MB);
    expect(await read(64 * 1024, 0)).toBe(0);
    expect(await read(64 * 1024, 900_000)).toBe(0);
  });
});
