import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Log } from '#contract';
import { extensionsSchema } from '../../../../engine/config/extension-schemas.ts';
import { systemClock } from '../../../../engine/lib/clock.ts';
import { passThrough } from '../../../../engine/lib/crash-points.ts';
import type { Trouble } from '../../../../engine/mailbox/oauth/accounts.ts';
import type { PendingLogin } from '../../../../engine/mailbox/oauth/grant/pending.ts';
import { createServerLogins } from '../../../../engine/mailbox/oauth/servers/server-logins.ts';
import { tryLock } from '../../../../engine/storage/sqlite/workspace-lock.ts';
import { type AuthorizationScript, browse, startAuthorizationServer } from '../../../fakes/authorization-server.ts';
import { type Guard, startMcpServer } from '../../../fakes/mcp-http-server.ts';
import { mcpRig, READ } from './mcp-rig.ts';

const MAMMAL = { content: [{ type: 'text', text: 'a mammal' }] };
const SCRIPT = { tools: [READ], calls: { 'look-up': MAMMAL } };

interface Options extends AuthorizationScript {
  readonly guard?: Guard['metadata'];
  readonly oauth?: object;
}

/** A hosted server with its authorization server, and a gateway beside it on whose disk nobody has logged in. */
async function site({ guard, oauth = {}, ...script }: Options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'epistle-mcp-login-'));
  const as = await startAuthorizationServer(script);
  const said: string[] = [];
  const say = (fields: object, message: string) => void said.push(JSON.stringify([fields, message]));
  const log: Log = { debug: say, info: say, warn: say, error: say, child: () => log };
  const time = { ahead: 0 };
  /** As another process has them. */
  const process = () =>
    createServerLogins({
      dataDir: () => folder,
      secretOf: (name) => (name === 'CLIENT_SECRET' ? 'the:secret of+ours' : undefined),
      tryLock,
      pass: passThrough,
      random: (bytes: number) => randomBytes(bytes).toString('hex'),
      clock: { ...systemClock(), now: () => Date.now() + time.ahead },
    });
  const logins = process();
  const troubles: Trouble[] = [];
  logins.onTrouble((trouble) => troubles.push(trouble));
  const rig = mcpRig(SCRIPT, {}, { loginOf: logins.of, log });
  const server = await startMcpServer(rig.path, {
    guard: { issuer: as.url, isGood: as.isGood, ...(guard ? { metadata: guard } : {}) },
  });
  as.script.resource ??= `${server.baseUrl}/mcp`;
  onTestFinished(async () => {
    await Promise.all([server.stop(), as.stop()]);
    rmSync(folder, { recursive: true, force: true });
  });
  const entry = { url: `${server.baseUrl}/mcp`, command: undefined, args: [], auth: 'oauth', oauth };
  rig.reload(entry);
  const parsed = (given: object) => {
    const [one] = extensionsSchema.parse({ mcp: [{ name: 'wiki', start_timeout_s: 2, ...given }] }).mcp;
    if (!one) throw new Error('no server');
    return one;
  };
  return {
    folder,
    as,
    server,
    rig,
    logins,
    process,
    troubles,
    said,
    time,
    entry,
    parsed: parsed(entry),
    /** Somebody logs in in a browser. */
    logIn: (at: (pending: PendingLogin) => unknown = ({ url }) => browse(url), how: object = {}, to: object = entry) =>
      logins.logIn(parsed(to), {
        returned: null,
        pasted: null,
        waitMs: 5000,
        ...how,
        onBegun: (pending) => void at(pending),
      }),
    word: () => rig.call('wiki_look_up', { word: 'cat' }),
    tokenFile: () => {
      const [name = ''] = readdirSync(join(folder, 'oauth')).filter((one) => /^[0-9a-f]+\.json$/.test(one));
      return {
        path: join(folder, 'oauth', name),
        tokens: JSON.parse(readFileSync(join(folder, 'oauth', name), 'utf8')),
      };
    },
  };
}

const loggedIn = async (options: Options = {}) => {
  const at = await site(options);
  expect(await at.logIn()).toMatchObject({ state: 'granted' });
  await at.rig.tools();
  return at;
};

