import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MailboxHouse, startMailboxHouse } from '../fakes/mailbox-house.ts';
import { run } from './command-line.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

const AGENT = 'agent@lab.test';
const [OLGA, BOB] = ['olga@lab.test', 'bob@lab.test'];
const OWNERS = [{ address: OLGA, language: 'de' }, BOB];
const RELAYS = [{ ip: '10.0.0.5', authserv_id: 'mx.lab.test' }];

let house: MailboxHouse;
let workspace: TestWorkspace;
beforeEach(async () => {
  // A server that teaches nothing about its own mail, so whatever is known of it was set by hand.
  house = await startMailboxHouse(() => '');
});
afterEach(async () => {
  await house.stop();
  const ready = workspace && join(workspace.root, 'data/ready.json');
  if (ready && existsSync(ready)) await ended(JSON.parse(readFileSync(ready, 'utf8')).pid);
  workspace?.remove();
});

async function ended(pid: number): Promise<void> {
  process.kill(pid, 'SIGTERM');
  await expect.poll(() => existsSync(`/proc/${pid}`), { timeout: 60_000 }).toBe(false);
}

/** It works: two owners, two mailboxes, a relay, a zone, a model, and what somebody has set by hand. */
function working(): TestWorkspace {
  const side = { host: '127.0.0.1', tls: 'none', user: AGENT, secret_env: 'MAIN_MAILBOX_PASSWORD' };
  const other = { host: '127.0.0.1', port: 1, tls: 'none', user: 'support@other.test', secret_env: 'OTHER' };
  const gateway = {
    $schema: './.schemas/gateway.json',
    domain: 'lab.test',
    mailboxes: [
      {
        id: 'main',
        save_sent: false,
        smtp: { ...side, port: house.ports.smtp },
        imap: {
          ...side,
          port: house.ports.imap,
          authserv_id: 'mx.lab.test',
          folder: 'INBOX',
          processed: 'keyword:done',
          first_connect: 'all',
        },
      },
      { id: 'support', imap: other, smtp: other },
    ],
    smtp_listener: { host: '127.0.0.1', port: 0, trusted_relays: RELAYS },
  };
  return makeWorkspace({
    'configs/gateway.json': JSON.stringify(gateway, null, 4),
    'configs/security.json': { owners: OWNERS, loop_guard: { max_fast_replies: 7 } },
    'configs/inference.json': '{ "model": "m-1",   "provider": "offline" }\n',
    'personas/ada/persona.json': {
      timezone: 'Pacific/Auckland',
      name: 'Ada',
      address: AGENT,
      aliases: ['help@lab.test'],
      budget: { usd_per_day: 3 },
    },
    'personas/ada/PERSONA.md': 'You are Ada, and you are mine.\n',
    'personas/ben/persona.json': { name: 'Ben', address: 'ben@agents.localhost', mailbox: 'support' },
    '.env': '# the password\nMAIN_MAILBOX_PASSWORD=secret\nOTHER=other\n',
  });
}

const FILES = [
  'configs/gateway.json',
  'configs/security.json',
  'configs/inference.json',
  'configs/system.json',
  'personas/ada/persona.json',
  'personas/ada/PERSONA.md',
  'personas/ben/persona.json',
  '.env',
];
const texts = () => Object.fromEntries(FILES.map((file) => [file, readFileSync(join(workspace.root, file), 'utf8')]));
const json = (file: string) => JSON.parse(readFileSync(join(workspace.root, file), 'utf8'));

const setup = (...more: string[]) => {
  const { imap, smtp } = house.ports;
  const servers = ['--imap', `127.0.0.1:${imap}:none`, '--smtp', `127.0.0.1:${smtp}:none`];
  const who = ['--owner', OLGA, '--mailbox', AGENT, '--non-interactive', '--json'];
  return run(['setup', '--folder', workspace.root, ...servers, ...who, ...more], { stdin: 'secret\n' });
};

