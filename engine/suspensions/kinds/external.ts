import { z } from 'zod';
import { MAX_PENDING_S } from '#contract';
import type { OutsideKind } from '../outside.ts';

const pending = z.object({
  pending: z.strictObject({
    id: z.string().min(1).max(1000),
    check_after_s: z.number().min(0).max(MAX_PENDING_S),
    timeout_s: z.number().positive().max(MAX_PENDING_S),
  }),
});
const kept = pending.shape.pending;

/** A job outside of the gateway that a tool has begun, and about which it is asked until there is a result. */
export const external: OutsideKind = {
  begins(answer, { hasCheck }, now) {
    const told = hasCheck ? pending.safeParse(answer).data?.pending : undefined;
    if (told === undefined) return null;
    const dueAt = now + told.timeout_s * 1000;
    return { payload: told, wakeAt: Math.min(dueAt, now + told.check_after_s * 1000), dueAt };
  },
  wakes({ payload, due_at }, now) {
    const { id, check_after_s, timeout_s } = kept.parse(payload);
    if (now < due_at) return { do: 'check', id, againMs: check_after_s * 1000 };
    const message = `timed_out: what the call began gave no result within ${timeout_s} s`;
    return { do: 'end', state: 'timed_out', outcome: { ok: false, error: { code: 'tool_timeout', message } } };
  },
};
