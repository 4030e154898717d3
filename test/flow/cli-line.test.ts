import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { runCommandLine } from '../../engine/cli/command-line.ts';
import { NOT_SHOWN } from '../../engine/cli/commands/help.ts';
import { commandsFor } from '../../engine/cli/commands/index.ts';
import { processSettings } from '../../engine/config/environment.ts';
import { root } from '../house/sources.ts';
import { run, withoutKeys } from './command-line.ts';
import { createCommands } from './commands.ts';
import { eventually } from './eventually.ts';
import { launchGateway } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

/** The same lines, without a process for each: what its end and its streams are by themselves, others show. */
const hosted = createCommands(withoutKeys(process.env));
const read = (args: readonly string[]) => hosted({ args: [...args], stdin: '', environment: {} });

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
    [
      'an address that is none',
      ['send', '--to', 'adda'],
      /"adda" is no mail address, and no persona has this id; did you mean "ada"\?/,
    ],
    ['somebody whom nobody knows', ['send', '--to', 'nobody'], /no persona has this id; there are ada, ben/],
    ['a wait that is none', ['send', '--to', 'ada@agents.localhost', '--wait=soon'], /number of seconds/],
  ])('%s is a usage error, as JSON and for people', async (_what, args, message) => {
    const [asJson, told] = await Promise.all([
      read([...args, '--json', '--workspace', workspace.root]),
      read(['--workspace', workspace.root, ...args]),
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
    const { code, stdout } = await run(['status', '--json'], { cwd: folder, environment: { HOME: folder } });
    rmSync(folder, { recursive: true });
    expect(code).toBe(1);
    expect(JSON.parse(stdout).error).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('epistle init'),
    });
  });
});

