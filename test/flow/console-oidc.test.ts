import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OIDC_CLIENT, type OidcScript, startOidcServer } from '../fakes/oidc-server.ts';
import { browserAt, CONSOLE, type Outside, openConsole, outsideOf } from './console-rig.ts';
import { ADA, MEMBER, OWNER } from './governance-rig.ts';

const PUBLIC = 'https://epistle.example.com';
const BOB = 'bob@example.com';
const SECRET = { OIDC_SECRET: OIDC_CLIENT.secret };
const LED = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

let provider: Awaited<ReturnType<typeof startOidcServer>>;
let office: Awaited<ReturnType<typeof openConsole>>;
beforeAll(async () => {
  provider = await startOidcServer();
  office = await openConsole(
    {
      'configs/system.json': {
        console: {
          ...CONSOLE,
          public_url: PUBLIC,
          oidc: { issuer: provider.issuer, client_id: OIDC_CLIENT.id, client_secret_env: 'OIDC_SECRET' },
        },
        log: { level: 'warn', format: 'json', file: true },
      },
      'personas/ada/persona.json': {
        name: 'Ada',
        address: ADA,
        owners: [OWNER, BOB],
        access: { allow: ['*@member.example'] },
      },
    },
    SECRET,
  );
}, 120_000);
afterAll(async () => {
  await office.close();
  await provider.stop();
});

const outside = () => outsideOf(office.url(), PUBLIC);
const SESSION = '__Host-epistle';
/** Of one peer ten wrong tries are looked at in a minute. */
const anew = () => office.restart(SECRET);
const behaves = (script: OidcScript = {}): void => {
  for (const name of Object.keys(provider.script)) delete provider.script[name as keyof OidcScript];
  Object.assign(provider.script, script);
};

/** Follows the link of the page for logging in, as far as the provider. */
async function begun(browser: Outside): Promise<string> {
  const { status, headers } = await browser.get('/session/oidc');
  expect(status).toBe(303);
  return String(headers.location);
}
async function comeIn(browser: Outside, script: OidcScript = {}) {
  behaves(script);
  return browser.get(`/session/oidc/back${provider.logIn(await begun(browser))}`, LED);
}
const isOut = (browser: Outside, answer: { readonly status: number; readonly text: string }) => {
  expect([answer.status, browser.cookies.has(SESSION)]).toEqual([401, false]);
  expect(answer.text).toContain('Nobody is let in by this.');
  expect(answer.text).not.toMatch(/owner@|bob@|access/);
};

