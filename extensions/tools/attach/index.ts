import { z } from 'zod';
import { defineTool } from '#contract';

export default defineTool({
  description: 'Attach one of your files to your answer, as it is now. After a later change attach it again.',
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
  receipt: ({ path }) => ({ act: 'attached', targets: [path] }),
  run: async ({ path }, { artifacts }) => ({ ...(await artifacts.attach(path)) }),
});
