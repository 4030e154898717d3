import { describe, expect, it } from 'vitest';
import { fenceGoneOnWith, openEndOf, withFenceClosed } from '../../../../engine/lib/text/open-end.ts';

const TABLE = '| a | b |\n|---|---|\n| 1 | 2 |\n';

describe('the end of a text', () => {
  it.each([
    ['```sh\nls', 'fence'],
    ['Run:\n\n```\nls\n```\n\n```js\nfoo(', 'fence'],
    ['1. Run:\n   ```sh\n   ls', 'fence'],
    ['- ```sh\n  ls', 'fence'],
    ['> ```\n> ls', 'fence'],
    ['````md\n```\nls\n```', 'fence'],
    ['```\n```js', 'fence'],
    [`${TABLE}| 3 | fo`, 'row'],
    [`Text\n\n${TABLE}|`, 'row'],
  ])('is open in %j', (text, open) => {
    expect(openEndOf(text)).toBe(open);
  });

  it.each([
    ['', 'Words about ``` alone.', 'Use `ls`, or ``` ls ```.'],
    ['```sh\nls\n```', '```sh\r\nls\r\n```\r\n', '```sh\nls\n```  \nDone.', '```\nls\n`````'],
    ['- ```sh\n  ls\n  ```', '> ```\n> ls\n\nAnd so on.', '```one line```', '````md\n```\nls\n````'],
    ['Name\n~~~~\nText', TABLE, 'a | b\n--|--\n1 | 2', '| a | b\n|---|---\n| 1 | 2', '| what | I mean'],
  ])('is none that is open: %j, %j, %j', (...texts) => {
    for (const text of texts) expect([text, openEndOf(text), withFenceClosed(text)]).toEqual([text, null, text]);
  });

  it.each([
    ['```sh\nls\n', '```sh\nls\n```'],
    ['````\nls', '````\nls\n````'],
    ['- ```sh\n  ls', '- ```sh\n  ls\n  ```'],
    ['1. Run:\n   ```sh\n   ls', '1. Run:\n   ```sh\n   ls\n   ```'],
    ['> ```\n> ls', '> ```\n> ls\n> ```'],
  ])('is closed in %j', (text, closed) => {
    expect(withFenceClosed(text)).toBe(closed);
    expect(openEndOf(closed)).toBeNull();
  });

  it.each([
    ['```sh\nls', '```', '```sh\nls\n```'],
    ['```sh\nls', '```\nThat lists all.', '```sh\nls\n```\nThat lists all.'],
    ['```sh\nls', '```sh\ncd ..\n```', '```sh\nls\ncd ..\n```'],
    ['```\nls', '```\ncd ..\n```\n', '```\nls\ncd ..\n```\n'],
    ['```sh\nls', ' -l\n```', null],
    ['No code.', '```\nls\n```', null],
  ])('%j and then %j are one block', (text, next, whole) => {
    expect(fenceGoneOnWith(text, next)).toBe(whole);
  });
});