describe('a server that wants a login', () => {
  it('is found, registered with and logged in to with PKCE, for itself alone; one file has it all', async () => {
    const at = await loggedIn();
    expect(await at.word()).toEqual({ text: 'a mammal' });
    const [authorized] = at.as.asked.filter(({ endpoint }) => endpoint === '/authorize');
    expect(authorized?.form).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      scope: 'tools offline_access',
      resource: `${at.server.baseUrl}/mcp`,
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
    });
    const { path, tokens } = at.tokenFile();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(tokens).toMatchObject({ registered: { issuer: at.as.url, client_secret: null }, refused: null });
    expect(readdirSync(join(at.folder, 'oauth')).filter((name) => name.includes('pending'))).toEqual([]);
    // What came with each message, and with the question of who may come.
    expect(new Set(at.server.authorizations)).toEqual(new Set([`Bearer ${tokens.access_token}`]));
  });

  it('is not asked anything before somebody has logged in', async () => {
    const at = await site();
    const tools = await at.rig.tools();
    expect(tools.get('wiki')?.ready()).toBe('the MCP server wiki cannot be used: nobody has logged in to it');
    expect(at.server.greetings()).toBe(0);
    expect(at.rig.record()?.error?.message).toContain('run `epistle extensions login wiki`');
    expect(at.logins.state(at.parsed)?.wrong?.fault.code).toBe('login_needed');
    await expect(at.rig.servers.allow('wiki')).rejects.toThrow('run `epistle extensions login wiki`');
    // Whoever has just logged in waits for nothing.
    await at.logIn();
    expect((await at.rig.tools()).get('wiki_look_up')?.ready()).toBeNull();
    expect(at.rig.record()).toMatchObject({ state: 'loaded' });
    // Nobody was told of what they had not yet done.
    expect(at.troubles).toEqual([]);
  });

  it.each(['client_secret_post', 'client_secret_basic'] as const)(
    'gives a secret at the registration, which is shown by %s',
    async (method) => {
      const at = await loggedIn({ method });
      at.as.endAccess();
      expect(await at.word()).toEqual({ text: 'a mammal' });
      expect(at.as.renewals()).toBe(1);
      expect(at.tokenFile().tokens.registered).toMatchObject({ client_secret: expect.stringContaining('secret-') });
    },
  );

  it.each(['client_secret_post', 'client_secret_basic'] as const)(
    'takes a client that was registered by hand, whose secret stays in .env, by %s',
    async (method) => {
      // A port that is free now; nobody else takes it in between on this machine.
      const free = await startAuthorizationServer();
      const port = Number(new URL(free.url).port);
      await free.stop();
      const redirects = [`http://127.0.0.1:${port}/callback`];
      const at = await loggedIn({
        method,
        client: { id: 'by hand', secret: 'the:secret of+ours', redirects },
        metadata: { registration_endpoint: undefined },
        oauth: { client_id: 'by hand', client_secret_env: 'CLIENT_SECRET', redirect_port: port },
      });
      at.as.endAccess();
      expect(await at.word()).toEqual({ text: 'a mammal' });
      expect(readFileSync(at.tokenFile().path, 'utf8')).not.toContain('secret of');
    },
  );
});

describe('a token', () => {
  it('that the server takes no longer is renewed within the call, once for all calls', async () => {
    const at = await loggedIn();
    at.as.endAccess();
    const words = await Promise.all([at.word(), at.word(), at.word(), at.word()]);
    expect(words).toEqual(Array.from({ length: 4 }, () => ({ text: 'a mammal' })));
    expect(at.as.renewals()).toBe(1);
    expect(at.rig.calls()).toHaveLength(4);
  });

  it('is renewed once for all processes: a server takes each refresh token once', async () => {
    const at = await loggedIn({ lifetimeS: 3600 });
    at.time.ahead = 3_500_000;
    const taken = await Promise.all(
      [at.logins, at.process(), at.process()].map((logins) => logins.of(at.parsed)?.take()),
    );
    expect(new Set(taken.map((one) => (one?.ok ? one.secret : one?.fault.code))).size).toBe(1);
    expect(taken[0]).toMatchObject({ ok: true });
    expect(at.as.renewals()).toBe(1);
  });

  it('is renewed before its time, and used to its end while its server is away', async () => {
    const at = await loggedIn({ lifetimeS: 3600 });
    at.as.script.instead = { status: 503, body: { error: 'temporarily_unavailable' } };
    at.time.ahead = 3_500_000;
    expect(await at.word()).toEqual({ text: 'a mammal' });
    at.time.ahead = 3_700_000;
    await expect(at.word()).rejects.toThrow('its login cannot be renewed now');
    // It is nothing that a person has to mend.
    expect(at.troubles).toEqual([]);
    at.as.script.instead = null;
    at.time.ahead += 120_000;
    at.rig.time.now += 120_000;
    await at.rig.tools();
    expect(await at.word()).toEqual({ text: 'a mammal' });
  });

  it('without an end and without another holds until it is taken back', async () => {
    const at = await loggedIn({ briefly: true, lifetimeS: null });
    at.time.ahead = 300 * 86_400_000;
    expect(await at.word()).toEqual({ text: 'a mammal' });
    at.as.endAccess();
    await expect(at.word()).rejects.toThrow('its login has ended');
    expect(at.troubles).toMatchObject([{ judged: { fault: { code: 'login_revoked' } } }]);
  });

  it('that nothing renews is used to its very end, which is told', async () => {
    const at = await loggedIn({ briefly: true, lifetimeS: 3600 });
    at.time.ahead = 3_590_000;
    expect(await at.word()).toEqual({ text: 'a mammal' });
    expect(at.troubles).toEqual([]);
    at.time.ahead = 3_610_000;
    await expect(at.word()).rejects.toThrow('its login has ended');
    expect(at.troubles).toMatchObject([{ judged: { fault: { code: 'login_revoked' } } }]);
  });

  it('goes to no other address', async () => {
    const at = await loggedIn();
    const other = await startMcpServer(at.rig.path, { guard: { issuer: at.as.url, isGood: () => true } });
    onTestFinished(other.stop);
    at.rig.reload({ ...at.entry, url: `${other.baseUrl}/mcp` });
    expect((await at.rig.tools()).get('wiki')?.ready()).toContain('nobody has logged in to it');
    expect(other.authorizations).toEqual([]);
  });
});

