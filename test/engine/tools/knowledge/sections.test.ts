import { describe, expect, it } from 'vitest';
import { sectionsOf } from '../../../../engine/tools/knowledge/knowledge.ts';

const titles = (text: string, pages: readonly number[] = []) => sectionsOf(text, pages).map(({ title }) => title);
const joined = (text: string, pages: readonly number[] = []) =>
  sectionsOf(text, pages)
    .map((section) => section.text)
    .join('');

describe('sections of a text', () => {
  const guide = [
    'Before any heading.',
    '# Guide #',
    'one',
    '## Prices',
    'two',
    '### Shipping',
    'three',
    '## Hours',
    '```',
    '# no heading, a comment',
    '```',
    '#no heading either',
    '',
  ].join('\n');

  it('begin at headings and are named by the path of them', () => {
    expect(titles(guide)).toEqual(['', 'Guide', 'Guide > Prices', 'Guide > Prices > Shipping', 'Guide > Hours']);
    expect(joined(guide)).toBe(guide);
  });

  it('are pages where there are pages', () => {
    const text = '[page 1]\nFirst.\n\f[page 2]\nSecond.';
    expect(titles(text, [0, text.indexOf('[page 2]')])).toEqual(['[page 1]', '[page 2]']);
    expect(joined(text, [0, text.indexOf('[page 2]')])).toBe(text);
  });

  it('are cut at lines where they are long, and lose nothing', () => {
    const long = `# Terms\n${Array.from({ length: 200 }, (_, n) => `Line ${n} of the terms, which says this and that.`).join('\n')}`;
    const sections = sectionsOf(long, []);
    expect(sections.length).toBeGreaterThan(3);
    expect(Math.max(...sections.map(({ text }) => text.length))).toBeLessThanOrEqual(2000);
    expect(sections.slice(0, -1).every(({ text }) => text.endsWith('\n'))).toBe(true);
    expect(new Set(sections.map(({ title }) => title))).toEqual(new Set(['Terms']));
    expect(joined(long)).toBe(long);
  });

  it('are none of an empty text', () => {
    expect(sectionsOf('', [])).toEqual([]);
  });
});
