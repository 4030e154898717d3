import { z } from 'zod';
import { defineTool } from '#contract';

const PAGE_CHARACTERS = 10_000;
/** With what JSON adds, still below what the engine would cut a result to. */
const MAX_PAGE_CHARACTERS = 15_000;

export default defineTool({
  description: 'Read the text of an attachment by the id in its line, a page at a time; next_offset ' + 'leads on.',
  risk: 'read',
  scope: 'mail:read',
  uses: ['mail'],
  input: z.object({
    id: z.string().min(1).max(200),
    offset: z.int().min(0).default(0).describe('Characters to skip'),
    limit: z.int().min(1).max(MAX_PAGE_CHARACTERS).default(PAGE_CHARACTERS),
  }),
  output: z.object({
    id: z.string(),
    name: z.string(),
    type: z.string(),
    bytes: z.number(),
    text: z.string(),
    total_chars: z.number(),
    next_offset: z.number().nullable(),
  }),
  async run({ id, offset, limit }, { mail }) {
    return { ...(await mail.readAttachment({ id, offset, limit })) };
  },
});
