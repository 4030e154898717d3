import { describe, expect, it } from 'vitest';
import { loadEnvironment, processSettings } from '../../../engine/config/environment.ts';
import { temporaryWorkspace } from './temporary-workspace.ts';

describe('a workspace with a .env file', () => {
  const workspace = () =>
    temporaryWorkspace({
      '.env': '# keys\nOPENAI_API_KEY="from file"\nONLY_FILE=yes # note\nexport EXPORTED=x\nEMPTY=\n',
    });

  it('gives its values where the real environment has none', () => {
    const { secretOf } = loadEnvironment(workspace().path, { OPENAI_API_KEY: 'real' });
    expect(secretOf('OPENAI_API_KEY')).toBe('real');
    expect(secretOf('ONLY_FILE')).toBe('yes');
    expect(secretOf('EXPORTED')).toBe('x');
    expect(secretOf('EMPTY')).toBeUndefined();
    expect(secretOf('ABSENT')).toBeUndefined();
    expect(secretOf('constructor')).toBeUndefined();
  });

  it('is hidden by an empty value of the real environment', () => {
    expect(loadEnvironment(workspace().path, { OPENAI_API_KEY: '' }).secretOf('OPENAI_API_KEY')).toBeUndefined();
  });

  it('never reaches process.env, which child processes inherit', () => {
    loadEnvironment(workspace().path);
    expect(process.env.ONLY_FILE).toBeUndefined();
  });

  it('is a problem when it cannot be read', () => {
    const broken = temporaryWorkspace({ '.env/x': '' });
    expect(loadEnvironment(broken.path, {}).problems).toEqual([
      expect.objectContaining({ file: '.env', code: 'unreadable' }),
    ]);
  });
});

describe('the provider of the environment', () => {
  it.each([
    [{ OPENROUTER_API_KEY: 'k', GEMINI_API_KEY: 'k' }, 'gemini'],
    [{ OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' }, 'anthropic'],
    [{ XAI_API_KEY: 'k' }, 'grok'],
    [{ ANTHROPIC_API_KEY: '', OPENAI_API_KEY: 'k' }, 'openai'],
    [{}, null],
  ])('of %j is %s', (variables, provider) => {
    expect(loadEnvironment(temporaryWorkspace().path, variables).firstProvider).toBe(provider);
  });
});

describe('settings for tests only', () => {
  const given = { EPISTLE_CRASH_AT: 'accept.committed:3', EPISTLE_TEST_NOW: '2026-01-02T03:04:05Z' };

  it('count under NODE_ENV=test', () => {
    expect(processSettings({ ...given, NODE_ENV: 'test' })).toMatchObject({
      crashAt: { label: 'accept.committed', passing: 3 },
      testNow: Date.UTC(2026, 0, 2, 3, 4, 5),
    });
    expect(processSettings({ NODE_ENV: 'test', EPISTLE_CRASH_AT: 'x' }).crashAt).toEqual({ label: 'x', passing: 1 });
    expect(processSettings({ NODE_ENV: 'test', EPISTLE_TEST_NOW: 'soon' }).testNow).toBeNull();
  });

  it('count for nothing elsewhere', () => {
    expect(processSettings({ ...given, NODE_ENV: 'production' })).toMatchObject({ crashAt: null, testNow: null });
  });
});

describe('the settings of the process', () => {
  it('name the workspace and whether to paint', () => {
    expect(processSettings({ EPISTLE_WORKSPACE: '/w', NO_COLOR: '1' })).toMatchObject({
      workspace: '/w',
      noColor: true,
    });
    expect(processSettings({ NO_COLOR: '' })).toMatchObject({ workspace: null, noColor: false });
    expect(processSettings({ XDG_STATE_HOME: '/s' }).stateHome).toBe('/s');
    expect(processSettings({ XDG_STATE_HOME: 'not/from/the/root' }).stateHome).toBeNull();
    expect(processSettings({}).stateHome).toBeNull();
    const npx = { npm_lifecycle_event: 'npx', npm_lifecycle_script: "'epistle'" };
    expect(processSettings(npx).program).toBe('npx epistle');
    expect(processSettings({ ...npx, npm_lifecycle_script: "'vitest'" }).program).toBe('epistle');
    expect(processSettings({ ...npx, EPISTLE_PROGRAM: './scripts/epistle' }).program).toBe('./scripts/epistle');
  });
});
