import { z } from 'zod';
import { anyJson } from '../../lib/json.ts';
import { askedItem, list } from '../codec/fields.ts';
import { addCalls } from '../state.ts';
import { event } from './define.ts';

// What owners are asked, and what they decide.

export const ownerEvents = {
  approval_requested: event(
    { items: list(askedItem) },
    {
      fold({ pending }, { items }) {
        for (const { call_id, approval_id, calls = [call_id] } of items) {
          for (const id of calls) {
            pending?.asked.add(id);
            pending?.questions.set(id, approval_id);
          }
        }
      },
    },
  ),
  approval_decided: event({
    approval_id: z.string(),
    call_id: z.string().optional(),
    state: z.enum([
      'pending',
      'approved',
      'executing',
      'executed',
      'failed',
      'side_effect_unknown',
      'rejected',
      'expired',
      'stale',
    ]),
    by: z.string().nullish(),
    reason: z.string().nullish(),
  }),
  /** An owner is asked about a call once the run has answered; the model goes on without its result. */
  call_waits: event(
    {
      call_id: z.string(),
      tool: z.string(),
      targets: list(z.string()),
      /** Why owners cannot be asked about it any more. */
      refused: z.string().exactOptional(),
    },
    {
      fold({ pending }, { call_id, targets }) {
        pending?.targets.set(call_id, targets);
      },
    },
  ),
  /** Calls of a turn that is over are to be made, or to be asked about, once more. */
  calls_taken_up: event(
    {
      calls: list(z.object({ id: z.string(), name: z.string(), arguments: anyJson })),
      /** The question that was decided; absent where its run goes on waiting for the calls itself. */
      approval_id: z.string().optional(),
      /** Calls of other questions that the same answer decided. */
      also: list(z.object({ call_id: z.string(), approval_id: z.string() })).optional(),
    },
    {
      fold(state, { calls, approval_id, also = [] }) {
        state.waits.length = 0;
        addCalls(state, { role: 'assistant', text: '', toolCalls: calls });
        for (const { id } of approval_id === undefined ? [] : calls) {
          state.pending?.asked.add(id);
          state.pending?.questions.set(id, approval_id ?? '');
        }
        for (const one of also) state.pending?.questions.set(one.call_id, one.approval_id);
      },
    },
  ),
};
