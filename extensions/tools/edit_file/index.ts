import { z } from 'zod';
import { defineTool } from '#contract';
import { replaceOnce } from './replace.ts';

export default defineTool({
  description: 'Change a text file: old_text, copied exactly, must occur once.',
  // The least risk of any call: what the persona itself wrote counts as `create`; `effects` raises the rest.
  risk: 'create',
  scope: 'files:write',
  uses: ['files'],
  later: true,
  input: z.object({
    path: z.string().min(1),
    old_text: z.string().min(1),
    new_text: z.string(),
  }),
  output: z.object({ path: z.string(), bytes: z.number() }),
  provenance: ({ path }) => ({ path }),
  async effects({ path }, { files }) {
    const owner = await files.owner(path);
    return { risk: owner === 'persona' ? 'create' : 'write', targets: [path] };
  },
  preview: async ({ path, old_text, new_text }, { files }) =>
    files.compare(path, replaceOnce(await files.read(path), old_text, new_text)),
  receipt: ({ path }) => ({ act: 'changed', targets: [path] }),
  async run({ path, old_text, new_text }, { files }) {
    return { ...(await files.write(path, replaceOnce(await files.read(path), old_text, new_text))) };
  },
});