describe('setup on a workspace that works', () => {
  it('leaves every file as it is where the answers are those that are set', async () => {
    workspace = working();
    const before = texts();
    const { code, stdout } = await setup();
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { ok: true, written: [], persona: { id: 'ada' } }]);
    expect(texts()).toEqual(before);
  });

  it('keeps what somebody set by hand where the model becomes another', async () => {
    workspace = working();
    expect((await setup('--model', 'm-2')).code).toBe(0);
    const { mailboxes, smtp_listener } = json('configs/gateway.json');
    expect(mailboxes.map(({ id }: { id: string }) => id)).toEqual(['main', 'support']);
    expect(mailboxes[0].imap).toMatchObject({
      authserv_id: 'mx.lab.test',
      processed: 'keyword:done',
      first_connect: 'all',
    });
    expect(json('configs/security.json').owners).toEqual(OWNERS);
    expect(smtp_listener.trusted_relays).toEqual(RELAYS);
    expect(json('personas/ada/persona.json').timezone).toBe('Pacific/Auckland');
  });

  it('changes the model, and nothing else', async () => {
    workspace = working();
    const before = texts();
    const { code, stdout } = await setup('--model', 'm-2');
    expect([code, JSON.parse(stdout).written]).toEqual([0, ['configs/inference.json']]);
    expect(texts()).toEqual({ ...before, 'configs/inference.json': '{ "model": "m-2",   "provider": "offline" }\n' });
  });

  it('writes nothing where a file has a fault', async () => {
    workspace = working();
    writeFileSync(join(workspace.root, 'configs/system.json'), '{ "data_dir": 5 }\n');
    const before = texts();
    const { code, stdout } = await setup('--model', 'm-2', '--name', 'Zoe');
    expect([code, JSON.parse(stdout).error.code]).toEqual([2, 'config_invalid']);
    expect(texts()).toEqual(before);
    expect(existsSync(join(workspace.root, 'personas/zoe'))).toBe(false);
  });

  it('makes an owner of whoever sets up, and a second persona with an address of its own', async () => {
    workspace = working();
    const before = texts();
    const { code, stdout } = await setup('--owner', 'carol@lab.test', '--name', 'Zoe', '--timezone', 'Europe/Berlin');
    expect([code, JSON.parse(stdout).persona]).toMatchObject([0, { id: 'zoe', address: 'agent+zoe@lab.test' }]);
    expect(json('configs/security.json').owners).toEqual([...OWNERS, 'carol@lab.test']);
    expect({ ...texts(), 'configs/security.json': '' }).toEqual({ ...before, 'configs/security.json': '' });
  });
});

describe('a change at which setup is killed', () => {
  const points = ['journal_prepared', 'journal_written', 'file_prepared', 'file_written', 'written', 'journal_removed'];

  it.each(points)('at %s is whole or not there for the next command', async (point) => {
    workspace = working();
    const before = texts();
    const { imap, smtp } = house.ports;
    const servers = ['--imap', `127.0.0.1:${imap}:none`, '--smtp', `127.0.0.1:${smtp}:none`];
    const who = ['--owner', 'carol@lab.test', '--mailbox', AGENT, '--model', 'm-2', '--non-interactive'];
    const environment = {
      NODE_ENV: 'test',
      EPISTLE_CRASH_AT: `settings.${point}`,
      MAIN_MAILBOX_PASSWORD: 'secret',
    };
    writeFileSync(join(workspace.root, '.env'), 'OTHER=other\n');
    const killed = await run(['setup', '--folder', workspace.root, ...servers, ...who], { environment });
    expect([killed.code, killed.stderr]).toMatchObject([null, expect.anything()]);
    expect((await run(['--workspace', workspace.root, 'config', 'show', '--json'])).code).toBe(0);
    expect(existsSync(join(workspace.root, 'configs/.change.json'))).toBe(false);
    const isNew = json('configs/inference.json').model === 'm-2';
    expect(isNew).toBe(point !== 'journal_prepared');
    expect(json('configs/security.json').owners).toEqual(isNew ? [...OWNERS, 'carol@lab.test'] : OWNERS);
    expect(parseEnv(texts()['.env'] ?? '')).toEqual({
      OTHER: 'other',
      ...(isNew ? { MAIN_MAILBOX_PASSWORD: 'secret' } : {}),
    });
    if (isNew) expect(statSync(join(workspace.root, '.env')).mode & 0o777).toBe(0o600);
    expect(texts()['configs/gateway.json']).toBe(before['configs/gateway.json']);
  });
});
