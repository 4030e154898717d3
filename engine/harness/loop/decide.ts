/** Why a run ended before it was finished: the `partial` codes of interfaces.md section 6. */
export type PartialCode =
  | 'max_tool_turns'
  | 'max_tool_calls'
  | 'budget'
  | 'timeout'
  | 'duplicate_calls'
  | 'consecutive_failures'
  | 'repeated_crash'
  | 'provider'
  | 'unparsable'
  | 'contract';

/** What became of one call of a turn before anything was executed. */
export type Verdict = 'run' | 'invalid' | 'unknown' | 'denied' | 'skipped' | 'needs_approval';

/** What just happened; model output is an event, never a command. */
export type LoopEvent =
  | { readonly type: 'begin' }
  | { readonly type: 'calls'; readonly verdicts: readonly Verdict[] }
  /** `whole` is false when the answer broke off at the limit of output tokens. */
  | { readonly type: 'final'; readonly text: string; readonly whole: boolean }
  | { readonly type: 'refusal' }
  | { readonly type: 'unparsable' }
  | { readonly type: 'observed' }
  | { readonly type: 'provider_exhausted'; readonly code: string }
  | { readonly type: 'terminal'; readonly code: string };

/** The run as it stands, by counts: all that the decision may look at. */
export interface Snapshot {
  readonly cancelled: boolean;
  readonly crashes: number;
  readonly activeMs: number;
  readonly toolTurns: number;
  readonly toolCalls: number;
  readonly consecutiveFailures: number;
  /** How often the newest call was made in a row with the same arguments. */
  readonly sameCallStreak: number;
  readonly anySucceeded: boolean;
  readonly repairs: number;
  /** Set while the one last call without tools is under way, with its reason. */
  readonly lastCall: PartialCode | null;
  /** A budget that the next model call would overrun. */
  readonly budgetSpent: boolean;
  /** Calls that wait for an owner's word. */
  readonly held: number;
  readonly limits: {
    readonly maxToolTurns: number;
    readonly maxToolCalls: number;
    readonly maxConsecutiveFailures: number;
    readonly runTimeoutMs: number;
  };
}

export type Decision =
  | { readonly decision: 'CONTINUE_MODEL_LOOP'; readonly reason: string; readonly lastCall?: PartialCode }
  | { readonly decision: 'EXECUTE_TOOL'; readonly reason: string }
  | { readonly decision: 'WAIT_FOR_APPROVAL'; readonly reason: string }
  | { readonly decision: 'FINAL'; readonly reason: string; readonly outcome: 'final' | 'refusal' }
  | { readonly decision: 'FINAL_PARTIAL'; readonly reason: PartialCode }
  | { readonly decision: 'FAIL'; readonly reason: string };

/** Deaths of the process at one and the same step. */
export const MAX_CRASHES = 3;
const MAX_REPAIRS = 2;
const SAME_CALL_LIMIT = 3;

/** The loop's next move. Pure; the first rule that matches wins, and its reason is stored with the step. */
export function decide(run: Snapshot, event: LoopEvent): Decision {
  return decideToStop(run, event) ?? decideOnEvent(run, event);
}

function decideToStop(run: Snapshot, event: LoopEvent): Decision | null {
  if (run.cancelled) return { decision: 'FAIL', reason: 'cancelled' };
  if (run.crashes >= MAX_CRASHES) return partial('repeated_crash');
  if (event.type === 'terminal') return { decision: 'FAIL', reason: event.code };
  if (run.held > 0 && !hasAllowedCall(event)) return { decision: 'WAIT_FOR_APPROVAL', reason: 'needs_approval' };
  if (event.type === 'provider_exhausted') {
    return run.anySucceeded ? partial('provider') : { decision: 'FAIL', reason: event.code };
  }
  if (event.type === 'final' || event.type === 'refusal') return null;
  if (run.budgetSpent) return partial('budget');
  if (run.activeMs >= run.limits.runTimeoutMs) return partial('timeout');
  if (run.lastCall !== null && event.type === 'calls') return partial(run.lastCall);
  // Refusals are counted before the rest of their turn has run; a success among it ends the row of failures.
  if (!hasAllowedCall(event) && run.consecutiveFailures >= run.limits.maxConsecutiveFailures)
    return partial('consecutive_failures');
  if (run.sameCallStreak >= SAME_CALL_LIMIT) return partial('duplicate_calls');
  return null;
}

/**
 * Calls that may run come first. After them nothing is asked of a model while another action is open: its answer
 * would be about a world that is not there yet.
 */
const hasAllowedCall = (event: LoopEvent): boolean => event.type === 'calls' && event.verdicts.includes('run');

function decideOnEvent(run: Snapshot, event: LoopEvent): Decision {
  switch (event.type) {
    case 'final':
      // An answer that came only because the tools were taken away is what there is, not all that was asked.
      if (run.lastCall !== null) return partial(run.lastCall);
      return event.whole ? { decision: 'FINAL', reason: 'answered', outcome: 'final' } : partial('contract');
    case 'refusal':
      return { decision: 'FINAL', reason: 'refused', outcome: 'refusal' };
    case 'unparsable':
      return run.repairs >= MAX_REPAIRS ? partial('unparsable') : { decision: 'CONTINUE_MODEL_LOOP', reason: 'repair' };
    case 'calls':
      if (event.verdicts.includes('run')) return { decision: 'EXECUTE_TOOL', reason: 'allowed' };
      return goOn(run, `calls_${event.verdicts[0] ?? 'denied'}`);
    case 'observed':
    case 'begin':
      return goOn(run, event.type);
    case 'provider_exhausted':
    case 'terminal':
      return { decision: 'FAIL', reason: event.code };
  }
}

/** Every way back to the model passes here: turns of refused calls, and a restart, count against the limits too. */
function goOn(run: Snapshot, reason: string): Decision {
  if (run.lastCall !== null) return { decision: 'CONTINUE_MODEL_LOOP', reason };
  if (run.toolCalls >= run.limits.maxToolCalls) return lastCall('max_tool_calls');
  if (run.toolTurns >= run.limits.maxToolTurns) return lastCall('max_tool_turns');
  return { decision: 'CONTINUE_MODEL_LOOP', reason };
}

const partial = (reason: PartialCode): Decision => ({ decision: 'FINAL_PARTIAL', reason });
const lastCall = (reason: PartialCode): Decision => ({
  decision: 'CONTINUE_MODEL_LOOP',
  reason: `last_call_${reason}`,
  lastCall: reason,
});
