import { z } from 'zod';
import { MAX_PENDING_S } from '#contract';
import type { OutsideKind } from '../outside.ts';

const delegated = z.object({
  delegated: z.strictObject({ run_id: z.string(), timeout_s: z.number().positive().max(MAX_PENDING_S) }),
});
const kept = delegated.shape.delegated;

/** The child run that a suspension of this kind waits for. */
export const childOf = (payload: unknown): string | null => kept.safeParse(payload).data?.run_id ?? null;

/** A child run, whose end brings the result. */
export const delegation: OutsideKind = {
  begins(answer, { delegates }, now) {
    const told = delegates ? delegated.safeParse(answer).data?.delegated : undefined;
    if (told === undefined) return null;
    const dueAt = now + told.timeout_s * 1000;
    return { payload: told, wakeAt: dueAt, dueAt };
  },
  wakes({ payload, due_at }, now) {
    if (now < due_at) return { do: 'wait', until: due_at };
    const { timeout_s } = kept.parse(payload);
    const message = `timed_out: the child run gave no result within ${timeout_s} s, and was ended`;
    return { do: 'end', state: 'timed_out', outcome: { ok: false, error: { code: 'tool_timeout', message } } };
  },
};
