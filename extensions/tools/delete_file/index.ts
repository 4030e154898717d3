import { z } from 'zod';
import { defineTool } from '#contract';

const removed = z.object({ path: z.string(), bytes: z.number(), sha256: z.string() });

export default defineTool({
  description: 'Delete one of your files.',
  risk: 'destructive',
  scope: 'files:delete',
  uses: ['files'],
  // What a run took away is on record before it is gone, so the same call again returns the same.
  effect: 'idempotent',
  later: true,
  input: z.strictObject({ path: z.string().min(1) }),
  output: removed,
  provenance: ({ path }) => ({ path }),
  effects: async ({ path }) => ({ risk: 'destructive', targets: [path] }),
  preview: ({ path }, { files }) => files.compare(path, null),
  receipt: ({ path }) => ({ act: 'deleted', targets: [path] }),
  run: async ({ path }, { files }) => ({ ...(await files.remove(path)) }),
  undo: async (_args, result, { files }) => {
    const { path, sha256 } = removed.parse(result);
    return { ...(await files.restore(path, sha256)) };
  },
});
