import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { browserAt, openConsole } from './console-rig.ts';
import { OWNER } from './governance-rig.ts';

const BOB = 'bob@example.com';
let office: Awaited<ReturnType<typeof openConsole>>;
beforeAll(async () => {
  office = await openConsole({
    'personas/ada/persona.json': { name: 'Ada', address: 'ada@agents.localhost', owners: [OWNER, BOB] },
  });
}, 120_000);
afterAll(() => office.close());

const cells = (text: string): readonly string[] =>
  [...text.matchAll(/<tr data-entry>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    row
      .replace(/<form.*?<\/form>/gs, '')
      .replace(/<time[^>]*>.*?<\/time>/g, '')
      .replace(/<[^>]+>/g, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );

describe('who came into the console', () => {
  it('is shown to owners of the gateway in words, who put somebody out of every browser in their own name', async () => {
    const owner = await office.loggedIn();
    const [first, second] = [
      await office.loggedIn('--as', BOB, '--role', 'operator'),
      await office.loggedIn('--as', BOB),
    ];
    const waiting = await office.link('--as', BOB);
    const { text, status } = await owner.get('/log-ins');
    expect(status).toBe(200);
    expect(text).toContain('Logged in now');
    expect(cells(text)).toEqual([
      `${BOB} owner since seen`,
      `${BOB} operator since seen`,
      `${OWNER} owner since seen`,
      `${BOB} came into the console: owner themselves`,
      `${BOB} came into the console: operator themselves`,
      `${OWNER} came into the console: owner themselves`,
    ]);
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(text).not.toContain(owner.cookie().split('=')[1]);
    expect(await owner.press('/log-ins/end', { address: BOB })).toMatchObject({ status: 303 });
    for (const browser of [first, second]) expect((await browser.get('/')).status).toBe(401);
    expect((await browserAt(office.url()).open(waiting)).status).toBe(401);
    expect((await owner.press('/log-ins/end', { address: BOB })).status).toBe(409);
    expect((await owner.press('/log-ins/end')).status).toBe(422);
    const after = cells((await owner.get('/log-ins')).text);
    expect(after.filter((row) => row.includes('ended'))).toEqual(
      Array(2).fill(`${BOB} a session of the console ended ${OWNER}`),
    );
    const { json } = await office.cli('audit', '--limit', '2');
    expect(json.audit).toMatchObject(
      Array(2).fill({ event: 'console_session_ended', actor: OWNER, detail: { address: BOB } }),
    );
  });

  it('is nothing for an owner of a persona alone, and not to be ended by who only looks or decides', async () => {
    const bob = await office.loggedIn('--as', BOB);
    const [viewer, operator] = [await office.loggedIn('--role', 'viewer'), await office.loggedIn('--role', 'operator')];
    expect((await bob.get('/')).text).not.toContain('/log-ins');
    expect((await bob.get('/log-ins')).status).toBe(404);
    expect((await bob.press('/log-ins/end', { address: OWNER })).status).toBe(404);
    for (const browser of [viewer, operator]) {
      expect((await browser.get('/log-ins')).text).not.toContain('Put out');
      expect((await browser.press('/log-ins/end', { address: BOB })).status).toBe(403);
    }
    expect((await viewer.send('/log-ins/end', { method: 'POST', form: { address: BOB } })).status).toBe(403);
    expect((await bob.get('/')).status).toBe(200);
  });
});
