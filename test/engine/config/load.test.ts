import { describe, expect, it } from 'vitest';
import { loadConfigs } from '../../../engine/config/load.ts';
import { describeProblem } from '../../../engine/config/problems/problem.ts';
import { temporaryWorkspace } from './temporary-workspace.ts';

const problemsOf = (files: Record<string, object | string>) => loadConfigs(temporaryWorkspace(files).path).problems;

describe('a workspace without any config file', () => {
  it('has every default', () => {
    const { configs, problems } = loadConfigs(temporaryWorkspace().path);
    expect(problems).toEqual([]);
    expect(configs).toMatchObject({
      gateway: { domain: 'agents.localhost', mailboxes: [], smtp_listener: { host: '127.0.0.1', port: 2525 } },
      inference: { provider: null, max_tool_turns: 8, fallback: [], step_caps: { read: 6, mutate: 8 } },
      security: { owners: [], gateway_access: { default_decision: 'deny' }, tool_policy: { tools: { shell: 'deny' } } },
      system: { data_dir: 'data', dispatch: { max_open_databases: 200 } },
      extensions: { providers: [], mcp: [] },
    });
  });

  it('cannot be changed by whoever gets it', () => {
    const { configs } = loadConfigs(temporaryWorkspace().path);
    expect(() => configs?.security.gateway_access.allow.push('*')).toThrow(TypeError);
  });
});

describe('config files with mistakes', () => {
  it('are all named at once, each with file, key and cure', () => {
    const { configs, problems } = loadConfigs(
      temporaryWorkspace({
        'configs/gateway.json': { domian: 'example.com', smtp_listener: { port: 99_999 } },
        'configs/security.json': '{"owners": ["you@example.com",]}',
        'configs/inference.json': { max_tool_turns: 'eight' },
        'extensions/extensions.json': { providers: [{ nme: 'openai' }] },
      }).path,
    );
    expect(configs).toBeNull();
    expect(problems.map(describeProblem)).toEqual([
      'configs/gateway.json: smtp_listener.port: is 99999; expected at most 65535',
      'configs/gateway.json: domian: unknown key; did you mean "domain"?',
      'configs/inference.json: max_tool_turns: is "eight"; expected a number',
      'configs/security.json: is not JSON: line 1, column 31: expected a value',
      'extensions/extensions.json: providers.0.name: is required: text in double quotes',
      'extensions/extensions.json: providers.0.nme: unknown key; did you mean "name"?',
    ]);
  });

  it('name the nearest key at any depth, also behind lists and defaults', () => {
    const mailbox = { id: 'main', imap: { host: 'imap.example.com', user: 'a', secret_env: 'A', foldr: 'INBOX' } };
    expect(problemsOf({ 'configs/gateway.json': { mailboxes: [mailbox] } })).toEqual([
      expect.objectContaining({ code: 'unknown_key', key: 'mailboxes.0.imap.foldr', nearest: 'folder' }),
    ]);
  });

  it('tell a missing key from a wrong one', () => {
    const mailbox = { id: 'main', imap: { host: 7, user: 'a' } };
    expect(problemsOf({ 'configs/gateway.json': { mailboxes: [mailbox] } })).toEqual([
      expect.objectContaining({
        code: 'invalid_value',
        key: 'mailboxes.0.imap.host',
        expected: 'text in double quotes',
      }),
      expect.objectContaining({ code: 'missing_key', key: 'mailboxes.0.imap.secret_env' }),
    ]);
  });

  it('name the nearest of a few allowed words', () => {
    expect(problemsOf({ 'configs/security.json': { gateway_auth: { mode: 'enforced' } } })).toEqual([
      expect.objectContaining({ code: 'invalid_value', nearest: 'enforce', expected: '"enforce" or "monitor"' }),
    ]);
  });

  it('refuse plain text to another machine and say what to write', () => {
    const smtp = { host: 'smtp.example.com', tls: 'none', user: 'a', secret_env: 'A' };
    expect(problemsOf({ 'configs/gateway.json': { mailboxes: [{ id: 'main', smtp }] } })).toEqual([
      expect.objectContaining({ key: 'mailboxes.0.smtp.tls', expected: expect.stringContaining('allow_plaintext') }),
    ]);
  });

  it('never repeat a secret that stands in the place of its name', () => {
    const smtp = { host: 'smtp.example.com', user: 'a', secret_env: 'hunter2 hunter2' };
    const problems = problemsOf({
      'configs/gateway.json': { mailboxes: [{ id: 'main', smtp }] },
      'configs/system.json': '{"password": hunter2 }',
    });
    expect(problems).toHaveLength(2);
    expect(JSON.stringify(problems)).not.toContain('hunter2');
  });

  it('name mailboxes, relays and extensions that stand twice', () => {
    const relay = { ip: '10.0.0.5', authserv_id: 'mx.example.com' };
    const problems = problemsOf({
      'configs/gateway.json': {
        mailboxes: [{ id: 'a' }, { id: 'a' }],
        smtp_listener: { trusted_relays: [relay, relay] },
      },
      'extensions/extensions.json': { tools: ['web_fetch', { name: 'web_fetch', enabled: false }] },
    });
    expect(problems.map(({ key, code }) => [key, code])).toEqual([
      ['mailboxes.1.id', 'invalid_value'],
      ['smtp_listener.trusted_relays.1.ip', 'invalid_value'],
      ['tools.1', 'invalid_value'],
    ]);
  });

  it('are named when a whole file is misspelt, since absence would lift its rules', () => {
    expect(problemsOf({ 'configs/secruity.json': { owners: [] } })).toEqual([
      expect.objectContaining({ file: 'configs/secruity.json', code: 'unknown_key', nearest: 'configs/security.json' }),
    ]);
    expect(problemsOf({ 'configs/notes.json': {} })).toEqual([]);
  });
});

describe('a hostile config file', () => {
  it.each([
    ['a list', '[]', 'invalid_value'],
    ['null', 'null', 'invalid_value'],
    ['nothing', '', 'invalid_json'],
    ['zero bytes', '\0\0\0', 'invalid_json'],
    ['a prototype', '{"__proto__": {"owners": []}}', 'unknown_key'],
    ['a constructor', '{"constructor": {"prototype": {}}}', 'unknown_key'],
    ['two megabytes', `{"a": "${'x'.repeat(2_000_000)}"}`, 'unreadable'],
    ['deep nesting', '['.repeat(500_000), 'invalid_json'],
  ])('of %s is one problem of its file and no crash', (_what, text, code) => {
    const problems = problemsOf({ 'configs/security.json': text });
    expect(problems).toEqual([expect.objectContaining({ file: 'configs/security.json', code })]);
  });

  it('with free-form config nested without end is one problem', () => {
    const config = `{"a": ${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    expect(problemsOf({ 'extensions/extensions.json': `{"tools": [{"name": "x", "config": ${config}}]}` })).toEqual([
      expect.objectContaining({ file: 'extensions/extensions.json', code: 'invalid_value' }),
    ]);
  });

  it('that is a folder is unreadable', () => {
    expect(problemsOf({ 'configs/system.json/x': 'y' })).toEqual([
      expect.objectContaining({ file: 'configs/system.json', code: 'unreadable' }),
    ]);
  });

  it('with the byte order mark of a Windows editor is read', () => {
    const workspace = temporaryWorkspace({ 'configs/system.json': '\u{feff}{"data_dir": "d"}' });
    expect(loadConfigs(workspace.path).configs?.system.data_dir).toBe('d');
  });
});
