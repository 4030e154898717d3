import { evidenceOf } from '../evidence/evidence.ts';
import { type Gated, gate } from '../evidence/gate.ts';
import { inPlan } from '../policy/batch.ts';
import type { Executable } from '../tools/prepare.ts';
import { callModel } from './call-model.ts';
import { type Decision, decide, type LoopEvent } from './decide.ts';
import { applyDecision } from './fold.ts';
import type { LoopRun } from './loop-run.ts';
import { resumeTurn } from './resume.ts';
import { intendAll, prepareTurn, runCalls, skipOpenCalls, terminalOf } from './run-calls.ts';
import { saysNothing, snapshotOf } from './state.ts';

type Judged = Gated & { readonly judged_at: number; readonly drifted: readonly string[] };

export type EndDecision = Extract<Decision, { decision: 'FINAL' | 'FINAL_PARTIAL' | 'FAIL' }>;

export type LoopEnd =
  | { readonly kind: 'ended'; readonly decision: EndDecision; readonly gated: Gated | null }
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
    const { decision, gated } = await nextDecision(run, event);
    switch (decision.decision) {
      case 'CONTINUE_MODEL_LOOP': {
        skipOpenCalls(run, 'the same call was made before, and its result is known');
        const outcome = await callModel(run);
        if (outcome.kind === 'wait') return outcome;
        event = outcome.event;
        break;
      }
      case 'EXECUTE_TOOL': {
        intendAll(run, prepared);
        await run.recorder.commit();
        run.pass('run.step_intended');
        // The results leave with the next model call's start, or with the run's end: two transactions per step.
        event = await runCalls(run, prepared);
        break;
      }
      case 'WAIT_FOR_APPROVAL':
        return { kind: 'held', calls: inPlan([...run.held.values()]) };
      default:
        skipOpenCalls(run, 'the run ended before this call');
        return { kind: 'ended', decision, gated };
    }
  }
}

/** What an answer is worth is found out before the decision about it, and stored with it. */
async function nextDecision(run: LoopRun, happened: LoopEvent): Promise<{ decision: Decision; gated: Judged | null }> {
  // Silence states nothing that could be untrue, and no contract asks for it to be broken.
  const isSilence = happened.type === 'final' && run.maySayNothing && saysNothing(happened.text);
  const answer = happened.type === 'final' && !isSilence ? await gateAnswer(run) : null;
  const event = happened.type === 'final' && answer ? { ...happened, gate: answer.verdict } : happened;
  const { limits } = run.settings;
  const activeMs = run.recorder.activeMs();
  const snapshot = snapshotOf(
    run.state,
    { cancelled: false, crashes: run.crashes, activeMs, held: run.held.size },
    {
      maxToolTurns: limits.max_tool_turns,
      maxToolSteps: limits.max_tool_steps ?? null,
      maxToolCalls: limits.max_tool_calls,
      maxConsecutiveFailures: limits.max_consecutive_failures,
      runTimeoutMs: limits.run_timeout_s * 1000,
    },
  );
  const decision = decide(snapshot, event);
  // A partial answer can end with words that no `final` ever was; they are sent, so they are judged too.
  const isSaid = decision.decision === 'FINAL_PARTIAL' && run.state.lastText !== '';
  const gated = answer ?? (isSaid ? await gateAnswer(run) : null);
  run.recorder.event('decision', {
    step: run.state.modelCalls,
    active_ms: activeMs,
    ...decision,
    ...traceOfGate(gated),
  });
  applyDecision(run.state, decision);
  return { decision, gated };
}

/** What lies outside the run and had a say, the hour and what has changed since it was read, is kept for a replay. */
async function gateAnswer(run: LoopRun): Promise<Judged> {
  const { state, settings, prompt, riskOf } = run;
  const evidence = evidenceOf(state.messages, riskOf);
  const [now, drifted] = [run.clock.now(), await run.driftedSources(evidence)];
  const gated = gate({
    text: state.lastText,
    frame: settings.frame ?? null,
    evidence,
    shown: [...prompt.history, prompt.userBlock],
    now,
    drifted,
  });
  return { ...gated, judged_at: now, drifted: [...drifted] };
}

/** What the trace keeps of it: the contract, every claim with its verdict, and what failed without a word. */
const traceOfGate = (gated: Judged | null) =>
  gated === null
    ? {}
    : {
        contract: gated.contract,
        claims: gated.claims,
        outstanding: gated.outstanding,
        judged_at: gated.judged_at,
        drifted: gated.drifted,
      };
