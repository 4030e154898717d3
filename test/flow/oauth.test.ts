import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import SQLite from 'better-sqlite3';
import { describe, expect, it, type TestContext } from 'vitest';
import { startImapPeer } from '../fakes/imap-peer.ts';
import { CLIENT_ID, type OAuthScript, startOAuthServer } from '../fakes/oauth-server.ts';
import { startSmtpPeer } from '../fakes/smtp-peer.ts';
import { eventually } from './eventually.ts';
import { epistle, type Gateway, launchGateway, type Program, startGateway, submit } from './gateway.ts';
import { makeWorkspace } from './workspace.ts';

const USER = 'agents@box.test';
const OWNER = 'boss@owner.test';
const mailTo = (address: string, id: string) =>
  [
    'Authentication-Results: mx.box.test; spf=pass smtp.mailfrom=owner.test; dmarc=pass header.from=owner.test',
    // Written in the house of the border.
    'Received: from desk (desk [192.168.1.7]) by mx.box.test with ESMTPSA id 1; Mon, 02 Mar 2026 10:00:00 +0000',
    `From: ${OWNER}`,
    `To: ${address}`,
    `Subject: ${id}`,
    `Message-ID: <${id}@owner.test>`,
    '',
    'Hello',
    '',
  ].join('\r\n');

/** Ada and Ben have two mailboxes of one account; Cleo sends with a password. The servers check each token at the wire. */
async function site({ onTestFinished }: TestContext, script: OAuthScript = {}) {
  const closers: (() => unknown)[] = [];
  onTestFinished(async () => {
    for (const close of closers.reverse()) await close();
  });
  const provider = await startOAuthServer(script);
  const servers = { logins: 0, refused: 0 };
  const bearer = (user: string, token: string): boolean => {
    const isGood = provider.isGood(user, token);
    servers[isGood ? 'logins' : 'refused'] += 1;
    return isGood;
  };
  const capabilities = 'SASL-IR AUTH=XOAUTH2';
  const [ada, ben] = [
    await startImapPeer({ mails: [], capabilities, bearer }),
    await startImapPeer({ mails: [], capabilities: 'SASL-IR AUTH=OAUTHBEARER', bearer }),
  ];
  const smtp = await startSmtpPeer({ bearer });
  const open = await startSmtpPeer();
  const side = { host: '127.0.0.1', tls: 'none', user: USER, auth: 'oauth' };
  const box = (id: string, port: number) => ({
    id,
    oauth: { issuer: provider.url, client_id: CLIENT_ID },
    save_sent: false,
    imap: { ...side, port, authserv_id: 'mx.box.test', first_connect: 'all', processed: 'none' },
    smtp: { ...side, port: smtp.port },
  });
  const workspace = makeWorkspace({
    'configs/gateway.json': {
      smtp_listener: { port: 0 },
      delivery: { first_retry_s: 0.2, max_retry_s: 1 },
      mailboxes: [
        box('main', ada.port),
        box('second', ben.port),
        { id: 'open', smtp: { ...side, auth: 'none', secret_env: 'NONE', port: open.port } },
      ],
    },
    'configs/security.json': {
      owners: [OWNER],
      loop_guard: { max_replies_per_thread_per_hour: 0, max_replies_per_sender_per_hour: 0 },
    },
    'personas/ada/persona.json': { name: 'Ada', address: USER, mailbox: 'main' },
    'personas/ben/persona.json': { name: 'Ben', address: 'agents+ben@box.test', mailbox: 'second' },
    'personas/cleo/persona.json': { name: 'Cleo', address: 'cleo@agents.localhost', mailbox: 'open' },
  });
  closers.push(workspace.remove, provider.stop, ada.stop, ben.stop, smtp.stop, open.stop);
  const { root } = workspace;
  const run = (...args: string[]) => epistle(root, args);
  const sent = { count: 0, others: 0 };
  return {
    provider,
    servers,
    ada,
    ben,
    smtp,
    open,
    workspace,
    root,
    run,
    /** A person logs in, in two commands; what they said. */
    async logIn() {
      const begun = await run('mailbox', 'login', 'main', '--device', '--non-interactive');
      if (begun.code !== 3) return [begun];
      provider.enter(begun.json.user_code, USER);
      return [begun, await run('mailbox', 'login', '--non-interactive', 'main')];
    },
    start(environment: Readonly<Record<string, string>> = {}): Promise<Gateway> {
      const started = startGateway(root, environment);
      started.then(({ stop }) => closers.push(stop)).catch(() => {});
      return started;
    },
    launch(): Promise<Program> {
      const { ready } = launchGateway(root);
      ready.then(({ kill }) => closers.push(kill)).catch(() => {});
      return ready;
    },
    /** A mail in each of the two mailboxes; their connections are cut, as servers do when a token ends. */
    receive() {
      sent.count += 1;
      ada.script.mails.push({ uid: sent.count, raw: mailTo(USER, `ada-${sent.count}`) });
      ben.script.mails.push({ uid: sent.count, raw: mailTo('agents+ben@box.test', `ben-${sent.count}`) });
      ada.dropAll();
      ben.dropAll();
    },
    /** Message-IDs that were answered, in order: one that stands there twice was answered twice. */
    answered: () =>
      smtp.mails.flatMap(({ raw }) => /^in-reply-to: <([^@>]+)@owner\.test>/im.exec(raw)?.[1] ?? []).toSorted(),
    /** The Message-ID of another mail that is to be answered. */
    next(): string {
      sent.others += 1;
      return `<other-${sent.others}@owner.test>`;
    },
    expected: () =>
      [
        ...Array.from({ length: sent.count }, (_unused, at) => [`ada-${at + 1}`, `ben-${at + 1}`]).flat(),
        ...Array.from({ length: sent.others }, (_unused, at) => `other-${at + 1}`),
      ].toSorted(),
    /** What owners were told by the way that is open. */
    notices: () => open.mails.map(({ raw }) => raw).filter((raw) => raw.includes('A login is needed')),
  };
}

