import { z } from 'zod';
import type { JsonObject } from '#contract';
import { LEARNED } from '../../storage/types/learning/refinements.ts';
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

/** What came of an attempt to make a better version of a playbook. */
export const playbookRefined = {
  kind: z.string(),
  asked_by: z.enum(['runs', 'owner']),
  accepted: z.boolean(),
  /** Why not. */
  reason: z.string().nullable(),
  from_version: z.number().nullable(),
  to_version: z.number().nullable(),
  from_score: z.number().nullable(),
  to_score: z.number().nullable(),
  examples: z.number(),
  calls: list(stageCall),
};

const change = z.object({
  kind: z.string(),
  /** Numbers of the version before and of the new one, with how much of the examples each does right. */
  from: z.number(),
  to: z.number(),
  from_score: z.number(),
  to_score: z.number(),
  /** The version that holds again when it is taken back. */
  former_id: z.string(),
});
/** A change of a playbook, as it is kept to be taken back. */
export type LearnedChange = z.infer<typeof change>;

/** Null where the item is no change of a playbook. */
export const learnedChangeIn = (item: {
  readonly tool: string;
  readonly arguments: JsonObject;
}): LearnedChange | null => (item.tool === LEARNED ? (change.safeParse(item.arguments).data ?? null) : null);
