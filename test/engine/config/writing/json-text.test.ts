import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { jsonTextOf } from '../../../../engine/config/writing/json-text.ts';

describe('the text of a JSON file that says something else', () => {
  const BY_HAND = `{
    "$schema": "./.schemas/gateway.json",
    "domain":   "a.test",

    "mailboxes": [ { "id": "main", "imap": {"port":993} },
                   { "id": "other" } ],
    "list": ["a", "b"], "empty": {}
}
`;
  it.each<[string, (value: Record<string, Json>) => Json, string]>([
    ['the same', (value) => value, BY_HAND],
    ['another value', (value) => ({ ...value, domain: 'b.test' }), BY_HAND.replace('a.test', 'b.test')],
    [
      'one key inside',
      (value) => ({ ...value, mailboxes: [{ id: 'main', imap: { port: 993, user: 'u' } }, { id: 'other' }] }),
      BY_HAND.replace('{"port":993}', '{"port":993, "user": "u"}'),
    ],
    ['one entry less', (value) => ({ ...value, list: ['b'] }), BY_HAND.replace('["a", "b"]', '["b"]')],
    [
      'one entry more',
      (value) => ({ ...value, list: ['a', 'b', 'c'] }),
      BY_HAND.replace('["a", "b"]', '["a", "b", "c"]'),
    ],
    [
      'a mailbox less',
      (value) => ({ ...value, mailboxes: [{ id: 'other' }] }),
      BY_HAND.replace(/\{ "id": "main".*\n +/, ''),
    ],
    [
      'something where nothing was',
      (value) => ({ ...value, empty: { a: 1 } }),
      BY_HAND.replace('{}', '{\n        "a": 1\n    }'),
    ],
    [
      'a key less',
      ({ domain: _gone, ...value }) => value,
      BY_HAND.replace('    "domain":   "a.test",\n\n', '\n').replace('json",\n\n', 'json",\n\n'),
    ],
  ])('keeps what it says already: %s', (_, change, expected) => {
    expect(jsonTextOf(BY_HAND, change(JSON.parse(BY_HAND)))).toBe(expected);
  });

  it.each([
    ['{"a":1}', { a: 1, b: [1] }, '{"a":1,"b":[1]}'],
    ['{ "a": 1 }\n', { a: 2, b: 'x' }, '{ "a": 2, "b": "x" }\n'],
    ['{}\n', { a: { b: 1 } }, '{\n  "a": {\n    "b": 1\n  }\n}\n'],
    ['', { a: 1 }, '{\n  "a": 1\n}\n'],
    ['\u{feff}{\r\n\t"a": 1\r\n}\r\n', { a: 1, b: {} }, '\u{feff}{\r\n\t"a": 1,\r\n\t"b": {}\r\n}\r\n'],
    ['{"a": 1.0, "b": 1e2}', { a: 1, b: 100, c: null }, '{"a": 1.0, "b": 1e2, "c": null}'],
    ['{"a": 1, "a": 2}', { a: 3 }, '{"a": 3}'],
    ['{"\\u0061": 1}', { a: 2 }, '{"\\u0061": 2}'],
  ])('follows how it is written: %j', (text, to, expected) => {
    expect(jsonTextOf(text, to)).toBe(expected);
  });

  const json = fc.json({ maxDepth: 4 }).map((text): Json => JSON.parse(text));
  const object = fc.dictionary(fc.oneof(fc.constantFrom('mailboxes', 'providers', 'a'), fc.string()), json);
  const spacing = fc.constantFrom(undefined, 0, 1, 2, 4, '\t');

  it('says exactly what it is to say, whatever it said before', () => {
    fc.assert(
      fc.property(object, object, spacing, (before, after, indent) => {
        const text = JSON.stringify(before, null, indent);
        expect(JSON.parse(jsonTextOf(text, after))).toEqual(JSON.parse(JSON.stringify(after)));
        expect(jsonTextOf(text, before)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});
