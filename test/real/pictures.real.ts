import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writePictures } from '../../scripts/lib/pictures.ts';

// The pictures of docs/console.md are those of the screens as they are now. Fonts and Chromium differ a little from machine to machine.

const STORED = join(import.meta.dirname, '../../docs/pictures');
/** Of the pixels of a picture. */
const MOST_OTHER = 0.04;

let folder: string;
let browser: Browser;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'epistle-pictures-'));
  await writePictures(folder);
  browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
}, 120_000);
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
});

const dataOf = (path: string): string => `data:image/webp;base64,${readFileSync(path).toString('base64')}`;

/** How many of the pixels differ by more than what packing a picture changes; 1 where one is larger than the other. */
const COMPARE = `async ([one, other]) => {
  const pixels = async (src) => {
    const image = new Image();
    image.src = src;
    await image.decode();
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return context.getImageData(0, 0, image.width, image.height);
  };
  const [a, b] = [await pixels(one), await pixels(other)];
  if (a.width !== b.width || a.height !== b.height) return 1;
  let differ = 0;
  for (let at = 0; at < a.data.length; at += 4) if (Math.abs(a.data[at] - b.data[at]) > 48) differ += 1;
  return differ / (a.data.length / 4);
}`;

describe('the pictures of the console', () => {
  it('are those that the pages show', async () => {
    const page = await browser.newPage();
    expect(readdirSync(folder).toSorted()).toEqual(readdirSync(STORED).toSorted());
    for (const name of readdirSync(folder)) {
      const pair = JSON.stringify([dataOf(join(folder, name)), dataOf(join(STORED, name))]);
      const differs = await page.evaluate<number>(`(${COMPARE})(${pair})`);
      expect({ name, differs: differs < MOST_OTHER ? 'little' : differs }).toEqual({ name, differs: 'little' });
    }
  });
});
