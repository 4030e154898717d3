import { describe, expect, it } from 'vitest';
import { inOneShot } from '../../../../engine/lib/workers/one-shot.ts';

const shot = (data: object, ms: number) =>
  inOneShot({
    file: new URL('./one-shot-worker.ts', import.meta.url),
    data,
    ms,
    heapMb: 64,
    failed: 'it is too much',
    signal: new AbortController().signal,
  });

describe('one piece of work in a thread of its own', () => {
  it('has its time as time that it computes, not as time that passes', async () => {
    expect(await shot({ does: 'wait', ms: 1200 }, 1000)).toBe('done');
  });

  it('is ended when it computes for longer, and when it never goes on', async () => {
    const failed = { code: 'tool_failed', message: 'it is too much' };
    await expect(shot({ does: 'hang' }, 300)).rejects.toMatchObject(failed);
    await expect(shot({ does: 'wait', ms: 60_000 }, 100)).rejects.toMatchObject(failed);
  });
});
