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

describe('what is not built yet', () => {
  it('can be off, and is an error that says so when it is on', () => {
    expect(systemSchema.safeParse({ console: { enabled: false } }).success).toBe(true);
    expect(systemSchema.safeParse({ console: { enabled: true } }).error?.message).toContain('not built yet');
    expect(systemSchema.safeParse({ console: { port: 9000 } }).success).toBe(false);
  });
});
