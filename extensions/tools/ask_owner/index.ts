import { z } from 'zod';
import { defineTool } from '#contract';

export default defineTool({
  description: 'Ask owners what only people know; sender gets text beside now.',
  risk: 'create',
  scope: 'mail:create',
  uses: ['owners'],
  asks: 'answer',
  // The call, the job that it leaves and its result stand in one transaction.
  effect: 'keyed',
  // Told with an owner's answer, and where a question waits: no first call has words to hand on.
  input: z.strictObject({
    question: z.string().min(1).max(4000),
    words: z.string().min(1).max(20_000).optional(),
  }),
  effects: async ({ words }) => (words === undefined ? {} : { asks: false }),
  provenance: () => null,
  receipt: () => ({ act: 'other', targets: [] }),
  run: ({ question, words = '' }, { owners }) => owners.passOn({ question, words }),
});
