import { z } from 'zod';
import { defineTool, type FilesCapability } from '#contract';

export default defineTool({
  description: 'Write a whole text file; for a small change edit_file.',
  risk: 'create',
  scope: 'files:create',
  uses: ['files'],
  effect: 'idempotent',
  later: true,
  input: z.object({
    path: z.string().min(1),
    content: z.string(),
  }),
  output: z.object({ path: z.string(), bytes: z.number(), created: z.boolean() }),
  provenance: ({ path }) => ({ path }),
  async effects({ path, content }, { files }) {
    const replaces = (await files.owner(path)) === 'other' && !(await saysAlready(files, path, content));
    return { risk: replaces ? 'write' : 'create', targets: [path] };
  },
  // What stands there is somebody's: they see what would become of it.
  preview: ({ path, content }, { files }) => files.compare(path, content),
  receipt: ({ path }) => ({ act: 'saved', targets: [path] }),
  async run({ path, content }, { files }) {
    const owner = await files.owner(path);
    // Not written, or somebody's file would be the persona's from then on, to change as it likes.
    if (owner === 'other' && (await saysAlready(files, path, content)))
      return { path, bytes: Buffer.byteLength(content), created: false };
    const isNew = owner === 'absent';
    return { ...(await files.write(path, content, { isNew })), created: isNew };
  },
});

/** As after a restored backup, whose files are newer than its rows: the run that wrote this one begins anew. */
async function saysAlready(files: FilesCapability, path: string, content: string): Promise<boolean> {
  return files.read(path).then(
    (there) => there === content,
    () => false,
  );
}
