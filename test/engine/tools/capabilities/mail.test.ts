import { expect, it } from 'vitest';
import { createMail } from '../../../../engine/tools/capabilities/mail.ts';

const rows = ['<now@x.test>', '<1@x.test>', '<2@x.test>'].map((message_id) => ({
  ...{ message_id, thread_id: 't', direction: 'in', from_address: 'a@x.test', subject: 's', received_at: 0 },
  snippet: '',
}));
const mailWith = (text: string) =>
  createMail({
    store: {
      search: async ({ limit }: { limit: number }) => rows.slice(0, limit),
      findAttachment: async () => ({ name: 'a.csv', type: 'text/csv', bytes: text.length, text_sha256: 'h' }),
    } as never,
    artifacts: { get: async () => Buffer.from(text) } as never,
    viewer: null,
    current: '<now@x.test>',
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

it('finds other mail than the one that is being answered, as many as were asked for', async () => {
  const found = await mailWith('').search({ query: 'x', limit: 2 });
  expect(found.map(({ message_id }) => message_id)).toEqual(['<1@x.test>', '<2@x.test>']);
  expect(await mailWith('').search({ query: 'x', limit: 1 })).toHaveLength(1);
});

it('ends a page of an attachment where a line ends, and cuts only a line that is longer than a page', async () => {
  expect(await pagesOf('ab,cd\nef,gh\nij,kl\n', 10)).toEqual(['ab,cd\n', 'ef,gh\n', 'ij,kl\n']);
  expect(await pagesOf('ab,cd\nef,gh\nij,kl', 12)).toEqual(['ab,cd\nef,gh\n', 'ij,kl']);
  expect(await pagesOf('abcdefghij\nk', 4)).toEqual(['abcd', 'efgh', 'ij\nk']);
  expect(await pagesOf('a😀😀', 2)).toEqual(['a', '😀', '😀']);
});
