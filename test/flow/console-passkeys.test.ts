import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Authenticator, makeAuthenticator, type Wrong } from '../fakes/authenticator.ts';
import { browserAt, CONSOLE, type Outside, openConsole, outsideOf, readDatabase } from './console-rig.ts';
import { ADA, OWNER } from './governance-rig.ts';

const PUBLIC = { origin: 'https://epistle.example.com', rpId: 'epistle.example.com' };
const BOB = 'bob@example.com';
const EVE = 'eve@example.com';
/** Of each a try that is refused is one of the ten of a minute, so each has a gateway of its own. */
const FILES = {
  'configs/system.json': {
    console: { ...CONSOLE, public_url: PUBLIC.origin },
    log: { level: 'warn', format: 'json' },
  },
  'personas/ada/persona.json': { name: 'Ada', address: ADA, owners: [OWNER, BOB, EVE] },
};

type Desk = Awaited<ReturnType<typeof openDesk>>;
const open: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of open) await close();
});

/** An office behind a web server with TLS, as far as a browser can tell. */
async function openDesk() {
  const office = await openConsole(FILES);
  open.push(() => office.close());
  const outside = () => outsideOf(office.url(), PUBLIC.origin);
  return {
    ...office,
    outside,
    async inside(...args: string[]): Promise<Outside> {
      const browser = outside();
      const code = new URL(await office.link(...args)).hash.slice(1);
      expect((await browser.post('/session', { code })).status).toBe(303);
      return browser;
    },
    audit: async (): Promise<{ event: string; actor: string; decision: string | null; detail: object }[]> =>
      (await office.cli('audit', '--limit', '100')).json.audit,
  };
}

