import type { ToolCall } from '#contract';
import type { Refused } from './call.ts';

export const AFTER_FAILURE = 'an earlier call of this turn failed';

/** A call that is not made, and why. */
export function skipped(call: ToolCall, message: string): Refused {
  return { verdict: 'skipped', call, error: { code: 'skipped', message }, permission: null };
}

/** One of more calls than a turn or a run may have. The mark stays on record, so that whoever asked is told that it was left. */
export const tooMany = (call: ToolCall): Refused => ({
  ...skipped(call, 'too many calls at once; ask again for this one'),
  error: { code: 'skipped', message: 'too many calls at once; ask again for this one', too_many: true },
});
