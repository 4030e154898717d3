import { describe, expect, it } from 'vitest';
import { atFirstUse } from '../../../engine/lib/first-use.ts';

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
