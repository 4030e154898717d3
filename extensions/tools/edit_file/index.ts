import { z } from 'zod';
import { defineTool } from '#contract';
import { replaceOnce } from './replace.ts';

export default defineTool({
  description:
    'Change one place in one of your text files. old_text must be copied exactly, line breaks included, and occur ' +
    "once. Changing a file that you did not write yourself needs the owner's approval.",
  // The least risk of any call: what the persona itself wrote counts as `create`; `effects` raises the rest.
  risk: 'create',
  scope: 'files:write',
  input: z.object({
    path: z.string().min(1).describe('Such as notes/plan.md'),
    old_text: z.string().min(1).describe('The text to replace, as it stands in the file'),
    new_text: z.string().describe('What stands there afterwards; empty to remove'),
  }),
  output: z.object({ path: z.string(), bytes: z.number() }),
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
