import { z } from 'zod';
import { anyJson } from '../../lib/json.ts';
import { packet } from '../../storage/types/suspensions.ts';
import { list, sensed } from '../codec/fields.ts';
import { event } from './define.ts';

// What is brought from elsewhere while a run waits, and the runs that it hands work to.

export const elsewhereEvents = {
  /** A call was made, and what comes of it comes later and from elsewhere. */
  suspended: event(
    {
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
    },
    {
      fold({ pending }, { call_id, suspension_id: id, kind }) {
        pending?.suspended.set(call_id, { id, kind });
      },
    },
  ),
  resumed: event({
    suspension_id: z.string(),
    call_id: z.string(),
    tool: z.string(),
    kind: z.string(),
    state: z.enum(['resolved', 'timed_out']),
    by: z.string(),
  }),
  /** What the model could say already was mailed while a call of it waits; the rest follows. */
  answered_so_far: event(
    { outbox_id: z.string(), message_id: z.string() },
    {
      besideLoop: true,
      fold(state) {
        state.saidSoFar = true;
        state.saidBeside = true;
      },
    },
  ),
  child_started: event({ ...packet.shape, child_run_id: z.string() }, { besideLoop: true }),
  child_ended: event({
    child_run_id: z.string(),
    outcome: z.string(),
    tainted: z.boolean(),
    cost_usd: z.number(),
    /** The tools that it asked for and was refused. */
    denied: list(z.string()),
  }),
};
