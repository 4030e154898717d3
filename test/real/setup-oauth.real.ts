import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_ID, type OAuthServer, startOAuthServer } from '../fakes/oauth-server.ts';
import { root } from '../house/sources.ts';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import { BORDER, DOMAIN, idOf, STAMP, sendFromHome, untilAnswered } from '../lab/site.ts';

const [AGENTS, OWNER] = [`agents@${DOMAIN}`, `you@${DOMAIN}`];
const CTRL_C = '\u0003';
const run = promisify(execFile);

type Step = { readonly wait: string } & (
  | { readonly keys: string }
  | { readonly open: true }
  | { readonly paste: true }
);

/** All by Enter but the two addresses and the client of the provider; then somebody logs in there. */
const questions: readonly (Step & { readonly keys: string })[] = [
  { wait: 'Folder of the workspace', keys: '\r' },
  { wait: 'Your own mail address', keys: `${OWNER}\r` },
  { wait: 'The address of the mailbox', keys: `${AGENTS}\r` },
  { wait: 'The client id of your app', keys: `${CLIENT_ID}\r` },
  { wait: 'log in as', keys: '' },
  { wait: 'The model that reads', keys: '\r' },
  { wait: 'The name of the persona', keys: '\r' },
];
const LOGIN = 4;

let provider: OAuthServer;
let lab: MailServers;
let home: string;
const pids: number[] = [];

beforeAll(async () => {
  provider = await startOAuthServer();
  lab = await startMailServers({
    users: { agents: 'nobody knows it', you: 'secret' },
    domain: DOMAIN,
    stamp: STAMP,
    stampsSubmissions: true,
    introspection: `${provider.url}/introspect`,
  });
  home = mkdtempSync(join(tmpdir(), 'epistle-setup-oauth-'));
});
afterAll(async () => {
  for (const pid of pids) process.kill(pid, 'SIGTERM');
  await lab.stop();
  await provider.stop();
  rmSync(home, { recursive: true, force: true });
});

async function inTerminal(folder: string, steps: readonly Step[]) {
  const command = [
    ...[process.execPath, join(root, 'bin/epistle.js'), 'setup', '--folder', folder],
    ...['--imap', `localhost:${lab.imap.port}:starttls`, '--smtp', `localhost:${lab.smtp.submissionPort}:starttls`],
    ...['--ca-file', lab.ca, '--oauth-issuer', provider.url, '--timezone', 'Europe/Berlin', '--wait', '120'],
  ];
  const args = [join(root, 'test/real/setup.py'), JSON.stringify(command), JSON.stringify(steps), '180'];
  const { stdout } = await run('python3', args, { env: { PATH: process.env.PATH, HOME: home, TERM: 'xterm' } });
  return JSON.parse(stdout);
}

describe('setup in a terminal, of a mailbox that logs in by OAuth', () => {
  it('is broken off at each prompt and at the login, goes on, and has the first mail answered', async () => {
    const folder = join(home, 'epistle');
    const asked = questions.slice(1);
    const login = asked.indexOf(questions[LOGIN] as Step & { keys: string });
    for (const [at, step] of asked.entries()) {
      const known = asked.slice(0, at).map((one, index): Step => {
        if (index === login) return { wait: one.wait, open: true };
        return index === at - 1 ? one : { ...one, keys: '\r' };
      });
      // The login of an earlier round is not asked for again.
      const before = at > login + 1 ? known.filter((_, index) => index !== login) : known;
      const broken = await inTerminal(folder, [...before, { ...step, keys: CTRL_C }]);
      expect([step.wait, broken.code, broken.left]).toEqual([step.wait, 5, []]);
      expect(existsSync(join(folder, 'configs/gateway.json'))).toBe(false);
    }
    expect(provider.asked.filter(({ form }) => form.grant_type === 'authorization_code')).toHaveLength(1);
    const rest = asked.filter((_, index) => index !== login).map(({ wait }) => ({ wait, keys: '\r' }));
    const going = inTerminal(folder, rest);
    await expect.poll(() => existsSync(join(folder, 'data/ready.json')), { timeout: 180_000 }).toBe(true);
    pids.push(JSON.parse(readFileSync(join(folder, 'data/ready.json'), 'utf8')).pid);
    await sendFromHome(lab, { id: 'first', to: AGENTS });
    const done = await going;
    expect(done.screen).toContain('Your first mail was answered.');
    expect([done.code, done.left]).toEqual([0, []]);
    await untilAnswered(lab, [idOf('first')], { timeout: 60_000 });
    const gateway = JSON.parse(readFileSync(join(folder, 'configs/gateway.json'), 'utf8'));
    expect(gateway.mailboxes).toMatchObject([
      { imap: { auth: 'oauth', authserv_id: BORDER }, oauth: { issuer: provider.url, client_id: CLIENT_ID } },
    ]);
    expect(readdirSync(join(folder, 'data/oauth')).some((file) => file.endsWith('.json'))).toBe(true);
    expect(existsSync(join(folder, '.setup.json'))).toBe(false);
  }, 600_000);

  it('takes the address that a browser elsewhere ended on, pasted', async () => {
    const folder = join(home, 'elsewhere');
    const steps = questions
      .slice(1, LOGIN + 2)
      .map((one): Step => (one.keys === '' ? { wait: one.wait, paste: true } : one));
    const broken = await inTerminal(folder, [...steps.slice(0, -1), { wait: 'The model that reads', keys: CTRL_C }]);
    expect(broken.screen).toContain('Both servers take the login.');
    expect([broken.code, broken.left]).toEqual([5, []]);
  }, 300_000);
});
