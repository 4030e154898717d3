import { z } from 'zod';
import { defineTool } from '#contract';

const PAGE_CHARACTERS = 10_000;
/** With what JSON adds, still below what the engine would cut a result to. */
const MAX_PAGE_CHARACTERS = 15_000;
/** More names of files than that would leave no room for the text, in which they stand as well. */
const MAX_PARTS = 20;

export default defineTool({
  description: 'Read an attachment by its id; next_offset leads on.',
  risk: 'read',
  scope: 'mail:read',
  uses: ['mail'],
  input: z.object({
    id: z.string().min(1),
    page: z.int().min(1).optional().describe('Page, slide or sheet'),
    part: z.string().optional().describe('A file in it'),
    offset: z.int().min(0).optional(),
    limit: z.int().min(1).max(MAX_PAGE_CHARACTERS).default(PAGE_CHARACTERS),
  }),
  output: z.object({
    id: z.string(),
    name: z.string(),
    type: z.string(),
    bytes: z.number(),
    part: z.string().optional(),
    title: z.string().optional(),
    pages: z.string().optional(),
    note: z.string().optional(),
    text: z.string(),
    total_chars: z.number(),
    next_offset: z.number().nullable(),
    parts: z.array(z.object({ name: z.string(), type: z.string(), bytes: z.number() })).optional(),
  }),
  provenance: ({ id }) => ({ id }),
  next: ({ text, total_chars, next_offset }) => ({
    more: next_offset !== null,
    // The result does not say where it begins; where it ends tells it from the other pages as well.
    at: next_offset ?? total_chars,
    share: { shown: text.length, total: total_chars, unit: 'characters' },
  }),
  async run({ id, page, part, offset, limit }, { mail }) {
    const read = await mail.readAttachment({ id, page, part, offset, limit });
    const { name, type, bytes, text, total_chars, next_offset } = read;
    return {
      id,
      name,
      type,
      bytes,
      ...(read.part === null ? {} : { part: read.part }),
      ...(read.title === null ? {} : { title: read.title }),
      ...(read.pages === null ? {} : { pages: read.pages }),
      ...(read.note === null ? {} : { note: read.note }),
      text,
      total_chars,
      next_offset,
      ...(read.parts.length === 0 ? {} : { parts: read.parts.slice(0, MAX_PARTS).map((file) => ({ ...file })) }),
    };
  },
});
