import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../house/sources.ts';
import { type Block, readPage } from './markdown.ts';
import { createReader } from './reader.ts';
import { createScenes } from './scenes.ts';
import { typedIn } from './shell.ts';
import { masked } from './shown.ts';

/** As a newcomer reads them; the others after that, and last what leaves another model and other addresses. */
const FIRST = ['workspace', 'personas', 'approvals', 'no-answer', 'schedule'].map((name) => `docs/${name}.md`);
const LAST = ['docs/extensions.md', 'docs/mailbox.md'];
const ALL = readdirSync(join(root, 'docs'))
  .filter((name) => name.endsWith('.md'))
  .map((name) => `docs/${name}`);
const OTHERS = ALL.filter((name) => !FIRST.includes(name) && !LAST.includes(name));
const PAGES = ['README.md', ...FIRST, ...OTHERS, ...LAST].map(readPage);
const isCommands = ({ language }: Block) => language === 'sh';

/** `by=<test file>`: what needs more than a page test has, and who does it. */
const byOf = ({ marks }: Block) => marks.find((mark) => mark.startsWith('by='))?.slice('by='.length);

/** The blocks without a language below one of commands: what these print. */
function shownBy(blocks: readonly Block[], at: number): readonly Block[] {
  const below = blocks.slice(at + 1);
  const end = below.findIndex(({ language }) => language !== '');
  return below.slice(0, end < 0 ? below.length : end);
}

describe('somebody who does what the pages say', () => {
  const reader = createReader();
  const scenes = createScenes(reader);
  beforeAll(() => reader.begin());
  afterEach(() => reader.stop());
  afterAll(async () => {
    await scenes.end();
    reader.remove();
  });

  it.each(PAGES.filter(({ blocks }) => blocks.some(isCommands)))('has done all of $name', async ({ name, blocks }) => {
    const { before, saved, after } = scenes.of(name);
    await before();
    for (const [at, block] of blocks.entries()) {
      if (block.marks.includes('saved')) reader.save(block.file ?? 'nowhere', saved(block.text));
      if (!isCommands(block) || byOf(block) !== undefined) continue;
      const printed = masked(await reader.type(block));
      for (const { text } of shownBy(blocks, at)) expect(printed).toContain(masked(text));
    }
    await after(blocks);
  });
});

describe('a command of the pages', () => {
  const blocks = PAGES.flatMap((page) => page.blocks);

  it.each(blocks.filter((block) => byOf(block) !== undefined))('that $marks does is done there: $text', (block) => {
    const test = readFileSync(join(root, byOf(block) ?? ''), 'utf8');
    // Of what somebody else runs, such as docker, what it has us do.
    const words = typedIn(block.text, '~').flatMap(({ words: all }) => {
      const args = all.slice(all.findIndex((word) => /^(?:\.\/scripts\/)?epistle$/.test(word)) + 1 || all.length);
      const option = args.findIndex((word) => word.startsWith('--'));
      return args.slice(0, option < 0 ? args.length : option);
    });
    expect(words.filter((word) => !test.includes(word))).toEqual([]);
  });

  it('stands in a block that says so', () => {
    const hidden = blocks.filter(
      ({ language, text }) => language !== 'sh' && /^(?:\$ )?(?:\.\/scripts\/|npx |npm |docker |epistle )/.test(text),
    );
    expect(hidden.map(({ page, text }) => `${page}: ${text}`)).toEqual([]);
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual([
      '',
      'json',
      'sh',
      'text',
      'ts',
      'yaml',
    ]);
  });
});
