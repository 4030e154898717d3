import { describe, expect, it } from 'vitest';
import { candidateAddresses } from '../../../../engine/intake/identify.ts';
import {
  addressKey,
  isSendable,
  matchesPattern,
  normaliseAddress,
  stripPlusTag,
} from '../../../../engine/mail/mime/address.ts';
import { computedMs } from '../../../computed.ts';

describe('an address', () => {
  it('keeps its local part as written and gets its domain in lower-case punycode', () => {
    expect(normaliseAddress('Ada@Bücher.Example')).toBe('Ada@xn--bcher-kva.example');
    expect(addressKey('Ada@EXAMPLE.com')).toBe('ada@example.com');
  });

  it.each([
    '',
    '@',
    'a',
    'a@',
    '@b',
    'a b@example.com',
    'a@b..c',
    'a@-b.c',
    '.a@b.c',
    'a@[192.0.2.1]',
    'a@b@c.test',
    `${'a'.repeat(65)}@b.c`,
    'a@b.c\r\n',
    'a\0@b.c',
    // Letters that only become those of another name.
    'a@\uff50lain.test',
    'a@plain\ufe0f.test',
    'a@p\u034flain.test',
    'a@plain\u3002test',
  ])('is none: %j', (text) => {
    expect(normaliseAddress(text)).toBeNull();
  });

  it('is not taken for an IP address that a URL would make of it', () => {
    expect(normaliseAddress('a@0x7f.1')).toBe('a@0x7f.1');
  });

  it.each([
    ['ada+ok-1+2@example.com', 'ada@example.com'],
    ['+x@example.com', '+x@example.com'],
    ['ada@exa+mple.com', 'ada@exa+mple.com'],
    ['ada@example.com', 'ada@example.com'],
  ])('%s is %s without its plus-tag', (address, without) => {
    expect(stripPlusTag(address)).toBe(without);
  });

  it.each(['a@b.c\r\nBcc: v@ext.test', 'team: a@b.c;', 'a@b.c, d@e.f', '<a@b.c>', '"a b"@c.d', 'a@b.c (x)', 'a,b@c.d'])(
    'is not sent to: %j',
    (text) => {
      expect(isSendable(text)).toBe(false);
    },
  );

  it('is sent to when it is plain', () => {
    expect(['a@b.c', 'ada+x@agents.localhost', 'ü@example.com', 'a@bücher.example'].map(isSendable)).toEqual([
      true,
      true,
      true,
      true,
    ]);
  });
});

describe('a pattern', () => {
  it.each([
    ['a@example.com', '*@example.com', true],
    ['A@Example.COM', '*@EXAMPLE.com', true],
    ['a@sub.example.com', '*@example.com', false],
    ['a@example.com.test', '*@example.com', false],
    ['a@notexample.com', '*@example.com', false],
    ['a@sub.example.com', '*@*.example.com', true],
    ['ada@example.com', 'ada@example.com', true],
    ['ada+x@example.com', 'ada@example.com', false],
    ['ada+x@example.com', 'ada+*@example.com', true],
    ['"x@example.com"@evil.test', '*@example.com', false],
    ['x@bücher.example', '*@bücher.example', true],
    ['x@xn--bcher-kva.example', '*@bücher.example', true],
    ['a@b.c', '*', true],
    ['not an address', '*', false],
    ['aXbYc@e.f', 'a*b*c@e.f', true],
    ['ab@e.f', 'a*b*b@e.f', false],
  ])('%s fits %s: %s', (address, pattern, fits) => {
    expect(matchesPattern(address, pattern)).toBe(fits);
  });

  it('made to be slow is not', () => {
    const before = computedMs();
    for (let n = 0; n < 1000; n += 1)
      matchesPattern(`${'a'.repeat(60)}@example.com`, `${'*a'.repeat(1000)}b@example.com`);
    expect(computedMs() - before).toBeLessThan(2000);
  });
});

describe('whom a mail is for', () => {
  const box = (address: string) => ({ name: '', address });
  const mail = {
    deliveredTo: ['Ada@example.com'],
    to: [box('ada@example.com'), box('bob@example.com')],
    cc: [box('eve@example.com')],
  };

  it('is what SMTP said, and nothing else', () => {
    expect(candidateAddresses(mail, ['bob@EXAMPLE.com', 'bob@example.com', 'junk'])).toEqual(['bob@example.com']);
  });

  it('in a mailbox is what the server noted, then To, then Cc, each once', () => {
    expect(candidateAddresses(mail, null)).toEqual(['Ada@example.com', 'bob@example.com', 'eve@example.com']);
  });
});
