import { z } from 'zod';
import { packet } from '../../storage/types/suspensions.ts';
import { list } from './fields.ts';

export const childStarted = packet.extend({ child_run_id: z.string() });

export const childEnded = z.object({
  child_run_id: z.string(),
  outcome: z.string(),
  tainted: z.boolean(),
  cost_usd: z.number(),
  /** The tools that it asked for and was refused. */
  denied: list(z.string()),
});
