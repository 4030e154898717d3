import { expect, it } from 'vitest';
import { createMail } from '../../../../engine/tools/capabilities/mail.ts';

const FACTS = { kind: 'csv', title: null, note: null, pages: [], tables: [], parts: [] };
const mailWith = (text: string) =>
  createMail({
    store: {
      findAttachment: async () => ({ name: 'a.csv', type: 'text/csv', bytes: text.length, unreadable: null }),
    } as never,
    library: { open: async () => ({ ok: true, facts: FACTS, text: async () => text }) } as never,
    viewer: null,
    current: '<now@x.test>',
    timezone: 'Europe/Berlin',
  });

async function pagesOf(text: string, limit: number): Promise<string[]> {
  const pages: string[] = [];
  for (let offset: number | null = 0; offset !== null; ) {
    const page = await mailWith(text).readAttachment({ id: 'a', offset, limit });
    pages.push(page.text);
    offset = page.next_offset;
  }
  return pages;
}

it('ends a page of an attachment where a line ends, and cuts only a line that is longer than a page', async () => {
  expect(await pagesOf('ab,cd\nef,gh\nij,kl\n', 10)).toEqual(['ab,cd\n', 'ef,gh\n', 'ij,kl\n']);
  expect(await pagesOf('ab,cd\nef,gh\nij,kl', 12)).toEqual(['ab,cd\nef,gh\n', 'ij,kl']);
  expect(await pagesOf('abcdefghij\nk', 4)).toEqual(['abcd', 'efgh', 'ij\nk']);
  expect(await pagesOf('a😀😀', 2)).toEqual(['a', '😀', '😀']);
});
