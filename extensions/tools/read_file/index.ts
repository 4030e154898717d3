import { z } from 'zod';
import { defineTool } from '#contract';
import { pageOf } from './lines.ts';

export default defineTool({
  description:
    'Read one of your text files by its path. Returns a page of lines exactly as they stand, and total_lines; when ' +
    'next_offset is not null, call again with it for the rest.',
  risk: 'read',
  scope: 'files:read',
  input: z.object({
    path: z.string().min(1).describe('Such as notes/plan.md'),
    offset: z.int().min(0).default(0).describe('Lines to skip; next_offset of the page before'),
    limit: z.int().min(1).max(2000).default(400).describe('Lines at most'),
  }),
  output: z.object({
    path: z.string(),
    text: z.string(),
    offset: z.number(),
    lines: z.number(),
    total_lines: z.number(),
    next_offset: z.number().nullable(),
  }),
  run: async ({ path, offset, limit }, { files }) => ({ path, ...pageOf(await files.read(path), { offset, limit }) }),
});
