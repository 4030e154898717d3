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
export type Verdict = 'run' | 'invalid' | 'unknown' | 'denied' | 'skipped' | 'act_directly' | 'needs_approval';

/** What just happened; model output is an event, never a command. */
export type LoopEvent =
  | { readonly type: 'begin' }
  | { readonly type: 'calls'; readonly verdicts: readonly Verdict[] }
  | Final
  | { readonly type: 'refusal' }
  | { readonly type: 'unparsable'; readonly why?: 'blank' | 'unreadable' }
  | { readonly type: 'observed' }
  | { readonly type: 'provider_exhausted'; readonly code: string }
  | { readonly type: 'terminal'; readonly code: string };

export interface Final {
  readonly type: 'final';
  readonly text: string;
  /** False when the answer broke off at the limit of output tokens. */
  readonly whole: boolean;
  /** The model says of its answer that it only asks the sender something. */
  readonly asks: boolean;
  /** What the final gate found. */
  readonly gate?: GateVerdict;
}

/** What the final gate (evidence/gate.ts) found of an answer, as far as the decision looks at it. */
export interface GateVerdict {
  /** What the contract asks for, and nobody has tried or declared. */
  readonly missing: readonly string[];
  /** Effects that the contract asks for and that were refused or failed. */
  readonly notDone: number;
  /** Declared claims that the results contradict, and claims that nothing supports. */
  readonly contradicted: number;
  readonly unsupported: number;
  /** All of it in words for the model. */
  readonly gap: string;
}

/** The run as it stands, by counts: all that the decision may look at. */
export interface Snapshot {
  readonly cancelled: boolean;
  readonly crashes: number;
  readonly activeMs: number;
  /** Turns with calls; of these, the turns in which at least one call was executed. */
  readonly toolTurns: number;
  readonly toolSteps: number;
  readonly toolCalls: number;
  readonly consecutiveFailures: number;
  /** For how many turns in a row the newest calls were all made before, with the same arguments. */
  readonly sameCallStreak: number;
  readonly anySucceeded: boolean;
  readonly repairs: number;
  /** What the model was told that its answer lacks. */
  readonly gapsNamed: readonly GapKind[];
  /** Set while the one last call without tools is under way, with its reason. */
  readonly lastCall: PartialCode | null;
  /** A budget that the next model call would overrun. */
  readonly budgetSpent: boolean;
  /** Calls that owners were asked about and have not decided. */
  readonly unresolved: number;
  /** Calls of this turn that need an owner's word, and that nobody was asked about yet. */
  readonly held: number;
  /** All that the contract asks for is done, and no words are wanted. */
  readonly metByState: boolean;
  readonly limits: {
    readonly maxToolTurns: number;
    /** `step_caps`; null where none is set. */
    readonly maxToolSteps: number | null;
    readonly maxToolCalls: number;
    readonly maxConsecutiveFailures: number;
    readonly runTimeoutMs: number;
  };
}

/** An answer may lack what its contract asks for, or declare what is not so. The model is told once of each. */
export type GapKind = 'contract' | 'claims';

export type Decision =
  | {
      readonly decision: 'CONTINUE_MODEL_LOOP';
      readonly reason: string;
      readonly lastCall?: PartialCode;
      /** What the model is told about its answer before it is asked again, and of which kind that is. */
      readonly gap?: string;
      readonly about?: readonly GapKind[];
    }
  | { readonly decision: 'EXECUTE_TOOL'; readonly reason: string }
  | { readonly decision: 'WAIT_FOR_APPROVAL'; readonly reason: string }
  | { readonly decision: 'FINAL'; readonly reason: string; readonly outcome: 'final' | 'clarification' | 'refusal' }
  | { readonly decision: 'FINAL_PARTIAL'; readonly reason: PartialCode }
  | { readonly decision: 'FAIL'; readonly reason: string };

/** Deaths of the process at one and the same step. */
export const MAX_CRASHES = 3;
const MAX_REPAIRS = 1;
const SAME_CALL_LIMIT = 3;

/**
 * The loop's next move. Pure; the first rule that matches wins, and its reason is stored with the step. The rules
 * stand in the order of the table in ARCHITECTURE.md.
 */
export function decide(run: Snapshot, event: LoopEvent): Decision {
  return decideToStop(run, event) ?? decideOnEvent(run, event);
}

function decideToStop(run: Snapshot, event: LoopEvent): Decision | null {
  if (run.cancelled) return { decision: 'FAIL', reason: 'cancelled' };
  // Its answer would be about a world that is not there yet.
  if (run.unresolved > 0) return wait('unresolved');
  if (run.crashes >= MAX_CRASHES) return partial('repeated_crash');
  if (event.type === 'terminal') return { decision: 'FAIL', reason: event.code };
  if (event.type === 'provider_exhausted') {
    // An answer that was held back for a gap is something, too.
    return run.anySucceeded || run.gapsNamed.length > 0
      ? partial('provider')
      : { decision: 'FAIL', reason: event.code };
  }
  return isComplete(event) ? null : decideToBreakOff(run, event);
}

/** A whole answer that is there is not thrown away because something is used up. */
const isComplete = (event: LoopEvent): boolean => event.type === 'refusal' || (event.type === 'final' && event.whole);

