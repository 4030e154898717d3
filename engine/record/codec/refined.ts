import { z } from 'zod';
import type { JsonObject } from '#contract';
import { LEARNED } from '../../storage/types/learning/refinements.ts';
import { list } from './fields.ts';
import { stageCall } from './remembered.ts';

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