describe('a login with too few permissions', () => {
  it('costs the call alone, and is no login that has ended', async () => {
    const at = await loggedIn();
    const challenge = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="SERVER-WORDS"' };
    const statuses = { 'tools/call': { status: 403, headers: challenge } };
    const server = await startMcpServer(at.rig.path, { guard: { issuer: at.as.url, isGood: at.as.isGood }, statuses });
    onTestFinished(server.stop);
    at.as.script.resource = `${server.baseUrl}/mcp`;
    const entry = { ...at.entry, url: `${server.baseUrl}/mcp` };
    await at.logIn(({ url }) => browse(url), {}, entry);
    at.rig.reload(entry);
    await at.rig.tools();
    const refusal = await at.word().catch(String);
    expect(refusal).toContain('its login has too few permissions for that');
    expect(refusal).not.toContain('SERVER-WORDS');
    expect((await at.rig.tools()).get('wiki_look_up')?.ready()).toBeNull();
    expect(at.troubles).toEqual([]);
  });
});

describe('a login that was revoked', () => {
  it('costs the tools alone, is told once with its cure, and is mended by a login at once', async () => {
    const at = await loggedIn();
    const { tokens } = at.tokenFile();
    const form = new URLSearchParams({ token: tokens.refresh_token });
    await fetch(`${at.as.url}/revoke`, { method: 'POST', body: form });
    await expect(at.word()).rejects.toThrow('its login has ended');
    const tool = (await at.rig.tools()).get('wiki_look_up');
    expect(tool?.ready()).toBe('the MCP server wiki cannot be used: its login has ended');
    expect(at.rig.record()?.error?.message).toContain('run `epistle extensions login wiki`');
    // Nobody knocks again.
    const renewals = at.as.renewals();
    at.rig.time.now += 3_600_000;
    await at.rig.tools();
    expect(at.as.renewals()).toBe(renewals);
    expect(at.troubles).toMatchObject([{ client: { server: { name: 'wiki' } }, judged: { until: 'person' } }]);
    await at.logIn();
    expect((await at.rig.tools()).get('wiki_look_up')?.ready()).toBeNull();
    expect(await at.word()).toEqual({ text: 'a mammal' });
  });

  it('since the server knows its client no longer is mended by a login, which registers anew', async () => {
    const at = await loggedIn();
    at.as.forgetClients();
    at.as.endAccess();
    await expect(at.word()).rejects.toThrow('its login has ended');
    expect(at.troubles[0]?.judged.fault).toMatchObject({
      code: 'client_unknown',
      cure: 'run `epistle extensions login wiki`',
    });
    await at.logIn();
    await at.rig.tools();
    expect(await at.word()).toEqual({ text: 'a mammal' });
  });

  it('leaves no secret and no word of the server in a log or before a model', async () => {
    const at = await loggedIn({ method: 'client_secret_post' });
    const { tokens } = at.tokenFile();
    at.as.endAccess();
    await at.word();
    at.as.script.instead = { status: 400, body: { error: 'strange', error_description: 'SERVER-WORDS' } };
    at.as.endAccess();
    const refusal = await at.word().catch(String);
    const ready = (await at.rig.tools()).get('wiki_look_up')?.ready();
    expect(`${refusal} ${ready}`).not.toMatch(/SERVER-WORDS|strange/);
    const written = JSON.stringify(at.said) + refusal + at.rig.record()?.error?.message;
    expect(at.said.length).toBeGreaterThan(0);
    for (const secret of [tokens.access_token, tokens.refresh_token, tokens.registered.client_secret])
      expect(written).not.toContain(secret);
    expect(written).not.toMatch(/(access|refresh|secret|code)-\d+-z/);
  });
});