type Site = Awaited<ReturnType<typeof site>>;
const allAnswered = ({ answered, expected }: Site) => eventually(answered, (ids) => ids.length >= expected().length);

describe('two mailboxes of one account', () => {
  it('log in with tokens of one second under load, which one of them renews, and answer each mail once', async (test) => {
    const at = await site(test, { lifetimeS: 1, rotation: { graceMs: 0 } });
    const [begun, done] = await at.logIn();
    expect(begun).toMatchObject({ code: 3, json: { ok: true, state: 'pending', flow: 'device' } });
    expect(done).toMatchObject({ code: 0, json: { state: 'logged_in', imap: { ok: true }, smtp: { ok: true } } });
    const gateway = await at.start();
    const began = Date.now();
    for (let round = 0; round < 4; round += 1) {
      at.receive();
      // Beside what waits for its mailbox to connect again, each with a login of its own.
      for (let mail = 0; mail < 10; mail += 1) {
        await submit(at.root, gateway.ready, { from: OWNER, to: USER, subject: 'Load', messageId: at.next() });
        await at.smtp.dropIdle();
      }
      await allAnswered(at);
    }
    expect(at.answered()).toEqual(at.expected());
    const seconds = (Date.now() - began) / 1000;
    // One a second, and not one for each mailbox, side and mail.
    expect(at.provider.renewals()).toBeLessThanOrEqual(seconds / 0.8 + 3);
    expect(at.provider.renewals()).toBeGreaterThan(2);
    expect(at.servers.refused).toBeLessThanOrEqual(at.servers.logins);
    expect(at.notices()).toEqual([]);
  });

  it.concurrent.for(['login.renewed', 'login.kept'])(
    'lose nothing when the gateway is killed at %s',
    async (point, test) => {
      const at = await site(test, { lifetimeS: 1, rotation: { graceMs: 60_000 } });
      await at.logIn();
      const dying = launchGateway(at.root, { NODE_ENV: 'test', EPISTLE_CRASH_AT: `${point}:2` });
      // So many that it comes to renew, and no more: it is known not to come there when nothing happens any more.
      const pushing = { left: 60 };
      const timer = setInterval(() => {
        pushing.left -= 1;
        if (pushing.left >= 0) at.receive();
      }, 500);
      await dying.death().finally(() => clearInterval(timer));
      const gateway = await at.launch();
      const different = () => [...new Set(at.answered())];
      await eventually(
        async () => (await at.run('status')).json.outbox,
        ({ unknown, queued }) => queued === 0 && different().length + unknown >= at.expected().length,
      );
      // An answer that was in hand is in doubt for ten minutes, and sent then.
      await gateway.kill();
      const later = new Date(Date.now() + 11 * 60_000).toISOString();
      await at.start({ NODE_ENV: 'test', EPISTLE_TEST_NOW: later });
      await eventually(different, (ids) => ids.length >= at.expected().length);
      expect(different()).toEqual(at.expected());
      expect(gateway.ready.mailboxes.slice(0, 2).map(({ state }) => state)).toEqual(['connected', 'connected']);
      expect(at.notices()).toEqual([]);
    },
  );
});

