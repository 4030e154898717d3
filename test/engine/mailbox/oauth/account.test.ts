import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mailboxSchema } from '../../../../engine/config/mailbox-schema.ts';
import { systemClock } from '../../../../engine/lib/clock.ts';
import type { CrashPoint } from '../../../../engine/lib/crash-points.ts';
import { createLogins, type Trouble } from '../../../../engine/mailbox/oauth/accounts.ts';
import { clientOfMailbox } from '../../../../engine/mailbox/oauth/client.ts';
import { firstTokens } from '../../../../engine/mailbox/oauth/tokens/tokens.ts';
import { tryLock } from '../../../../engine/storage/sqlite/workspace-lock.ts';
import { CLIENT_ID, type OAuthScript, startOAuthServer } from '../../../fakes/oauth-server.ts';

const USER = 'ada@example.test';
const HOUR_MS = 3_600_000;

let folder: string;
const closers: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'epistle-oauth-'));
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

/** A provider, and a process that has logged in there. Another `process()` works on the same files. */
async function loggedIn(script: OAuthScript = {}, changes: Record<string, unknown> = {}) {
  const provider = await startOAuthServer(script);
  closers.push(provider.stop);
  const side = { host: 'localhost', user: USER, auth: 'oauth' };
  const mailbox = (id: string) =>
    mailboxSchema.parse({ id, imap: side, smtp: side, oauth: { ...provider.config, ...changes } });
  const time = { ahead: 0 };
  const secrets = new Map([['APP_SECRET', 'right']]);
  const process = (pass: (point: CrashPoint) => void = () => {}) => {
    const clock = { ...systemClock(), now: () => Date.now() + time.ahead };
    const troubles: Trouble[] = [];
    const random = (bytes: number) => 'r'.repeat(bytes);
    const deps = { dataDir: folder, tryLock, clock, pass, random, secretOf: (name: string) => secrets.get(name) };
    const logins = createLogins(deps);
    logins.onTrouble((trouble) => troubles.push(trouble));
    return { login: logins.of(mailbox('main'), 'imap'), second: logins.of(mailbox('other'), 'smtp'), logins, troubles };
  };
  const first = process();
  const client = clientOfMailbox(mailbox('main'));
  if (!client) throw new Error('no client');
  const file = first.logins.fileOf(client);
  const logIn = () => {
    const tokens = firstTokens(
      { access_token: provider.accessFor(USER), refresh_token: provider.grant(USER), expires_in: script.lifetimeS },
      {
        account: { user: USER, provider: client.name, client_id: CLIENT_ID },
        token_endpoint: `${provider.url}/token`,
        now: Date.now() + time.ahead,
      },
    );
    if (tokens) file.write(tokens);
  };
  logIn();
  return { provider, mailbox: mailbox('main'), process, ...first, file, time, secrets, logIn };
}

const secretOf = (taken: Awaited<ReturnType<Awaited<ReturnType<typeof loggedIn>>['login']['take']>>): string =>
  taken.ok ? taken.secret : taken.fault.code;

describe('an access token', () => {
  it('is used until shortly before its end, and then renewed once for all who ask', async () => {
    const { login, second, provider, time } = await loggedIn();
    const before = secretOf(await login.take());
    time.ahead = HOUR_MS - 6 * 60_000;
    expect(secretOf(await second.take())).toBe(before);
    expect(provider.renewals()).toBe(0);
    time.ahead = HOUR_MS - 4 * 60_000;
    const taken = await Promise.all([login.take(), login.take(), second.take(), login.take()]);
    expect(new Set(taken.map(secretOf)).size).toBe(1);
    expect(provider.renewals()).toBe(1);
    expect(provider.isGood(USER, secretOf(await login.take()))).toBe(true);
  });

  it('is renewed by one of two processes, the other takes what that one got', async () => {
    const { process, login, provider, time } = await loggedIn({ rotation: { graceMs: 0 }, delayMs: 100 });
    time.ahead = HOUR_MS;
    const [mine, theirs] = await Promise.all([login.take(), process().login.take()]);
    expect(secretOf(mine)).toBe(secretOf(theirs));
    expect(provider.renewals()).toBe(1);
  });

  it('of five seconds is renewed again and again, and the login goes on', async () => {
    const { login, provider, time } = await loggedIn({ lifetimeS: 5, rotation: { graceMs: 0 } });
    for (let second = 0; second < 60; second += 1) {
      time.ahead = second * 1000;
      expect(provider.isGood(USER, secretOf(await login.take()))).toBe(true);
    }
    expect(provider.renewals()).toBeGreaterThanOrEqual(11);
  });

  it('that a server refused is renewed once, and not again for the next refusal', async () => {
    const { login, provider, time } = await loggedIn();
    const first = secretOf(await login.take());
    expect(await login.refused(first)).toBe(true);
    const second = secretOf(await login.take());
    expect(second).not.toBe(first);
    // Whoever tried with the first one meanwhile gets the second.
    expect(await login.refused(first)).toBe(true);
    expect(await login.refused(second)).toBe(false);
    expect(provider.renewals()).toBe(1);
    time.ahead = 11 * 60_000;
    expect(await login.refused(second)).toBe(true);
    expect(provider.renewals()).toBe(2);
  });

  it('that was over on its way to the server is renewed each time', async () => {
    const { login, provider, time } = await loggedIn({ lifetimeS: 2 });
    for (let at = 1; at < 6; at += 1) {
      const secret = secretOf(await login.take());
      time.ahead += 2100;
      expect(await login.refused(secret)).toBe(true);
      expect(provider.renewals()).toBe(at);
    }
  });

  it('is used to its end while the provider is away, which is asked ever more rarely', async () => {
    const { login, provider, time, troubles } = await loggedIn({ refuse: { token: { status: 503 } } });
    const before = secretOf(await login.take());
    time.ahead = HOUR_MS - 60_000;
    for (let at = 0; at < 20; at += 1) expect(secretOf(await login.take())).toBe(before);
    expect(provider.renewals()).toBe(1);
    time.ahead = HOUR_MS + 1000;
    expect(await login.take()).toMatchObject({ ok: false, until: 'time', fault: { code: 'token_server_busy' } });
    delete provider.script.refuse;
    time.ahead += 10_000;
    expect(provider.isGood(USER, secretOf(await login.take()))).toBe(true);
    expect(troubles).toEqual([]);
  });

  it('lies in a file of its own, which nobody else can read', async () => {
    await loggedIn();
    const [name = ''] = readdirSync(join(folder, 'oauth'));
    expect(statSync(join(folder, 'oauth')).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, 'oauth', name)).mode & 0o777).toBe(0o600);
  });
});

