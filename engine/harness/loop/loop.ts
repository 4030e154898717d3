import type { Executable } from '../tools/prepare.ts';
import { callModel } from './call-model.ts';
import { type Decision, decide, type LoopEvent } from './decide.ts';
import { applyDecision } from './fold.ts';
import type { LoopRun } from './loop-run.ts';
import { resumeTurn } from './resume.ts';
import { prepareTurn, runCalls, skipOpenCalls, terminalOf } from './run-calls.ts';
import { snapshotOf } from './state.ts';

export type EndDecision = Extract<Decision, { decision: 'FINAL' | 'FINAL_PARTIAL' | 'FAIL' }>;

export type LoopEnd =
  | { readonly kind: 'ended'; readonly decision: EndDecision }
  | { readonly kind: 'wait'; readonly until: number }
  /** Owners have to decide these calls first; empty when they were asked before. */
  | { readonly kind: 'held'; readonly calls: readonly Executable[] };

/**
 * The bounded loop of one run: call the model, decide, execute, observe, decide again. Everything staged is
 * committed before the next thing is done, so a restart goes on from the last thing that was done.
 */
export async function executeProviderToolLoop(run: LoopRun): Promise<LoopEnd> {
  let event: LoopEvent = run.state.pending ? await resumeTurn(run) : { type: 'begin' };
  for (;;) {
    let prepared: Awaited<ReturnType<typeof prepareTurn>> = [];
    if (event.type === 'calls' && run.state.pending) {
      prepared = await prepareTurn(run, run.state.pending.calls);
      event = terminalOf(run) ?? { type: 'calls', verdicts: prepared.map(({ verdict }) => verdict) };
    }
    const decision = nextDecision(run, event);
    switch (decision.decision) {
      case 'CONTINUE_MODEL_LOOP': {
        const outcome = await callModel(run);
        if (outcome.kind === 'wait') return outcome;
        event = outcome.event;
        break;
      }
      case 'EXECUTE_TOOL': {
        await run.recorder.commit();
        run.pass('run.step_intended');
        // The results leave with the next model call's start, or with the run's end: two transactions per step.
        event = await runCalls(run, prepared);
        break;
      }
      case 'WAIT_FOR_APPROVAL':
        return { kind: 'held', calls: [...run.held.values()] };
      default:
        skipOpenCalls(run);
        return { kind: 'ended', decision };
    }
  }
}

function nextDecision(run: LoopRun, event: LoopEvent): Decision {
  const { limits } = run.settings;
  const snapshot = snapshotOf(
    run.state,
    { cancelled: false, crashes: run.crashes, activeMs: run.recorder.activeMs() },
    {
      maxToolTurns: limits.max_tool_turns,
      maxToolCalls: limits.max_tool_calls,
      maxConsecutiveFailures: limits.max_consecutive_failures,
      runTimeoutMs: limits.run_timeout_s * 1000,
    },
  );
  const decision = decide(snapshot, event);
  run.recorder.event('decision', { step: run.state.modelCalls, ...decision });
  applyDecision(run.state, decision);
  return decision;
}