describe('a login that only a person can mend', () => {
  it.concurrent.for([
    ['was revoked', 'revoked', (at: Site) => at.provider.revoke()],
    [
      'is of a client that is not known any more',
      'does not know the client',
      ({ provider }: Site) => Object.assign(provider.script, { refuse: { token: { error: 'invalid_client' } } }),
    ],
    [
      'is of a client in "Testing", after its seven days',
      'In production',
      ({ provider }: Site) => Object.assign(provider.script, { refreshLifetimeS: 1 }),
    ],
  ] as const)('because it %s is told once, by another way, and costs no mail', async ([_what, words, breaks], test) => {
    const at = await site(test, { lifetimeS: 2 });
    await at.logIn();
    const gateway = await at.start();
    at.receive();
    await allAnswered(at);
    breaks(at);
    if (words === 'In production') {
      // The next renewal says how long the login holds.
      at.provider.endAccess();
      at.receive();
      await allAnswered(at);
    }
    at.provider.revokeUnlessRefused();
    at.receive();
    const status = await eventually(
      async () => (await at.run('status')).json,
      ({ mailboxes }) => mailboxes.slice(0, 2).every(({ state }: { state: string }) => state === 'needs_login'),
    );
    expect(status).toMatchObject({ healthy: false, mailboxes: [{ smtp: { state: 'needs_login' } }, {}, {}] });
    expect(JSON.stringify(status.unhealthy)).toContain(words);
    const renewals = at.provider.renewals();
    const { json: doctor } = await at.run('doctor');
    const check = doctor.checks.find(({ name }: { name: string }) => name === 'mailbox:main:login');
    expect(`${check.message} | ${check.cure}`).toContain(words);
    await eventually(at.notices, ({ length }) => length > 0);
    // For whoever has no other mailbox by which a notice could come.
    expect(gateway.log()).toMatch(/a login is needed/);
    expect(gateway.log()).toContain(JSON.stringify(check.cure).slice(1, -1));
    at.receive();
    // Nobody knocks at the provider again, whatever comes.
    expect(at.provider.renewals()).toBe(renewals);

    Object.assign(at.provider.script, { refuse: {} });
    delete at.provider.script.refreshLifetimeS;
    const [, done] = await at.logIn();
    expect(done).toMatchObject({ code: 0, json: { state: 'logged_in' } });
    await allAnswered(at);
    expect(at.answered()).toEqual(at.expected());
    expect(at.notices()).toHaveLength(1);
    expect(await at.run('status')).toMatchObject({ json: { mailboxes: [{ smtp: { state: 'ready' } }, {}, {}] } });
  });

  it.concurrent('lets mail that is to leave wait without an attempt', async (test) => {
    const at = await site(test);
    await at.logIn();
    await at.start();
    at.receive();
    await allAnswered(at);
    await at.smtp.dropAll();
    at.provider.revoke();
    await at.run('send', '--to', USER, '--from', OWNER, '--subject', 'Held');
    const held = () => {
      const database = new SQLite(join(at.root, 'data/personas/ada/persona.db'), { readonly: true });
      const row = database
        .prepare<[], { state: string; attempts: number; trying_since: number | null; last_error: string | null }>(
          'select state, attempts, trying_since, last_error from outbox order by seq desc limit 1',
        )
        .get();
      database.close();
      return row;
    };
    expect(await eventually(held, (row) => row?.last_error != null)).toMatchObject({
      state: 'queued',
      attempts: 0,
      trying_since: null,
      last_error: expect.stringContaining('epistle mailbox login main'),
    });
  });

  it.concurrent('because device codes are blocked names the other way, and changes nothing', async (test) => {
    const at = await site(test, {
      refuse: { device: { error: 'invalid_scope', error_description: 'Invalid device flow scope' } },
    });
    const [refused] = await at.logIn();
    expect(refused).toMatchObject({ code: 5, json: { error: { code: 'unauthorised' } } });
    expect(refused?.json.error.message).toContain('epistle mailbox login main --browser');
    const begun = await at.run('mailbox', 'login', '--browser', '--non-interactive', 'main');
    const { headers } = await fetch(begun.json.url, { redirect: 'manual' });
    const done = await at.run('mailbox', 'login', 'main', '--non-interactive', '--url', headers.get('location') ?? '');
    expect(done).toMatchObject({ code: 0, json: { state: 'logged_in', imap: { ok: true } } });
  });
});

describe('the tokens of an account', () => {
  it.concurrent('stand in no log, in no settings and in no backup without secrets', async (test) => {
    const at = await site(test, { rotation: { graceMs: 0 } });
    await at.logIn();
    const gateway = await at.start();
    at.receive();
    await allAnswered(at);
    const outputs = [
      gateway.log(),
      ...(
        await Promise.all([at.run('config', 'show'), at.run('status'), at.run('doctor'), at.run('mailbox', 'list')])
      ).map(({ json, stderr }) => JSON.stringify(json) + stderr),
    ].join('\n');
    expect(outputs).not.toMatch(/access-\d+-xx|refresh-\d+-yy/);
    const files = async (...args: string[]) => {
      const { json } = await at.run('backup', 'create', ...args);
      return readFileSync(join(json.path, 'manifest.json'), 'utf8');
    };
    expect(await files()).toMatch(/data\/oauth\/\w+\.json/);
    expect(await files('--without-secrets')).not.toContain('oauth/');
  });
});
