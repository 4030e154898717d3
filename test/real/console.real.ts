import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openConsole } from '../flow/console-rig.ts';
import { CARL, mailTo } from '../flow/governance-rig.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };
/** 1280 at four times its size. */
const ZOOMED = { width: 320, height: 256 };
const PLACE = { locale: 'en-GB', timezoneId: 'Europe/Berlin' } as const;

const pictures = inject('consolePictures');
let office: Awaited<ReturnType<typeof openConsole>>;
let browser: Browser;
let paths: readonly string[];

beforeAll(async () => {
  if (pictures !== '') mkdirSync(pictures, { recursive: true });
  office = await openConsole({
    'personas/ada/persona.json': {
      name: 'Ada',
      address: 'ada@agents.localhost',
      access: { allow: ['*@member.example'] },
      budget: { usd_per_day: 2 },
    },
    'personas/ada/tasks/week.md': '---\nschedule: "0 8 * * 1"\n---\nTell the owner what is planned for the week.\n',
  });
  await office.ask(
    mailTo(CARL, 'Offer for the roof of the old mill, with all three variants', {
      body: 'Dear Carl,\n\nhere is what we can do.\n\nAda',
    }),
  );
  await office.ask('/write_file {"path":"old.txt","content":"kept"}');
  await office.ask('/delete_file {"path":"old.txt"}');
  await office
    .post({ from: 'eve@evil.example', subject: '<img src=x onerror=alert(1)> <script>alert(2)</script>', text: 'Hi' })
    .catch(() => {});
  const { json } = await office.cli('approvals', 'list');
  paths = ['/', '/approvals', `/approvals/${json.approvals[0].persona}/${json.approvals[0].id}`, '/nowhere'];
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser.close();
  await office.close();
});

/** A page of a browser in which the owner came in by a link, and what it complained of. */
async function opened(options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ ...PLACE, viewport: WIDE, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    const said = ['error', 'warning'].includes(message.type());
    if (said) complaints.push(`${message.text()} at ${message.location().url.replace(office.url(), '')}`);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(office.url())) complaints.push(`asked for ${request.url()}`);
  });
  return { context, page, complaints };
}

/** What the browser says of an answer of ours. */
const failedLoad = (status: string, path: string): string =>
  `Failed to load resource: the server responded with a status of ${status} at ${path}`;

async function loggedIn(options: BrowserContextOptions = {}) {
  const made = await opened(options);
  await made.page.goto(await office.link());
  await made.page.waitForURL(`${office.url()}/`);
  return made;
}

