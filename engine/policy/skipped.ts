import type { ToolCall } from '#contract';
import type { Refused } from './call.ts';

export const AFTER_FAILURE = 'an earlier call of this turn failed';

/** A call that is not made, and why. */
export function skipped(call: ToolCall, message: string): Refused {
  return { verdict: 'skipped', call, error: { code: 'skipped', message }, permission: null };
}
