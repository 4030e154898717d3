import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { EngineError, type MailCapability } from '#contract';
import readAttachment from '../../../extensions/tools/read_attachment/index.ts';
import searchMail from '../../../extensions/tools/search_mail/index.ts';
import { errorWith, toolContext } from './context.ts';

const pageShape = z.object({ text: z.string(), next_offset: z.number().nullable() });
const LETTER = 'The code word is Ölberg. '.repeat(1000);

/** A mailbox with one mail and one attachment, which keeps what it was asked. */
function mailbox() {
  const asked: unknown[] = [];
  const mail: MailCapability = {
    async search(options) {
      asked.push(options);
      if (options.query !== 'Ölberg') return [];
      const direction = 'in';
      return [
        {
          message_id: '<1@example.com>',
          thread_id: 't1',
          direction,
          from: 'you@example.com',
          subject: 'Code word',
          date: '2026-11-20T10:00:00.000Z',
          snippet: 'The code word is Ölberg.',
        },
      ];
    },
    async readAttachment(options) {
      asked.push(options);
      if (options.id !== 'a1') throw new EngineError('not_found', 'there is no such attachment');
      const next = options.offset + options.limit;
      return {
        id: 'a1',
        name: 'letter.txt',
        type: 'text/plain',
        bytes: Buffer.byteLength(LETTER),
        text: LETTER.slice(options.offset, next),
        total_chars: LETTER.length,
        next_offset: next < LETTER.length ? next : null,
      };
    },
  };
  return { asked, context: toolContext({ mail }) };
}

describe('search_mail', () => {
  it('gives what was found with its number, five at most unless asked', async () => {
    const { asked, context } = mailbox();
    const found = await searchMail.run(searchMail.input.parse({ query: ' Ölberg ' }), context);
    expect(found).toMatchObject({ count: 1, messages: [{ message_id: '<1@example.com>', direction: 'in' }] });
    expect(asked).toEqual([{ query: 'Ölberg', limit: 5 }]);
  });

  it('gives an empty list when nothing matches', async () => {
    const { context } = mailbox();
    expect(await searchMail.run({ query: 'nothing', limit: 5 }, context)).toEqual({ count: 0, messages: [] });
  });

  it.each([
    {},
    { query: '' },
    { query: '   ' },
    { query: 'a', limit: 0 },
    { query: 'a', limit: 21 },
    { query: 'x'.repeat(501) },
  ])('does not accept %j', (args) => expect(searchMail.input.safeParse(args).success).toBe(false));
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
