import { z } from 'zod';
import { intent, list } from './fields.ts';
import { stageCall } from './remembered.ts';

export type Intent = z.infer<typeof intent>;

/** How the stage that found it out went. */
export const framed = z.object({
  /** Null: none could be told. */
  intent: intent.nullable(),
  /** Why it ended before it was done. */
  code: z.enum(['budget', 'provider', 'timeout', 'failed']).nullable(),
  iterations: z.number(),
  calls: list(stageCall),
});
export type Framed = z.infer<typeof framed>;
