import { z } from 'zod';
import { defineTool } from '#contract';

const kept = z.object({
  id: z.string(),
  text: z.string(),
  result: z.enum(['new', 'update', 'duplicate', 'disputed']),
  wrongly_told: z.array(z.string()).optional(),
  note: z.string().optional(),
});

export default defineTool({
  description:
    'Keep or correct what the sender asks you to; what is to hold from now on: `remember_rule`. `quote`: their words, ' +
    'copied exactly.',
  risk: 'create',
  scope: 'memory:create',
  uses: ['memory'],
  onlyWith: 'memory',
  // Stored together with this call's result, so doing it again after a crash keeps nothing twice.
  effect: 'keyed',
  input: z.strictObject({
    text: z.string().min(1).max(300).describe('One sentence; dates for words such as tomorrow'),
    quote: z.string().min(1).max(500),
    kind: z.enum(['preference', 'identity', 'relation', 'state', 'plan', 'instruction']).default('preference'),
    everyone: z.boolean().default(false).describe('Wish of an owner for all mail'),
    replaces: z.string().max(40).nullable().default(null).describe('Id of what is no longer so'),
  }),
  output: kept,
  // Words for everybody that somebody else may have written wait for an owner.
  async effects(wanted, { memory }) {
    return (await memory.waits(wanted)) ? { risk: 'write' } : {};
  },
  provenance: () => null,
  // In a run that has read others' words another text is kept than the model wanted.
  receipt: ({ text }, result) => ({ act: 'remembered', targets: [kept.safeParse(result).data?.text ?? text] }),
  async run(wanted, { memory }) {
    return { ...(await memory.remember(wanted)) };
  },
});
