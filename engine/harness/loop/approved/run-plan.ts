import type { ToolCall } from '#contract';
import { approvedStep } from '../../../policy/approval/plan.ts';
import type { Executable } from '../../../policy/call.ts';
import { skipped } from '../../../policy/skipped.ts';
import { shownIn } from '../../../record/codec/observation.ts';
import type { Observation } from '../../../record/events.ts';
import type { Approval } from '../../../storage/types/approvals.ts';
import type { Executed } from '../../../tools/observe/executed.ts';
import { observe } from '../../../tools/observe/observe.ts';
import { MAX_CRASHES } from '../decide.ts';
import type { LoopRun } from '../loop-run.ts';
import { overQuota } from '../quota.ts';
import {
  execute,
  type Observing,
  record,
  recordPermission,
  resultRow,
  targetsOnRecord,
  UNKNOWN_EFFECT,
} from '../run-calls.ts';

/**
 * Does the steps of an approved plan: exactly what is stored, in order, each on record before and after, and no
 * further than the first that fails. Steps that have a result already, from before a crash, are not done again.
 */
export async function runPlan(
  run: LoopRun,
  call: ToolCall,
  approval: Approval,
  steps: readonly Executable[],
  isRepeatable: (step: Executable) => boolean,
): Promise<void> {
  const seen: Observation[] = [];
  const isGivenUp = run.crashes >= MAX_CRASHES;
  for (const [index, step] of steps.entries()) {
    const one = run.state.pending?.steps.get(step.call.id) ?? null;
    const isBegun = one === null && (run.state.pending?.begun.has(step.call.id) ?? false);
    if (isBegun && (isGivenUp || !isRepeatable(step))) {
      closeSteps(run);
      return end(run, call, approval, steps, seen, 'side_effect_unknown');
    }
    if (one === null && isGivenUp) return end(run, call, approval, steps, seen, 'failed');
    const approved = approvedStep(approval.basis, index);
    const result = one ?? (await runStep(run, call, { ...step, approved }));
    seen.push(result);
    if (!result.ok) return end(run, call, approval, steps, seen, 'failed');
  }
  return end(run, call, approval, steps, seen, 'executed');
}

async function runStep(run: LoopRun, { id: plan }: ToolCall, step: Executable): Promise<Observation> {
  const { call, risk } = step;
  // Said once: a second time would pass for progress, and a step that kills the process would be made for ever.
  if (!run.state.pending?.begun.has(call.id)) {
    run.recorder.toolCall(call);
    const refusal = await overQuota(run, step, true);
    recordPermission(run, refusal ?? step, plan);
    const touched = targetsOnRecord(risk, step.targets);
    const intent = { call_id: call.id, tool: call.name, step_of: plan, risk, arguments: call.arguments, ...touched };
    run.recorder.event('tool_call_intended', intent);
    if (refusal) {
      const seen = recordStep(run, { call, plan }, { ok: false, error: refusal.error, ms: 0 });
      await run.recorder.commit();
      return seen;
    }
    await run.recorder.commit();
    run.pass('run.step_intended');
  }
  const seen = recordStep(run, { call, plan }, await execute(run, step));
  await run.recorder.commit();
  run.pass('run.tool_executed');
  return seen;
}

function recordStep(
  run: Observing,
  { call, plan }: { readonly call: ToolCall; readonly plan: string },
  outcome: Executed,
): Observation {
  const seen = { ...observe(call, outcome, run.artifacts, outcome.at ?? run.clock.now()), step_of: plan };
  const { call_id, tool, ok, code } = seen;
  const sensed = outcome.sensed ? { sensed: outcome.sensed } : {};
  run.recorder.event('tool_call_ended', { call_id, tool, step_of: plan, ok, code, ms: outcome.ms, ...sensed });
  run.recorder.event('observation', seen);
  run.recorder.toolResult(call, resultRow(outcome, seen));
  return seen;
}

/** Of a step that was begun and will not be made again nobody knows whether it was done, and its call ends with that. */
export function closeSteps(run: Observing): void {
  const { pending } = run.state;
  for (const [id, step] of pending?.begun ?? []) {
    if (pending?.steps.has(id)) continue;
    const error = step.risk === 'read' ? skipped(step.call, 'it was not made again').error : UNKNOWN_EFFECT;
    recordStep(run, step, { ok: false, error, ms: 0 });
  }
}

/** The plan's own result says what became of each step; the approval keeps it in one line. */
async function end(
  run: LoopRun,
  call: ToolCall,
  { id }: Approval,
  steps: readonly Executable[],
  seen: readonly Observation[],
  to: 'executed' | 'failed' | 'side_effect_unknown',
): Promise<void> {
  const told = steps.map((step, index) => {
    const one = seen[index];
    const name = `step ${index + 1} (${step.call.name})`;
    if (one) return `${name}: ${one.ok ? 'done' : `failed, ${one.code}`}`;
    return `${name}: ${to === 'side_effect_unknown' && index === seen.length ? 'nobody knows whether it was done' : 'not done'}`;
  });
  const reason = told.join('; ');
  run.recorder.approval({ id, from: 'executing', to, reason });
  if (to === 'executed') {
    const results = seen.map(({ tool, content }, index) => ({ step: index + 1, tool, ...shownIn(content) }));
    // It is as old as its last step, whenever that was put on record.
    const { observed_at } = shownIn(seen.at(-1)?.content ?? '');
    const at = Date.parse(String(observed_at));
    record(run, call, { ok: true, result: { steps: results }, ms: 0, at });
  } else {
    run.recorder.found({ kind: 'approved_call_failed' });
    const code = to === 'failed' ? (seen.at(-1)?.code ?? 'tool_failed') : to;
    record(run, call, { ok: false, error: { code, message: `${reason}. To go on, propose a new plan` }, ms: 0 });
  }
  await run.recorder.commit();
}
