import { describe, expect, it } from 'vitest';
import { stretchOf } from '../../../../engine/memory/facts/verbatim.ts';
import { computedMs } from '../../../computed.ts';

describe('a quote', () => {
  it.each([
    ['My flight is at 9.', 'flight is at 9', 'flight is at 9'],
    ['My flight\n is  at 9.', 'flight is at 9', 'flight\n is  at 9'],
    ['Ich heiße Müller.', 'heiße Mu\u0308ller', 'heiße Müller'],
    ['会议改到周三上午', '改到周三', '改到周三'],
    ['It is for her', ' for  her ', 'for her'],
  ])('of %j that says %j stands there', (text, quote, stretch) => {
    expect(stretchOf(text, quote)).toBe(stretch);
  });

  it.each([
    ['My flight is at 9.', 'flight is at 10'],
    ['My flight is at 9.', 'Flight is at 9'],
    ['My flight is at 9.', 'flight at 9'],
    ['It is for her', 'or her'],
    ['Call 0049', '004'],
    ['anything', ''],
    ['anything', ' \n '],
    ['', 'x'],
  ])('of %j that says %j does not', (text, quote) => {
    expect(stretchOf(text, quote)).toBeNull();
  });

  it('takes time that grows with the length of the text alone', () => {
    const text = 'a '.repeat(50_000);
    const began = computedMs();
    expect(stretchOf(text, `${'a '.repeat(200)}b`)).toBeNull();
    expect(computedMs() - began).toBeLessThan(500);
  });
});
