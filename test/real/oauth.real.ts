import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CLIENT_ID, type OAuthServer, startOAuthServer } from '../fakes/oauth-server.ts';
import { root } from '../house/sources.ts';
import { type MailServers, startMailServers } from '../lab/mail-servers.ts';
import {
  answersIn,
  BORDER,
  DOMAIN,
  idOf,
  mailboxOf,
  makeSite,
  STAMP,
  send,
  sendFromHome,
  untilAnswered,
} from '../lab/site.ts';

const AGENTS = `agents@${DOMAIN}`;
const run = promisify(execFile);
const pids: number[] = [];

let provider: OAuthServer;
let lab: MailServers;
let home: string;

beforeAll(async () => {
  provider = await startOAuthServer({ lifetimeS: 5, rotation: { graceMs: 0 } });
  lab = await startMailServers({
    users: { agents: 'nobody knows it', you: 'secret' },
    domain: DOMAIN,
    stamp: STAMP,
    stampsSubmissions: true,
    introspection: `${provider.url}/introspect`,
  });
  home = mkdtempSync(join(tmpdir(), 'epistle-oauth-'));
});
afterAll(async () => {
  for (const pid of pids) process.kill(pid, 'SIGTERM');
  await lab.stop();
  await provider.stop();
  rmSync(home, { recursive: true, force: true });
});

describe('a mailbox of real servers that log in by OAuth', () => {
  it('goes on with tokens of five seconds under load, and answers each mail once', async () => {
    const side = { auth: 'oauth' };
    const oauth = { issuer: provider.url, client_id: CLIENT_ID };
    const site = makeSite(lab, {
      mailboxes: [mailboxOf(lab, 'agents', { imap: side, smtp: side, oauth })],
      personas: { ada: { address: AGENTS } },
    });
    try {
      const begun = await site.command('mailbox', 'login', '--device', '--non-interactive');
      provider.enter(begun.json.user_code, AGENTS);
      const done = await site.command('mailbox', 'login', '--non-interactive');
      expect(done.json).toMatchObject({ state: 'logged_in', imap: { ok: true }, smtp: { ok: true } });
      await site.start();
      const ids: string[] = [];
      for (let round = 0; round < 5; round += 1) {
        for (let mail = 0; mail < 8; mail += 1) ids.push(await send(lab, { id: `load-${round}-${mail}`, to: AGENTS }));
        await untilAnswered(lab, ids, { timeout: 60_000 });
        // A server that ends the connection when its token does.
        await lab.kick('agents');
      }
      const answers = await answersIn(lab, 'you');
      expect(ids.filter((id) => answers.get(id)?.length !== 1)).toEqual([]);
      expect(provider.renewals()).toBeGreaterThan(1);
    } finally {
      await site.close();
    }
  });

  it('is set up from nothing: setup is broken off at the login, goes on, and the first mail is answered', async () => {
    const folder = join(home, 'epistle');
    const args = [
      ...['setup', '--folder', folder, '--owner', `you@${DOMAIN}`, '--mailbox', AGENTS, '--provider', 'offline'],
      ...['--imap', `localhost:${lab.imap.port}:starttls`, '--smtp', `localhost:${lab.smtp.submissionPort}:starttls`],
      ...['--ca-file', lab.ca, '--client-id', CLIENT_ID, '--oauth-issuer', provider.url, '--json', '--non-interactive'],
    ];
    const environment = { PATH: process.env.PATH, HOME: home };
    const setup = (...more: string[]) =>
      run(process.execPath, [join(root, 'bin/epistle.js'), ...args, ...more], { env: environment }).then(
        ({ stdout }) => JSON.parse(stdout),
        ({ stdout }: { stdout: string }) => JSON.parse(stdout),
      );
    const broken = await setup();
    expect(broken).toMatchObject({ ok: false, error: { code: 'unauthorised' } });
    const [url = ''] = /http:\S+/.exec(broken.error.message) ?? [];
    const { headers } = await fetch(url, { redirect: 'manual' });
    const done = await setup('--url', headers.get('location') ?? '');
    expect(done).toMatchObject({ ok: true, mailbox: AGENTS, trial: { authserv_id: BORDER } });
    pids.push(done.gateway.pid);
    const gateway = JSON.parse(readFileSync(join(folder, 'configs/gateway.json'), 'utf8'));
    expect(gateway.mailboxes).toMatchObject([{ imap: { auth: 'oauth' }, oauth: { client_id: CLIENT_ID } }]);
    await sendFromHome(lab, { id: 'first', to: AGENTS });
    await untilAnswered(lab, [idOf('first')], { timeout: 60_000 });
  });
});
