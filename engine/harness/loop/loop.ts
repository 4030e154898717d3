import { say } from '../../languages/say.ts';
import { fillText, type PlaybookScope } from '../../learning/places.ts';
import { type MadeStep, nextStep } from '../../learning/steps.ts';
import { anyJson, readJson } from '../../lib/json.ts';
import { withFenceClosed } from '../../lib/text/open-end.ts';
import { withoutRow } from '../../lib/text/repetition.ts';
import { inPlan } from '../../policy/approval/plan.ts';
import type { Executable, Prepared } from '../../policy/call.ts';
import { type Final, LEFT_WAITING, type LoopDecision, type LoopEvent } from '../../record/decisions.ts';
import { isWordForNothing, saysNothing, snapshotOf } from '../../record/fold.ts';
import type { LoopState } from '../../record/state.ts';
import { HELD, WAITING } from '../../storage/types/runs.ts';
import type { HookChecks } from '../evidence/checks.ts';
import { namesOfMails } from '../evidence/cited.ts';
import { type ContractOutcome, isMetByState, NO_CONTRACT } from '../evidence/contract.ts';
import { evidenceOf } from '../evidence/evidence.ts';
import { type Gated, gate, standIn, wordsOf } from '../evidence/gate.ts';
import { callModel } from './call-model.ts';
import { decide, MAX_CRASHES } from './decide.ts';
import type { LoopEnd } from './end.ts';
import { askedLater, goOnWithout, takeUpDecided, waitForThem } from './later.ts';
import type { LoopRun } from './loop-run.ts';
import { resumeTurn } from './resume.ts';
import { closeAnswer, intendAll, prepareTurn, runCalls, skipOpenCalls, terminalOf } from './run-calls.ts';

type Judged = Gated & {
  readonly judged_at: number;
  readonly drifted: readonly string[];
  readonly settled: readonly string[];
  readonly hooks: HookChecks | null;
};

/**
 * The bounded loop of one run: call the model, decide, execute, observe, decide again. What is about to be called is committed
 * before its first call, and results are committed with the start of the next model call: a restart goes on from there.
 */
