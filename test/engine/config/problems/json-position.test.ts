import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { locateJsonError } from '../../../../engine/config/json-file.ts';

describe('a text that is not JSON', () => {
  it.each([
    ['', 1, 1, 'a value'],
    ['{', 1, 2, 'a key in double quotes or "}"'],
    ['{a: 1}', 1, 2, 'a key in double quotes or "}"'],
    ['{"a" 1}', 1, 6, '":" after the key'],
    ['{"a": }', 1, 7, 'a value'],
    ['{"a": 1 "b": 2}', 1, 9, '"," or a closing bracket'],
    ['{\n  "a": 1,\n}', 3, 1, 'a key in double quotes (no comma stands before a closing bracket)'],
    ['[1,]', 1, 4, 'a value'],
    ['[1}', 1, 3, '"," or a closing bracket'],
    ['{"a": 1}}', 1, 9, 'the end of the file'],
    ['{"a": tru}', 1, 7, 'a value'],
    ['{"a": 01}', 1, 8, '"," or a closing bracket'],
    ['// note\n{}', 1, 1, 'a value'],
    ["{'a': 1}", 1, 2, 'a key in double quotes or "}"'],
    ['{"a": "b\nc"}', 1, 7, 'a string that ends and is escaped'],
    ['{"a": "C:\\temp\\x"}', 1, 7, 'a string that ends and is escaped'],
  ])('is located: %j', (text, line, column, expected) => {
    expect(locateJsonError(text)).toEqual({ line, column, expected });
  });

  it('is found in the same texts as JSON.parse finds it in', () => {
    const fragment = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"\\u00e9"',
      '"\\x"',
      '1',
      '-',
      '1e5',
      'null',
      ' ',
      '\n',
      '"',
    );
    fc.assert(
      fc.property(
        fc.array(fragment, { maxLength: 12 }).map((parts) => parts.join('')),
        (text) => {
          expect(locateJsonError(text) === null).toBe(isJson(text));
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('is located in a megabyte of brackets and a megabyte of text without exhausting the stack', () => {
    expect(locateJsonError('['.repeat(1_000_000))).toMatchObject({ line: 1, column: 1_000_001 });
    expect(locateJsonError(`"${'a'.repeat(1_000_000)}`)).toMatchObject({ line: 1, column: 1 });
  });
});

describe('a text that is JSON', () => {
  it('has no place of an error', () => {
    fc.assert(
      fc.property(fc.json(), (text) => locateJsonError(text) === null),
      { numRuns: 200 },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
