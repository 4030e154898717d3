import { describe, expect, it } from 'vitest';
import { contextSchema, systemSchema } from '../../../engine/config/schemas.ts';

const standard = contextSchema.parse({}).profiles.thread;
const profileOf = (thread: unknown) => contextSchema.safeParse({ profiles: { thread } });

describe('a context profile', () => {
  it('that adds to the default keeps the mail last and all else', () => {
    const { data } = profileOf({ add: ['calendar'], remove: ['knowledge'] });
    const expected = standard.filter((call) => call !== 'knowledge');
    expected.splice(expected.indexOf('invocation-metadata'), 0, 'calendar');
    expect(data?.profiles.thread).toEqual(expected);
    expect(data?.profiles.task).toEqual(standard);
  });

  it.each([
    [['calendar']],
    [[]],
    [{ remove: ['current-input'] }],
    [{ add: ['x'], drop: ['y'] }],
    [{ remove: ['knowlege'] }],
    ['calendar'],
  ])('without the mail, or with what nobody reads, is an error: %j', (thread) => {
    expect(profileOf(thread).success).toBe(false);
  });

  it('may be a list of its own with the mail in it', () => {
    expect(profileOf(['calendar', 'current-input']).data?.profiles.thread).toEqual(['calendar', 'current-input']);
  });
});

describe('the console', () => {
  it('is off, and on loopback, until somebody says otherwise', () => {
    const off = {
      enabled: false,
      screens: false,
      log_in_by_mail: false,
      host: '127.0.0.1',
      port: 8025,
      oidc: null,
      public_url: null,
    };
    expect(systemSchema.parse({}).console).toEqual(off);
    expect(systemSchema.safeParse({ console: { public_url: 'ftp://example.com' } }).success).toBe(false);
    for (const issuer of ['http://accounts.example.com', 'accounts.example.com', 'file:///x'])
      expect(systemSchema.safeParse({ console: { oidc: { issuer, client_id: 'x' } } }).success).toBe(false);
    expect(systemSchema.safeParse({ console: { password: 'x' } }).success).toBe(false);
  });
});
