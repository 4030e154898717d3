import type { Json, ToolCall } from '#contract';
import { isExecutable } from '../../policy/call.ts';
import type { TaskSnapshot } from '../../storage/types/tasks.ts';

import type { LoopRun } from './loop-run.ts';
import { execute, prepareOffered, record } from './run-calls.ts';

/** The id of the condition's call; no vendor makes one like it. */
export const CONDITION_CALL = 'condition';

/** `unmet`: there is nothing to do. Anything else that stands in the way is a failure, which its owner hears of. */
type Unmet = { readonly why: 'unmet' } | { readonly why: 'failed'; readonly code: string };

/**
 * Makes the one read call that decides whether a task's run goes on; null when it does. It passes the same surface and
 * governor as a model's call and stands in the trace like one, but no model is asked for it, nor sees its result.
 */
export async function checkCondition(
  run: LoopRun,
  condition: NonNullable<TaskSnapshot['condition']>,
): Promise<Unmet | null> {
  const call: ToolCall = { id: CONDITION_CALL, name: condition.tool, arguments: condition.args as Json };
  const prepared = await prepareOffered(run, call);
  run.recorder.toolCall(call);
  if (!isExecutable(prepared)) {
    record(run, call, { ok: false, error: prepared.error, ms: 0 });
    return { why: 'failed', code: prepared.error.code };
  }
  const refusal =
    prepared.risk !== 'read'
      ? { code: 'policy_denied', message: 'a condition may only read' }
      : prepared.verdict === 'needs_approval'
        ? { code: 'policy_requires_approval', message: 'a condition cannot wait for an approval' }
        : null;
  if (refusal) {
    record(run, call, { ok: false, error: refusal, ms: 0 });
    return { why: 'failed', code: refusal.code };
  }
  const executed = await execute(run, prepared);
  record(run, call, executed);
  // Kept now: after a restart the answer stands, and the model is asked.
  await run.recorder.commit();
  if (!executed.ok)
    return executed.error.code === 'not_found' ? { why: 'unmet' } : { why: 'failed', code: executed.error.code };
  return isEmpty(executed.result, condition.args) ? { why: 'unmet' } : null;
}

/**
 * Whether a result holds nothing: no entry in any list and no text besides what the arguments said already. Numbers
 * and truth values count as nothing: an empty page still has its number.
 */
function isEmpty(result: Json, args: unknown): boolean {
  const said = new Set(typeof args === 'object' && args !== null ? Object.values(args) : []);
  const holds = (value: Json): boolean => {
    if (Array.isArray(value)) return value.length > 0;
    if (typeof value === 'string') return value.trim() !== '' && !said.has(value);
    return typeof value === 'object' && value !== null && Object.values(value).some(holds);
  };
  const isBare = typeof result === 'number' || typeof result === 'boolean';
  return isBare ? result === false || result === 0 : !holds(result);
}