describe('a login', () => {
  it('is not ended by whoever comes with another state, and not by one who speaks in another name', async () => {
    const at = await site();
    const statuses: number[] = [];
    const done = await at.logIn(async ({ url }) => {
      const { location } = await fetchBack(url);
      for (const [name, value] of [
        ['state', 'guessed'],
        ['iss', 'https://evil.example'],
        ['iss', null],
      ] as const) {
        const changed = new URL(location);
        if (value === null) changed.searchParams.delete(name);
        else changed.searchParams.set(name, value);
        statuses.push((await fetch(changed)).status);
      }
      statuses.push((await fetch(location)).status);
    });
    expect(statuses).toEqual([404, 404, 404, 200]);
    expect(done).toMatchObject({ state: 'granted' });
  });

  it('whose code was used before is refused, and what the thief got is taken back', async () => {
    const at = await site();
    const stolen: { token?: string } = {};
    const done = await at.logIn(async (pending) => {
      if (pending.flow !== 'browser') return;
      const { location } = await fetchBack(pending.url);
      const form = {
        grant_type: 'authorization_code',
        code: new URL(location).searchParams.get('code') ?? '',
        redirect_uri: pending.redirect_uri,
        code_verifier: pending.verifier,
        client_id: pending.registered?.client_id ?? '',
        resource: `${at.server.baseUrl}/mcp`,
      };
      const answer = await fetch(`${at.as.url}/token`, { method: 'POST', body: new URLSearchParams(form) });
      stolen.token = ((await answer.json()) as { access_token: string }).access_token;
      await fetch(location);
    });
    expect(done).toMatchObject({ state: 'failed', judged: { fault: { code: 'login_code_expired' } } });
    expect(stolen.token).toBeDefined();
    expect(at.as.isGood(stolen.token ?? '')).toBe(false);
  });

  it('is sent back to where it was registered for, and nowhere else', async () => {
    const at = await site();
    const statuses: number[] = [];
    await at.logIn(
      async ({ url }) => {
        const other = new URL(url);
        other.searchParams.set('redirect_uri', 'http://127.0.0.1:9/callback');
        const { status, headers } = await fetch(other, { redirect: 'manual' });
        expect(headers.get('location')).toBeNull();
        statuses.push(status);
        await browse(url);
      },
      { waitMs: 5000 },
    );
    expect(statuses).toEqual([400]);
  });

  it('that was declined says so; one that was broken off goes on where it was', async () => {
    const at = await site({ declines: true });
    expect(await at.logIn()).toMatchObject({ state: 'failed', judged: { fault: { code: 'login_denied' } } });
    at.as.script.declines = false;
    const first: PendingLogin[] = [];
    expect(await at.logIn((pending) => first.push(pending), { waitMs: 0 })).toMatchObject({ state: 'pending' });
    const { location } = await fetchBack(first[0]?.url ?? '');
    expect(await at.logIn(() => {}, { returned: location, waitMs: 0 })).toMatchObject({ state: 'granted' });
    expect(at.as.asked.filter(({ endpoint }) => endpoint === '/register')).toHaveLength(2);
  });

  it.each([
    ['lets nobody register', { metadata: { registration_endpoint: undefined } }, /no program register itself/],
    ['knows no PKCE', { metadata: { code_challenge_methods_supported: ['plain'] } }, /knows no PKCE/],
    ['leads out of TLS', { metadata: { token_endpoint: 'http://192.168.7.7/token' } }, /leads out of TLS/],
    [
      'has its door in the network behind',
      { guard: { authorization_servers: ['http://192.168.7.7'] } },
      /leads out of TLS/,
    ],
    ['is for another server', { guard: { resource: 'http://127.0.0.1:9/other' } }, /login to another server/],
    ['is in another name', { metadata: { issuer: 'https://evil.example' } }, /could not be found out/],
    ['is not described', { guard: { authorization_servers: ['http://127.0.0.1:9'] } }, /could not be found out/],
  ])('at a server that %s is not begun, and the reason is said', async (_what, options: Options, words) => {
    const at = await site(options);
    const done = await at.logIn(() => expect.unreachable('it was begun'));
    expect(done.state === 'failed' ? done.judged.fault.cause : done.state).toMatch(words);
    expect(at.as.asked.filter(({ endpoint }) => endpoint === '/authorize')).toEqual([]);
  });
});

/** The page of the login, without what the browser does next. */
async function fetchBack(url: string): Promise<{ readonly location: string }> {
  const { headers } = await fetch(url, { redirect: 'manual' });
  return { location: headers.get('location') ?? '' };
}
