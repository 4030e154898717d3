import {
  DECIDED,
  type Final,
  LEFT_WAITING,
  type LoopDecision,
  type LoopEvent,
  type PartialCode,
  type Snapshot,
  type Unparsable,
} from '../../record/decisions.ts';

/** Deaths of the process at one and the same step. */
export const MAX_CRASHES = 3;
const MAX_REPAIRS = 1;
/** Times that an answer which broke off is gone on with. */
const MAX_CONTINUED = 2;
const SAME_CALL_LIMIT = 3;

/**
 * The loop's next move. Pure; the first rule that matches wins, and its reason is stored with the step. The rules
 * stand in the order of the table in docs/decisions.md.
 */
export function decide(run: Snapshot, event: LoopEvent): LoopDecision {
  return decideToStop(run, event) ?? decideOnEvent(run, event);
}

function decideToStop(run: Snapshot, event: LoopEvent): LoopDecision | null {
  if (run.cancelled) return { decision: 'FAIL', reason: 'cancelled' };
  // Its answer would be about a world that is not there yet.
  if (run.unresolved > 0) return wait('unresolved');
  if (run.crashes >= MAX_CRASHES) return partial('repeated_crash');
  // No model has a say in what was decided, and its answer tells of it whatever came of it.
  if (run.isDecided && run.held === 0) return { decision: 'FINAL', reason: DECIDED, outcome: 'final' };
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

function decideToBreakOff(run: Snapshot, event: LoopEvent): LoopDecision | null {
  if (run.budgetSpent) return partial('budget');
  if (run.activeMs >= run.limits.runTimeoutMs) return partial('timeout');
  if (run.lastCall !== null && event.type === 'calls') return partial(run.lastCall);
  // Refusals are counted before the rest of their turn has run; a success among it ends the row of failures.
  const mayStillSucceed = event.type === 'calls' && event.verdicts.includes('run');
  const hasFailed = !mayStillSucceed && run.consecutiveFailures >= run.limits.maxConsecutiveFailures;
  if (hasFailed && !run.limits.byTurns) return partial('consecutive_failures');
  if (hasFailed && run.lastCall === null) return lastCall('consecutive_failures');
  if (run.sameCallStreak < SAME_CALL_LIMIT || run.lastCall !== null) return null;
  // It has the result already. Without tools it says what it makes of it, and that is as good as any other answer.
  return run.anySucceeded || run.limits.byTurns ? lastCall('duplicate_calls') : partial('duplicate_calls');
}

function decideOnEvent(run: Snapshot, event: LoopEvent): LoopDecision {
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
    case 'cut_calls':
      return run.continued < MAX_CONTINUED && mayMend(run)
        ? { decision: 'CONTINUE_MODEL_LOOP', reason: 'continue', gap: CUT_CALLS }
        : partial('cut_off');
    case 'unparsable':
      return decideOnUnparsable(run, event);
    case 'provider_exhausted':
    case 'terminal':
      return { decision: 'FAIL', reason: event.code };
  }
}

function decideOnUnparsable(run: Snapshot, { why }: Unparsable): LoopDecision {
  // It has nothing to say before it knows what comes of its calls.
  if (why === 'blank' && run.waits > 0) return wait(LEFT_WAITING);
  if (run.repairs >= MAX_REPAIRS) return afterRepair(why);
  return { decision: 'CONTINUE_MODEL_LOOP', reason: 'repair', gap: NOTES[why ?? 'unreadable'] };
}

function decideOnFinal(run: Snapshot, { whole, open, asks, nothing, gate }: Final): LoopDecision {
  const { lastCall: taken } = run;
  // An answer that came only because the tools were taken away is what there is, not all that was asked.
  if (taken !== null && (taken !== 'duplicate_calls' || !run.anySucceeded)) return partial(taken);
  if (!whole || open) return decideOnCut(run, whole);
  if (nothing) return { decision: 'FINAL', reason: 'nothing', outcome: 'final' };
  const gaps = gate?.gaps ?? [];
  const about = [...new Set(gaps.map(({ check }) => check))].filter((check) => !run.gapsNamed.includes(check));
  if (about.length > 0 && mayMend(run)) {
    const gap = [NOT_SENT, ...gaps.map(({ text }) => text)].join('\n');
    return { decision: 'CONTINUE_MODEL_LOOP', reason: 'gap', gap, about };
  }
  // A claim that is still wrong is marked in the list of sources; what the contract lacks is missing from the answer.
  if (gate?.isIncomplete) return partial('contract');
  if (asks) return { decision: 'FINAL', reason: 'asked', outcome: 'clarification' };
  return { decision: 'FINAL', reason: 'answered', outcome: 'final' };
}

