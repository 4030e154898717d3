import { createHash } from 'node:crypto';
import { z } from 'zod';
import { defineTool } from '#contract';
import { pageOf } from './lines.ts';

export default defineTool({
  description: 'Read a text file of yours by lines; next_offset leads on.',
  risk: 'read',
  scope: 'files:read',
  uses: ['files'],
  input: z.object({
    path: z.string().min(1),
    offset: z.int().min(0).default(0).describe('Lines to skip'),
    limit: z.int().min(1).max(2000).default(400),
  }),
  output: z.object({
    path: z.string(),
    text: z.string(),
    offset: z.number(),
    lines: z.number(),
    total_lines: z.number(),
    next_offset: z.number().nullable(),
    source_sha256: z.string(),
  }),
  provenance: ({ path, source_sha256 }) => ({ path, sha256: source_sha256 }),
  next: ({ offset, lines, total_lines, next_offset }) => ({
    more: next_offset !== null,
    at: offset,
    share: { shown: lines, total: total_lines, unit: 'lines' },
  }),
  run: async ({ path, offset, limit }, { files }) => {
    const text = await files.text(path);
    // By it the run finds out whether the file says something else by the time that an answer rests on it.
    const source_sha256 = createHash('sha256').update(text).digest('hex');
    return { path, ...pageOf(text, { offset, limit }), source_sha256 };
  },
});
