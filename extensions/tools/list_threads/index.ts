import { z } from 'zod';
import { defineTool } from '#contract';

const MAX_THREADS = 50;

export default defineTool({
  description: 'Conversations: who, subject, last word, waits for what; refused mail.',
  risk: 'read',
  scope: 'mail:read',
  uses: ['mail'],
  input: z.object({
    since: z.string().optional(),
    open: z.boolean().default(false).describe('Only those that wait'),
    limit: z.int().min(1).max(MAX_THREADS).default(30),
  }),
  output: z.object({
    threads: z.array(
      z.object({
        thread_id: z.string(),
        subject: z.string(),
        people: z.array(z.string()),
        mails: z.int(),
        last_by: z.string(),
        last_at: z.string(),
        waits_for: z.string().nullable(),
      }),
    ),
    more: z.boolean(),
    refused: z
      .array(
        z.object({
          from: z.string(),
          calls_itself: z.string(),
          has_the_name_of: z.string().optional(),
          written_as_an_answer_to_nothing: z.literal(true).optional(),
          mails: z.int(),
          subject: z.string(),
          last_at: z.string(),
          why: z.string(),
        }),
      )
      .optional(),
    more_refused: z.boolean().optional(),
  }),
  // Each conversation has a source of its own.
  provenance: () => null,
  async run({ since, open, limit }, { mail }) {
    // Models fill in what they leave open with nothing.
    const found = await mail.threads({ since: since?.trim() || undefined, open, limit });
    const { threads, more, refused, more_refused } = found;
    return {
      threads: threads.map(({ people, ...thread }) => ({ ...thread, people: [...people] })),
      more,
      ...(refused ? { refused: refused.map((one) => ({ ...one })) } : {}),
      ...(more_refused ? { more_refused } : {}),
    };
  },
});
