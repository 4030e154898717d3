import { describe, expect, it } from 'vitest';
import { hideDisguised, hideSecrets } from '../../../engine/lib/secrets.ts';

const KEY = 'x'.repeat(20);

describe('a key in a text', () => {
  it.each([
    ['Bearer abc', 'abc'],
    ['Authorization: bearer abc', 'abc'],
    ['AUTHORIZATION: TOKEN abc', 'abc'],
    ['curl -H "Authorization: Basic dXNlcjpwYXNz"', 'dXNlcjpwYXNz'],
    [`sk-${KEY}`, KEY],
    ['sk-ant-api03-Ab_9', 'api03'],
    ['sk-proj-1234abcd', '1234'],
    [`ghp_${KEY}`, KEY],
    [`github_pat_${KEY}`, KEY],
    ['AKIAIOSFODNN7EXAMPLE', 'IOSFODNN7'],
    [`xoxb-${KEY}`, KEY],
    [`AIza${KEY}${KEY}`, KEY],
    [`eyJ${KEY}.eyJ${KEY}.${KEY}`, KEY],
    [`-----BEGIN RSA PRIVATE KEY-----\n${KEY}\n-----END RSA PRIVATE KEY-----`, KEY],
    [`-----BEGIN PRIVATE KEY-----\n${KEY}`, KEY],
    [`sk-\u200b${KEY}`, KEY],
    ['Bea\u202erer abc', 'abc'],
  ])('is replaced: %j', (secret, part) => {
    const shown = hideDisguised(`use ${secret} now`);
    expect(shown).toContain('[REDACTED]');
    expect(shown).not.toContain(part);
  });

  it.each([
    'Bearer of good news',
    'the Bearer bonds',
    'authorization: none',
    'sk-learn',
    'task-force-number-one-and-two-2',
    'AKIA is a name',
    'risk-averse-people-1234',
    'a\u200bb \u202e',
  ])('is not seen where there is none: %j', (text) => {
    expect(hideDisguised(text)).toBe(text);
  });

  it('is looked for in time that grows with the text only', () => {
    for (const shape of [
      'sk-',
      'sk-a ',
      '-----BEGIN PRIVATE KEY-----',
      'eyJ',
      'Bearer ',
      'ghp_',
      ' <',
      '\n> ',
      'authorization: ',
      '\u200b',
    ])
      expect(hideDisguised(shape.repeat(1_000_000 / shape.length)).length).toBeLessThan(1_100_000);
  }, 5000);

  it('stays replaced', () => {
    expect(hideSecrets('[REDACTED]')).toBe('[REDACTED]');
  });
});
