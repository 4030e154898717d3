import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { run } from './command-line.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

let workspace: TestWorkspace;
beforeAll(() => {
  workspace = makeWorkspace();
});
afterAll(() => workspace.remove());

describe('a command line that is wrong', () => {
  it.each([
    ['an unknown command', ['frobnicate'], /unknown command 'frobnicate'/],
    ['an unknown option', ['runs', 'list', '--frobnicate'], /unknown option '--frobnicate'/],
    ['a missing option', ['send'], /--to <address>/],
    ['a missing argument', ['why'], /message-id/],
    ['one argument too many', ['version', 'now'], /too many arguments/],
    ['a group without its command', ['runs'], /a command is missing/],
    ['a number that is none', ['runs', 'list', '--limit', 'many'], /whole number/],
    ['a status that does not exist', ['runs', 'list', '--status', 'dreaming'], /queued, running/],
    ['an address that is none', ['send', '--to', 'adda'], /"adda" is no mail address/],
    ['a wait that is none', ['send', '--to', 'ada@agents.localhost', '--wait=soon'], /number of seconds/],
  ])('%s is a usage error, as JSON and for people', async (_what, args, message) => {
    const [asJson, told] = await Promise.all([
      run([...args, '--json', '--workspace', workspace.root]),
      run(['--workspace', workspace.root, ...args]),
    ]);
    expect(asJson.code).toBe(2);
    expect(JSON.parse(asJson.stdout)).toMatchObject({
      ok: false,
      error: { code: 'usage', message: expect.stringMatching(message), problems: [] },
    });
    expect(told).toMatchObject({ code: 2, stdout: '' });
    expect(told.stderr).not.toBe('');
  });

  it('says what to do in a folder that is no workspace', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'epistle-no-'));
    const { code, stdout } = await run(['status', '--json'], { cwd: folder });
    rmSync(folder, { recursive: true });
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('epistle init'),
    });
  });
});

describe('help and version', () => {
  it('lists every command, and each with its summary', async () => {
    const { code, stdout } = await run([]);
    expect(code).toBe(0);
    for (const name of [
      'init',
      'start',
      'demo',
      'status',
      'doctor',
      'send',
      'deliver',
      'chat',
      'why',
      'runs',
      'threads',
      'outbox',
    ])
      expect(stdout).toMatch(new RegExp(`^ {2}${name} .*[a-z]{3}`, 'm'));
    for (const name of ['deadletters', 'persona', 'mailbox', 'providers', 'extensions', 'usage', 'version'])
      expect(stdout).toMatch(new RegExp(`^ {2}${name} .*[a-z]{3}`, 'm'));
  });

  it('are one document with --json, too', async () => {
    const help = await run(['runs', '--help', '--json']);
    expect(help.code).toBe(0);
    expect(JSON.parse(help.stdout)).toMatchObject({ ok: true, help: expect.stringContaining('cancel') });
    const version = await run(['--version', '--json']);
    expect(JSON.parse(version.stdout)).toMatchObject({ ok: true, version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  });
});

describe('the workspace', () => {
  it.each([
    ['before the command', (root: string) => ({ args: ['--workspace', root, 'persona', 'list', '--json'] })],
    ['after the command', (root: string) => ({ args: ['persona', 'list', '--json', '--workspace', root] })],
    [
      'in the environment',
      (root: string) => ({ args: ['persona', 'list', '--json'], environment: { EPISTLE_WORKSPACE: root } }),
    ],
    ['as the current folder', (root: string) => ({ args: ['persona', 'list', '--json'], cwd: root })],
  ])('may be named %s', async (_where, lineFor) => {
    const { args, ...options } = lineFor(workspace.root);
    const { code, stdout } = await run(args, options);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).personas).toMatchObject([{ id: 'ada' }, { id: 'ben' }]);
  });
});

describe('colours', () => {
  it('are left out of a pipe and of NO_COLOR', async () => {
    const piped = await run(['doctor', '--workspace', workspace.root]);
    const plain = await run(['doctor', '--workspace', workspace.root], {
      environment: { NO_COLOR: '1', FORCE_COLOR: '1' },
    });
    expect(piped.stdout + plain.stdout).not.toContain('\u001b');
  });
});
