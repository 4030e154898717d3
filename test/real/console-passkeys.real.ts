import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openConsole } from '../flow/console-rig.ts';
import { OWNER } from '../flow/governance-rig.ts';

// A passkey of a device that Chromium makes up. EPISTLE_PICTURES names a folder for pictures of its pages.

const PICTURES = process.env.EPISTLE_PICTURES;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

let office: Awaited<ReturnType<typeof openConsole>>;
let browser: Browser;
let origin = '';
beforeAll(async () => {
  const port = await freePort();
  origin = `http://localhost:${port}`;
  office = await openConsole({
    'configs/system.json': { console: { enabled: true, screens: true, port, public_url: origin } },
  });
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await office?.close();
});

it('a passkey is added and lets in, in a real browser', async () => {
  const context = await browser.newContext({ viewport: { width: 390, height: 800 } });
  const page = await context.newPage();
  const errors: string[] = [];
  // Whoever is logged out is answered with 401, of which Chromium tells.
  page.on('console', (one) => one.type() === 'error' && !one.text().includes('401') && errors.push(one.text()));
  const seen = async (what: string): Promise<void> => {
    if (PICTURES !== undefined) {
      mkdirSync(PICTURES, { recursive: true });
      await page.screenshot({ path: join(PICTURES, `passkeys-${what}.png`), fullPage: true });
    }
    await page.evaluate(AXE);
    const { violations } = await page.evaluate<{ violations: readonly { id: string }[] }>(
      "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })",
    );
    expect([what, violations.map(({ id }) => id)]).toEqual([what, []]);
    const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect([what, await page.evaluate<number>(wide)]).toEqual([what, 0]);
  };
  const device = await context.newCDPSession(page);
  await device.send('WebAuthn.enable');
  await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  await page.goto(await office.link());
  await page.waitForSelector('nav');
  await page.click('nav >> text=Passkeys');
  await page.waitForURL('**/passkeys');
  await seen('none');
  await page.fill('#name', 'Test device');
  await page.click('text=Add a passkey of this device');
  await page.waitForSelector('td:has-text("Test device")');
  await seen('one');
  // The device has one already: the browser says so, and nothing is sent.
  await page.fill('#name', 'Again');
  await page.click('text=Add a passkey of this device');
  await page.waitForSelector('[role="status"]:has-text("has a passkey for the console already")');
  await page.click('text=Log out');
  await page.waitForSelector('text=Log in with a passkey');
  await seen('log-in');
  expect(await page.locator('nav').count()).toBe(0);
  await page.click('text=Log in with a passkey');
  await page.waitForSelector('nav');
  expect(await page.textContent('.who')).toContain(OWNER);
  await page.goto(`${origin}/passkeys`);
  await page.click('button:has-text("Take away")');
  await page.waitForSelector('text=There is none yet.');
  // The device still has it, and answers.
  await page.goto(`${origin}/session`);
  expect(await page.locator('text=Log in with a passkey').count()).toBe(0);
  expect(errors).toEqual([]);
  await context.close();
}, 60_000);