function decideToBreakOff(run: Snapshot, event: LoopEvent): Decision | null {
  if (run.budgetSpent) return partial('budget');
  if (run.activeMs >= run.limits.runTimeoutMs) return partial('timeout');
  if (run.lastCall !== null && event.type === 'calls') return partial(run.lastCall);
  // Refusals are counted before the rest of their turn has run; a success among it ends the row of failures.
  const mayStillSucceed = event.type === 'calls' && event.verdicts.includes('run');
  if (!mayStillSucceed && run.consecutiveFailures >= run.limits.maxConsecutiveFailures)
    return partial('consecutive_failures');
  if (run.sameCallStreak < SAME_CALL_LIMIT || run.lastCall !== null) return null;
  // It has the result already. Without tools it says what it makes of it, and that is as good as any other answer.
  return run.anySucceeded ? lastCall('duplicate_calls') : partial('duplicate_calls');
}

function decideOnEvent(run: Snapshot, event: LoopEvent): Decision {
  switch (event.type) {
    case 'refusal':
      return { decision: 'FINAL', reason: 'refused', outcome: 'refusal' };
    case 'final':
      return decideOnFinal(run, event);
    case 'calls':
      if (event.verdicts.includes('run')) return { decision: 'EXECUTE_TOOL', reason: 'allowed' };
      if (event.verdicts.includes('needs_approval')) return wait('needs_approval');
      return goOn(run, `calls_${event.verdicts[0] ?? 'denied'}`);
    case 'observed':
    case 'begin':
      if (run.held > 0) return wait('needs_approval');
      if (run.metByState) return { decision: 'FINAL', reason: 'contract_met', outcome: 'final' };
      return goOn(run, event.type);
    case 'unparsable':
      if (run.repairs >= MAX_REPAIRS) return partial('unparsable');
      return { decision: 'CONTINUE_MODEL_LOOP', reason: 'repair', gap: NOTES[event.why ?? 'unreadable'] };
    case 'provider_exhausted':
    case 'terminal':
      return { decision: 'FAIL', reason: event.code };
  }
}

function decideOnFinal(run: Snapshot, { whole, asks, gate }: Final): Decision {
  const { lastCall: taken } = run;
  // An answer that came only because the tools were taken away is what there is, not all that was asked.
  if (taken !== null && taken !== 'duplicate_calls') return partial(taken);
  if (!whole) return partial('contract');
  const gaps = gate === undefined ? [] : gapsIn(gate).filter((kind) => !run.gapsNamed.includes(kind));
  if (gate && gaps.length > 0 && mayMend(run)) {
    return { decision: 'CONTINUE_MODEL_LOOP', reason: 'gap', gap: `${NOT_SENT}\n${gate.gap}`, about: gaps };
  }
  // A claim that is still wrong is marked in the list of sources; what the contract lacks is missing from the answer.
  if (gate && gate.missing.length + gate.notDone > 0) return partial('contract');
  if (asks) return { decision: 'FINAL', reason: 'asked', outcome: 'clarification' };
  return { decision: 'FINAL', reason: 'answered', outcome: 'final' };
}

const gapsIn = (gate: GateVerdict): readonly GapKind[] => [
  ...(gate.missing.length > 0 ? (['contract'] as const) : []),
  ...(gate.contradicted + gate.unsupported > 0 ? (['claims'] as const) : []),
];

const FROM_US = '[note of the mail gateway, not of the sender]';
const NOT_SENT = `${FROM_US} Your answer was not sent. Answer anew, in full.`;
const NOTES = {
  blank: `${FROM_US} Your answer was empty, and nothing was sent. Write your answer to the mail as plain text.`,
  unreadable: `${FROM_US} Your answer could not be read, and nothing was sent. Answer anew, as plain text or with well-formed calls.`,
};

/** Whether the model can still do something about its answer. */
const mayMend = (run: Snapshot): boolean =>
  !run.budgetSpent &&
  run.activeMs < run.limits.runTimeoutMs &&
  run.lastCall === null &&
  !('lastCall' in goOn(run, 'gap'));

/** Every way back to the model passes here: turns of refused calls, and a restart, count against the limits too. */
function goOn(run: Snapshot, reason: string): Decision {
  const { maxToolCalls, maxToolTurns, maxToolSteps } = run.limits;
  if (run.lastCall !== null) return { decision: 'CONTINUE_MODEL_LOOP', reason };
  if (run.toolCalls >= maxToolCalls) return lastCall('max_tool_calls');
  if (run.toolTurns >= maxToolTurns || run.toolSteps >= (maxToolSteps ?? Number.POSITIVE_INFINITY))
    return lastCall('max_tool_turns');
  return { decision: 'CONTINUE_MODEL_LOOP', reason };
}

const partial = (reason: PartialCode): Decision => ({ decision: 'FINAL_PARTIAL', reason });
const wait = (reason: string): Decision => ({ decision: 'WAIT_FOR_APPROVAL', reason });
const lastCall = (reason: PartialCode): Decision => ({
  decision: 'CONTINUE_MODEL_LOOP',
  reason: `last_call_${reason}`,
  lastCall: reason,
});
