import { describe, expect, it } from 'vitest';
import { addressesIn } from '../../../../engine/cli/command/addresses.ts';
import { messageIdIn } from '../../../../engine/queries/message-id.ts';

describe('addresses on a command line', () => {
  it('may carry names, stand in one list or in several, and count once', () => {
    expect(addressesIn(['Ada <ada@x.example>, ben@x.example', 'ada@x.example'])).toEqual([
      'ada@x.example',
      'ben@x.example',
    ]);
  });

  it.each([
    '',
    'ada',
    'a@b@c',
    'a b@c',
    'ada@x.example,',
    '<>',
    'ada@x.example\r\nRCPT TO:<eve@x.example>',
    'x'.repeat(100_000),
  ])('are refused when they are none: %j', (text) => {
    expect(() => addressesIn(text)).toThrow(/no mail address/);
  });
});

describe('a Message-ID on a command line', () => {
  it('may come with or without its brackets', () => {
    expect(['a@b', '<a@b>', ' a@b '].map(messageIdIn)).toEqual(['<a@b>', '<a@b>', '<a@b>']);
  });

  it.each(['', '<>', 'a b', 'a@b\r\nBcc: eve@x.example', '<<a@b>>'])('is refused when it is none: %j', (text) => {
    expect(() => messageIdIn(text)).toThrow(/no Message-ID/);
  });
});