async function violationsOf(page: Page): Promise<string[]> {
  // The policy of the page lets no script in but its own; what the debugger evaluates is not the page's.
  await page.evaluate(AXE);
  const found = await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ' ' + html)))`,
  );
  return found as string[];
}

async function picture(page: Page, name: string): Promise<void> {
  if (pictures !== '') await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
}
const nameOf = (path: string): string =>
  path === '/' ? 'today' : path.split('/').length > 3 ? 'question' : path.slice(1);
const scrollsSideways = (page: Page) =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth') as Promise<boolean>;

describe('the console in Chromium', () => {
  it.each([
    ['wide-light', { viewport: WIDE, colorScheme: 'light' }],
    ['wide-dark', { viewport: WIDE, colorScheme: 'dark' }],
    ['narrow-light', { viewport: NARROW, colorScheme: 'light' }],
    ['narrow-dark', { viewport: NARROW, colorScheme: 'dark' }],
    ['zoomed', { viewport: ZOOMED, colorScheme: 'light' }],
    ['forced', { viewport: WIDE, forcedColors: 'active' }],
  ] as const)('%s: every page is read by everybody, and complains of nothing', async (name, options) => {
    const { context, page, complaints } = await loggedIn(options);
    for (const path of paths) {
      const answered = await page.goto(`${office.url()}${path}`);
      expect([path, answered?.status()]).toEqual([path, path === '/nowhere' ? 404 : 200]);
      await picture(page, `${nameOf(path)}-${name}`);
      expect([path, await violationsOf(page)]).toEqual([path, []]);
      expect([path, await scrollsSideways(page)]).toEqual([path, false]);
    }
    // Nothing but that there is no such page.
    expect(complaints).toEqual([failedLoad('404 (Not Found)', '/nowhere')]);
    await context.close();
  });

  it('lets somebody in without script, who decides and takes it back there', async () => {
    const { context, page, complaints } = await opened({ javaScriptEnabled: false });
    await page.goto(office.url());
    await picture(page, 'log-in-without-script');
    expect(
      await page
        .locator('.only-script')
        .first()
        .isVisible()
        .catch(() => false),
    ).toBe(false);
    const link = await office.link();
    await page.fill('#code', new URL(link).hash.slice(1));
    await page.click('button');
    await page.waitForURL(`${office.url()}/`);
    await page.goto(`${office.url()}/approvals`);
    const questions = await page.locator('article').count();
    expect(questions).toBe(2);
    await page.locator('[data-deed="deny"]').first().click();
    await page.locator('.coming').waitFor();
    await picture(page, 'taken-back-without-script');
    await page.click('[data-deed="back"]');
    expect(await page.locator('.coming').count()).toBe(0);
    // Nothing but that nobody was let in yet.
    expect(complaints).toEqual([failedLoad('401 (Unauthorized)', '/')]);
    await context.close();
  });

  it('is worked with the keyboard alone, and with none of its keys where they are off or somebody types', async () => {
    const { context, page, complaints } = await loggedIn();
    const at = () => new URL(page.url()).pathname;
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.waitForURL('**/approvals');
    await page.keyboard.press('j');
    await page.keyboard.press('o');
    await page.waitForURL('**/approvals/ada/*');
    await page.keyboard.press('e');
    await page.keyboard.type('gu?');
    const typed = page.locator('textarea:focus');
    expect(await typed.inputValue()).toBe('gu?');
    await typed.fill('');
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    expect(await page.locator('#keys').isVisible()).toBe(true);
    await picture(page, 'keys');
    expect(await violationsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.locator('#keys').waitFor({ state: 'hidden' });
    await page.keyboard.press('d');
    await page.locator('.coming').waitFor();
    await picture(page, 'coming');
    await page.keyboard.press('Escape');
    await page.locator('.coming').waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await page.locator('[data-does="keys"]').uncheck();
    await page.keyboard.press('Escape');
    const before = at();
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.reload();
    expect(at()).toBe(before);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('takes up what changes by itself, in the place where somebody reads', async () => {
    const { context, page, complaints } = await loggedIn();
    await page.goto(`${office.url()}/approvals`);
    await page.locator('article').first().waitFor();
    const before = await page.locator('article').count();
    await office.ask(mailTo(CARL, 'One more thing'));
    await page.locator('article').nth(before).waitFor();
    await picture(page, 'live');
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('takes up on the page of one mail that it was answered, and leaves open what somebody has opened', async () => {
    await office.cli('persona', 'pause', 'ada');
    await office.post({ subject: 'Hours', text: 'When are you open?' });
    const { context, page, complaints } = await loggedIn();
    await page.goto(`${office.url()}/mail`);
    await page.getByRole('link', { name: 'Hours', exact: true }).click();
    const fate = page.locator('.card .pill').first();
    await page.getByText('Headers').click();
    expect(await fate.textContent()).toBe('waits');
    await office.cli('persona', 'resume', 'ada');
    await expect.poll(() => fate.textContent(), { timeout: 30_000 }).toBe('answered');
    expect(await page.locator('details').first().getAttribute('open')).not.toBeNull();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it('changes nothing under somebody who has typed into a form and looks elsewhere', async () => {
    const { context, page } = await loggedIn();
    await page.goto(`${office.url()}/costs`);
    let looks = 0;
    page.on('request', (request) => {
      if (request.headers()['x-live'] === '1') looks += 1;
    });
    const amount = page.locator('#budget ~ form input[name="usd"]');
    await amount.fill('2.50');
    await page.locator('main h1').click();
    await office.ask('Hello');
    expect([await amount.inputValue(), looks]).toEqual(['2.50', 0]);
    await amount.fill('');
    await page.locator('main h1').click();
    await expect.poll(() => looks, { timeout: 30_000 }).toBeGreaterThan(0);
    await context.close();
  });
});
