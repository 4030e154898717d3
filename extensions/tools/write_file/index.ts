import { z } from 'zod';
import { defineTool } from '#contract';

export default defineTool({
  description:
    'Write a whole text file. Replacing one that you did not write needs approval. For a small change use edit_file.',
  risk: 'create',
  scope: 'files:create',
  uses: ['files'],
  effect: 'idempotent',
  input: z.object({
    path: z.string().min(1).describe('Such as notes/plan.md'),
    content: z.string(),
  }),
  output: z.object({ path: z.string(), bytes: z.number(), created: z.boolean() }),
  provenance: ({ path }) => ({ path }),
  async effects({ path }, { files }) {
    const owner = await files.owner(path);
    return { risk: owner === 'other' ? 'write' : 'create', targets: [path] };
  },
  // What stands there is somebody's: they see what would become of it.
  preview: ({ path, content }, { files }) => files.compare(path, content),
  receipt: ({ path }) => ({ act: 'saved', targets: [path] }),
  async run({ path, content }, { files }) {
    const created = (await files.owner(path)) === 'absent';
    return { ...(await files.write(path, content)), created };
  },
});
