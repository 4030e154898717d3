import { describe, expect, it } from 'vitest';
import { withDeadline } from '../../../engine/lib/deadline.ts';

const LIMIT = { ms: 60_000, code: 'timeout', what: 'the work' } as const;

describe('work with a deadline', () => {
  it('ends with its own error where it ended its parent to leave', async () => {
    const own = new Error('its own');
    const ends: (() => Promise<never>)[] = [
      () => Promise.reject(own),
      () => {
        throw own;
      },
    ];
    for (const end of ends) {
      const parent = new AbortController();
      const work = () => {
        parent.abort();
        return end();
      };
      await expect(withDeadline(work, { ...LIMIT, parent: parent.signal })).rejects.toBe(own);
    }
  });

  it('is left behind when its parent ends or its time is over, and hears of it', async () => {
    const parent = new AbortController();
    const heard: unknown[] = [];
    const forever = (signal: AbortSignal) =>
      new Promise<never>(() => signal.addEventListener('abort', () => heard.push(signal.reason)));
    const cancelled = withDeadline(forever, { ...LIMIT, parent: parent.signal });
    parent.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'cancelled' });
    await expect(withDeadline(forever, { ...LIMIT, parent: parent.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    await expect(withDeadline(forever, { ...LIMIT, ms: 1 })).rejects.toMatchObject({ code: 'timeout' });
    expect(heard).toMatchObject([{ code: 'cancelled' }, { code: 'cancelled' }, { code: 'timeout' }]);
  });
});
