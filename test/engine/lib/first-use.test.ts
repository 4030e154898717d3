import { describe, expect, it } from 'vitest';
import { atFirstUse, loadedAtFirstUse } from '../../../engine/lib/kept-value.ts';

describe('what is made at its first use', () => {
  it('is made then, once, also when it is undefined', () => {
    const made: string[] = [];
    const get = atFirstUse(() => void made.push('made'));
    expect(made).toEqual([]);
    expect([get(), get()]).toEqual([undefined, undefined]);
    expect(made).toEqual(['made']);
  });

  it('is tried again where that failed', () => {
    const tries: string[] = [];
    const get = atFirstUse(() => {
      tries.push('try');
      if (tries.length === 1) throw new Error('too many open files');
      return 'there';
    });
    expect(get).toThrow('too many open files');
    expect(get()).toBe('there');
  });
});

describe('what is loaded at its first use', () => {
  it('is loaded then, once, for all who wait for it', async () => {
    const loads: string[] = [];
    const get = loadedAtFirstUse(async () => void loads.push('load'));
    expect(loads).toEqual([]);
    await Promise.all([get(), get()]);
    await get();
    expect(loads).toEqual(['load']);
  });

  it('is tried again where that failed', async () => {
    const tries: string[] = [];
    const get = loadedAtFirstUse(async () => {
      tries.push('try');
      if (tries.length === 1) throw new Error('too many open files');
      return 'there';
    });
    await expect(get()).rejects.toThrow('too many open files');
    await expect(get()).resolves.toBe('there');
  });
});
