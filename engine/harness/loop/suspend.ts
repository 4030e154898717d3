import type { ToolCall } from '#contract';
import { suspensionJob } from '../../record/jobs/job-kinds.ts';
import { suspensionId, type Wait } from '../../suspensions/outside.ts';
import type { Executed } from '../../tools/observe/executed.ts';
import type { LoopRun } from './loop-run.ts';

/**
 * What the call has begun goes on elsewhere: its row, the event and the job that looks after it leave in one transaction.
 */
export function suspend(
  run: LoopRun,
  { id: call_id, name: tool }: ToolCall,
  wait: Wait,
  { ms, sensed }: Executed,
): void {
  const { recorder, state, clock } = run;
  const { kind, payload, wakeAt: wake_at, dueAt: due_at } = wait;
  const id = suspensionId(recorder.runId, state.modelCalls, call_id);
  const call = { call_id, tool, kind, payload };
  recorder.event('suspended', { suspension_id: id, ...call, wake_at, due_at, ms, ...(sensed && { sensed }) });
  recorder.suspend(
    {
      id,
      run_id: recorder.runId,
      ...call,
      state: 'open',
      due_at,
      result: null,
      created_at: clock.now(),
      ended_at: null,
    },
    suspensionJob(id, wake_at),
  );
}
