import { z } from 'zod';
import { defineTool } from '#contract';

const kept = z.object({
  id: z.string(),
  text: z.string(),
  result: z.enum(['new', 'update', 'duplicate', 'disputed']),
  wrongly_told: z.array(z.string()).optional(),
});

export default defineTool({
  description:
    'Keep what the sender asks you to remember, or to correct; what you are to do from now on is `remember_rule`. ' +
    '`quote`: their words that say so, copied exactly from this mail.',
  risk: 'create',
  scope: 'memory:create',
  uses: ['memory'],
  onlyWith: 'memory',
  // Stored together with this call's result, so doing it again after a crash keeps nothing twice.
  effect: 'keyed',
  input: z.strictObject({
    text: z.string().min(1).max(300).describe('One sentence, with dates in place of words such as tomorrow'),
    quote: z.string().min(1).max(500),
    kind: z.enum(['preference', 'identity', 'relation', 'state', 'plan', 'instruction']).default('preference'),
    everyone: z.boolean().default(false).describe("An owner's wish for mail to everybody"),
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
