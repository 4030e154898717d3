import { describe, expect, it } from 'vitest';
import { mergeConfig } from '../../../../engine/extensions/loading/open.ts';

describe('two configs', () => {
  it('merge their objects at any depth; lists and scalars of the upper one replace', () => {
    const under = { a: { b: { c: 1, d: 2 } }, list: [1, 2], word: 'x', kept: null };
    const over = { a: { b: { c: 9 } }, list: [3], word: { now: 'an object' } };
    expect(mergeConfig(under, over)).toEqual({
      a: { b: { c: 9, d: 2 } },
      list: [3],
      word: { now: 'an object' },
      kept: null,
    });
    expect(under.a.b.c).toBe(1);
  });

  it('replace an object by null or a list', () => {
    expect(mergeConfig({ a: { b: 1 }, c: { d: 1 } }, { a: null, c: [] })).toEqual({ a: null, c: [] });
  });

  it('keep a key called __proto__ a key', () => {
    const merged = mergeConfig({}, JSON.parse('{"__proto__": {"polluted": true}}'));
    expect(Reflect.get(merged, 'polluted')).toBeUndefined();
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
  });
});
