import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { atRest } from '../flow/at-rest.ts';
import { openConsole } from '../flow/console-rig.ts';
import { MEMBER, OWNER } from '../flow/governance-rig.ts';

// The screens of what is looked at in a real browser. EPISTLE_PICTURES names a folder for pictures of them.

const PICTURES = process.env.EPISTLE_PICTURES;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const BEN = 'ben@agents.localhost';

const letter = (subject: string, html: string, id: string): string =>
  [
    `From: Mia Vale <${MEMBER}>`,
    'To: ada@agents.localhost',
    `Subject: ${subject}`,
    `Message-ID: <${id}@member.example>`,
    'Date: Mon, 30 Nov 2026 07:00:00 +0000',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=x',
    ...['', '--x', 'Content-Type: text/html; charset=utf-8', '', html],
    ...['--x', 'Content-Type: text/csv; name="prices.csv"', 'Content-Disposition: attachment; filename="prices.csv"'],
    ...['', 'what,price', 'survey,4200', '--x--', ''],
  ].join('\r\n');

const NEWSLETTER = `<html><head><style>h1{color:#0b6b4f}td{padding:8px;border:1px solid #ccc}</style></head><body bgcolor="#f4f4f4">
<h1>Our offer</h1><p>Dear Ada, <a href="https://shop.test/?id=1">here</a> is what we talked about.</p>
<img src="https://spy.test/open.gif" width="1" height="1"><img src="https://spy.test/logo.png" alt="The logo of our firm">
<table><tr><td>Survey</td><td>4,200 EUR</td></tr><tr><td>Travel</td><td>150 EUR</td></tr></table></body></html>`;

const ATTACK = `<p>Hello</p><script>document.title='taken'</script><img src=x onerror="document.title='taken'"><meta http-equiv="refresh" content="0;url=https://spy.test/r">
<iframe src="https://spy.test/f"></iframe><link rel="preconnect" href="https://spy.test"><link rel="stylesheet" href="https://spy.test/c.css">
<div style="background:url(https://spy.test/bg.png)">styled</div><style>@import url(https://spy.test/i.css); p{background:url(https://spy.test/p.png)}</style>
<form action="https://spy.test/form"><button>Win</button></form><video src="https://spy.test/v.mp4" autoplay></video><svg><image href="https://spy.test/s.png"/></svg>
<a href="https://spy.test/top" target="_top">leave</a><table background="https://spy.test/t.png"><tr><td>x</td></tr></table>`;

let office: Awaited<ReturnType<typeof openConsole>>;
let browser: Browser;
beforeAll(async () => {
  office = await openConsole({
    'personas/ben/persona.json': { name: 'Ben', address: BEN, access: { allow: ['*@member.example'] } },
    'configs/gateway.json': {
      smtp_listener: { port: 0 },
      mailboxes: [
        {
          id: 'quotes',
          imap: { host: '127.0.0.1', port: 1, tls: 'none', user: 'quotes@example.com', secret_env: 'QUOTES' },
        },
      ],
      limits: { max_mime_parts: 6 },
    },
    'extensions/extensions.json': {
      mcp: [{ name: 'files', enabled: false, command: 'file-server', env: ['FILES_KEY'] }],
    },
    'personas/ada/tasks/week.md': '---\nname: Week ahead\nschedule: "0 8 * * 1-5"\n---\nWhat is this week?\n',
    'personas/ada/tasks/often.md': '---\nname: Look at the drawings\nschedule: every 2h\n---\nAre they there?\n',
    'personas/ben/tasks/plants.md': '---\nname: Water the plants\nschedule: "0 9 * * 1"\nenabled: false\n---\nWater.\n',
    'data/personas/ada/files/prices.md': '# Prices\n\nA survey is 4,200 EUR.\n',
  });
  await office.post({ from: MEMBER, raw: letter('Our offer for the house in Mill Lane', NEWSLETTER, 'offer') });
  await office.post({ from: MEMBER, raw: letter('<b>You have won</b>', ATTACK, 'attack') });
  const pages = Array.from({ length: 8 }, () => '--x\r\nContent-Type: text/plain\r\n\r\npage\r\n').join('');
  const scan = letter('Scan of the old plans', '<p>See the plans.</p>', 'scan').replace('--x--', `${pages}--x--`);
  await office.post({ from: MEMBER, raw: scan });
  await office.ask(`/read_file ${JSON.stringify({ path: 'prices.md' })}`, MEMBER, 'Where does the price come from?');
  await office.ask(
    `/send_email ${JSON.stringify({ to: ['carl@elsewhere.example'], subject: 'Offer', body: 'Dear Carl, 4,200 EUR.' })}`,
    MEMBER,
    'Write to Carl',
  );
  await office.ask('May I write to you?', 'fay@evil.example', 'A question');
  await office.post({ from: OWNER, to: BEN, subject: 'What does Ben do?', text: 'What do you do?' });
  await office.post({ from: MEMBER, to: BEN, subject: 'The key', text: 'Where is it?' });
  await atRest(office.root);
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
});
afterAll(async () => {
  await browser?.close();
  await office?.close();
});

interface Seen {
  readonly page: Page;
  readonly errors: string[];
  readonly asked: string[];
}

