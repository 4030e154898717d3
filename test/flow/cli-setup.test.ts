import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockWorkspace } from '../../engine/storage/sqlite/workspace-lock.ts';
import { startSmtpPeer } from '../fakes/smtp-peer.ts';
import { run } from './command-line.ts';
import { epistle } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const ADDED = ['--imap', 'localhost:1:none', '--smtp', 'localhost:1:none'];
const LOUD = ['--imap', 'LocalHost:1:none', '--smtp', 'localhost:1:none'];

describe('making a workspace', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'epistle init '));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const init = async (dir: string) => {
    const { code, stdout } = await run(['init', dir, '--json'], { cwd: folder });
    return { code, json: JSON.parse(stdout) };
  };

  it('asks nothing, says what it made, and what it made works', async () => {
    const { code, json } = await init('mine');
    expect(code).toBe(0);
    expect(json).toMatchObject({ ok: true, workspace: join(folder, 'mine') });
    for (const path of json.created) expect(existsSync(join(folder, 'mine', path))).toBe(true);
    expect(json.created).toEqual(
      expect.arrayContaining([
        'configs/gateway.json',
        'configs/prompts/system.md',
        'personas/ada/PERSONA.md',
        'personas/ben/persona.json',
        'extensions/extensions.json',
        '.env.example',
      ]),
    );
    const sent = await epistle(join(folder, 'mine'), ['send', '--to', 'ada@agents.localhost', '--wait=180'], 'Hello');
    expect(sent).toMatchObject({ code: 0, json: { results: [{ status: 'done', outcome: 'final' }] } });
  });

  it('refuses a folder that has configs already, and touches nothing in it', async () => {
    mkdirSync(join(folder, 'configs'));
    const { code, json } = await init('.');
    expect(code).toBe(2);
    expect(json).toMatchObject({ ok: false, error: { code: 'not_empty' } });
    expect(readdirSync(folder)).toEqual(['configs']);
  });

  it('keeps what lies in the folder', async () => {
    mkdirSync(join(folder, 'personas/ada'), { recursive: true });
    writeFileSync(join(folder, 'personas/ada/PERSONA.md'), 'Mine.\n');
    const { json } = await init('.');
    expect(json.created).not.toContain('personas/ada/PERSONA.md');
    expect(readFileSync(join(folder, 'personas/ada/PERSONA.md'), 'utf8')).toBe('Mine.\n');
  });

  const SERVERS = { imap: '127.0.0.1:1:none', smtp: '127.0.0.1:1:none' };
  it.each([
    ['a provider that is none', { ...SERVERS, provider: 'openai-compatible' }, 'there are anthropic, gemini'],
    ['a port that is none', { ...SERVERS, imap: '127.0.0.1:99999:none' }, 'is no server'],
    ['a password in the clear', { ...SERVERS, imap: 'mail.example.com:143:none' }, 'imap.tls'],
    ['a wait that is none', { ...SERVERS, wait: 'long' }, '--wait takes a number of seconds'],
    ['an issuer that is none', { ...SERVERS, 'client-id': 'x', 'oauth-issuer': 'nowhere' }, 'oauth.issuer'],
  ])('setup says what is wrong with %s, asks no server, and keeps nothing of it', async (_, flags, words) => {
    const options = { folder: 'mine', owner: 'me@example.com', mailbox: 'a@example.com', ...flags };
    const given = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
    const { code, stdout } = await run(['setup', '--non-interactive', '--json', ...given], {
      cwd: folder,
      stdin: 'pw',
    });
    const { error } = JSON.parse(stdout);
    expect([code, error.code, error.message]).toEqual([2, 'usage', expect.stringContaining(words)]);
    expect(existsSync(join(folder, 'mine/.env'))).toBe(false);
  });

  it.each([
    ['a persona that there is not', ['new@example.org', '--persona', 'nobody'], /nobody/],
    ['an address that is another persona\u2019s', ['ben@agents.localhost', '--persona', 'ada'], /persona ben/],
    ['a name that is taken', ['new@example.org', '--id', 'main'], /main has this name/],
    ['a secret that is another one\u2019s', ['new@example.org', '--id', 'ma-in'], /choose another --id/],
    ['an account in other letters', ['OLD@Example.com', '--id', 'b', ...LOUD], /main reads/],
    ['an account that is read already', ['old@example.com', '--id', 'b', ...ADDED], /main reads old@example.com/],
  ])('mailbox add refuses %s before any server is asked for a login', async (_, args, words) => {
    const side = { host: 'localhost', port: 1, tls: 'none', user: 'old@example.com' };
    const mailboxes = [
      { id: 'main', imap: { ...side, secret_env: 'MAIN' }, smtp: { ...side, secret_env: 'MA_IN_MAILBOX_PASSWORD' } },
    ];
    const workspace = makeWorkspace({ 'configs/gateway.json': { smtp_listener: { port: 0 }, mailboxes } });
    const { json } = await epistle(workspace.root, ['mailbox', 'add', ...args, '--non-interactive'], 'pw');
    const { mailboxes: after } = JSON.parse(readFileSync(join(workspace.root, 'configs/gateway.json'), 'utf8'));
    const hasSecret = existsSync(join(workspace.root, '.env'));
    workspace.remove();
    expect(json).toMatchObject({ ok: false, error: { message: expect.stringMatching(words) } });
    expect([after, hasSecret]).toEqual([mailboxes, false]);
  });

  it('gives the same .env.example that the repository has', () => {
    const ours = readFileSync(join(ROOT, 'engine/cli/commands/set-up/env.example'), 'utf8');
    expect(ours).toBe(readFileSync(join(ROOT, '.env.example'), 'utf8'));
  });
});

