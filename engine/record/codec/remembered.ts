import { z } from 'zod';
import { list, providerCode, response } from './fields.ts';

/** A call of a model that a stage other than the loop has made. */
export const stageCall = z.object({
  purpose: z.string(),
  provider: z.string(),
  model: z.string(),
  ok: z.boolean(),
  code: providerCode.nullable(),
  ms: z.number(),
  usage: response.shape.usage.nullable(),
  /** Null: nobody knows the price. */
  cost_usd: z.number().nullable(),
});
export type StageCall = z.infer<typeof stageCall>;

/** Never what a fact says: that can be forgotten, and what is on record of a run cannot. */
export const remembered = {
  stage: z.enum(['remember', 'summarise', 'close']),
  /** Why nothing was, or not all. */
  code: z.enum(['budget', 'provider', 'unparsable', 'forgotten', 'private', 'failed', 'off']).nullable(),
  calls: list(stageCall),
  written: list(
    z.object({
      fact: z.string(),
      decision: z.enum(['new', 'update', 'duplicate', 'disputed']),
      of: z.string().nullable(),
      status: z.enum(['candidate', 'kept', 'disputed', 'forgotten']),
    }),
  ),
  refused: list(z.object({ reason: z.string() })),
  /** The summary: how many mails are new in it, the place of the newest, and its length. */
  summary: z.object({ items: z.number(), until: z.number(), chars: z.number() }).exactOptional(),
};