const unescaped = (text: string): string => text.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
const fieldIn = (text: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';

/** What the page asks a device that is to make a passkey. */
async function askedToMake(browser: Outside) {
  const { text } = await browser.get('/passkeys');
  const options = JSON.parse(unescaped(/data-options="([^"]*)"/.exec(text)?.[1] ?? '{}'));
  return { options, asked: fieldIn(text, 'asked'), form: fieldIn(text, 'form') };
}

async function added(browser: Outside, device: Authenticator, wrong: Wrong = {}, name = 'Telephone') {
  const { options, asked, form } = await askedToMake(browser);
  return browser.post('/passkeys/add', { form, asked, name, credential: device.create(options, wrong) });
}

const askedIn = async (browser: Outside) => JSON.parse((await browser.post('/session/passkey/ask')).text);
const comeIn = async (browser: Outside, device: Authenticator, wrong: Wrong = {}) =>
  browser.post('/session/passkey', { credential: device.get(await askedIn(browser), wrong) });

describe('a passkey', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk();
  }, 120_000);

  it('is added in a fresh session, told to every owner, and lets its owner in to all that a fresh link does', async () => {
    const owner = await desk.inside('--as', BOB);
    expect((await desk.outside().get('/session')).text).not.toContain('/session/passkey');
    const device = makeAuthenticator(PUBLIC);
    expect(await added(owner, device, {}, 'Bob’s\n telephone')).toMatchObject({
      status: 303,
      headers: { location: '/passkeys' },
    });
    expect((await owner.get('/passkeys')).text).toMatch(/Bob’s telephone<\/td><td>bob@example.com<\/td><td>owner/);
    for (const address of [OWNER, BOB]) {
      const { mail } = await desk.arrival('notice', address);
      expect(mail.subject).toBe(`A passkey lets ${BOB} into the console`);
      expect(mail.text).toContain('“Bob’s telephone”');
    }
    const browser = desk.outside();
    expect((await browser.get('/session')).text).toContain('Log in with a passkey');
    const came = await comeIn(browser, device);
    expect(came).toMatchObject({ status: 303, headers: { location: '/' } });
    const set = [came.headers['set-cookie'] ?? []].flat().find((one) => one.startsWith('__Host-epistle='));
    expect(set).toMatch(/; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800; Secure$/);
    expect((await browser.get('/')).text).toContain(BOB);
    expect((await desk.audit()).slice(0, 3)).toMatchObject([
      { event: 'console_log_in', actor: BOB, decision: 'owner', detail: { by: 'passkey' } },
      { event: 'console_passkey_added', actor: BOB, detail: { address: BOB, name: 'Bob’s telephone' } },
      { event: 'console_log_in', actor: BOB, detail: { by: 'link' } },
    ]);
    // It is fresh: it adds another one, and takes it away again.
    expect((await added(browser, makeAuthenticator(PUBLIC), {}, 'Key')).status).toBe(303);
    const { text } = await browser.get('/passkeys');
    const ids = [...text.matchAll(/name="id" value="([^"]+)"/g)].map(([, id = '']) => id);
    const form = fieldIn(text, 'form');
    expect((await browser.post('/passkeys/remove', { form, id: ids[1] ?? '' })).status).toBe(303);
    expect((await browser.get('/passkeys')).text).not.toContain('>Key<');
    await desk.arrival('notice', OWNER, 3);
    const subjects = (await desk.left('notice', OWNER)).map(({ mail }) => mail.subject);
    expect(subjects).toContain(`A passkey of ${BOB} was taken away`);
    // And it is used again and again, as it counts on.
    expect((await comeIn(desk.outside(), device)).status).toBe(303);
  });

  it('is as good as a link for five minutes and no longer', async () => {
    const device = makeAuthenticator(PUBLIC);
    expect((await added(await desk.inside(), device)).status).toBe(303);
    const browser = desk.outside();
    expect((await comeIn(browser, device)).status).toBe(303);
    const later = new Date(Date.now() + 6 * 60_000).toISOString();
    await desk.restart({ NODE_ENV: 'test', EPISTLE_TEST_NOW: later });
    const after = outsideOf(desk.url(), PUBLIC.origin);
    for (const [name, value] of browser.cookies) after.cookies.set(name, value);
    const { text } = await after.get('/passkeys');
    expect(text).toContain('Telephone');
    const refused = await added(after, makeAuthenticator(PUBLIC));
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('log in with a passkey');
    // Of itself it lets in anew, which is fresh again.
    expect((await comeIn(after, device)).status).toBe(303);
    expect((await added(after, makeAuthenticator(PUBLIC))).status).toBe(303);
    await desk.restart({});
  });

  it('keeps the role of the session that made it, is seen by its owner and those of the gateway, and is taken away by a command', async () => {
    const operator = await desk.inside('--as', EVE, '--role', 'operator');
    const device = makeAuthenticator(PUBLIC);
    expect((await added(operator, device, {}, 'Eve’s')).status).toBe(303);
    const browser = desk.outside();
    expect((await comeIn(browser, device)).status).toBe(303);
    const { text } = await browser.get('/passkeys');
    expect(text).toContain('<td>operator</td>');
    expect(text).not.toContain(BOB);
    const { text: all } = await (await desk.inside()).get('/passkeys');
    for (const one of [BOB, EVE]) expect(all).toContain(`<td>${one}</td>`);
    const listed = (await desk.cli('passkeys', 'list')).json.passkeys;
    const own = listed.find(({ address }: { address: string }) => address === EVE);
    expect(own).toMatchObject({ role: 'operator', host: PUBLIC.rpId, name: 'Eve’s' });
    expect(JSON.stringify(listed)).not.toContain(device.credentialId);
    expect((await desk.cli('passkeys', 'remove', own.id.slice(-8))).json.passkey.id).toBe(own.id);
    expect((await desk.cli('passkeys', 'remove', own.id)).code).toBe(1);
    // Whoever came in by it is out, and it lets nobody in any more.
    expect((await browser.get('/')).status).toBe(401);
    expect((await comeIn(desk.outside(), device)).status).toBe(401);
    const rows = (await desk.audit()).filter(({ actor }) => actor === 'cli').map(({ event }) => event);
    expect(rows.toSorted()).toEqual(['console_passkey_removed', 'console_session_ended']);
    await desk.arrival('notice', EVE, 2);
    const told = (await desk.left('notice', EVE)).map(({ mail }) => mail.text ?? '');
    expect(told.some((text) => text.includes(`a command took a passkey of ${EVE} away`))).toBe(true);
  });
});

