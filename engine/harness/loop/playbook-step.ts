import { fillText, type PlaybookScope } from '../../learning/places.ts';
import { type MadeStep, nextStep } from '../../learning/steps.ts';
import { anyJson, readJson } from '../../lib/json.ts';
import type { LoopEvent } from '../../record/decisions.ts';
import type { LoopState } from '../../record/state.ts';
import type { LoopRun } from './loop-run.ts';

/**
 * What the playbook of the run does in the place of the next model call: a call, which then goes the way of any other, or
 * the answer. Null: the model is asked, as it is from then on.
 */
export function stepOfPlaybook(run: LoopRun): LoopEvent | null {
  if (!hasSteps(run)) return null;
  const { state, recorder } = run;
  const { playbook } = run.settings;
  if (!playbook) return null;
  const made = madeSteps(state);
  const scope = { ...run.mailScope, steps: Object.fromEntries(made.map(({ step, content }) => [step, content])) };
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
export const hasSteps = ({ settings, state }: Pick<LoopRun, 'settings' | 'state'>): boolean =>
  settings.playbook?.mode === 'policy' &&
  state.modelCalls === 0 &&
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
