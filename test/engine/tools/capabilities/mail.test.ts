import { describe, expect, it } from 'vitest';
import { createMail } from '../../../../engine/tools/capabilities/mail.ts';
import readMail from '../../../../extensions/tools/read_mail/index.ts';

const FACTS = { kind: 'csv', title: null, note: null, pages: [], tables: [], parts: [] };
const mailWith = (text: string) =>
  createMail({
    store: {
      findAttachment: async () => ({ name: 'a.csv', type: 'text/csv', bytes: text.length, unreadable: null }),
    } as never,
    library: { open: async () => ({ ok: true, facts: FACTS, text: async () => text }) } as never,
    viewer: null,
    asker: 'owner',
    mayOpen: true,
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

describe('a search', () => {
  const row = { message_id: '<1@x.test>', thread_id: 't', direction: 'in', from_address: 'bob@x.test', from_name: '' };
  const found = { ...row, to: [], cc: [], subject: 'S', written_at: 0, tier: 'owner', attachments: [], snippet: 's' };
  const search = (viewer: Parameters<typeof createMail>[0]['viewer'], total: number, limit: number) =>
    createMail({
      store: {
        search: async () => ({ messages: total === 0 ? [] : [found], order: 'best', total, more: false }),
      } as never,
      library: {} as never,
      viewer,
      asker: 'owner',
      mayOpen: true,
      current: null,
      timezone: 'Europe/Berlin',
    }).find({ query: 'rent', limit });
  const member = { address: 'carol@x.test', threadId: null };

  it('names the limit that gets at the rest, which no list of arguments shows', async () => {
    expect((await search(null, 7, 5)).next).toBe('limit: 20, other words, from, to, since, before');
    expect((await search(null, 30, 20)).next).toBe('other words, from, to, since, before');
  });

  it.each([0, 1])('says that it was of a part of the mail where %s of it was found', async (total) => {
    expect((await search(member, total, 5)).note).toContain('only mail that this sender may see');
    expect((await search({ ...member, also: ['bob@x.test'] }, total, 5)).note).toContain('all readers of your answer');
    expect(await search(null, total, 5)).not.toHaveProperty('note');
  });

  it('says nothing of that where more was found than is shown', async () => {
    expect(await search(member, 7, 5)).not.toHaveProperty('note');
  });
});

describe('a mail that is opened', () => {
  const FILE = { id: 'att_1', name: 'offer.txt', type: 'text/plain', bytes: 20, unreadable: null };
  const text = 'The roof costs 14,350.';
  const facts = { ...FACTS, kind: 'text', totals: { characters: text.length, rows: 0 } };
  const opened = (
    letter: string,
    {
      mayOpen,
      page = 1,
      id = '<1@x.test>',
    }: { readonly mayOpen: boolean; readonly page?: number; readonly id?: string },
  ) =>
    createMail({
      store: {
        openMail: async (id: string) =>
          id === '<1@x.test>'
            ? {
                message: { message_id: id, new_text: letter, forwarded_text: '', quoted_text: '', received_at: 0 },
                attachments: [FILE],
              }
            : undefined,
      } as never,
      library: { open: async () => ({ ok: true, facts, text: async () => text }) } as never,
      viewer: null,
      asker: 'owner',
      mayOpen,
      current: null,
      timezone: 'Europe/Berlin',
    }).read({ message_id: id, page });

  it('has its small attachments in place, with their ids', async () => {
    expect((await opened('See below.', { mayOpen: true })).texts).toEqual([{ id: 'att_1', text }]);
  });

  it.each(['1@x.test', ' <1@x.test> ', '<1@x.test'])('is found by its id without the brackets: %s', async (id) => {
    const { message_id: found } = await opened('See below.', { mayOpen: false, id });
    expect([found, readMail.provenance?.({ message_id: id, page: 1 } as never)]).toEqual([
      '<1@x.test>',
      { id: '<1@x.test>' },
    ]);
  });

  it('has none where the run may not read attachments, on a later page, or where the page has no room', async () => {
    expect(await opened('See below.', { mayOpen: false })).not.toHaveProperty('texts');
    expect(await opened('word '.repeat(3000), { mayOpen: true, page: 2 })).not.toHaveProperty('texts');
    expect(await opened('x'.repeat(9990), { mayOpen: true })).not.toHaveProperty('texts');
  });
});