describe('nobody adds a passkey', () => {
  let desk: Desk;
  let owner: Outside;
  beforeAll(async () => {
    desk = await openDesk();
    owner = await desk.inside();
  }, 120_000);
  const kept = () => readDatabase(desk.root, 'select id from console_passkeys');

  it('with an answer that is not of this page, this question, this device and this session', async () => {
    const wrongs: readonly Wrong[] = [
      { origin: 'https://evil.example' },
      { origin: 'http://epistle.example.com' },
      { origin: 'https://epistle.example.com:444' },
      { origin: 'https://epistle.example.com.evil.example' },
      { rpId: 'example.com' },
      { rpId: 'evil.example' },
      { type: 'webauthn.get' },
      { crossOrigin: true },
      { topOrigin: 'https://evil.example' },
      { challenge: Buffer.alloc(32).toString('base64url') },
      { challenge: '' },
      { isPresent: false },
      { isVerified: false },
      { algorithm: -65_535 },
      { format: 'fido-u2f' },
      { format: 'android-safetynet' },
      { format: 'packed', statement: { x5c: [Buffer.from('x')] } },
      { statement: { sig: Buffer.from('x') } },
    ];
    for (const wrong of wrongs)
      expect([wrong, (await added(owner, makeAuthenticator(PUBLIC), wrong)).status]).toEqual([wrong, 422]);
    const { options, asked, form } = await askedToMake(owner);
    const device = makeAuthenticator(PUBLIC);
    const right = device.create(options);
    const texts = [
      '',
      'null',
      '[]',
      '{}',
      right.slice(0, -3),
      right.replace('public-key', 'password'),
      'x'.repeat(20_000),
      right.replace('"attestationObject":"', '"attestationObject":"AAAA'),
      JSON.stringify({ ...JSON.parse(right), id: 'AAAA' }),
      JSON.stringify({ ...JSON.parse(right), rawId: 'AAAA' }),
    ];
    const post = (credential: string, more: Readonly<Record<string, string>> = {}, by = owner) =>
      by.post('/passkeys/add', { form, asked, name: 'x', credential, ...more });
    for (const text of texts.slice(0, 7))
      expect([text.slice(0, 30), (await post(text)).status]).toEqual([text.slice(0, 30), 422]);
    for (const other of [
      '',
      '0',
      `${asked}0`,
      asked.replace(/^\d+/, '9999999999999'),
      asked.replace(/^\d+/, '1000000000000'),
    ])
      expect([other, (await post(right, { asked: other })).status]).toEqual([other, 422]);
    // Of another session of the same owner it is another question.
    const second = await desk.inside();
    const { form: theirs } = await askedToMake(second);
    expect((await post(right, { form: theirs }, second)).status).toBe(422);
    expect((await post(right, { name: ' \n ' })).status).toBe(422);
    expect(kept()).toEqual([]);
    expect((await post(right)).status).toBe(303);
    expect(kept()).toHaveLength(1);
    // A second time it is answered already, and a device is known once.
    expect((await post(right)).status).toBe(422);
    expect((await added(owner, device)).status).toBe(409);
    expect(kept()).toHaveLength(1);
  });

  it('without a session, without its form, from elsewhere, as one who only looks, or by mail', async () => {
    const before = kept();
    const device = makeAuthenticator(PUBLIC);
    const { options, asked, form } = await askedToMake(owner);
    const given = { asked, name: 'x', credential: device.create(options) };
    expect((await desk.outside().post('/passkeys/add', { ...given, form })).status).toBe(401);
    for (const token of ['', '0'.repeat(32)])
      expect((await owner.post('/passkeys/add', { ...given, form: token })).status).toBe(403);
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: undefined, 'sec-fetch-site': undefined },
      { 'sec-fetch-site': 'same-site' },
      { 'content-type': 'application/json' },
    ])
      expect([headers, (await owner.post('/passkeys/add', { ...given, form }, headers)).status >= 403]).toEqual([
        headers,
        true,
      ]);
    const viewer = await desk.inside('--role', 'viewer');
    const page = await viewer.get('/passkeys');
    expect(page.text).not.toContain('data-options');
    expect((await viewer.post('/passkeys/add', { ...given, form: fieldIn(page.text, 'form') })).status).toBe(403);
    // Under the address of the machine itself, for which it would be none.
    const local = await desk.loggedIn();
    expect((await local.get('/passkeys')).text).not.toContain('data-options');
    expect((await local.press('/passkeys/add', given)).status).toBe(422);
    const bob = await desk.inside('--as', BOB);
    const [{ id }] = before as [{ id: string }];
    expect((await bob.post('/passkeys/remove', { form: (await askedToMake(bob)).form, id })).status).toBe(404);
    expect(kept()).toEqual(before);
  });
});