describe('adding to a workspace', () => {
  let workspace: TestWorkspace;
  beforeEach(() => {
    workspace = makeWorkspace();
  });
  afterEach(() => workspace.remove());
  const ask = (...args: string[]) => epistle(workspace.root, args);

  it('makes a persona once, with an id that is one and an address that nobody has', async () => {
    const made = await ask(
      'persona',
      'create',
      'zoe',
      '--name',
      'Zoë',
      '--owner',
      'zed@example.com',
      '--allow',
      '*@example.com',
    );
    expect(made).toMatchObject({
      code: 0,
      json: { persona: { name: 'Zoë', owners: ['zed@example.com'], state: 'ready' } },
    });
    expect((await ask('persona', 'show', 'zoe@agents.localhost')).json.persona).toMatchObject({
      id: 'zoe',
      access: { allow: ['*@example.com'], deny: [] },
      tools: { allow: ['*'] },
    });
    expect(await ask('persona', 'create', 'zoe')).toMatchObject({ code: 2, json: { error: { code: 'not_empty' } } });
    expect(await ask('persona', 'create', '../zoe')).toMatchObject({ code: 2, json: { error: { code: 'usage' } } });
    expect(await ask('persona', 'create', 'ada2', '--address', 'assistant@agents.localhost')).toMatchObject({
      code: 2,
      json: { error: { code: 'config_invalid', message: expect.stringContaining('ada') } },
    });
    expect(await ask('persona', 'create', 'yan', '--allow', 'not a pattern')).toMatchObject({ code: 2 });
    expect(readdirSync(join(workspace.root, 'personas')).sort()).toEqual(['ada', 'ben', 'zoe']);
  });

  it('renames a persona with all that it had, keeps its old address, and takes it away', async () => {
    const write = '/write_file {"path": "tea.md", "content": "Earl Grey"}';
    const send = (text: string) =>
      epistle(workspace.root, ['send', '--to', 'ada@agents.localhost', '--wait=180'], text);
    expect((await send(write)).json.results).toMatchObject([{ persona: 'ada', outcome: 'final' }]);
    expect(await ask('persona', 'rename', 'ada', 'ben')).toMatchObject({
      code: 2,
      json: { error: { code: 'not_empty' } },
    });
    expect(await ask('persona', 'rename', 'ada', '../x')).toMatchObject({
      code: 2,
      json: { error: { code: 'usage' } },
    });

    const renamed = await ask('persona', 'rename', 'ada', 'adele');
    expect(renamed).toMatchObject({ code: 0, json: { persona: { id: 'adele', address: 'ada@agents.localhost' } } });
    expect(existsSync(join(workspace.root, 'data/personas/ada'))).toBe(false);
    expect((await ask('runs', 'list', '--persona', 'adele')).json.runs).toHaveLength(1);
    expect((await ask('mail', 'list', '--persona', 'adele')).json.mails).toHaveLength(1);

    expect(await ask('persona', 'edit', 'adele')).toMatchObject({ code: 2, json: { error: { code: 'usage' } } });
    expect(await ask('persona', 'edit', 'adele', '--timezone', 'Nowhere')).toMatchObject({
      code: 2,
      json: { error: { code: 'config_invalid' } },
    });
    const edited = await ask('persona', 'edit', 'adele', '--name', 'Adele', '--address', 'adele@agents.localhost');
    expect(edited.json.persona).toMatchObject({ name: 'Adele', address: 'adele@agents.localhost' });
    expect(edited.json.persona.aliases).toContain('ada@agents.localhost');
    const later = await send('/read_file {"path": "tea.md"}');
    expect(later.json.results[0]).toMatchObject({ persona: 'adele' });
    expect(later.json.results[0].reply.text).toContain('Earl Grey');

    const gone = await ask('persona', 'delete', 'adele');
    expect(readdirSync(join(workspace.root, gone.json.kept)).sort()).toEqual(['data', 'persona']);
    expect((await ask('persona', 'list')).json.personas).toHaveLength(1);
    expect(await ask('persona', 'delete', 'ben', '--force')).toMatchObject({ code: 0, json: { kept: null } });
    expect(existsSync(join(workspace.root, 'personas/ben'))).toBe(false);
  });

  it('refuses to rename or delete a persona while a gateway works', async () => {
    const lock = lockWorkspace(join(workspace.root, 'data'));
    for (const args of [
      ['rename', 'ada', 'adele'],
      ['delete', 'ada'],
    ]) {
      expect(await ask('persona', ...args)).toMatchObject({ code: 2, json: { error: { code: 'workspace_locked' } } });
    }
    lock.release();
    expect(readdirSync(join(workspace.root, 'personas')).sort()).toEqual(['ada', 'ben']);
  });

  it.each(['tool', 'provider', 'resolver', 'hook'])('makes a %s that loads as it stands', async (kind) => {
    const made = await ask('extensions', 'new', kind, 'mine');
    expect(made).toMatchObject({ code: 0, json: { extension: { kind, name: 'mine' } } });
    const checked = await ask('extensions', 'check', 'mine');
    expect(checked).toMatchObject({
      code: 0,
      json: {
        ok: true,
        problems: [],
        extensions: [{ kind, name: 'mine', source: 'workspace', state: 'loaded', error: null }],
      },
    });
    expect(checked.stderr).toBe('');
    expect(await ask('extensions', 'new', kind, 'mine')).toMatchObject({
      code: 2,
      json: { error: { code: 'not_empty' } },
    });
  });

  it('say so when they take the place of a bundled one', async () => {
    expect((await ask('extensions', 'new', 'tool', 'read_file')).json).toMatchObject({ ok: true, replaces: 'bundled' });
    expect((await ask('extensions', 'new', 'tool', 'mine')).json).toMatchObject({ ok: true, replaces: null });
  });

  it('keeps the rest of extensions.json when it lists a new one', async () => {
    workspace.write('extensions/extensions.json', { tools: [{ name: 'web_fetch', enabled: false }], mcp: [] });
    await ask('extensions', 'new', 'tool', 'mine');
    expect(JSON.parse(readFileSync(join(workspace.root, 'extensions/extensions.json'), 'utf8'))).toEqual({
      tools: [{ name: 'web_fetch', enabled: false }, 'mine'],
      mcp: [],
    });
  });

  it('names the file and the cure when an extension is broken, a provider’s code included', async () => {
    await ask('extensions', 'new', 'tool', 'mine');
    await ask('extensions', 'new', 'provider', 'model');
    workspace.write('extensions/tools/mine/index.ts', 'export default { description: "x" };\n');
    workspace.write('extensions/providers/model/index.ts', 'throw new Error("no luck");\n');
    const { code, json } = await ask('extensions', 'check');
    expect(code).toBe(1);
    expect(json).toMatchObject({ ok: false, error: { code: 'extension_invalid' } });
    expect(json.problems).toMatchObject([
      { file: 'extensions/tools/mine/index.ts', message: expect.stringContaining('risk') },
      { file: 'extensions/providers/model/manifest.json', message: expect.stringContaining('no luck') },
    ]);
    workspace.write('extensions/tools/mine/index.ts', 'const a: number = 1;\n\nexport default {\n  name 1,\n};\n');
    expect((await ask('extensions', 'check', 'mine')).json.problems).toMatchObject([
      { file: 'extensions/tools/mine/index.ts', message: expect.stringMatching(/^line 4: /) },
    ]);
    expect(await ask('extensions', 'check', 'nothing')).toMatchObject({
      code: 1,
      json: { error: { code: 'not_found' } },
    });
  });

  it('names in status the key that a provider in use is without', async () => {
    expect((await ask('status')).json.missing_keys).toEqual([]);
    workspace.write('configs/inference.json', { provider: 'openai' });
    const [missing] = (await ask('status')).json.missing_keys;
    expect(missing).toMatchObject({ provider: 'openai', keys: ['OPENAI_API_KEY'] });
    expect(missing.personas).toContain('ada');
  });

  it('lets a provider be tried, and says which key is missing', async () => {
    expect(await ask('providers', 'test')).toMatchObject({
      code: 0,
      json: { providers: [{ name: 'offline', ok: true }] },
    });
    expect(await ask('providers', 'test', 'openai')).toMatchObject({
      code: 1,
      json: { ok: false, providers: [{ ok: false, code: 'auth', message: expect.stringContaining('OPENAI_API_KEY') }] },
    });
    expect((await ask('providers', 'test', 'opnai')).json.error.message).toContain('did you mean "openai"?');
    const { json } = await ask('providers', 'list');
    expect(json.providers.find(({ used }: { used: boolean }) => used)).toMatchObject({ name: 'offline', ready: true });
  });

  it('tells a mailbox that answers from one that does not', async () => {
    const peer = await startSmtpPeer();
    const side = { host: '127.0.0.1', tls: 'none', auth: 'none', user: 'x', secret_env: 'X' };
    workspace.write('configs/gateway.json', {
      smtp_listener: { port: 0 },
      mailboxes: [
        { id: 'good', smtp: { ...side, port: peer.port } },
        { id: 'bad', imap: { ...side, port: 1 }, smtp: { ...side, auth: 'password', port: peer.port } },
      ],
    });
    const { code, json } = await ask('mailbox', 'test');
    expect(code).toBe(1);
    expect(json.mailboxes).toMatchObject([
      { id: 'good', imap: null, smtp: { ok: true, kind: null } },
      {
        id: 'bad',
        imap: { ok: false, kind: 'network' },
        smtp: { ok: false, kind: 'auth', message: expect.stringContaining('X') },
      },
    ]);
    expect(await ask('mailbox', 'test', 'good')).toMatchObject({ code: 0, json: { ok: true } });
    expect((await ask('mailbox', 'test', 'goood')).json.error.message).toContain('did you mean "good"?');
    expect((await ask('mailbox', 'list')).json.mailboxes).toMatchObject([
      { id: 'good', state: 'disabled', imap: null, smtp: { host: '127.0.0.1', port: peer.port } },
      { id: 'bad', state: 'disabled' },
    ]);
    await peer.stop();
  });
});
