import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** A person at the console who has a keyboard and no mouse. */
export type Hands = ReturnType<typeof handsAt>;

/** More presses of Tab than any page needs. */
const MOST_TABS = 400;

/** What the thing is called that has the focus, as a screen reader says it. */
const NAME = `(at) => {
  const said = (one) => (one.getAttribute('aria-label') ?? one.textContent ?? '').replace(/\\s+/g, ' ').trim();
  const labels = [...(at.labels ?? [])].map((label) => said(label)).join(' ');
  return labels === '' ? said(at) : labels;
}`;

export function handsAt(page: Page) {
  const settled = () => page.waitForLoadState('load');
  const key = (name: string) => page.keyboard.press(name);
  /** Whether it is what has the focus; it looks and changes nothing. */
  const isAt = (tags: string, words: string): Promise<boolean> =>
    page.evaluate<boolean>(
      `(() => { const at = document.activeElement; return at !== null && at.closest('main') !== null && at.matches(${JSON.stringify(tags)}) && (${NAME})(at).includes(${JSON.stringify(words)}); })()`,
    );

  async function tabTo(tags: string, words: string): Promise<void> {
    for (let presses = 0; presses < MOST_TABS; presses += 1) {
      await key('Tab');
      if (await isAt(tags, words)) return;
    }
    throw new Error(`no Tab leads to ${tags} "${words}" on ${page.url()}:\n${await read()}`);
  }
  async function leaves(press: () => Promise<unknown>): Promise<void> {
    const left = page.waitForEvent('framenavigated');
    await press();
    await left;
    await settled();
  }
  /** What is seen: what is folded is not. */
  async function read(): Promise<string> {
    // biome-ignore lint/performance/useDomNodeTextContent: what is hidden was not found by anybody
    return (await page.locator('main').innerText()).replaceAll(/\s+/g, ' ');
  }

  return {
    page,
    key,
    read,
    /** `g` and a letter. */
    go: (letter: string) =>
      leaves(async () => {
        await key('g');
        await key(letter);
      }),
    async search(text: string): Promise<void> {
      await key('/');
      await page.keyboard.type(text);
      await leaves(() => key('Enter'));
    },
    async follow(words: string): Promise<void> {
      await tabTo('a[href]', words);
      await leaves(() => key('Enter'));
    },
    async press(words: string): Promise<void> {
      await tabTo('button', words);
      await leaves(() => key('Enter'));
    },
    /** A button that leads nowhere. */
    async pressHere(words: string): Promise<void> {
      await tabTo('button', words);
      await key('Enter');
    },
    tabTo,
    async write(label: string, text: string): Promise<void> {
      await tabTo('input, textarea', label);
      await key('Control+A');
      await page.keyboard.insertText(text);
    },
    /** Takes an option by typing how it begins. */
    async choose(label: string, option: string): Promise<void> {
      await tabTo('select', label);
      await page.keyboard.type(option);
    },
    async open(words: string): Promise<void> {
      await tabTo('summary', words);
      await key('Enter');
    },
    /** Everything that is folded. */
    async openAll(): Promise<void> {
      for (let left = await closed(page); left > 0; left -= 1) {
        await tabTo('details:not([open]) > summary', '');
        await key('Enter');
      }
    },
    async shows(...texts: readonly (string | RegExp)[]): Promise<void> {
      const text = await read();
      for (const one of texts) {
        if (typeof one === 'string') expect(text).toContain(one);
        else expect(text).toMatch(one);
      }
    },
    async showsNot(...texts: readonly string[]): Promise<void> {
      const text = await read();
      for (const one of texts) expect(text).not.toContain(one);
    },
  };
}

/** Of those that stand open to the eye: what is folded inside a fold comes when that is opened. */
const closed = (page: Page): Promise<number> =>
  page.evaluate<number>("document.querySelectorAll('main details:not([open])').length");
