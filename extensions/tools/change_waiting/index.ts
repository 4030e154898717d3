import { z } from 'zod';
import { defineTool } from '#contract';

const settled = z.object({
  id: z.string().nullable(),
  targets: z.array(z.string()),
  title: z.string().nullable(),
});

export default defineTool({
  description:
    'Where the sender wants a call that waits otherwise, or not at all: the changed one is asked about in its place, so make none beside it.',
  risk: 'create',
  scope: 'mail:create',
  uses: ['waiting'],
  onlyWith: 'waiting',
  // What stands in its place already is not put there again.
  effect: 'idempotent',
  input: z.strictObject({
    id: z.string().min(1).max(60),
    arguments: z
      .record(z.string(), z.json())
      .nullable()
      .default(null)
      .describe('Those that change, each whole; none: withdrawn'),
  }),
  output: settled,
  provenance: () => null,
  effects: async ({ id }) => ({ targets: [id], apart: true }),
  receipt({ arguments: changes }, result) {
    const { targets = [], title = null } = settled.safeParse(result).data ?? {};
    return { act: changes === null ? 'withdrawn' : 'revised', targets, ...(title === null ? {} : { title }) };
  },
  async run({ id, arguments: changes }, { waiting }) {
    const done = changes === null ? await waiting.withdraw(id) : await waiting.change(id, changes);
    return { ...done, targets: [...done.targets] };
  },
});
