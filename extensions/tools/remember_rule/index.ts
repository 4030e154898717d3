import { z } from 'zod';
import { defineTool } from '#contract';

const kept = z.object({
  id: z.string(),
  text: z.string(),
  result: z.enum(['kept', 'again', 'ended']),
  ended: z.array(z.string()),
  note: z.string().optional(),
  whom: z.array(z.string()).optional(),
});

export default defineTool({
  description:
    'Keep what the sender says is to hold from now on (never, always, until Friday), one call each, or end it.',
  risk: 'create',
  scope: 'memory:create',
  uses: ['rules'],
  onlyWith: 'rules',
  // The same rule of the same mail is kept once.
  effect: 'idempotent',
  later: true,
  // Each of these is looked at where the rule is, so that few words of the prompt are spent on it.
  input: z.strictObject({
    quote: z.string().describe('Their sentence, copied exactly'),
    effect: z
      .enum(['words', 'deny', 'allow', 'cc', 'end'])
      .default('words')
      .describe('deny: never made; allow: not asked about; cc: always copied; end: of replaces'),
    for: z.string().default('everybody').describe('or me, thread, an address'),
    tools: z.array(z.string()).default([]),
    whom: z.array(z.string()).default([]).describe('Addresses, domains'),
    until: z.string().nullable().default(null).describe('2026-12-04'),
    replaces: z.string().nullable().default(null).describe('Id of a rule'),
  }),
  output: kept,
  provenance: () => null,
  // What cannot be kept is told at once, not after an owner has thought about it.
  async effects(wanted, { rules }) {
    // What narrows holds from now on, whatever else of the same mail owners are asked about.
    return (await rules.asks(wanted)) ? { risk: 'write', widens: true } : { apart: true };
  },
  preview: (wanted, { rules }) => rules.preview(wanted),
  receipt: ({ quote, effect, until }, result) => ({
    act: effect === 'end' ? 'unruled' : 'ruled',
    targets: [kept.safeParse(result).data?.text ?? quote],
    ...(until === null ? {} : { when: until }),
  }),
  async undo(_, result, { rules }) {
    await rules.takeBack(kept.parse(result));
    return null;
  },
  async run(wanted, { rules }) {
    return { ...(await rules.keep(wanted)) };
  },
});
