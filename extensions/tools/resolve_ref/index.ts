import { z } from 'zod';
import { defineTool } from '#contract';

export default defineTool({
  description: 'Read an earlier result, by its ref.',
  risk: 'read',
  // What comes back is what somebody else wrote, brought by a call of this mail thread: it has to count as read mail.
  scope: 'mail:read',
  uses: ['artifacts'],
  input: z.object({
    ref: z.string().trim().min(1).max(200),
    page: z.int().min(1).default(1),
  }),
  output: z.object({
    ref: z.string(),
    page: z.number(),
    pages: z.number(),
    total_chars: z.number(),
    text: z.string(),
    next_page: z.number().nullable(),
  }),
  provenance: ({ ref }) => ({ ref }),
  next: ({ page, next_page }) => ({ more: next_page !== null, at: page }),
  async run({ ref, page }, { artifacts }) {
    return { ...(await artifacts.readPage({ ref, page })) };
  },
});
