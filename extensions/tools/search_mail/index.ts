import { z } from 'zod';
import { defineTool } from '#contract';

const found = z.object({
  message_id: z.string(),
  thread_id: z.string(),
  direction: z.enum(['in', 'out']),
  from: z.string(),
  subject: z.string(),
  date: z.string(),
  snippet: z.string(),
});

export default defineTool({
  description:
    'Search earlier mail in this mailbox, sent and received, by words. Use it before asking the sender to repeat ' +
    'something. Returns the best matches with sender, date, subject and a snippet; an empty list means nothing matched.',
  risk: 'read',
  scope: 'mail:read',
  input: z.object({
    query: z.string().trim().min(1).max(500).describe('A few words, a name or an address'),
    limit: z.int().min(1).max(20).default(5).describe('How many mails at most'),
  }),
  output: z.object({ count: z.int(), messages: z.array(found) }),
  async run({ query, limit }, { mail }) {
    const messages = (await mail.search({ query, limit })).map((one) => ({ ...one }));
    return { count: messages.length, messages };
  },
});