describe('a log-in by another provider', () => {
  it('lets an owner in whose address it has verified, by its name alone, and never to what takes something away', async () => {
    const browser = outside();
    expect((await browser.get('/session')).text).toContain('href="/session/oidc"');
    const to = new URL(await begun(browser));
    expect(to.origin).toBe(provider.issuer);
    expect(Object.fromEntries(to.searchParams)).toMatchObject({
      client_id: OIDC_CLIENT.id,
      redirect_uri: `${PUBLIC}/session/oidc/back`,
      response_type: 'code',
      scope: 'openid email',
      code_challenge_method: 'S256',
    });
    const came = await comeIn(browser, {
      email: BOB.toUpperCase(),
      claims: { roles: ['admin'], owner: true, groups: [OWNER] },
    });
    expect(came.status).toBe(200);
    expect(came.text).toContain('http-equiv="refresh" content="0; url=/"');
    const cookies = [came.headers['set-cookie'] ?? []].flat();
    expect(cookies.find((one) => one.startsWith(`${SESSION}=`))).toMatch(/SameSite=Strict; Max-Age=604800; Secure$/);
    expect((await browser.get('/')).text).toContain(BOB);
    const { text } = await browser.get('/passkeys');
    const form = /name="form" value="([0-9a-f]{32})"/.exec(text)?.[1] ?? '';
    expect((await browser.post('/passkeys/add', { form, name: 'x' })).status).toBe(403);
    // An owner of a persona alone, whatever was claimed.
    expect((await browser.get('/settings')).status).toBe(404);
    const { json } = await office.cli('audit', '--limit', '1');
    expect(json.audit).toMatchObject([{ event: 'console_log_in', actor: BOB, detail: { by: 'oidc' } }]);
    expect(provider.asked.filter(({ endpoint }) => endpoint === 'discovery')).toHaveLength(1);
    const { json: sessions } = await office.cli('console', '--sessions');
    expect(sessions.sessions[0]).toMatchObject({ address: BOB, came_by: 'oidc' });
  });

  it('is answered alike for whoever is no owner, and whose address is not verified', async () => {
    await anew();
    const scripts: readonly OidcScript[] = [
      { email: 'nobody@example.com' },
      { email: MEMBER },
      { email: ADA },
      { email: OWNER, email_verified: false },
      { email: OWNER, email_verified: 'true' },
      { email: OWNER, claims: { email_verified: undefined } },
      { email: [OWNER] },
      { email: `${OWNER} ` },
      { email: OWNER, claims: { email: undefined, preferred_username: OWNER, upn: OWNER } },
    ];
    const texts = new Set<string>();
    for (const script of scripts) {
      const browser = outside();
      const answer = await comeIn(browser, script);
      isOut(browser, answer);
      texts.add(answer.text);
    }
    expect(texts.size).toBe(1);
  });

  it('lets nobody in by a token of another client, provider, question, time or key', async () => {
    const past = Math.floor(Date.now() / 1000) - 3600;
    const scripts: readonly OidcScript[] = [
      { claims: { nonce: 'another' } },
      { claims: { nonce: undefined } },
      { claims: { aud: 'another' } },
      { claims: { aud: ['another', OIDC_CLIENT.id], azp: 'another' } },
      { claims: { iss: 'https://accounts.evil.example' } },
      { claims: { exp: past } },
      { claims: { exp: undefined } },
      { claims: { iat: undefined } },
      { claims: { sub: undefined } },
      { signature: 'none' },
      { signature: 'hmac' },
      { signature: 'other_key' },
      { signature: 'cut' },
      { signature: 'changed' },
      { isWithoutIdToken: true },
      { back: { iss: 'https://accounts.evil.example' } },
      { back: { iss: null } },
      { back: { code: 'made-up' } },
    ];
    for (const [at, script] of scripts.entries()) {
      if (at % 9 === 0) await anew();
      const browser = outside();
      const answer = await comeIn(browser, script);
      expect([script, answer.status, browser.cookies.has(SESSION)]).toEqual([script, 401, false]);
      isOut(browser, answer);
    }
  });

  it('is good in the browser that began it, once, within five minutes, and for nobody who leads another one there', async () => {
    await anew();
    behaves();
    const [own, other] = [outside(), outside()];
    const back = provider.logIn(await begun(own));
    const cookie = own.cookies.get('__Host-epistle_oidc') ?? '';
    // Somebody leads another browser here with their own answer; with or without a log-in of its own under way.
    isOut(other, await other.get(`/session/oidc/back${back}`, LED));
    await begun(other);
    isOut(other, await other.get(`/session/oidc/back${back}`, LED));
    for (const made of ['0', cookie.replace(/^\d+/, '9999999999999')]) {
      other.cookies.set('__Host-epistle_oidc', made);
      isOut(other, await other.get(`/session/oidc/back${back}`, LED));
    }
    for (const wrong of ['?', '?error=access_denied', back.replace(/state=[^&]+/, 'state=x'), `${back}&state=x`])
      isOut(own, await outsideWith(cookie).get(`/session/oidc/back${wrong}`, LED));
    expect(
      provider.asked.filter(({ endpoint }) => endpoint === 'token').every(({ form }) => form.code !== codeIn(back)),
    ).toBe(true);
    expect((await own.get(`/session/oidc/back${back}`, LED)).status).toBe(200);
    isOut(other, await outsideWith(cookie).get(`/session/oidc/back${back}`, LED));
    await anew();
    // A state is answered also where the provider then said no.
    const last = outside();
    const lost = provider.logIn(await begun(last));
    const kept = last.cookies.get('__Host-epistle_oidc') ?? '';
    behaves({ answer: { token: { status: 500, body: '' } } });
    isOut(last, await last.get(`/session/oidc/back${lost}`, LED));
    behaves();
    isOut(last, await outsideWith(kept).get(`/session/oidc/back${lost}`, LED));
  });
  const codeIn = (back: string) => new URLSearchParams(back).get('code');
  const outsideWith = (cookie: string): Outside => {
    const browser = outside();
    browser.cookies.set('__Host-epistle_oidc', cookie);
    return browser;
  };

  it('is begun by a page of ours alone, and is there under the public address alone', async () => {
    await anew();
    const browser = outside();
    for (const site of ['cross-site', 'same-site']) {
      const { headers } = await browser.get('/session/oidc', { ...LED, 'sec-fetch-site': site });
      expect([site, headers.location, browser.cookies.size]).toEqual([site, '/session', 0]);
    }
    expect(
      (
        await browser.get('/session/oidc', {
          'sec-fetch-site': 'cross-site',
          'sec-fetch-mode': 'no-cors',
          'sec-fetch-dest': 'image',
        })
      ).status,
    ).toBe(403);
    expect((await browser.post('/session/oidc')).status).toBe(401);
    const local = browserAt(office.url());
    for (const path of ['/session/oidc', '/session/oidc/back?code=x&state=y'])
      expect((await local.get(path)).status).toBe(404);
    expect((await local.get('/session')).text).toContain(`href="${PUBLIC}/session"`);
  });

  it('is led nowhere by a provider that redirects, floods, dawdles, or names another', async () => {
    const elsewhere = await startOidcServer();
    const moved = { status: 307, headers: { location: `${elsewhere.issuer}/token` }, body: '' };
    const flood = {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: `{"x":"${'a'.repeat(2_000_000)}"}`,
    };
    const slow = { status: 200, headers: { 'content-type': 'application/json' }, body: '{}', delayMs: 60_000 };
    try {
      await anew();
      for (const token of [
        moved,
        flood,
        slow,
        { status: 200, body: 'not JSON' },
        { ...slow, delayMs: 0, body: '[]' },
      ]) {
        const browser = outside();
        const began = Date.now();
        isOut(browser, await comeIn(browser, { answer: { token } }));
        expect(Date.now() - began).toBeLessThan(20_000);
      }
      await anew();
      const byKeys = outside();
      isOut(byKeys, await comeIn(byKeys, { answer: { keys: moved } }));
      // What it says of itself is asked for by a gateway that starts anew.
      const wrongs: readonly OidcScript[] = [
        { answer: { discovery: moved } },
        { answer: { discovery: flood } },
        { answer: { discovery: { status: 404, body: '' } } },
        { metadata: { issuer: 'https://accounts.evil.example' } },
      ];
      await anew();
      for (const script of wrongs) {
        behaves(script);
        const browser = outside();
        const { status, text } = await browser.get('/session/oidc');
        expect([status, browser.cookies.size]).toEqual([503, 0]);
        expect(text).toContain('The provider does not answer.');
      }
      behaves({ metadata: { token_endpoint: 'http://192.0.2.1/token' } });
      const last = outside();
      isOut(last, await last.get(`/session/oidc/back${provider.logIn(await begun(last))}`, LED));
      expect(elsewhere.asked).toEqual([]);
      const text = JSON.stringify(await office.cli('logs'));
      for (const secret of [OIDC_CLIENT.secret, 'code_verifier']) expect(text).not.toContain(secret);
    } finally {
      await elsewhere.stop();
    }
  });
  it('says in doctor what is missing, and is nothing where it is not set', async () => {
    const found = async () => {
      const { json } = await office.cli('doctor');
      return json.checks.find(({ name }: { name: string }) => name === 'console:oidc');
    };
    behaves();
    expect((await found())?.message).toContain('OIDC_SECRET is not set');
    const plain = await openConsole();
    try {
      expect((await browserAt(plain.url()).get('/session')).text).not.toContain('oidc');
      expect((await browserAt(plain.url()).get('/session/oidc')).status).toBe(404);
    } finally {
      await plain.close();
    }
  });
});
