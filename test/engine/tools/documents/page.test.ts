import { expect, it } from 'vitest';
import { textPage } from '../../../../engine/tools/documents/page.ts';

const TEXT = '[page 1]\none\n\n[page 2]\ntwo\n\n[page 3]\nthree';
const STARTS = [0, 14, 28];

it('begins where the page of the document begins, and tells which it shows', () => {
  expect(textPage(TEXT, STARTS, { page: 2, limit: 100 })).toEqual({
    text: TEXT.slice(14),
    offset: 14,
    total_chars: TEXT.length,
    next_offset: null,
    pages: '2-3 of 3',
  });
  expect(textPage(TEXT, STARTS, { page: 2, limit: 14 })).toMatchObject({ next_offset: 28, pages: '2 of 3' });
});

it('counts stretches where a text has no pages, and goes on from an offset', () => {
  const text = 'ab\ncd\nef\n';
  expect(textPage(text, [], { page: 2, limit: 3 })).toMatchObject({ text: 'cd\n', next_offset: 6, pages: null });
  expect(textPage(text, [], { offset: 6, limit: 3 })).toMatchObject({ text: 'ef\n', next_offset: null });
});

it('says which page is the last', () => {
  expect(() => textPage(TEXT, STARTS, { page: 4, limit: 9 })).toThrow(/no page \d; the last one is \d/);
  expect(() => textPage('ab\ncd\n', [], { page: 3, limit: 3 })).toThrow(/no page \d; the last one is \d/);
});
