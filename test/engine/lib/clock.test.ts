import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../engine/lib/clock.ts';

describe('a sleep', () => {
  const { sleep } = systemClock();

  it('ends by itself, and leaves nothing at the signal', async () => {
    const { signal } = new AbortController();
    await sleep(1, signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends early with the reason of whoever ends it', async () => {
    const ending = new AbortController();
    const asleep = sleep(60_000, ending.signal);
    ending.abort('enough');
    await expect(asleep).rejects.toBe('enough');
    expect(getEventListeners(ending.signal, 'abort')).toEqual([]);
  });

  it('does not begin when it was ended before', async () => {
    await expect(sleep(60_000, AbortSignal.abort('enough'))).rejects.toBe('enough');
  });
});
