import { z } from 'zod';
import { defineTool } from '#contract';

const MAX_TEXT = 20_000;

export default defineTool({
  description:
    'Hand a part of the work to a child run, which sees only what you put into context and uses only the tools that ' +
    'you name; it changes nothing by itself: what needs a yes is put before the owner, and it goes on after that. Several ' +
    'calls of one turn work side by side. Its answer is the result; ' +
    'where it gives none, say that this part is open.',
  risk: 'create',
  scope: 'memory:create',
  // The child and the result stand in one transaction.
  effect: 'keyed',
  uses: ['delegation'],
  onlyWith: 'delegation',
  input: z.object({
    task: z.string().trim().min(1).max(MAX_TEXT).describe('all that it has to know of what is wanted'),
    context: z
      .array(
        z.union([
          z.string().max(MAX_TEXT),
          z.object({ file: z.string().min(1).max(500) }),
          z.object({ attachment: z.string().min(1).max(100) }),
          z.object({ ref: z.string().min(1).max(100) }),
        ]),
      )
      .max(20)
      .default([])
      .describe('texts, {file: path}, {attachment: id}, {ref: of a result}'),
    tools: z.array(z.string().max(64)).max(20).default([]),
    budget: z.object({ usd: z.number().positive().optional(), tokens: z.int().positive().optional() }).default({}),
  }),
  provenance: () => null,
  receipt: ({ task }) => ({ act: 'other', targets: [], title: task.slice(0, 100) }),
  run: (packet, { delegation }) => delegation.begin(packet),
});