describe('a refresh token that is replaced with each renewal', () => {
  it.each(['login.renewed', 'login.kept'] as const)('survives a process that dies at %s', async (point) => {
    const { process, provider, time } = await loggedIn({ rotation: { graceMs: 30_000 } });
    time.ahead = HOUR_MS;
    const dying = process((passed) => {
      if (passed === point) throw new Error('killed');
    });
    expect((await dying.login.take()).ok).toBe(false);
    const next = process();
    expect(provider.isGood(USER, secretOf(await next.login.take()))).toBe(true);
    expect(provider.renewals()).toBe(point === 'login.renewed' ? 2 : 1);
    expect(next.troubles).toEqual([]);
  });

  it('is asked for again where the answer was lost', async () => {
    const { login, provider, time } = await loggedIn({ rotation: { graceMs: 30_000 } });
    time.ahead = HOUR_MS;
    provider.script.loseNext = true;
    expect(await login.take()).toMatchObject({ ok: false, until: 'time' });
    time.ahead += 1500;
    expect(provider.isGood(USER, secretOf(await login.take()))).toBe(true);
  });

  it('is on disk before its access token is used, also where the disk was full at first', async () => {
    const { process, file, provider, time } = await loggedIn({ rotation: { graceMs: 0 } });
    time.ahead = HOUR_MS;
    const disk = { isFull: true };
    const { login } = process();
    const blocked = join(folder, 'oauth');
    const moved = join(folder, 'moved');
    // The folder's place is taken by a file, so nothing can be written.
    const { renameSync } = await import('node:fs');
    const full = process((point) => {
      if (point !== 'login.renewed' || !disk.isFull) return;
      disk.isFull = false;
      renameSync(blocked, moved);
      writeFileSync(blocked, '');
    });
    expect(await full.login.take()).toMatchObject({ ok: false, fault: { code: 'token_not_stored' } });
    rmSync(blocked);
    renameSync(moved, blocked);
    const taken = secretOf(await full.login.take());
    expect(file.read()?.access_token).toBe(taken);
    expect(secretOf(await login.take())).toBe(taken);
    expect(provider.renewals()).toBe(1);
  });
});

describe('a login that only a person can mend', () => {
  it('is told once, and the provider is asked no more, also after a restart', async () => {
    const { login, second, process, provider, time, troubles, logIn, logins, mailbox } = await loggedIn();
    time.ahead = HOUR_MS;
    provider.revoke();
    for (let at = 0; at < 5; at += 1) {
      const taken = await (at % 2 === 0 ? login : second).take();
      expect(taken).toMatchObject({ ok: false, until: 'person', fault: { code: 'login_revoked' } });
    }
    expect(await login.refused('any')).toBe(false);
    const again = process();
    expect(secretOf(await again.login.take())).toBe('login_revoked');
    expect(provider.renewals()).toBe(1);
    expect(troubles.map(({ judged }) => judged.fault.code)).toEqual(['login_revoked']);
    expect(again.troubles).toHaveLength(1);
    expect(logins.state(mailbox)?.wrong?.fault.cure).toContain('epistle mailbox login main');
    const mark = login.mark();
    logIn();
    expect(login.mark()).not.toBe(mark);
    expect(provider.isGood(USER, secretOf(await login.take()))).toBe(true);
    expect(logins.state(mailbox)?.wrong).toBeNull();
  });

  it('because of a wrong secret of the client goes on when that is corrected', async () => {
    const { login, provider, time, secrets } = await loggedIn(
      { clientSecret: 'right' },
      { client_secret_env: 'APP_SECRET' },
    );
    secrets.set('APP_SECRET', 'wrong');
    time.ahead = HOUR_MS;
    expect(secretOf(await login.take())).toBe('client_secret_wrong');
    expect(secretOf(await login.take())).toBe('client_secret_wrong');
    expect(provider.renewals()).toBe(1);
    const mark = login.mark();
    secrets.set('APP_SECRET', 'right');
    expect(login.mark()).not.toBe(mark);
    expect(provider.isGood(USER, secretOf(await login.take()))).toBe(true);
  });

  it('is one that nobody has made yet', async () => {
    const { login, file, provider } = await loggedIn();
    writeFileSync(file.lockPath.replace('.lock', '.json'), 'not a token file');
    expect(await login.take()).toMatchObject({ until: 'person', fault: { code: 'login_needed' } });
    expect(provider.asked).toEqual([]);
  });

  it('is one whose provider answers with a page of a proxy', async () => {
    const { login, time, provider } = await loggedIn({
      refuse: { token: { status: 200, text: '<html>Welcome</html>' } },
    });
    time.ahead = HOUR_MS;
    expect(secretOf(await login.take())).toBe('token_server_wrong');
    expect(secretOf(await login.take())).toBe('token_server_wrong');
    expect(provider.renewals()).toBe(1);
  });
});
