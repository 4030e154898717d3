import { execFileSync } from 'node:child_process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { hideDisguised, hideSecrets } from '../../../../engine/lib/secrets/secrets.ts';
import { computedMs } from '../../../computed.ts';

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
    [`sk-ant-api03-${KEY}`, KEY],
    [`sk-or-v1-${'0af3'.repeat(16)}`, '0af3'],
    [`sk_live_${KEY}`, KEY],
    [`rk_live_${KEY}`, KEY],
    [`glpat-${KEY}`, KEY],
    [`npm_${'aB3'.repeat(12)}`, 'aB3'],
    [`SG.${KEY}.${KEY}${KEY}`, KEY],
    ['https://hooks.slack.com/services/T000/B000/XXXXabcd1234', 'abcd1234'],
    ['postgres://app:hunter2@db.example.com/orders', 'hunter2'],
    ['mongodb+srv://u:s3cret@cluster.example.net', 's3cret'],
    ['redis://:pa55@cache:6379', 'pa55'],
    [`whsec_${KEY}`, KEY],
    ['ASIAIOSFODNN7ABCDEFG', 'IOSFODNN7'],
    [`hf_${KEY}${KEY}`, KEY],
    ['Authorization: Bearer aB3dE5fG7h', 'aB3dE5fG7h'],
    ['Bea\u202erer abc', 'abc'],
  ])('is replaced: %j', (secret, part) => {
    const shown = hideDisguised(`use ${secret} now`);
    expect(shown).toContain('[REDACTED]');
    expect(shown).not.toContain(part);
  });

  it('is replaced where V8 optimises no expressions, as in a process that has many', () => {
    const module = fileURLToPath(new URL('../../../../engine/lib/secrets/secrets.ts', import.meta.url));
    const code = `import { hideDisguised } from ${JSON.stringify(pathToFileURL(module))};
      process.stdout.write(hideDisguised('AUTHORIZATION: TOKEN abc, Authorization: Basic dXNlcjpwYXNz'));`;
    const flags = ['--no-regexp-optimization', '--input-type=module', '--eval', code];
    expect(execFileSync(process.execPath, flags, { encoding: 'utf8' })).toBe('[REDACTED] [REDACTED]');
  });

  it.each([
    'Bearer of good news',
    'the Bearer bonds',
    'authorization: none',
    'sk-learn',
    'task-force-number-one-and-two-2',
    'AKIA is a name',
    'risk-averse-people-1234',
    'sk-1044-2026',
    'sk-26-hb200-left',
    'sk-26-hb200-right-black-matt',
    'ASIA2026CONFERENCE01',
    'ASIA2026',
    'Authorization: Bearer YOUR_TOKEN',
    'curl -H "Authorization: Bearer $TOKEN"',
    'Authorization: Bearer <token>',
    `Authorization: Bearer $${'{API_KEY}'}`,
    'Authorization: Bearer xxxxxxxx',
    'Authorization: Basic YOUR_CREDENTIALS',
    'postgres://user:password@localhost/db',
    'postgres://USER:PASSWORD@HOST/DB',
    'http://localhost:3000/a@b',
    'https://example.com:8443/x?y=a:b@c',
    'DE89 3704 0044 0532 0130 00',
    '01a20480-1b42-70a9-8c1d-28fbc962970d',
    'da39a3ee5e6b4b0d3255bfef95601890afd80709',
    'npm_config_loglevel',
    'SG.1 and SG.2',
    'a\u200bb \u202e',
  ])('is not seen where there is none: %j', (text) => {
    expect(hideDisguised(text)).toBe(text);
  });

  it('is looked for in time that grows with the text only', () => {
    const began = computedMs();
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
      'sk_live_',
      'a://b:',
      'a://b:c',
      'SG.',
      'hooks.slack.com/services/',
      'glpat-',
      '12345678:AA',
      'da39a3ee5e6b4b0d3255bfef95601890-us',
      'AKIA',
      'Bearer YOUR_',
    ])
      expect(hideDisguised(shape.repeat(1_000_000 / shape.length)).length).toBeLessThan(1_100_000);
    expect(computedMs() - began).toBeLessThan(10_000);
  });

  it('stays replaced', () => {
    expect(hideSecrets('[REDACTED]')).toBe('[REDACTED]');
  });
});