/** `saidWhole`: its vendor calls it whole, and it ends within what it left open. */
function decideOnCut(run: Snapshot, saidWhole: boolean): LoopDecision {
  if (!saidWhole && !run.limits.goesOn) return partial('contract');
  if (run.continued >= MAX_CONTINUED || !mayMend(run)) return partial('cut_off');
  return saidWhole
    ? { decision: 'CONTINUE_MODEL_LOOP', reason: 'open_end', gap: OPEN_END }
    : { decision: 'CONTINUE_MODEL_LOOP', reason: 'continue', gap: GO_ON };
}

const FROM_US = '[note of the mail gateway, not of the sender]';
const NOT_SENT = `${FROM_US} Your answer was not sent. Answer anew, in full.`;
const GO_ON = `${FROM_US} Your answer broke off, and was not sent yet. Go on exactly where it ended; repeat nothing of it.`;
const OPEN_END = `${FROM_US} Your answer ends within an open code block or table row, and was not sent yet. If it broke off, go on exactly where it ended; else only close what is open. Repeat nothing of it.`;
const CUT_CALLS = `${FROM_US} Your answer broke off while it was written. None of its calls was made. Make them again, with shorter arguments or one after the other.`;
const NOTES = {
  blank: `${FROM_US} Your answer was empty, and nothing was sent. Write your answer to the mail as plain text.`,
  markup: `${FROM_US} Your answer was not sent: it begins or ends within your own thinking or within a tool call that was written as text, or cannot be told from it. Answer the mail anew, in full, as plain text; make calls as calls. Marks that you write about stand in backticks.`,
  repeats: `${FROM_US} Your answer was not sent: most of it is the same words again and again. Answer the mail anew, in full, and say each thing once.`,
  unreadable: `${FROM_US} Your answer could not be read, and nothing was sent. Answer anew, as plain text or with well-formed calls.`,
};

/** The end where the model does the same again: a row that never ends is cut, and an empty answer is not unreadable. */
function afterRepair(why: Unparsable['why']): LoopDecision {
  if (why === 'repeats') return partial('cut_off');
  return { decision: 'FINAL_PARTIAL', reason: 'unparsable', ...(why === 'blank' ? { empty: true } : {}) };
}

/** Whether the model can still do something about its answer. */
const mayMend = (run: Snapshot): boolean =>
  !run.budgetSpent &&
  run.activeMs < run.limits.runTimeoutMs &&
  run.lastCall === null &&
  !('lastCall' in goOn(run, 'gap'));

/** Every way back to the model passes here: turns of refused calls, and a restart, count against the limits too. */
function goOn(run: Snapshot, reason: string): LoopDecision {
  const { maxToolCalls, maxToolTurns, maxToolSteps } = run.limits;
  if (run.lastCall !== null) return { decision: 'CONTINUE_MODEL_LOOP', reason };
  if (run.toolCalls >= maxToolCalls) return lastCall('max_tool_calls');
  if (run.toolTurns >= maxToolTurns || run.toolSteps >= (maxToolSteps ?? Number.POSITIVE_INFINITY))
    return lastCall('max_tool_turns');
  return { decision: 'CONTINUE_MODEL_LOOP', reason };
}

const partial = (reason: PartialCode): LoopDecision => ({ decision: 'FINAL_PARTIAL', reason });
const wait = (reason: string): LoopDecision => ({ decision: 'WAIT_FOR_APPROVAL', reason });
const lastCall = (reason: PartialCode): LoopDecision => ({
  decision: 'CONTINUE_MODEL_LOOP',
  reason: `last_call_${reason}`,
  lastCall: reason,
});
