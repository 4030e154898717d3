import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startHere } from '../../engine/cli/commands/setup/start-here.ts';
import { processSettings } from '../../engine/config/environment.ts';
import { silentLog } from '../../engine/lib/log/log.ts';
import { openWorkspace } from '../../engine/workspace.ts';
import { type MailboxHouse, startMailboxHouse } from '../fakes/mailbox-house.ts';
import { run } from './command-line.ts';
import { launchGateway, type Program } from './gateway.ts';
import { makeWorkspace, type TestWorkspace } from './workspace.ts';

// Somebody has tried out the gateway of the checkout, with its console open, and sets up a mailbox in a workspace of its own.

const PROGRAM = fileURLToPath(new URL('../../bin/epistle.js', import.meta.url));
const AGENT = 'agent@lab.test';
const OFF = { smtp_listener: { port: 0 } };
const consoleAt = (port: number) => ({ 'configs/system.json': { console: { enabled: true, screens: true, port } } });

let state: string;
let house: MailboxHouse;
let first: TestWorkspace;
let other: TestWorkspace;
let tried: Program;
beforeEach(async () => {
  state = mkdtempSync(join(tmpdir(), 'epistle-state-'));
  house = await startMailboxHouse(() => '');
  first = makeWorkspace({ 'configs/gateway.json': OFF, ...consoleAt(0) });
  tried = await launchGateway(first.root, { XDG_STATE_HOME: state }).ready;
  const port = Number(new URL(tried.ready.console?.url ?? '').port);
  const side = { host: '127.0.0.1', tls: 'none', user: AGENT, secret_env: 'MAIN_MAILBOX_PASSWORD' };
  const main = {
    id: 'main',
    imap: { ...side, port: house.ports.imap, authserv_id: 'mx.lab.test' },
    smtp: { ...side, port: house.ports.smtp },
  };
  other = makeWorkspace({
    'configs/gateway.json': { domain: 'lab.test', mailboxes: [main], ...OFF },
    'configs/security.json': { owners: ['olga@lab.test'] },
    'personas/ada/persona.json': { name: 'Ada', address: AGENT },
    '.env': 'MAIN_MAILBOX_PASSWORD=secret\n',
    ...consoleAt(port),
  });
});
afterEach(async () => {
  await tried.stop();
  await house.stop();
  for (const { remove } of [first, other]) remove();
  rmSync(state, { recursive: true, force: true });
});

const servers = () => [
  ...['--imap', `127.0.0.1:${house.ports.imap}:none`, '--smtp', `127.0.0.1:${house.ports.smtp}:none`],
  ...['--owner', 'olga@lab.test', '--mailbox', AGENT, '--non-interactive'],
];

describe('setup beside a gateway that has the port of the console', () => {
  it('says whose port that is, what to type, and that nothing is lost', async () => {
    const environment = { XDG_STATE_HOME: state, EPISTLE_PROGRAM: './scripts/epistle' };
    const { code, stderr } = await run(['setup', '--folder', other.root, ...servers()], {
      environment,
      stdin: 'secret\n',
    });
    expect(code).toBe(2);
    expect(stderr).toContain(`the gateway of ${first.root} runs and has a port that this one needs.`);
    expect(stderr).toContain(`\`./scripts/epistle stop --workspace ${first.root}\``);
    expect(stderr).toContain(`\`./scripts/epistle setup --folder ${other.root}`);
    expect(stderr).not.toContain('gateway.log');
  });

  it('says at least which port it is where nobody knows whose', async () => {
    const { stderr } = await run(['restart', '--workspace', other.root]);
    expect(stderr).toMatch(/did not start: cannot listen on 127\.0\.0\.1 port \d+: another program has it/);
    expect(stderr).toContain('set another console.port in configs/system.json');
  });

  it('ends that one where whoever is asked says so, and not before', async () => {
    const workspace = openWorkspace({
      root: other.root,
      settings: processSettings({}),
      makeLog: () => silentLog,
    });
    const asked: string[] = [];
    const start = (answer: boolean) =>
      startHere(workspace, {
        settings: { stateHome: state },
        program: PROGRAM,
        prompts: {
          mayEnd: async (root) => {
            asked.push(root);
            return answer;
          },
        },
      });
    try {
      await expect(start(false)).rejects.toMatchObject({ code: 'port_in_use' });
      expect(tried.process.exitCode).toBe(null);
      const { pid } = await start(true);
      expect(asked).toEqual([first.root, first.root]);
      await expect.poll(() => tried.process.exitCode).toBe(0);
      const ready = JSON.parse(readFileSync(join(other.root, 'data/ready.json'), 'utf8'));
      expect(ready).toMatchObject({ pid, console: { url: expect.any(String) } });
    } finally {
      await run(['stop', '--workspace', other.root]);
      await workspace.close();
    }
  });
});
