import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mailboxSchema } from '../../../../engine/config/mailbox-schema.ts';
import { systemClock } from '../../../../engine/lib/clock.ts';
import { randomIds } from '../../../../engine/lib/ids.ts';
import { createLogins } from '../../../../engine/mailbox/oauth/accounts.ts';
import { clientOfMailbox } from '../../../../engine/mailbox/oauth/client.ts';
import type { HowToLogIn } from '../../../../engine/mailbox/oauth/grant/log-in.ts';
import type { PendingLogin } from '../../../../engine/mailbox/oauth/grant/pending.ts';
import { tryLock } from '../../../../engine/storage/sqlite/workspace-lock.ts';
import { CLIENT_ID, type OAuthScript, startOAuthServer } from '../../../fakes/oauth-server.ts';

const USER = 'ada@example.test';
let folder: string;
const closers: (() => unknown)[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'epistle-login-'));
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

/** A provider whose endpoints are found by its issuer, and somebody who logs in there. */
async function person(script: OAuthScript = {}, settings: Record<string, unknown> = {}) {
  const provider = await startOAuthServer(script);
  closers.push(provider.stop);
  const oauth = { issuer: provider.url, client_id: CLIENT_ID, ...settings };
  const mailbox = mailboxSchema.parse({ id: 'main', imap: { host: 'localhost', user: USER, auth: 'oauth' }, oauth });
  const client = clientOfMailbox(mailbox);
  if (!client) throw new Error('no client');
  const clock = systemClock();
  const { random } = randomIds(clock.now);
  const logins = createLogins({ dataDir: folder, tryLock, clock, random, pass: () => {}, secretOf: () => undefined });
  const begun: { pending: PendingLogin; isResumed: boolean }[] = [];
  const logIn = (how: Partial<HowToLogIn>, act: (pending: PendingLogin) => unknown = () => {}) =>
    logins.logIn(client, 'main', {
      flow: null,
      returned: null,
      pasted: null,
      waitMs: 10_000,
      onBegun(pending, isResumed) {
        begun.push({ pending, isResumed });
        void act(pending);
      },
      ...how,
    });
  const login = logins.of(mailbox, 'imap');
  return { provider, client, logins, logIn, begun, login, file: logins.fileOf(client) };
}

/** Where the provider sends the browser after the login. */
async function browserOf(pending: PendingLogin): Promise<string> {
  const { headers } = await fetch(pending.url, { redirect: 'manual' });
  return headers.get('location') ?? '';
}
const codeOf = (done: Awaited<ReturnType<Awaited<ReturnType<typeof person>>['logIn']>>) =>
  done.state === 'failed' ? done.judged.fault.code : done.state;

describe('a login by device code', () => {
  it('waits until the code was entered, and has its tokens on disk then', async () => {
    const { provider, logIn, login, file } = await person();
    const done = await logIn({ flow: 'device' }, (pending) => {
      if (pending.flow === 'device') setTimeout(() => provider.enter(pending.user_code, USER), 200);
    });
    expect(codeOf(done)).toBe('granted');
    const taken = await login.take();
    expect(taken.ok && provider.isGood(USER, taken.secret)).toBe(true);
    expect(file.pending()).toBeNull();
    const polls = provider.asked.filter(({ form }) => form.grant_type?.endsWith('device_code'));
    expect(polls.length).toBeGreaterThan(1);
  });

  it('that was broken off goes on with the same code', async () => {
    const { provider, logIn, begun } = await person();
    expect(codeOf(await logIn({ flow: 'device', waitMs: 0 }))).toBe('pending');
    expect(codeOf(await logIn({ waitMs: 0 }))).toBe('pending');
    const [first, second] = begun.map(({ pending }) => (pending.flow === 'device' ? pending.user_code : ''));
    expect(second).toBe(first);
    expect(begun.map(({ isResumed }) => isResumed)).toEqual([false, true]);
    provider.enter(first ?? '', USER);
    expect(codeOf(await logIn({ waitMs: 0 }))).toBe('granted');
    expect(provider.asked.filter(({ endpoint }) => endpoint === 'device')).toHaveLength(1);
  });

  it.each([
    ['declined', { declines: true }, 'login_denied'],
    [
      'blocked',
      { refuse: { device: { error: 'invalid_scope', error_description: 'Invalid device flow scope' } } },
      'device_code_blocked',
    ],
    ['of a client without a refresh token', { briefly: true }, 'no_refresh_token'],
  ] as const)('that is %s ends in words, and can be begun anew', async (_what, script, code) => {
    const { provider, logIn, file } = await person({ ...script });
    const enter = (pending: PendingLogin) => pending.flow === 'device' && provider.enter(pending.user_code, USER);
    expect(codeOf(await logIn({ flow: 'device' }, enter))).toBe(code);
    expect(file.pending()).toBeNull();
    Object.assign(provider.script, { declines: false, refuse: {}, briefly: false });
    expect(codeOf(await logIn({ flow: 'device' }, enter))).toBe('granted');
  });

  it('of a wrong client is refused before anybody has to do anything', async () => {
    const { logIn, begun } = await person({}, { client_id: 'unknown' });
    expect(codeOf(await logIn({ flow: 'device' }))).toBe('client_unknown');
    expect(begun).toEqual([]);
  });
});

