import { z } from 'zod';
import { defineTool } from '#contract';

export default defineTool({
  description: "Calls that wait for the sender's yes, with all their arguments.",
  risk: 'read',
  scope: 'mail:read',
  uses: ['waiting'],
  onlyWith: 'waiting',
  input: z.strictObject({}),
  output: z.object({
    waiting: z.array(
      z.object({
        id: z.string(),
        tool: z.string(),
        arguments: z.record(z.string(), z.json()),
        for: z.string().nullable(),
        asked_at: z.string(),
        until: z.string(),
        answered_now: z.boolean(),
      }),
    ),
  }),
  // Each of them was asked for by somebody else.
  provenance: () => null,
  async run(_, { waiting }) {
    const all = await waiting.list();
    return { waiting: all.map((one) => ({ ...one, arguments: { ...one.arguments } })) };
  },
});
