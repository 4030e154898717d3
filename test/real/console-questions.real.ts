import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OLGA, openRecords } from '../corpus/console/office.ts';
import records from '../corpus/console/records.json' with { type: 'json' };

// Things that people come to the console with (test/corpus/console), as far as they are looked up among mail, runs, people and
// costs: found in a real browser by the keyboard alone, in the office of records.json.

let office: Awaited<ReturnType<typeof openRecords>>;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  office = await openRecords();
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
  page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' })).newPage();
  page.setDefaultTimeout(10_000);
  await page.goto(await office.link());
  await page.waitForSelector('nav');
});
afterAll(async () => {
  await browser?.close();
  await office?.close();
});

// What hands do.

const settled = () => page.waitForLoadState('load');
async function go(letter: string): Promise<void> {
  const left = page.waitForEvent('framenavigated');
  await page.keyboard.press('g');
  await page.keyboard.press(letter);
  await left;
  await settled();
}
async function enter(): Promise<void> {
  const left = page.waitForEvent('framenavigated');
  await page.keyboard.press('Enter');
  await left;
  await settled();
}
async function search(text: string): Promise<void> {
  await page.keyboard.press('/');
  await page.keyboard.type(text);
  await enter();
}
/** Tabs to the first thing of which this is true, as a person does who sees where the focus is. */
async function tabTo(script: string): Promise<void> {
  for (let presses = 0; presses < 150; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate<boolean>(`(() => { const at = document.activeElement; return ${script}; })()`)) return;
  }
  throw new Error(`no Tab leads to ${script}`);
}
const follow = async (text: string): Promise<void> => {
  await tabTo(`at.closest('main') !== null && at.tagName === 'A' && at.textContent.includes(${JSON.stringify(text)})`);
  await enter();
};
const openAll = async (): Promise<void> => {
  const count = await page.locator('main details.step > summary').count();
  for (let at = 0; at < count; at += 1) {
    await tabTo(
      `at.tagName === 'SUMMARY' && at.closest('details:not([open]).step') !== null && at.parentElement.classList.contains('step')`,
    );
    await page.keyboard.press('Enter');
  }
};
const shows = async (...texts: readonly (string | RegExp)[]): Promise<void> => {
  const text = ((await page.locator('main').textContent()) ?? '').replaceAll(/\s+/g, ' ');
  for (const one of texts)
    expect(text).toMatch(typeof one === 'string' ? new RegExp(one.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')) : one);
};

const QUESTIONS: readonly (readonly [id: string, ask: () => Promise<void>])[] = [
  [
    'q05',
    async () => {
      await search('bob');
      await follow('Running late');
      await shows(
        'It is proven to come from bob.hale@post.example.net, but no rule lets that address write to Ada',
        /kept until 10 Dec 2026/,
        'access.allow',
      );
    },
  ],
  [
    'q06',
    async () => {
      await search('transfer');
      await follow('URGENT: transfer today');
      await shows(
        'nothing proves that',
        'No work was begun and nobody was answered',
        'olga@linden.example.org',
        /Came25 Nov 2026/,
      );
    },
  ],
  [
    'q07',
    async () => {
      await search('pia.lund');
      await follow('Our visit on 9 December');
      await shows('It did not reach pia.lund@lund.example.com', '550 5.1.1 no such user');
    },
  ],
  [
    'q08',
    async () => {
      await search('nora.vale');
      await follow('Offer: survey Mill Lane');
      await shows(
        'Dear Nora, we survey the house in Mill Lane for 4,350 EUR, travel included.',
        '250 ok',
        'nora.vale@valehomes.example.com',
      );
    },
  ],
  [
    'q09',
    async () => {
      await search('marek');
      await shows('could not be read', 'marek');
    },
  ],
  [
    'q10',
    async () => {
      await search('nora.vale');
      await shows('adaa@linden.example.org');
      await follow(records.mails.find(({ id }) => id === 'm35')?.subject ?? '');
      await shows('an address that no persona has', /kept until 10 Dec 2026/);
    },
  ],
  [
    'q14',
    async () => {
      await go('r');
      await follow('Offer to Vale Homes');
      await openAll();
      await shows('prices/survey-2025.md', '4,200 EUR');
    },
  ],
  [
    'q15',
    async () => {
      await go('r');
      await follow('Offer to Vale Homes');
      await shows('3 h 48 min 1 s', '3 h 46 min 39 s', OLGA);
    },
  ],
  [
    'q16',
    async () => {
      await go('r');
      await follow('Unpaid invoices');
      await shows('failed', 'the model has to be set up', 'beacon/ledger-1', '$0.00');
    },
  ],
  [
    'q17',
    async () => {
      await go('r');
      await follow('Tidy the slides folder');
      await openAll();
      await shows('delete_file', "the owner's own mail was the yes", 'slides/old-outline.md', OLGA);
    },
  ],
  [
    'q18',
    async () => {
      await go('r');
      await follow('When can you measure?');
      await openAll();
      await shows('hours.md', 'No earlier mail of anybody');
    },
  ],
  [
    'q25',
    async () => {
      await go('p');
      await follow('nora.vale@valehomes.example.com');
      await shows(
        'Nora Vale wants lengths in metres.',
        'said by nora.vale@valehomes.example.com',
        'Vale Homes closes at noon on Fridays.',
        'said by sam@linden.example.org',
      );
    },
  ],
  [
    'q26',
    async () => {
      await go('p');
      await follow('bob@linden.example.org');
      await shows('$1.54', '3 runs');
    },
  ],
  [
    'q27',
    async () => {
      await go('p');
      await follow('anna@stern-bau.example.com');
      await shows('a stranger', 'refused', '$0.00', 'Survey for a house in Elm Row', 'Nothing.');
      await follow('Survey for a house in Elm Row');
      await shows(/kept until 9 Dec 2026/, 'nobody was answered');
    },
  ],
  [
    'q28',
    async () => {
      await go('c');
      await follow('Tue, 24 Nov 2026');
      await shows('$2.12', 'in 3 runs', /Ada\$1\.49/, /Ben\$0\.63/);
    },
  ],
  [
    'q29',
    async () => {
      await go('c');
      await shows(/\$0\.92 Offer to Vale Homes Ada for bob@linden\.example\.org/);
      await follow('Offer to Vale Homes');
      await shows('3 questions to a model', '167,000 in', '3,400 out', 'harbor/tide-2');
    },
  ],
  [
    'q30',
    async () => {
      await go('c');
      await shows(/harbor\/tide-2\$2\.97/, /harbor\/tide-mini\$0\.18/, /beacon\/ledger-1\$1\.26/);
    },
  ],
  [
    'q31',
    async () => {
      await go('c');
      await shows(
        'This month so far $4.41',
        'If each of the 4 days that are left costs',
        /the month comes to \$[5-9]\.\d\d/,
      );
    },
  ],
];

describe('what people come with, by the keyboard alone', () => {
  it.each(QUESTIONS)('%s', async (_, ask) => {
    // Whatever the one before has left.
    await page.goto(`${office.url}/mail`);
    await ask();
  });
});