export async function executeProviderToolLoop(run: LoopRun): Promise<LoopEnd> {
  let event = await firstEvent(run);
  for (;;) {
    let prepared: readonly Prepared[] = [];
    if (event.type === 'calls' && run.state.pending) {
      prepared = await prepareTurn(run, run.state.pending.calls);
      event = terminalOf(run) ?? { type: 'calls', verdicts: prepared.map(({ verdict }) => verdict) };
    }
    event = pastHeld(run, event);
    const next = await nextDecision(run, event);
    if (next === null) return { kind: 'further' };
    const { decision, gated } = next;
    switch (decision.decision) {
      case 'CONTINUE_MODEL_LOOP': {
        closeAnswer(run, decision.gap ?? 'it was not sent');
        skipOpenCalls(run, 'the same call was made before, and its result is known');
        const own = stepOfPlaybook(run);
        if (own !== null) {
          event = own;
          break;
        }
        const outcome = await callModel(run);
        if (outcome.kind !== 'event') return outcome;
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
        return { kind: 'held', calls: await heldBy(run, decision) };
      default:
        closeAnswer(run, null, gated?.judged_at);
        skipOpenCalls(run, 'the run ended before this call');
        return {
          kind: 'ended',
          decision,
          gated,
          asks: await asksOf(run, decision),
        };
    }
  }
}

async function firstEvent(run: LoopRun): Promise<LoopEvent> {
  if (run.decided !== undefined) takeUpDecided(run, run.decided);
  return answerOnRecord(run) ?? (run.state.pending ? resumeTurn(run) : { type: 'begin' });
}

const pastHeld = (run: LoopRun, event: LoopEvent): LoopEvent => (run.held.size === 0 ? event : goOnWithout(run, event));

const asksOf = async (run: LoopRun, decision: LoopDecision): Promise<readonly Executable[]> =>
  run.state.waits.length === 0 ? [] : askedLater(run, decision);

const heldBy = async (run: LoopRun, { reason }: LoopDecision): Promise<readonly Executable[]> =>
  reason === LEFT_WAITING ? waitForThem(run) : inPlan([...run.held.values()]);

/** An answer that was a call gets its result: the sender has written again, and it was not sent. */
export const leaveUnsent = (run: LoopRun): void =>
  closeAnswer(run, 'it was not sent, because the sender has written again; answer all of their mails');

/**
 * What an answer is worth is found out before the decision about it, and stored with it. Null: its sender has written again,
 * and that is to be read before anything else is decided.
 */
async function nextDecision(
  run: LoopRun,
  happened: LoopEvent,
): Promise<{ decision: LoopDecision; gated: Judged | null } | null> {
  if (isBetweenTurns(run, happened) && (await run.further.hasCome())) return null;
  const answer =
    happened.type === 'final' && !isSilence(run, happened.text) ? await gateAnswer(run, run.state.lastText) : null;
  const event = happened.type === 'final' ? judged(run, happened, answer) : happened;
  const { limits } = run.settings;
  const activeMs = run.recorder.activeMs();
  const metByState =
    (run.maySayNothing || run.settings.frame?.ends_met === true) &&
    run.state.messages.length > 0 &&
    !hasSteps(run) &&
    isMetByState(contractOf(run), outcomesOf(run), run.settings.frame?.intent?.wanted_effects);
  const snapshot = snapshotOf(
    run.state,
    {
      ...{ cancelled: false, crashes: run.crashes, activeMs, held: run.held.size, metByState },
      isDecided: run.decided !== undefined,
    },
    {
      maxToolTurns: limits.max_tool_turns,
      maxToolSteps: limits.max_tool_steps ?? null,
      maxToolCalls: limits.max_tool_calls,
      maxConsecutiveFailures: limits.max_consecutive_failures,
      goesOn: limits.goes_on === true,
      byTurns: limits.by_turns === true,
      runTimeoutMs: limits.run_timeout_s * 1000,
    },
  );
  const decision = decide(snapshot, event);
  const gated = answer ?? (await wordsFor(run, decision, event));
  if (decision.decision === 'FINAL' && decision.outcome !== 'refusal' && isBetweenTurns(run, happened)) {
    run.further.endsUnless();
  }
  run.recorder.event('decision', {
    step: run.state.modelCalls,
    active_ms: activeMs,
    ...decision,
    ...traceOfGate(gated),
  });
  return { decision, gated };
}

/**
 * Where words of its sender can follow: no call of the model's waits for its result but the one that is the answer, nothing of its
 * answer has broken off, and there is room for another turn.
 */
function isBetweenTurns(run: LoopRun, event: LoopEvent): boolean {
  const { state, settings, held, recorder } = run;
  const isPlace =
    event.type === 'begin' || event.type === 'observed' || (event.type === 'final' && isWholeFinal(event));
  const isOpen = (state.pending !== null && state.declared === null) || held.size > 0 || state.begunText !== '';
  const isNearEnd = state.lastCall !== null || state.budgetSpent !== null || run.crashes >= MAX_CRASHES;
  if (!isPlace || isOpen || isNearEnd) return false;
  const { limits } = settings;
  return (
    recorder.activeMs() < limits.run_timeout_s * 1000 &&
    state.toolCalls < limits.max_tool_calls &&
    state.toolTurns < limits.max_tool_turns &&
    state.toolSteps < (limits.max_tool_steps ?? Number.POSITIVE_INFINITY)
  );
}

const isWholeFinal = ({ whole, open }: Final): boolean => whole && open !== true;

/** The model had given its answer, and mail that came before it could be committed is read first. */
function answerOnRecord({ recorder: { log }, state }: LoopRun): Final | null {
  const ended = log.last('model_call_ended');
  if (!ended?.data.ok || ended.data.response === undefined) return null;
  const since = log.between(ended.seq, log.nextSeq);
  if (since.has('decision') || since.has('mail_taken_in')) return null;
  const { declared, lastText: text } = state;
  return { type: 'final', text: declared?.text ?? text, whole: true, asks: declared?.question ?? false };
}

const contractOf = ({ settings }: LoopRun) => settings.frame?.contract ?? NO_CONTRACT;

const judged = (run: LoopRun, final: Final, answer: Judged | null): Final => ({
  ...final,
  ...(answer ? { gate: answer.verdict } : leavesUnanswered(run, final.text) ? { nothing: true } : {}),
});

/** Nothing to tell states nothing that could be untrue; only what was to be done can be missing from it. */
function isSilence(run: LoopRun, text: string): boolean {
  const { effects, contract } = contractOf(run);
  const isNothing = (run.maySayNothing && saysNothing(text)) || leavesUnanswered(run, text);
  return isNothing && effects.length + contract.length === 0;
}

/** The model says so by the word that its prompt gives it for that. One that was not told of it means a word by it. */
const leavesUnanswered = ({ mayLeaveUnanswered, settings }: LoopRun, text: string): boolean =>
  mayLeaveUnanswered && isWordForNothing(text) && settings.system.some((section) => section.includes('NOTHING'));

/** What is sent where no answer of the model's is: the words that it had, what was read last, or that it is done. */
async function wordsFor(run: LoopRun, decision: LoopDecision, event: LoopEvent): Promise<Judged | null> {
  const language = run.settings.frame?.language ?? 'en';
  if (decision.decision === 'FINAL' && decision.reason === 'contract_met')
    return gateAnswer(run, say(language, 'sources.done'));
  if (decision.decision !== 'FINAL_PARTIAL') return null;
  const { lastText } = run.state;
  const isNone = event.type === 'unparsable';
  const seen = isNone && event.why !== 'repeats' ? standIn(evidenceIn(run), language) : null;
  const text = seen ?? (isNone ? withoutRow(lastText) : lastText);
  return text === '' ? null : gateAnswer(run, text);
}

const evidenceIn = ({ state, riskOf }: LoopRun) => evidenceOf(state.messages, riskOf, state.facts);

const outcomesOf = ({ state, riskOf, scopeOf }: LoopRun): readonly ContractOutcome[] =>
  state.outcomes.map(({ tool, ok, made }) => ({
    ok,
    scope: scopeOf(tool),
    changes: riskOf(tool) !== 'read',
    tool,
    id: made?.call.id ?? null,
  }));

/** What waits for an owner's word, or is held in a test, is tried, and all that the model can do about it is done. */
const outcomesSoFar = (run: LoopRun): readonly ContractOutcome[] =>
  outcomesOf(run).map((outcome, at) => {
    const code = run.state.outcomes[at]?.code;
    return { ...outcome, ok: outcome.ok || code === WAITING || code === HELD };
  });

/** What lies outside the run and had a say, the hour, what has changed since it was read and hooks, is kept for a replay. */
export async function gateAnswer(run: LoopRun, text: string): Promise<Judged> {
  const { state, settings, prompt, scopeOf } = run;
  const evidence = evidenceIn(run);
  const [now, drifted, settled] = [run.clock.now(), await run.driftedSources(evidence), await run.settledSince()];
  // What stands in for an answer is the gateway's own, and nobody has to check it.
  const hooks = text === state.lastText ? await run.checkByHooks(toBeChecked(run, text)) : null;
  const gated = gate({
    // What stands below an answer would else be code of it.
    text: settings.limits.open_ends === true ? withFenceClosed(text) : text,
    declared: state.declared,
    contract: contractOf(run),
    wanted: settings.frame?.intent?.wanted_effects ?? [],
    tellsUndone: settings.limits.tells_undone,
    tellsData: settings.limits.tells_data,
    looksAgain: settings.limits.looks_again,
    language: settings.frame?.language ?? 'en',
    evidence,
    outcomes: outcomesSoFar(run),
    scopeOf,
    history: prompt.history,
    mail: prompt.userBlock,
    ...(settings.limits.cites === true ? { mails: namesOfMails(state.messages), attachments: run.attachments } : {}),
    citesShown: settings.limits.cites_shown,
    readBy: settings.limits.sources_for,
    now,
    drifted,
    settled,
    hooks,
  });
  return { ...gated, judged_at: now, drifted: [...drifted], settled, hooks };
}

const toBeChecked = ({ prompt, state }: LoopRun, text: string) => ({
  text,
  mail: wordsOf(prompt.userBlock),
  calls: state.outcomes.map(({ tool, ok }) => ({ tool, ok })),
});

/** What the trace keeps of it. */
const traceOfGate = (gated: Judged | null) =>
  gated === null
    ? {}
    : {
        contract: gated.contract,
        ...(gated.undone === undefined ? {} : { undone: gated.undone }),
        ...(gated.data_until === undefined ? {} : { data_until: gated.data_until }),
        ...(gated.changed ? { changed: gated.changed } : {}),
        claims: gated.claims,
        limitations: gated.limitations,
        unknown_ids: gated.unknown_ids,
        ...(gated.citations.length === 0 ? {} : { citations: gated.citations }),
        judged_at: gated.judged_at,
        drifted: gated.drifted,
        ...(gated.settled.length === 0 ? {} : { settled: gated.settled }),
        ...(gated.hooks === null ? {} : { hooks: gated.hooks }),
      };

/**
 * What the playbook of the run does in the place of the next model call: a call, which then goes the way of any other, or
 * the answer. Null: the model is asked, as it is from then on.
 */
function stepOfPlaybook(run: LoopRun): LoopEvent | null {
  if (!hasSteps(run)) return null;
  const { state, recorder } = run;
  const { playbook } = run.settings;
  if (!playbook) return null;
  const made = madeSteps(state);
  const scope = { ...run.mailScope(), steps: Object.fromEntries(made.map(({ step, content }) => [step, content])) };
  const next = nextStep(playbook, made, scope);
  if (next.do === 'call') {
    recorder.event('playbook_step', { step: next.step, call: { ...next.call, arguments: next.call.arguments ?? {} } });
    return { type: 'calls', verdicts: [] };
  }
  if (next.do === 'leave') {
    recorder.event('playbook_left', { step: next.step, reason: next.reason });
    return null;
  }
  return answerOf(run, playbook.playbook.answer, scope);
}

/** Whether the playbook may still do something in this run. */
const hasSteps = ({ settings, state }: Pick<LoopRun, 'settings' | 'state'>): boolean =>
  settings.playbook?.mode === 'policy' &&
  state.modelCalls === 0 &&
  // It was learned for one mail, and answers that one alone.
  state.furtherMails === 0 &&
  !state.playbookIsOver &&
  state.pending === null &&
  state.lastCall === null &&
  state.budgetSpent === null;

function answerOf({ recorder, state }: LoopRun, template: string, scope: PlaybookScope): LoopEvent | null {
  if (template === '') return null;
  const text = fillText(template, scope);
  if (typeof text !== 'string' || text.trim() === '') {
    recorder.event('playbook_left', { step: state.playbookSteps.length + 1, reason: 'unfilled' });
    return null;
  }
  recorder.event('playbook_answer', { text });
  return { type: 'final', text, whole: true, asks: false };
}

/** Of those steps that were made, what came of them. */
function madeSteps({ playbookSteps, outcomes }: LoopState): readonly MadeStep[] {
  return playbookSteps.flatMap(({ step, callId }) => {
    const outcome = outcomes.find(({ made }) => made?.call.id === callId);
    if (!outcome) return [];
    const content = readJson(anyJson, outcome.made?.content ?? '') ?? null;
    return [{ step, ok: outcome.ok, code: outcome.code, content }];
  });
}