describe('nobody is let in', () => {
  /** A passkey of Bob, and how often it has let him in. */
  async function ofBob() {
    const desk = await openDesk();
    const device = makeAuthenticator(PUBLIC);
    expect((await added(await desk.inside('--as', BOB), device)).status).toBe(303);
    const isOut = async (browser: Outside, answer: { readonly status: number }) => {
      expect(answer.status).toBe(401);
      expect([...browser.cookies.keys()]).not.toContain('__Host-epistle');
    };
    return { desk, device, isOut };
  }

  it('by an answer of another page, host, kind or question, or of a device that asked nobody', async () => {
    const wrongs: readonly Wrong[] = [
      { origin: 'https://evil.example' },
      { origin: 'https://epistle.example.com:444' },
      { rpId: 'evil.example' },
      { type: 'webauthn.create' },
      { crossOrigin: true },
      { topOrigin: 'https://evil.example' },
      { challenge: Buffer.alloc(32).toString('base64url') },
      { isPresent: false },
      { isVerified: false },
    ];
    const { desk, device, isOut } = await ofBob();
    for (const wrong of wrongs) {
      const browser = desk.outside();
      await isOut(browser, await comeIn(browser, device, wrong));
    }
    const last = desk.outside();
    // And the tenth; from then on none is looked at, not even the right one.
    await isOut(last, await comeIn(last, device, { userHandle: null }));
    expect((await comeIn(last, device)).status).toBe(429);
  });

  it('by one that was copied, played again, or is of another browser or another passkey', async () => {
    const { desk, device, isOut } = await ofBob();
    const [own, other] = [desk.outside(), desk.outside()];
    const answer = device.get(await askedIn(own));
    const cookie = own.cookies.get('__Host-epistle_passkey') ?? '';
    // In a browser that has asked for nothing, for something else, or has made up what it has.
    await isOut(other, await other.post('/session/passkey', { credential: answer }));
    await askedIn(other);
    await isOut(other, await other.post('/session/passkey', { credential: answer }));
    for (const made of ['', '0', cookie.replace(/^\d+/, '9999999999999'), `${cookie}0`]) {
      other.cookies.set('__Host-epistle_passkey', made);
      await isOut(other, await other.post('/session/passkey', { credential: answer }));
    }
    expect((await own.post('/session/passkey', { credential: answer })).status).toBe(303);
    // Once more, with the cookie of before.
    const again = desk.outside();
    again.cookies.set('__Host-epistle_passkey', cookie);
    await isOut(again, await again.post('/session/passkey', { credential: answer }));
    // A copy of the device counts no higher.
    await isOut(again, await comeIn(again, device, { counter: 1 }));
    await isOut(again, await comeIn(again, makeAuthenticator(PUBLIC)));
  });

  it('who owns nothing any more, whose passkey was taken away, or whose text is none', async () => {
    const { desk, device, isOut } = await ofBob();
    const browser = desk.outside();
    // Each of them answers a question of its own.
    const changed = async (change: (answer: { id: string; response: object }) => object) => {
      const credential = JSON.stringify(change(JSON.parse(device.get(await askedIn(browser)))));
      await isOut(browser, await browser.post('/session/passkey', { credential }));
    };
    await changed((one) => ({ ...one, response: { ...one.response, signature: 'MEQCIA' } }));
    await changed((one) => ({ ...one, response: { ...one.response, userHandle: 'AAAA' } }));
    await changed((one) => ({ ...one, id: "' or 1=1 --" }));
    const write = (owners: readonly string[]) =>
      desk.workspace.write('personas/ada/persona.json', { name: 'Ada', address: ADA, owners });
    write([OWNER, EVE]);
    await expect
      .poll(async () => (await comeIn(desk.outside(), device)).status, { timeout: 20_000, interval: 2500 })
      .toBe(401);
    write([OWNER, BOB, EVE]);
    await expect
      .poll(async () => (await comeIn(desk.outside(), device)).status, { timeout: 20_000, interval: 2500 })
      .toBe(303);
    await desk.cli('passkeys', 'remove', 'last');
    const last = desk.outside();
    await isOut(last, await comeIn(last, device));
  });

  it('by a question of a gateway that has started anew', async () => {
    const { desk, device, isOut } = await ofBob();
    const before = desk.outside();
    const credential = device.get(await askedIn(before));
    await desk.restart({});
    const after = outsideOf(desk.url(), PUBLIC.origin);
    for (const [name, value] of before.cookies) after.cookies.set(name, value);
    await isOut(after, await after.post('/session/passkey', { credential }));
    expect((await comeIn(after, device)).status).toBe(303);
  });

  it('from elsewhere, under another name, or where the console has no name under https', async () => {
    const { desk, device } = await ofBob();
    const browser = desk.outside();
    const credential = device.get(await askedIn(browser));
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: undefined, 'sec-fetch-site': undefined },
      { 'sec-fetch-site': 'same-site' },
      { 'content-type': 'text/plain' },
      { host: 'evil.example' },
    ])
      for (const path of ['/session/passkey', '/session/passkey/ask'])
        expect([path, headers, (await browser.post(path, { credential }, headers)).status >= 403]).toEqual([
          path,
          headers,
          true,
        ]);
    for (const path of ['/session/passkey', '/session/passkey/ask']) expect((await browser.get(path)).status).toBe(401);
    const local = browserAt(desk.url());
    expect((await local.send('/session/passkey/ask', { method: 'POST', form: {} })).status).toBe(404);
    expect((await local.send('/session/passkey', { method: 'POST', form: { credential } })).status).toBe(404);
    expect((await local.get('/session')).text).toContain(`href="${PUBLIC.origin}/session"`);
    const plain = await openConsole();
    open.push(() => plain.close());
    const there = await plain.loggedIn();
    expect((await there.get('/')).text).not.toContain('href="/passkeys"');
    expect((await there.get('/passkeys')).text).toContain('console.public_url');
    expect((await there.press('/passkeys/add', { name: 'x', credential })).status).toBe(409);
    expect((await there.send('/session/passkey/ask', { method: 'POST', form: {} })).status).toBe(404);
  });
});
