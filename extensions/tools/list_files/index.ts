import { z } from 'zod';
import { defineTool } from '#contract';

/** More would be cut by the engine in the middle of a name. */
const MAX_ENTRIES = 200;

export default defineTool({
  description:
    'List your own files and folders, one level at a time. Use it to find a path before reading or writing. Returns ' +
    'path, type and size of each entry, sorted by name.',
  risk: 'read',
  scope: 'files:read',
  input: z.object({ path: z.string().default('').describe('A folder; leave out for the top') }),
  output: z.object({
    path: z.string(),
    entries: z.array(z.object({ path: z.string(), type: z.enum(['file', 'folder']), bytes: z.number() })),
    total: z.number(),
    truncated: z.boolean(),
  }),
  async run({ path }, { files }) {
    const all = await files.list(path);
    const entries = all.slice(0, MAX_ENTRIES).map((entry) => ({ ...entry }));
    return { path, entries, total: all.length, truncated: all.length > entries.length };
  },
});
