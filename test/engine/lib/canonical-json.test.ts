import canonicalize from 'canonicalize';
import { assert, jsonValue, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../engine/lib/json.ts';

const isIndex = (name: string) => /^(?:0|[1-9]\d{0,9})$/.test(name) && Number(name) < 2 ** 32 - 1;

/** RFC 8785 differs from us for these alone. */
function differs(value: unknown): boolean {
  if (typeof value === 'string') return !value.isWellFormed();
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(differs);
  return Object.entries(value).some(([name, inner]) => isIndex(name) || differs(name) || differs(inner));
}

describe('canonical JSON', () => {
  it('is that of RFC 8785', () => {
    void assert(
      property(jsonValue({ noUnicodeString: false }), (value) => {
        if (!differs(value)) expect(canonicalJson(value)).toBe(canonicalize(value));
      }),
      { numRuns: 2000 },
    );
  });

  it('sorts names by code units, also those of other alphabets, and writes numbers the short way', () => {
    const value = {
      '\u20ac': 1,
      '\r': 2,
      '\ufb33': 3,
      '1b': 4,
      '\ud83d\ude00': 5,
      '\u0080': 6,
      ö: -0,
      a: [1e30, 4.5, 2e-3],
    };
    expect(canonicalJson(value)).toBe(canonicalize(value));
    expect(canonicalJson({ b: undefined, a: [undefined] })).toBe('{"a":[null]}');
  });

  it.each([
    [{ 10: 'a', 9: 'b', c: 'd' }, '{"9":"b","10":"a","c":"d"}'],
    [{ text: '\ud83d' }, '{"text":"\\ud83d"}'],
  ])('keeps the text of %j under which questions are stored', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it.each([[['a', 'b', 'c']], [['c', 'b', 'a']], [['b', 'c', 'a']]])(
    'is the same for names in the order %j',
    (names) => {
      const value = { in: Object.fromEntries(names.map((name) => [name, name])) };
      expect(canonicalJson(value)).toBe('{"in":{"a":"a","b":"b","c":"c"}}');
    },
  );
});
