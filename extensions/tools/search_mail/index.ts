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
  description: 'Search earlier mail, sent and received, by words; all of them must occur.',
  risk: 'read',
  scope: 'mail:read',
  uses: ['mail'],
  input: z.object({
    query: z.string().trim().min(1).max(500),
    limit: z.int().min(1).max(20).default(5),
  }),
  output: z.object({ count: z.int(), messages: z.array(found) }),
  // Each mail has a source of its own.
  provenance: () => null,
  async run({ query, limit }, { mail }) {
    const messages = (await mail.search({ query, limit })).map((one) => ({ ...one }));
    return { count: messages.length, messages };
  },
});