describe('a login in the browser', () => {
  it('comes back to this machine, with PKCE and a state that nobody else knows', async () => {
    const { provider, logIn, login, begun } = await person();
    const heard: number[] = [];
    const done = await logIn({ flow: 'browser' }, async (pending) => {
      const back = await browserOf(pending);
      const foreign = new URL(back);
      foreign.searchParams.set('state', 'guessed');
      heard.push((await fetch(foreign)).status);
      heard.push((await fetch(`${foreign.origin}/favicon.ico`)).status);
      heard.push((await fetch(back)).status);
    });
    expect(codeOf(done)).toBe('granted');
    expect(heard.slice(0, 2)).toEqual([404, 404]);
    const [asked] = provider.asked.filter(({ endpoint }) => endpoint === 'authorize');
    expect(asked?.form).toMatchObject({ code_challenge_method: 'S256', login_hint: USER, response_type: 'code' });
    const verifier = begun[0]?.pending.flow === 'browser' ? begun[0].pending.verifier : '';
    expect(verifier.length).toBeGreaterThanOrEqual(43);
    expect(JSON.stringify(asked)).not.toContain(verifier);
    const taken = await login.take();
    expect(taken.ok && provider.isGood(USER, taken.secret)).toBe(true);
  });

  it('goes on by an address that is pasted later, where no browser can come back', async () => {
    const { logIn, begun } = await person();
    expect(codeOf(await logIn({ flow: 'browser', waitMs: 0 }))).toBe('pending');
    const [{ pending } = { pending: null }] = begun;
    const back = pending ? await browserOf(pending) : '';
    await expect(logIn({ flow: 'browser', returned: 'http://127.0.0.1/?code=x&state=y', waitMs: 0 })).rejects.toThrow(
      /belongs to no login/,
    );
    expect(codeOf(await logIn({ flow: 'browser', returned: back, waitMs: 0 }))).toBe('granted');
  });

  it('takes a line that a person pastes meanwhile', async () => {
    const { logIn } = await person();
    const line = Promise.withResolvers<string>();
    async function* lines() {
      yield 'what is this';
      yield await line.promise;
    }
    const done = await logIn({ flow: 'browser', pasted: lines() }, async (pending) =>
      line.resolve(await browserOf(pending)),
    );
    expect(codeOf(done)).toBe('granted');
  });

  it('is begun anew where its port is somebody else’s by now', async () => {
    const { logIn, begun } = await person();
    await logIn({ flow: 'browser', waitMs: 0 });
    const port = (at: number) => {
      const pending = begun[at]?.pending;
      return pending?.flow === 'browser' ? Number(new URL(pending.redirect_uri).port) : 0;
    };
    const other = createServer().listen(port(0), '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    closers.push(() => other.close());
    const done = await logIn({ flow: 'browser' }, async (pending) => fetch(await browserOf(pending)));
    expect(codeOf(done)).toBe('granted');
    expect(port(1)).not.toBe(port(0));
  });

  it('that was declined says so', async () => {
    const { logIn } = await person({ declines: true });
    const done = await logIn({ flow: 'browser' }, async (pending) => fetch(await browserOf(pending)));
    expect(codeOf(done)).toBe('login_denied');
  });
});

describe('a provider that is found by its issuer', () => {
  it('counts for nothing when it answers in the name of another', async () => {
    const { logIn, provider } = await person({
      refuse: {
        metadata: { status: 200, text: '{"issuer":"https://else.test","token_endpoint":"https://else.test/t"}' },
      },
    });
    expect(codeOf(await logIn({ flow: 'device' }))).not.toBe('granted');
    expect(provider.asked.every(({ endpoint }) => endpoint === 'metadata')).toBe(true);
  });

  it('is never led out of TLS, nor to another machine in the clear', async () => {
    const { logIn, provider } = await person();
    provider.script.refuse = {
      metadata: {
        status: 200,
        text: JSON.stringify({ issuer: provider.url, token_endpoint: 'http://else.test/token' }),
      },
    };
    expect(codeOf(await logIn({ flow: 'device' }))).toBe('token_server_wrong');
  });
});
