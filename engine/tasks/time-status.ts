import type { TaskTimeStatus } from '../storage/types/tasks.ts';

/** What became of a due time, in the words of `tasks history`. */
export interface TimeStatus {
  readonly state: 'ran' | 'skipped' | 'missed' | 'queued' | 'failed';
  readonly code: string | null;
  /** Delivery of the run's mail: a run that went well may still reach nobody. */
  readonly delivery: 'sent' | 'queued' | 'failed' | 'none';
}

/** Pure: the due time's row, its run and its mail as one. Only a complete answer, or a wanted silence, is `ran`. */
export function timeStatus(time: TaskTimeStatus): TimeStatus {
  return { ...stateOf(time), delivery: deliveryOf(time.mail_state) };
}

function stateOf(time: TaskTimeStatus): Pick<TimeStatus, 'state' | 'code'> {
  if (time.decision === 'wait') return { state: 'queued', code: time.code };
  if (time.decision !== 'run') return { state: time.decision, code: time.code };
  const code = time.run_code ?? time.code;
  switch (time.run_status) {
    case 'done':
      if (time.outcome === 'silent:condition') return { state: 'skipped', code: 'condition' };
      return { state: isComplete(time.outcome) ? 'ran' : 'failed', code };
    case 'failed':
      return { state: 'failed', code };
    case 'cancelled':
      return { state: 'failed', code: 'cancelled' };
    case 'waiting_approval':
      return { state: 'queued', code: 'waiting_approval' };
    default:
      return { state: 'queued', code: time.code };
  }
}

const COMPLETE = new Set(['final', 'clarification', 'refusal', 'denied', 'silent:nothing']);

const isComplete = (outcome: string | null): boolean => outcome !== null && COMPLETE.has(outcome);

function deliveryOf(state: TaskTimeStatus['mail_state']): TimeStatus['delivery'] {
  if (state === null) return 'none';
  if (state === 'sent') return 'sent';
  return state === 'failed' || state === 'dropped' ? 'failed' : 'queued';
}
