import type { PinnedSettings } from '../../record/settings.ts';
import type { LoopState } from '../../record/state.ts';

const NEAR_TURNS = 2;
const NEAR_CALLS = 3;

/**
 * What the model is told with the last result of a turn when little is left to it; null before that. It stands in the
 * result, where it stays as it is: anything that changed from call to call would cost the vendor's prompt cache.
 */
export function nearLimit(
  { toolTurns, toolSteps, toolCalls }: Pick<LoopState, 'toolTurns' | 'toolSteps' | 'toolCalls'>,
  limits: PinnedSettings['limits'],
): string | null {
  const { max_tool_turns, max_tool_steps, max_tool_calls } = limits;
  const turns = Math.min(max_tool_turns - toolTurns, (max_tool_steps ?? Number.POSITIVE_INFINITY) - toolSteps);
  const calls = max_tool_calls - toolCalls;
  if (turns <= 0 || calls <= 0) return 'no more tools for this mail: answer now with what there is';
  if (calls <= NEAR_CALLS) return `${counted(calls, 'more call')} for this mail, then answer with what there is`;
  if (turns > NEAR_TURNS) return null;
  return `${counted(turns, 'more turn')} with tools for this mail, then answer with what there is`;
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