async function logIn(look: {
  readonly width: number;
  readonly scheme: 'light' | 'dark';
  readonly script?: boolean;
}): Promise<Seen> {
  const { width, scheme, script = true } = look;
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: scheme,
    javaScriptEnabled: script,
    locale: 'en-GB',
  });
  const page = await context.newPage();
  const errors: string[] = [];
  const asked: string[] = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('request', (request) => asked.push(request.url()));
  const link = await office.link();
  if (script) await page.goto(link);
  else {
    await page.goto(office.url());
    await page.fill('#code', new URL(link).hash.slice(1));
    await page.click('button');
  }
  await page.waitForSelector('nav');
  // Of the page before the log-in, which answers that nobody is let in yet.
  errors.length = 0;
  return { page, errors, asked };
}

async function addresses(page: Page): Promise<readonly (readonly [name: string, path: string])[]> {
  const first = async (list: string, part: string) => {
    await page.goto(office.url() + list);
    return (await page.locator(`main a[href^="${part}"]`).first().getAttribute('href')) ?? '';
  };
  return [
    ['mail', '/mail'],
    ['mail-filtered', '/mail?fate=refused'],
    ['one-mail', await first('/mail?q=Mill+Lane&way=in', '/mail/')],
    ['one-mail-sent', await first('/mail?way=out', '/mail/')],
    ['runs', '/runs'],
    ['one-run', await first('/runs?status=waiting_approval', '/runs/ada/')],
    ['personas', '/personas'],
    ['one-persona', '/personas/ada'],
    ['tasks', '/tasks'],
    ['new-task', '/tasks/new?persona=ada&name=Call&often=fri&at=16%3A30&day=&prompt=Call+me'],
    ['one-task', await first('/tasks', '/tasks/ada/')],
    ['people', '/people'],
    ['one-person', await first('/people?who=mia', '/people/')],
    ['costs', '/costs'],
    ['settings', '/settings'],
    ['settings-found', '/settings?q=approvals'],
    ['one-setting', '/settings/change?file=security&key=approvals.ttl_hours'],
    ['one-difference', '/settings/change?file=security&key=approvals.ttl_hours&to=72'],
    ['system', '/system'],
    ['one-question', await first('/approvals', '/approvals/ada/')],
    ['refused-mail', await first('/mail?fate=refused', '/mail/')],
    ['replayed', `${await first('/runs?status=done', '/runs/ada/')}/replay`],
    ['issue', `${await first('/runs?status=done', '/runs/ada/')}/issue`],
    ['exported', `${await first('/people?who=mia', '/people/')}/export`],
    ['log-ins', '/log-ins'],
  ];
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What runs in the page is handed over as text: there is no `document` here. */
async function violationsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate<{ readonly violations: readonly Violation[] }>(
    "axe.run(document, { iframes: false, runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] })",
  );
  return found.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(' | ')}`,
  );
}

const sidewaysIn = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth');

describe.each([
  [1280, 'light'],
  [1280, 'dark'],
  [390, 'light'],
  [390, 'dark'],
] as const)('at %i px, %s', (width, scheme) => {
  it('each screen is accessible, without an error, and nobody scrolls sideways', async () => {
    const { page, errors } = await logIn({ width, scheme });
    for (const [name, path] of await addresses(page)) {
      await page.goto(office.url() + path);
      // The form in which a call is changed is folded away.
      if (name === 'one-question')
        await page.evaluate("for (const one of document.querySelectorAll('main details')) one.open = true");
      if (PICTURES) {
        mkdirSync(PICTURES, { recursive: true });
        await page.screenshot({ path: join(PICTURES, `${name}-${width}-${scheme}.png`), fullPage: true });
      }
      expect({ name, found: await violationsOf(page) }).toEqual({ name, found: [] });
      expect({ name, sideways: await sidewaysIn(page) }).toEqual({ name, sideways: 0 });
    }
    expect(errors).toEqual([]);
    await page.context().close();
  });
});

describe('in a browser', () => {
  it('a hostile mail runs nothing, asks nobody for anything and leaves the page where it is', async () => {
    const { page, asked } = await logIn({ width: 1280, scheme: 'light' });
    await page.goto(`${office.url()}/mail?q=won&way=in`);
    await page.click('main a[href^="/mail/"]');
    const frame = page.frameLocator('iframe.mail');
    await frame.getByText('Hello').waitFor();
    await frame.getByText('leave').click();
    await page.waitForLoadState('networkidle');
    expect(await page.title()).toBe('<b>You have won</b> · Epistle');
    // By itself, in a tab of its own, as well.
    const path = (await page.locator('iframe.mail').getAttribute('src')) ?? '';
    await page.goto(office.url() + path);
    await page.waitForLoadState('networkidle');
    expect(await page.title()).toBe('A mail');
    expect(new URL(page.url()).pathname).toBe(path);
    expect(asked.filter((url) => new URL(url).origin !== office.url())).toEqual([]);
    await page.context().close();
  });

  it('each screen is read, and filtered, without script', async () => {
    const { page } = await logIn({ width: 390, scheme: 'light', script: false });
    for (const [name, path] of await addresses(page)) {
      await page.goto(office.url() + path);
      expect(((await page.locator('main').textContent()) ?? '').length, name).toBeGreaterThan(40);
    }
    await page.goto(`${office.url()}/mail`);
    await page.selectOption('select[name=way]', 'out');
    await page.click('.filters button');
    expect(new URL(page.url()).searchParams.get('way')).toBe('out');
    expect(await page.locator('main tbody tr').count()).toBeGreaterThan(0);
    await page.context().close();
  });
});
