import type { BeforeRun } from '../harness/features.ts';
import { CONDITION_CALL, checkCondition } from '../harness/loop/condition.ts';
import { taskOf } from '../record/trigger.ts';

/** How a task's run ends whose condition does not hold; it is asked once, before anything else is. */
export const conditionUnmet: BeforeRun = async ({ loaded, loop, asksNoModel }) => {
  const task = taskOf(loaded);
  if (asksNoModel || !task?.condition) return null;
  if (loaded.toolEvents.some((event) => event.tool_call_id === CONDITION_CALL)) return null;
  const unmet = await checkCondition(loop, task.condition);
  if (unmet === null) return null;
  if (unmet.why === 'unmet') return { status: 'done', outcome: 'silent:condition', code: 'condition' };
  return { status: 'failed', outcome: 'failed', code: unmet.code };
};
