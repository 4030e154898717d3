import { taskOf } from '../record/trigger.ts';
import type { LoadedRun } from '../storage/ports/runs.ts';
import { CONDITION_CALL, checkCondition } from './loop/condition.ts';
import type { LoopRun } from './loop/loop-run.ts';

/** How a task's run ends whose condition does not hold; it is asked once, before anything else is. */
export async function unmetCondition(run: LoopRun, loaded: LoadedRun) {
  const task = taskOf(loaded);
  if (!task?.condition || loaded.toolEvents.some((event) => event.tool_call_id === CONDITION_CALL)) return null;
  const unmet = await checkCondition(run, task.condition);
  if (unmet === null) return null;
  if (unmet.why === 'unmet') return { status: 'done', outcome: 'silent:condition', code: 'condition' } as const;
  return { status: 'failed', outcome: 'failed', code: unmet.code } as const;
}
