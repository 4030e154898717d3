import { z } from 'zod';
import { anyJson } from '../../lib/json.ts';
import { sensed } from './fields.ts';

/** A call was made, and what comes of it comes later and from elsewhere. */
export const suspended = z.object({
  suspension_id: z.string(),
  call_id: z.string(),
  tool: z.string(),
  kind: z.string(),
  /** What its kind needs to go on. */
  payload: anyJson,
  /** When it is looked after first, and when it is over whatever came. */
  wake_at: z.number(),
  due_at: z.number(),
  ms: z.number(),
  sensed: sensed.optional(),
});

export const resumed = z.object({
  suspension_id: z.string(),
  call_id: z.string(),
  tool: z.string(),
  kind: z.string(),
  state: z.enum(['resolved', 'timed_out']),
  by: z.string(),
});
