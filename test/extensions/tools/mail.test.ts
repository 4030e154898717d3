import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { EngineError, type MailCapability } from '#contract';
import readAttachment from '../../../extensions/tools/read_attachment/index.ts';
import readMail from '../../../extensions/tools/read_mail/index.ts';
import searchMail from '../../../extensions/tools/search_mail/index.ts';
import { errorWith, toolContext } from './context.ts';

const pageShape = z.object({ text: z.string(), next_offset: z.number().nullable() });
const hit = z.looseObject({ from: z.string(), to: z.array(z.string()), attachments: z.array(z.string()).optional() });
const foundShape = z.object({ messages: z.array(hit) });
const openedShape = z.custom<Parameters<NonNullable<typeof readMail.next>>[0]>();
const LETTER = 'The code word is Ölberg. '.repeat(1000);

const HIT = {
  message_id: '<1@example.com>',
  thread_id: 't1',
  direction: 'in',
  from: 'you@example.com',
  from_name: 'You Too',
  to: ['ada@agents.localhost'],
  subject: 'Code word',
  date: '2026-11-20T11:00:00+01:00',
  proven: true,
  attachments: ['letter.txt'],
  files: [{ id: 'att_1', name: 'letter.txt' }],
} as const;
const FORGED = {
  from_name: '',
  to: Array.from({ length: 7 }, (_, n) => `r${n}@x.example`),
  attachments: [],
  files: [],
  proven: false,
};

/** A mailbox with one mail and one attachment, which keeps what it was asked. */
function mailbox() {
  const asked: unknown[] = [];
  const mail: MailCapability = {
    search: () => Promise.reject(new Error('not this one')),
    threads: () => Promise.reject(new Error('not this one')),
    async find(options) {
      asked.push(options);
      if (options.query !== 'Ölberg') return { total: 0, messages: [], next: null };
      const seen = { ...HIT, snippet: 'The code word is Ölberg.' };
      return { total: 7, messages: [seen, { ...seen, ...FORGED }], next: 'a higher limit' };
    },
    async read(options) {
      asked.push(options);
      if (options.message_id !== HIT.message_id) throw new EngineError('not_found', 'there is no such mail');
      const pages = { page: options.page ?? 1, pages: 2, other_parts: [{ part: 'quoted', pages: 1 }] as const };
      return { ...HIT, cc: [], part: options.part ?? 'new', text: 'The code word is Ölberg.', ...pages };
    },
    async readAttachment(options) {
      asked.push(options);
      if (options.id !== 'a1') throw new EngineError('not_found', 'there is no such attachment');
      const offset = options.offset ?? 0;
      const next = offset + options.limit;
      return {
        id: 'a1',
        name: 'letter.txt',
        type: 'text/plain',
        bytes: Buffer.byteLength(LETTER),
        part: null,
        title: null,
        pages: null,
        note: null,
        parts: [],
        offset,
        text: LETTER.slice(offset, next),
        total_chars: LETTER.length,
        next_offset: next < LETTER.length ? next : null,
      };
    },
  };
  return { asked, context: toolContext({ mail }) };
}

describe('search_mail', () => {
  it('gives what was found with names, how much there is and a way on, five at most unless asked', async () => {
    const { asked, context } = mailbox();
    const found = await searchMail.run(searchMail.input.parse({ query: ' Ölberg ' }), context);
    expect(asked).toEqual([{ query: 'Ölberg', limit: 5 }]);
    expect(found).toMatchObject({ count: 2, total: 7, next: 'a higher limit' });
    const [plain, forged] = foundShape.parse(found).messages;
    expect(plain).toMatchObject({ from: 'You Too <you@example.com>', attachments: ['[attachment att_1] letter.txt'] });
    expect(plain).not.toHaveProperty('unproven');
    expect(forged).toMatchObject({ from: 'you@example.com', unproven: true });
    expect(forged?.to.slice(4)).toEqual(['r4@x.example', 'and 2 more']);
    expect(forged).not.toHaveProperty('attachments');
  });

  it('gives an empty list when nothing matches', async () => {
    const { context } = mailbox();
    const nothing = { count: 0, total: 0, messages: [], next: null };
    expect(await searchMail.run(searchMail.input.parse({ query: 'nothing' }), context)).toEqual(nothing);
  });

  it('hands on each of its filters', async () => {
    const { asked, context } = mailbox();
    const filters = {
      from: 'Jana',
      to: 'ada',
      since: '2026-05-01',
      before: '2026-06-01',
      direction: 'in' as const,
      has_attachment: true,
      thread: 't1',
      limit: 20,
    };
    await searchMail.run(searchMail.input.parse(filters), context);
    expect(asked).toEqual([filters]);
  });

  it.each([{}, { query: '' }, { query: '   ', from: ' ' }, { limit: 5 }])('finds the newest mail by %j', (args) =>
    expect(searchMail.input.parse(args)).toMatchObject({ query: undefined, from: undefined, limit: 5 }),
  );

  it.each([{ query: 'a', limit: 0 }, { query: 'a', limit: 21 }, { query: 'x'.repeat(501) }, { direction: 'both' }])(
    'does not accept %j',
    (args) => expect(searchMail.input.safeParse(args).success).toBe(false),
  );
});

describe('read_mail', () => {
  it('gives one part of a mail with who wrote it and what else it has', async () => {
    const { asked, context } = mailbox();
    const args = readMail.input.parse({ message_id: '<1@example.com>', part: 'quoted', page: 2 });
    const opened = openedShape.parse(await readMail.run(args, context));
    expect(asked).toEqual([args]);
    expect(opened).toMatchObject({ from: 'You Too <you@example.com>', part: 'quoted', page: 2, pages: 2 });
    expect(readMail.next?.(opened)).toMatchObject({ more: false });
    expect(readMail.next?.({ ...opened, page: 1 })).toMatchObject({ more: true });
  });

  it('passes on that there is no such mail', async () => {
    const { context } = mailbox();
    const args = readMail.input.parse({ message_id: '<2@example.com>' });
    await expect(readMail.run(args, context)).rejects.toEqual(errorWith('not_found'));
  });
});

describe('read_attachment', () => {
  it('gives page after page until the end', async () => {
    const { context } = mailbox();
    let text = '';
    for (let offset: number | null = 0; offset !== null; ) {
      const args = readAttachment.input.parse({ id: 'a1', offset });
      const page: z.infer<typeof pageShape> = pageShape.parse(await readAttachment.run(args, context));
      text += page.text;
      offset = page.next_offset;
    }
    expect(text).toBe(LETTER);
  });

  it('passes on that there is no such attachment', async () => {
    const { context } = mailbox();
    await expect(readAttachment.run({ id: 'zz', offset: 0, limit: 10 }, context)).rejects.toEqual(
      errorWith('not_found'),
    );
  });

  it.each([{}, { id: '' }, { id: 'a1', offset: -1 }, { id: 'a1', limit: 0 }, { id: 'a1', limit: 15_001 }])(
    'does not accept %j',
    (args) => expect(readAttachment.input.safeParse(args).success).toBe(false),
  );
});
