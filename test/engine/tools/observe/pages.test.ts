import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { cleanJson, noFindings } from '../../../../engine/lib/clean-text.ts';
import { createBlobs } from '../../../../engine/storage/blobs.ts';
import { observe, pagesOf } from '../../../../engine/tools/observe/observe.ts';

/** Writing an artifact would fail: a page never becomes one. */
const nowhere = createBlobs('/dev/null');
const asSeen = (text: string) =>
  observe({ id: 'c', name: 'resolve_ref' }, { ok: true, result: { ref: 'a', page: 1, text }, ms: 0 }, nowhere, 0);

describe('the pages of a result', () => {
  it.each([
    ['a text', 'some words\n'.repeat(9000)],
    ['many short lines', 'a\n'.repeat(30_000)],
    ['nothing but line breaks', '\n'.repeat(9000)],
    ['a script of three bytes each', '漢字'.repeat(20_000)],
    ['characters of two halves', '👩‍💻🎉'.repeat(9000)],
    ['what JSON has to escape', '"\\\t'.repeat(20_000)],
  ])('are together the whole, word for word, and none is cut again: %s', (_what, text) => {
    const { pages, chars } = pagesOf(text);
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.join('')).toBe(text);
    expect(chars).toBe(text.length);
    for (const page of pages) {
      const { content, artifact } = asSeen(page);
      expect(JSON.parse(content).result.text).toBe(page);
      expect(artifact).toBeNull();
      expect(page.isWellFormed()).toBe(true);
    }
  });

  it('of what is no text are its JSON', () => {
    const rows = Array.from({ length: 5000 }, (_none, n) => ({ n, word: `w${n}` }));
    expect(JSON.parse(pagesOf(rows).pages.join(''))).toEqual(rows);
  });

  it('are one where there is nothing', () => {
    expect(pagesOf('').pages).toEqual(['']);
  });

  it('never show a secret in two halves', () => {
    const key = `ghp_${'k'.repeat(36)}`;
    const { pages } = pagesOf(`${key} `.repeat(2000));
    expect(pages.join('')).not.toContain('kkk');
  });

  it('are the cleaned whole of anything', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.string({ unit: 'binary', maxLength: 40 }),
        fc.nat({ max: 2000 }),
        (value, text, times) => {
          const plain: Json = JSON.parse(JSON.stringify({ value, text: text.repeat(times) }));
          expect(pagesOf(plain).pages.join('')).toBe(JSON.stringify(cleanJson(plain, noFindings())));
        },
      ),
      { seed: 20261121, numRuns: 60 },
    );
  });
});
