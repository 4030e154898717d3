import { z } from 'zod';
import { defineTool } from '#contract';

export default defineTool({
  description: 'Erase what you remember, when the sender asks.',
  risk: 'write',
  scope: 'memory:delete',
  uses: ['memory'],
  onlyWith: 'memory',
  // What is gone stays gone.
  effect: 'idempotent',
  later: true,
  input: z.strictObject({ id: z.string().min(1).max(40) }),
  output: z.object({ id: z.string() }),
  provenance: () => null,
  // Asked here, so that what cannot be done is told at once, not after an owner has thought about it.
  async effects({ id }, { memory }) {
    await memory.preview(id);
    return { targets: [id] };
  },
  preview: ({ id }, { memory }) => memory.preview(id),
  // Without its words, which are to be gone.
  receipt: () => ({ act: 'forgotten', targets: [] }),
  async run({ id }, { memory }) {
    return { ...(await memory.forget(id)) };
  },
});
