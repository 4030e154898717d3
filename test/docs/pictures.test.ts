import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

// scripts/write-pictures.ts makes them; test/real/pictures.real.ts holds them against what the screens look like now.

const DOCS = join(import.meta.dirname, '../../docs');
const FOLDER = join(DOCS, 'pictures');
const pages = readdirSync(DOCS).filter((name) => name.endsWith('.md'));
const shown = pages.flatMap((name) =>
  [...readFileSync(join(DOCS, name), 'utf8').matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)].map(([, alt = '', file = '']) => ({
    alt,
    file,
  })),
);

describe('the pictures of the documentation', () => {
  it('are there, each once, with words for whoever does not see it', () => {
    expect(shown.length).toBeGreaterThan(10);
    for (const { alt, file } of shown) {
      expect([file, existsSync(join(DOCS, file))]).toEqual([file, true]);
      expect([file, alt.split(' ').length > 4]).toEqual([file, true]);
    }
    const files = shown.map(({ file }) => file);
    expect(files).toEqual([...new Set(files)]);
  });

  it('are all shown, and small', () => {
    const there = readdirSync(FOLDER).toSorted();
    expect(there).toEqual(shown.map(({ file }) => file.replace('pictures/', '')).toSorted());
    const bytes = there.reduce((sum, name) => sum + statSync(join(FOLDER, name)).size, 0);
    expect(bytes).toBeLessThan(900_000);
  });
});