describe('help and version', () => {
  it('are not given for a command that there is not', async () => {
    const told = await run(['help', 'frobnicate']);
    expect(told).toMatchObject({ code: 2, stdout: '', stderr: "epistle: unknown command 'frobnicate'\n" });
    expect((await read(['help', 'runs'])).stdout).toContain('explain');
  });

  const screen = async (...args: string[]) => {
    const { code, stdout } = await read(args);
    expect([code, stdout.split('\n').filter((line) => line.length > 80)]).toEqual([0, []]);
    return { stdout, names: [...stdout.matchAll(/^ {2}([a-z]+) +\S/gm)].map(([, name]) => name) };
  };
  const EVERY_DAY = [
    'setup',
    'start',
    'stop',
    'status',
    'doctor',
    'logs',
    'send',
    'mail',
    'why',
    'approvals',
    'persona',
  ];

  it('show the eleven commands of every day and three groups, on one screen', async () => {
    for (const args of [[], ['help'], ['--help']]) {
      const { stdout, names } = await screen(...args);
      expect(names.filter((name) => name !== 'help')).toEqual(EVERY_DAY);
      expect([...stdout.matchAll(/^ {2}help (\S+)/gm)].map(([, name]) => name)).toEqual([
        ...['trouble', 'upkeep', 'developers', '--all'],
      ]);
      expect(stdout.split('\n').length).toBeLessThanOrEqual(25);
    }
    expect(JSON.parse((await read(['help', '--json'])).stdout)).toMatchObject({ ok: true, help: expect.anything() });
  });

  it('show every other command in one group, and what another says as well in none', async () => {
    const groups = await Promise.all(['trouble', 'upkeep', 'developers'].map((name) => screen('help', name)));
    const shown = [...EVERY_DAY, ...groups.flatMap(({ names }) => names)];
    expect((await screen('help', '--all')).names).toEqual(shown);
    const all = (await commandsFor([])).map(({ name }) => name);
    expect([...shown, ...NOT_SHOWN].toSorted()).toEqual(all.toSorted());
  });

  /** As other people's scripts name them; `help` need not show them. */
  const NAMES = [
    ...[
      'start',
      'init',
      'demo',
      'status',
      'doctor',
      'logs',
      'send',
      'deliver',
      'chat',
      'why',
      'audit',
      'usage',
      'version',
    ],
    ...['list', 'show', 'create', 'validate', 'pause', 'resume', 'rename', 'delete', 'edit'].map(
      (one) => `persona ${one}`,
    ),
    ...['list', 'test', 'add', 'login', 'remove'].map((one) => `mailbox ${one}`),
    ...['list', 'show', 'private'].map((one) => `threads ${one}`),
    ...['list', 'show', 'explain', 'replay', 'cancel', 'retry'].map((one) => `runs ${one}`),
    ...['list', 'show', 'approve', 'deny'].map((one) => `approvals ${one}`),
    ...['list', 'show', 'add', 'run', 'next', 'history', 'pause', 'resume'].map((one) => `tasks ${one}`),
    ...['list', 'show', 'retry', 'drop'].map((one) => `outbox ${one}`),
    ...['list', 'show', 'requeue'].map((one) => `deadletters ${one}`),
    ...['list', 'new', 'check', 'allow'].map((one) => `extensions ${one}`),
    ...['list', 'test'].map((one) => `providers ${one}`),
    ...['search', 'list', 'show', 'edit', 'forget', 'export', 'rebuild'].map((one) => `memory ${one}`),
    ...['create', 'verify', 'restore', 'schedule'].map((one) => `backup ${one}`),
    ...['setup', 'completion', 'update', 'stop', 'restart'],
    ...['list', 'show', 'retry'].map((one) => `mail ${one}`),
    ...['list', 'allow', 'block'].map((one) => `senders ${one}`),
    ...['status', 'inspect', 'diff', 'use', 'reset', 'refine', 'baseline', 'feedback'].map((one) => `learn ${one}`),
    ...['install', 'status', 'uninstall'].map((one) => `service ${one}`),
    ...['show', 'schema', 'set'].map((one) => `config ${one}`),
  ];

  it('know every name that there ever was', async () => {
    const found = await Promise.all(
      NAMES.map(async (name) => {
        const told: string[] = [];
        const code = await runCommandLine([...name.split(' '), '--help'], {
          settings: processSettings(),
          stdin: Readable.from([]),
          watch: () => ({ rejections: () => 0 }),
          out: (text: string) => told.push(text),
          err: (text: string) => told.push(text),
        });
        return code === 0 && told.join('').startsWith(`Usage: epistle ${name}`) ? [] : [name];
      }),
    );
    expect(found.flat()).toEqual([]);
  });

  it('show what somebody may type', async () => {
    const { stdout } = await read(['outbox', 'retry', '--help']);
    expect(stdout).toContain('Examples:\n  epistle outbox retry --all\n');
    expect((await read(['outbox', 'drop', '--help'])).stdout).not.toContain('Examples');
    const called = { environment: { EPISTLE_PROGRAM: './scripts/epistle' } };
    const { stdout: here } = await run(['outbox', 'retry', '--help', '--workspace', '/srv/my mail'], called);
    expect(here).toContain("Examples:\n  ./scripts/epistle outbox retry --all --workspace '/srv/my mail'\n");
  });

  it('are one document with --json, too', async () => {
    const help = await read(['runs', '--help', '--json']);
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

describe('a command outside of any workspace', () => {
  it('is about ~/epistle, which `start` makes where there is none', async () => {
    const home = mkdtempSync(join(tmpdir(), 'epistle-home-'));
    const elsewhere = join(home, 'elsewhere');
    mkdirSync(elsewhere);
    const started = launchAt(elsewhere, home);
    try {
      // Its port may be taken on this machine, so it need not get further.
      await eventually(started.told, (told) => told.includes('was made in'));
      const { stdout } = await run(['persona', 'list', '--json'], { cwd: elsewhere, environment: { HOME: home } });
      expect(JSON.parse(stdout).personas).toMatchObject([{ id: 'ada' }, { id: 'ben' }]);
      expect(started.told()).toContain(`There is no workspace here, so one was made in ${join(home, 'epistle')}.`);
      expect(existsSync(join(elsewhere, 'data'))).toBe(false);
      // The folder where it is typed goes before.
      const here = await run(['persona', 'list', '--json'], { cwd: workspace.root, environment: { HOME: home } });
      expect(JSON.parse(here.stdout).personas[0].address).toBe('ada@agents.localhost');
    } finally {
      await started.end();
      rmSync(home, { recursive: true });
    }
  });
});

describe('the workspace that was started last', () => {
  let home: string;
  let elsewhere: string;
  const file = () => join(home, 'state/epistle/last-started.json');
  /** As the account types it, in a folder that is no workspace. */
  const typed = (args: readonly string[], cwd = elsewhere) =>
    run(args, { cwd, environment: { HOME: home, XDG_STATE_HOME: join(home, 'state') } });
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'epistle-home-'));
    elsewhere = join(home, 'elsewhere');
    mkdirSync(elsewhere);
  });
  afterEach(() => rmSync(home, { recursive: true }));

  it('is that of a command which names none, and that is said; a folder that is one and a name go before', async () => {
    const other = makeWorkspace({ 'personas/ben/persona.json': { name: 'Bea', address: 'bea@agents.localhost' } });
    const gateway = await launchGateway(workspace.root, { XDG_STATE_HOME: join(home, 'state') }).ready;
    try {
      await eventually(() => existsSync(file()), Boolean);
      expect(statSync(file()).mode & 0o777).toBe(0o600);
      expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({ workspace: workspace.root });

      const told = await typed(['status']);
      expect(told.stderr).toBe(`This is about ${workspace.root}, which was started last.\n`);
      expect(told.stdout).toContain(String(gateway.ready.pid));
      const asJson = await typed(['status', '--json']);
      expect(asJson).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(asJson.stdout)).toMatchObject({ running: true, pid: gateway.ready.pid });

      const here = await typed(['persona', 'list'], other.root);
      expect(here.stdout).toContain('bea@agents.localhost');
      expect(here.stderr).toBe('');
      const named = await typed(['persona', 'list', '--workspace', other.root]);
      expect(named.stdout).toContain('bea@agents.localhost');
      expect(named.stderr).toBe('');
    } finally {
      await gateway.stop();
      other.remove();
    }
  });

  it.each([
    ['that is gone', '{"workspace":"/nowhere/at/all"}'],
    ['in a file that somebody broke', '{"workspace":'],
    ['that is no path from the root', '{"workspace":"."}'],
  ])('is none %s: then it is ~/epistle', async (_what, text) => {
    mkdirSync(join(home, 'state/epistle'), { recursive: true });
    writeFileSync(file(), text);
    const usual = join(home, 'epistle');
    expect((await typed(['init', usual])).code).toBe(0);
    const { stdout, stderr } = await typed(['persona', 'list']);
    expect(stdout).toContain('ada@agents.localhost');
    expect(stderr).toBe('');
  });

  it('is not remembered where nothing can be written, and the gateway starts all the same', async () => {
    writeFileSync(join(home, 'state'), 'a file');
    const gateway = await launchGateway(workspace.root, { XDG_STATE_HOME: join(home, 'state') }).ready;
    expect(await gateway.stop()).toBe(0);
  });
});

/** The gateway as somebody starts it who names no workspace. */
function launchAt(cwd: string, home: string) {
  const child = spawn(process.execPath, [join(root, 'bin/epistle.js'), 'start'], {
    cwd,
    env: { ...withoutKeys(process.env), HOME: home, XDG_STATE_HOME: join(home, 'state') },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const heard = { text: '' };
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    heard.text += text;
  });
  const gone = once(child, 'close');
  return {
    told: () => heard.text,
    async end() {
      child.kill('SIGTERM');
      await gone;
    },
  };
}

describe('colours', () => {
  it('are left out of a pipe and of NO_COLOR', async () => {
    const piped = await run(['doctor', '--workspace', workspace.root]);
    const plain = await run(['doctor', '--workspace', workspace.root], {
      environment: { NO_COLOR: '1', FORCE_COLOR: '1' },
    });
    expect(piped.stdout + plain.stdout).not.toContain('\u001b');
  });
});
