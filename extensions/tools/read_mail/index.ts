import { z } from 'zod';
import { defineTool } from '#contract';

const part = z.enum(['new', 'forwarded', 'quoted']);

export default defineTool({
  description: 'Open a mail by pages, with its attachments.',
  risk: 'read',
  scope: 'mail:read',
  uses: ['mail'],
  input: z.object({
    message_id: z.string(),
    part: part.optional(),
    page: z.int().min(1).default(1),
  }),
  output: z.object({
    message_id: z.string(),
    thread_id: z.string(),
    direction: z.enum(['in', 'out']),
    from: z.string(),
    to: z.array(z.string()),
    cc: z.array(z.string()),
    date: z.string(),
    subject: z.string(),
    unproven: z.literal(true).optional(),
    attachments: z.array(z.string()),
    texts: z.array(z.object({ id: z.string(), part: z.string().optional(), text: z.string() })).optional(),
    part,
    text: z.string(),
    page: z.int(),
    pages: z.int(),
    other_parts: z.array(z.object({ part, pages: z.int() })),
  }),
  // Models leave the brackets out.
  provenance: ({ message_id }) => ({ id: `<${message_id.trim().replace(/^<|>$/g, '')}>` }),
  next: ({ page, pages }) => ({ more: page < pages, at: page }),
  async run({ message_id, part: wanted, page }, { mail }) {
    const { from_name: name, proven, texts, ...one } = await mail.read({ message_id, part: wanted, page });
    return {
      ...one,
      from: name === '' ? one.from : `${name} <${one.from}>`,
      to: [...one.to],
      cc: [...one.cc],
      attachments: [...one.attachments],
      ...(texts === undefined ? {} : { texts: texts.map((file) => ({ ...file })) }),
      other_parts: one.other_parts.map((other) => ({ ...other })),
      ...(proven ? {} : { unproven: true as const }),
    };
  },
});
