import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium } from 'playwright-core';
import { openRecords } from '../../test/corpus/console/office.ts';
import records from '../../test/corpus/console/records.json' with { type: 'json' };

interface Picture {
  readonly name: string;
  readonly path: string;
  /** What is followed from there. */
  readonly follow?: string;
  readonly phone?: true;
}

const PICTURES: readonly Picture[] = [
  { name: 'today', path: '/' },
  { name: 'mail', path: '/mail' },
  { name: 'one-mail', path: '/mail?q=Running', follow: 'Running late' },
  { name: 'approvals', path: '/approvals' },
  { name: 'one-run', path: '/runs', follow: 'Offer to Vale Homes' },
  { name: 'personas', path: '/personas/ada' },
  { name: 'tasks', path: '/tasks' },
  { name: 'people', path: '/people' },
  { name: 'costs', path: '/costs' },
  { name: 'settings', path: '/settings' },
  { name: 'system', path: '/system' },
  { name: 'today-phone', path: '/', phone: true },
  { name: 'approvals-phone', path: '/approvals', phone: true },
  { name: 'mail-phone', path: '/mail', phone: true },
];

const WIDE = { viewport: { width: 1280, height: 900 }, colorScheme: 'light' } as const;
const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' } as const;

/** Takes each picture into the folder; the names of their files. */
export async function writePictures(folder: string): Promise<readonly string[]> {
  // Pages say times by the clock of the machine of the gateway.
  process.env.TZ = records.time_zone;
  const office = await openRecords();
  const browser = await chromium.launch({
    env: { ...process.env, LANGUAGE: 'en_GB', LANG: 'en_GB.UTF-8' } as Readonly<Record<string, string>>,
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--lang=en-GB', '--force-color-profile=srgb', '--font-render-hinting=none'],
  });
  try {
    for (const picture of PICTURES) await take(browser, office, { picture, folder });
  } finally {
    await browser.close();
    await office.close();
  }
  return PICTURES.map(fileOf);
}

const fileOf = ({ name }: Picture): string => `${name}.webp`;

async function take(
  browser: Browser,
  office: { readonly url: string; link(): Promise<string> },
  { picture, folder }: { readonly picture: Picture; readonly folder: string },
): Promise<void> {
  const look: BrowserContextOptions = { ...(picture.phone ? PHONE : WIDE), locale: 'en-GB', reducedMotion: 'reduce' };
  const context = await browser.newContext(look);
  const page = await context.newPage();
  await page.goto(await office.link());
  await page.waitForSelector('nav');
  await page.goto(office.url + picture.path);
  if (picture.follow !== undefined) await page.click(`main a:has-text("${picture.follow}")`);
  await page.waitForLoadState('load');
  // A page that was loaded may not have been painted yet, and nothing can be taken of it until then.
  await page.evaluate('new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))');
  // Of the formats that browsers show the smallest, which Playwright itself does not write.
  const session = await context.newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 });
  writeFileSync(join(folder, fileOf(picture)), Buffer.from(data, 'base64'));
  await context.close();
}
