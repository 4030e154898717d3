import { z } from 'zod';
import { defineTool, type Json } from '#contract';

const isAttachment = (path: string): boolean => /^att_[0-9a-f]{1,40}$/.test(path);

function nameIn(result: Json): readonly string[] {
  const read = z.object({ name: z.string() }).safeParse(result);
  return read.success ? [read.data.name] : [];
}

export default defineTool({
  description: 'Attach a file (path or attachment id) to your answer; after a change, again.',
  risk: 'create',
  // It puts a file into a mail; the files themselves are looked at by the grant of read_file.
  scope: 'mail:create',
  uses: ['artifacts'],
  onlyWith: 'files',
  // A second time the file is attached as it is then, and once.
  effect: 'idempotent',
  input: z.strictObject({ path: z.string().min(1) }),
  output: z.object({
    path: z.string(),
    name: z.string(),
    type: z.string(),
    bytes: z.number(),
    sha256: z.string(),
  }),
  // It says nothing of what the file says.
  provenance: () => null,
  effects: async ({ path }) => ({ targets: [path] }),
  // An id says nothing to a person.
  receipt: ({ path }, result) => ({ act: 'attached', targets: isAttachment(path) ? nameIn(result) : [path] }),
  run: async ({ path }, { artifacts }) => ({ ...(await artifacts.attach(path)) }),
});
