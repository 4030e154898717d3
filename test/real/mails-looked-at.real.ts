import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { writeLogInMail } from '../../engine/delivery/notices/log-in-mail.ts';
import type { Spoken } from '../engine/mails/kind.ts';
import { composed, KINDS } from '../engine/mails/kinds.ts';
import { partsOf } from '../engine/mails/parts.ts';

// Each kind of mail as a program shows it: on a phone and beside a list, on white and on black. EPISTLE_MAIL_PICTURES keeps
// pictures of them in that folder, to be looked at by people.

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PICTURES = inject('mailPictures');
/** What stands where is the same in light and in dark: it is looked at wide once, but for pictures. */
const LOOKS = [390, 800]
  .flatMap((width) => (['light', 'dark'] as const).map((scheme) => ({ width, scheme })))
  .filter(({ width, scheme }) => PICTURES !== '' || width < 800 || scheme === 'light');
/** What a program lays below a mail; the tool that measures contrast takes a page without one for white. */
const GROUND = { light: '#ffffff', dark: '#121212' } as const;

interface Found {
  readonly sideways: number;
  readonly contrast: readonly string[];
  readonly small: readonly string[];
  readonly raw: readonly string[];
  readonly twice: readonly string[];
  readonly buttons: readonly string[];
  readonly turned: readonly string[];
}
const NOTHING: Found = { sideways: 0, contrast: [], small: [], raw: [], twice: [], buttons: [], turned: [] };

/** Evaluated in the page: what of a mail cannot be read, reached or believed. */
const LOOK = `(() => {
  const all = [...document.body.querySelectorAll('*')];
  const leaves = all.filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''));
  const wide = document.documentElement.clientWidth;
  const shown = (one) => one.textContent.trim().slice(0, 60);
  const isCode = (one) => one.closest('pre,code,[style*="monospace"]') !== null;
  const blocks = all.filter((one) => ['P', 'LI', 'TR'].includes(one.tagName) || (one.tagName === 'BLOCKQUOTE' && one.querySelector('p') === null)).map((one) => one.textContent.trim());
  const rtl = /[\\u0590-\\u08ff]/g;
  return {
    sideways: document.documentElement.scrollWidth - wide,
    small: leaves.filter((one) => parseFloat(getComputedStyle(one).fontSize) < 13.5).map(shown),
    raw: leaves.filter((one) => !isCode(one) && /\\*\\*|\`|^\\s*\\|.*\\|\\s*$|\\{[a-z]+\\}|undefined|\\[object/m.test(one.textContent)).map(shown),
    twice: blocks.filter((text, at) => text.length > 20 && text === blocks[at + 1]),
    buttons: all
      .filter((one) => one.tagName === 'A' && one.href.startsWith('mailto:') && getComputedStyle(one).display === 'inline-block')
      .filter((one) => {
        const { left, right, height } = one.getBoundingClientRect();
        return left < 0 || right > wide || height < 44;
      })
      .map(shown),
    turned: leaves
      .filter((one) => one.tagName !== 'A' && one.closest('[dir=ltr]') === null)
      .filter((one) => {
        const own = [...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data).join(' ');
        const letters = (own.match(/\\p{L}/gu) ?? []).length;
        const turned = (own.match(rtl) ?? []).length;
        return letters > 8 && (turned > letters / 2) !== (getComputedStyle(one).direction === 'rtl');
      })
      .map(shown),
  };
})()`;

const CONTRAST = `axe.run(document, { runOnly: ['color-contrast'] }).then(({ violations, incomplete }) =>
  [...violations, ...incomplete].flatMap(({ nodes }) => nodes.map(({ html }) => html.slice(0, 160))))`;

async function lookAt(page: Page, isNarrow: boolean): Promise<Found> {
  const found = (await page.evaluate(LOOK)) as Omit<Found, 'contrast'>;
  // Colours are the same however wide it is.
  return { ...found, contrast: isNarrow ? ((await page.evaluate(CONTRAST)) as string[]) : [] };
}

/** In a page of its own, in each look: what is wrong with it, and by itself what is right. */
async function looks(browser: Browser, name: string, html: string): Promise<Readonly<Record<string, Found>>> {
  const page = await browser.newPage();
  try {
    const seen: Record<string, Found> = {};
    await page.setContent(html);
    await page.evaluate(AXE);
    for (const { width, scheme } of LOOKS) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      await page.evaluate(`document.documentElement.style.background = '${GROUND[scheme]}'`);
      if (PICTURES !== '')
        await page.screenshot({ path: join(PICTURES, `${name}.${width}.${scheme}.png`), fullPage: true });
      seen[`${width} ${scheme}`] = await lookAt(page, width < 800);
    }
    return seen;
  } finally {
    await page.close();
  }
}
const FINE = Object.fromEntries(LOOKS.map(({ width, scheme }) => [`${width} ${scheme}`, NOTHING]));

const logIn = (language: Spoken): Promise<Uint8Array> =>
  writeLogInMail({
    persona: { name: 'Ada', address: 'ada@agents.localhost' } as never,
    to: 'owner@example.com',
    language,
    page: 'https://console.pumpen-und-rohrleitungsbau.example/session/mail',
    code: 'k7Jw2mQx9Tz4Vb8Ln3Rc6Yp1Hd5Gf0Sa',
    minutes: 10,
    messageId: '<log-in@agents.localhost>',
    now: Date.parse('2026-11-30T09:00:00Z'),
  });

let browser: Browser;
beforeAll(async () => {
  if (PICTURES !== '') mkdirSync(PICTURES, { recursive: true });
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
});
afterAll(() => browser.close());

describe.concurrent.each(['en', 'de'] as const)('mails in %s, light and dark, on a phone and wide', (language) => {
  it.each(KINDS)('$name', async (kind) => {
    const { html } = await partsOf(await composed(kind, language));
    expect(await looks(browser, `${kind.name}.${language}`, html)).toEqual(FINE);
  });

  it('log-in', async () => {
    const { html } = await partsOf(Buffer.from(await logIn(language)));
    expect(await looks(browser, `log-in.${language}`, html)).toEqual(FINE);
  });
});
