import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMailed } from '../flow/console-rig.ts';
import { ADA } from '../flow/governance-rig.ts';

// Logging in by mail in a real browser. EPISTLE_PICTURES names a folder for pictures of its pages.

const PICTURES = process.env.EPISTLE_PICTURES;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const OWNERS = ['one', 'two', 'three'].map((name) => `${name}@example.com`);

let office: Awaited<ReturnType<typeof openMailed>>;
let browser: Browser;
beforeAll(async () => {
  office = await openMailed({ 'personas/ada/persona.json': { name: 'Ada', address: ADA, owners: OWNERS } });
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser?.close();
  await office?.close();
});

const violations = async (page: Page): Promise<readonly string[]> => {
  await page.evaluate(AXE);
  const found = await page.evaluate<{ readonly violations: readonly { readonly id: string }[] }>(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })",
  );
  return found.violations.map(({ id }) => id);
};

let asked = 0;

describe.each([
  ['wide', { width: 1280, scheme: 'light', script: true }],
  ['narrow', { width: 390, scheme: 'dark', script: true }],
  ['without script', { width: 390, scheme: 'light', script: false }],
] as const)('a log-in by mail: %s', (name, { width, scheme, script }) => {
  it('is asked for, opened and pressed in one browser, and is worth nothing in another', async () => {
    const look = { viewport: { width, height: 800 }, colorScheme: scheme, javaScriptEnabled: script } as const;
    const [own, other] = await Promise.all([browser.newContext(look), browser.newContext(look)]);
    const page = await own.newPage();
    const errors: string[] = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    const seen = async (what: string): Promise<void> => {
      if (PICTURES !== undefined) {
        mkdirSync(PICTURES, { recursive: true });
        await page.screenshot({ path: join(PICTURES, `by-mail-${name}-${what}.png`), fullPage: true });
      }
      if (!script) return;
      expect(await violations(page)).toEqual([]);
      expect(
        await page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
      ).toBeLessThanOrEqual(0);
    };
    await page.goto(`${office.url()}/session`);
    await seen('ask');
    await page.fill('#address', OWNERS[asked] ?? '');
    await page.click('text=Mail me a link');
    await page.waitForURL('**/session/mail');
    await seen('asked');
    asked += 1;
    const link = await office.mailed(asked);
    const code = new URL(link).hash.slice(1);

    const elsewhere = await other.newPage();
    await elsewhere.goto(link);
    if (!script) await elsewhere.fill('#code', code);
    await elsewhere.click('text=Log in');
    await elsewhere.waitForSelector('[role="alert"]');
    expect(await elsewhere.textContent('[role="alert"]')).toContain('only in the browser in which it was asked for');

    // Followed from a mail that lies on a page of somebody else: the cookie does not come along before a person presses.
    await page.goto('about:blank');
    await page.goto(link);
    if (script) {
      expect([await page.inputValue('#code'), new URL(page.url()).hash]).toEqual([code, '']);
      await seen('opened');
    } else await page.fill('#code', code);
    expect(await page.locator('nav').count()).toBe(0);
    await page.click('text=Log in');
    await page.waitForSelector('nav');
    expect(errors).toEqual([]);
    await Promise.all([own.close(), other.close()]);
  });
});
