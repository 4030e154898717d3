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
  provenance: ({ id }) => ({ id }),
  next: ({ text, total_chars, next_offset }) => ({
    more: next_offset !== null,
    // The result does not say where it begins; where it ends tells it from the other pages as well.
    at: next_offset ?? total_chars,
    share: { shown: text.length, total: total_chars, unit: 'characters' },
  }),
  async run({ id, offset, limit }, { mail }) {
    return { ...(await mail.readAttachment({ id, offset, limit })) };
  },
});
