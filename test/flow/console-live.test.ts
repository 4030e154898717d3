import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest } from './at-rest.ts';
import { type Browser, browserAt, openConsole } from './console-rig.ts';
import { CARL, mailTo } from './governance-rig.ts';

let office: Awaited<ReturnType<typeof openConsole>>;
beforeAll(async () => {
  office = await openConsole({
    'personas/ben/persona.json': { name: 'Ben', address: 'ben@agents.localhost', owners: ['bob@example.com'] },
  });
});
afterAll(() => office.close());

/** A tab that listens; `text` is all that it has heard. */
function listening(browser: Browser, since = '') {
  const heard = { text: '', status: 0, response: undefined as IncomingMessage | undefined };
  const ended = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const asked = get(`${office.url()}/events?since=${since}`, {
    headers: { cookie: browser.cookie(), 'sec-fetch-site': 'same-origin' },
    agent: false,
  });
  asked.on('response', (response) => {
    Object.assign(heard, { response, status: response.statusCode });
    response.setEncoding('utf8').on('data', (part: string) => {
      heard.text += part;
      begun.resolve();
    });
    response.on('close', () => ended.resolve());
  });
  asked.on('error', () => ended.resolve());
  return { heard, ended: ended.promise, begun: begun.promise, leave: () => asked.destroy() };
}

describe('a tab that listens', () => {
  it('hears after the commit that something of its viewer has changed, and no word of it', async () => {
    const [owner, bob] = [await office.loggedIn(), await office.loggedIn('--as', 'bob@example.com')];
    const [ada, ben] = [listening(owner), listening(bob)];
    await Promise.all([ada.begun, ben.begun]);
    await office.ask(mailTo(CARL, 'A secret offer'));
    await expect.poll(() => ada.heard.text, { timeout: 20_000 }).toContain('"persona ada"');
    expect(ada.heard.text).toContain('event: changed');
    expect(ada.heard.text).not.toMatch(/secret|carl|example/);
    expect(ben.heard.text).not.toContain('ada');
    // A page that was made before it hears of it at once.
    const late = listening(owner, 'before');
    await expect.poll(() => late.heard.text, { timeout: 20_000 }).toContain('"all"');
    for (const one of [ada, ben, late]) {
      one.leave();
      await one.ended;
    }
  });

  it('hears of what a command beside the gateway has changed', async () => {
    const owner = await office.loggedIn();
    await office.ask('Hello');
    await atRest(office.root);
    const tab = listening(owner, 'x');
    await expect.poll(() => tab.heard.text, { timeout: 20_000 }).toContain('"all"');
    // The gateway itself has nothing to do for it.
    expect(await office.cli('threads', 'private', 'last')).toMatchObject({ code: 0 });
    await expect.poll(() => tab.heard.text, { timeout: 20_000 }).toContain('"persona ada"');
    tab.leave();
    await tab.ended;
  });

  it('is ended when its session is, and is answered to nobody else', async () => {
    const owner = await office.loggedIn();
    const tab = listening(owner);
    await tab.begun;
    await owner.press('/session/end');
    await office.ask(mailTo(CARL, 'Another offer'));
    await tab.ended;
    expect(tab.heard.text).not.toContain('"persona ada"');
    const nobody = listening(browserAt(office.url()));
    await nobody.ended;
    expect(nobody.heard.status).toBe(401);
  });

  it('outlasts what the door gives others: more than its fifteen seconds without a byte', async () => {
    const owner = await office.loggedIn();
    const tab = listening(owner, 'x');
    await tab.begun;
    const before = Date.now();
    await expect.poll(() => tab.heard.text.includes(': \n\n'), { timeout: 40_000, interval: 500 }).toBe(true);
    expect(Date.now() - before).toBeGreaterThan(10_000);
    await office.ask(mailTo(CARL, 'A third offer'));
    await expect.poll(() => tab.heard.text, { timeout: 20_000 }).toContain('"persona ada"');
    tab.leave();
    await tab.ended;
  });
});
