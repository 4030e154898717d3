import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserAt, openConsole } from './console-rig.ts';
import { OWNER } from './governance-rig.ts';

let office: Awaited<ReturnType<typeof openConsole>>;
beforeAll(async () => {
  office = await openConsole({
    'personas/ada/persona.json': { name: 'Ada', address: 'ada@agents.localhost', budget: { usd_per_day: 2 } },
    'personas/ben/persona.json': {
      name: 'Ben',
      address: 'ben@agents.localhost',
      owners: ['bob@example.com'],
      budget: { usd_per_day: 3 },
    },
  });
});
afterAll(() => office.close());

describe('a link of `epistle console`', () => {
  it('lets its owner in once, with a cookie that no script reads and no other site brings along', async () => {
    const link = await office.link();
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/session#[0-9a-z]{6}(-[0-9a-z]{2,6}){4}$/);
    const browser = browserAt(office.url());
    const came = await browser.open(link);
    expect(came).toMatchObject({ status: 303, headers: { location: '/' } });
    const { port } = new URL(office.url());
    expect(String(came.headers['set-cookie'])).toMatch(
      new RegExp(`^epistle_${port}=[0-9a-f]{64}; Path=/; HttpOnly; SameSite=Strict; Max-Age=604800$`),
    );
    const today = await browser.get('/');
    expect(today).toMatchObject({ status: 200 });
    expect(today.text).toContain(OWNER);
    expect(today.headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");

    const second = await browserAt(office.url()).open(link);
    expect(second.status).toBe(401);
    expect(second.text).toContain('was used before');
    expect(await browserAt(office.url()).get('/')).toMatchObject({ status: 401 });
  });

  it('shows somebody the personas that are theirs', async () => {
    const bob = await office.loggedIn('--as', 'bob@example.com', '--role', 'viewer');
    const { text } = await bob.get('/');
    expect(text).toContain('Ben <span class="soft">$0.00 of $3.00');
    expect(text).not.toContain('Ada');
    expect((await (await office.loggedIn()).get('/')).text).toContain('Ada <span class="soft">$0.00 of $2.00');
    const told = await office.cli('console', '--as', 'eve@example.com');
    expect(told.code).not.toBe(0);
  });

  it('is followed by a session that ends by the button, by the command, or with the owner', async () => {
    const [first, second] = [await office.loggedIn(), await office.loggedIn()];
    expect(await first.press('/session/end')).toMatchObject({ status: 303 });
    expect(await first.get('/')).toMatchObject({ status: 401 });
    expect(await second.get('/')).toMatchObject({ status: 200 });
    const waiting = await office.link();
    const { json } = await office.cli('console', '--log-out');
    expect(json.ended).toBeGreaterThan(0);
    expect(await second.get('/')).toMatchObject({ status: 401 });
    expect(await browserAt(office.url()).open(waiting)).toMatchObject({ status: 401 });
    const { json: listed } = await office.cli('console', '--sessions');
    expect(JSON.stringify(listed)).not.toContain(second.cookie().split('=')[1]);
    expect(listed.sessions[0]).toMatchObject({ address: OWNER, role: 'owner', over: true });
  });
});

describe('the first visit', () => {
  it('of each screen brings 60 kB at most, as nothing is packed, and what is known by its edition is not asked for again', async () => {
    const owner = await office.loggedIn();
    const { text: today } = await owner.get('/');
    const screens = [...today.matchAll(/<li><a href="([^"]+)" data-key/g)].map(([, path = '']) => path);
    expect(screens.length).toBeGreaterThan(10);
    for (const screen of screens) {
      const { text } = await owner.get(screen);
      const files = [...text.matchAll(/(?:src|href)="(\/static\/[^"]+)"/g)].map(([, path = '']) => path);
      expect(files).toHaveLength(3);
      // What takes up changes comes with the first change.
      expect(text).toMatch(/data-htmx="\/static\/htmx\.js\?[0-9a-f]{12}"/);
      let bytes = Buffer.byteLength(text);
      for (const path of files) {
        const { status, headers, text: body } = await owner.send(path);
        expect([path, status]).toEqual([path, 200]);
        if (path.includes('?')) expect(headers['cache-control']).toContain('immutable');
        bytes += Buffer.byteLength(body);
      }
      expect(bytes, screen).toBeLessThanOrEqual(60_000);
      expect(bytes, screen).toBeGreaterThan(20_000);
    }
  });
});

interface Row {
  readonly event: string;
  readonly actor: string;
  readonly persona: string | null;
  readonly detail: { readonly address?: string };
}

describe('who came and went', () => {
  const audit = async (...args: string[]): Promise<Row[]> => (await office.cli('audit', ...args)).json.audit;

  it('stands in `audit` beside what personas did, page by page, and not among what one of them did', async () => {
    const bob = await office.loggedIn('--as', 'bob@example.com', '--role', 'viewer');
    await bob.press('/session/end');
    const second = await office.loggedIn();
    await second.open(await office.link());
    await office.cli('console', '--log-out', '--as', OWNER);
    // Within one millisecond, as when one link takes the place of another, no order is promised.
    const newest = (await audit('--limit', '6')).map(({ event, actor, persona, detail }) => [
      event,
      actor,
      detail.address,
      persona,
    ]);
    expect(new Set(newest)).toEqual(
      new Set([
        ['console_session_ended', 'cli', OWNER, null],
        ['console_session_ended', OWNER, OWNER, null],
        ['console_log_in', OWNER, OWNER, null],
        ['console_log_in', OWNER, OWNER, null],
        ['console_log_out', 'bob@example.com', 'bob@example.com', null],
        ['console_log_in', 'bob@example.com', 'bob@example.com', null],
      ]),
    );
    await office.post({ from: 'eve@evil.example', subject: 'x', text: 'x' }).catch(() => {});
    const all = await audit('--limit', '100');
    const pages: Row[] = [];
    for (let after: string | null = ''; after !== null; ) {
      const { json } = await office.cli('audit', '--limit', '2', ...(after === '' ? [] : ['--after', after]));
      pages.push(...json.audit);
      after = json.next;
    }
    expect(pages).toEqual(all);
    expect((await audit('--persona', 'ada')).filter(({ event }) => event.startsWith('console_'))).toEqual([]);
  });

  it('tells that wrong codes are not looked at any more, once, and holds none of them', async () => {
    const other = browserAt(office.url());
    const code = new URL(await office.link()).hash.slice(1);
    const tries = Array.from({ length: 12 }, () => other.send('/session', { method: 'POST', form: { code: 'guess' } }));
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([401, 429]));
    expect((await other.send('/session', { method: 'POST', form: { code } })).status).toBe(429);
    const refused = (await audit('--limit', '100')).filter(({ event }) => event === 'console_log_in_refused');
    expect(refused).toMatchObject([{ actor: 'unproven', decision: 'too_many', detail: { peer: '127.0.0.1' } }]);
    expect(JSON.stringify(refused)).not.toContain('guess');
  });
});
