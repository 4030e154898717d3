import type { Json } from '#contract';
import { anyJson, readJson } from '../../lib/json.ts';
import { BY_PLAYBOOK } from '../../policy/refusal.ts';
import type { PinnedPlaybook, Playbook } from '../../record/codec/playbook.ts';
import type { RecordedResult, ScenarioEffect } from '../../record/codec/scenario.ts';
import { fillText, restrictionsOf } from '../places.ts';
import { type MadeStep, nextStep } from '../steps.ts';
import { brought, type Example, effectKey } from './examples.ts';

/** A call that a playbook makes in an example. */
interface PlayedCall extends ScenarioEffect {
  /** Its place among the steps, from 1. */
  readonly step: number;
  /** The run made the same call, and it came to something. */
  readonly isKnown: boolean;
}

export interface PlayedRun {
  readonly calls: readonly PlayedCall[];
  /** Calls of the run that it denies, each with the rule. */
  readonly denied: readonly { readonly call: RecordedResult; readonly rule: string }[];
  /** Calls of the run that a model would still have made: the playbook left them to it, and denies them not. */
  readonly left: readonly RecordedResult[];
  /** The answer that it makes itself; null: the model writes it. */
  readonly answer: string | null;
}

/** No playbook has so many steps, and none is made twice. */
const MOST_CALLS = 50;

/**
 * What a playbook does in an example, in the mode in which it may do most. Nothing is called: its steps are told what the
 * run was told, and a call that the run did not make brings nothing. Pure.
 */
export function play(playbook: Playbook, example: Example): PlayedRun {
  const pinned: PinnedPlaybook = {
    version_id: '',
    number: playbook.meta.version,
    kind: playbook.meta.kind,
    tainted: false,
    mode: 'policy',
    playbook,
  };
  const seen = { mail: example.mail, thread: example.thread };
  const ruleAgainst = ({ tool, arguments: args }: ScenarioEffect): string | null =>
    restrictionsOf(pinned, { tool, args }, { ...seen, steps: {} })[0]?.by.slice(BY_PLAYBOOK.length) ?? null;
  const told = new Map(brought(example).map((call) => [effectKey(call), call.content]));
  const calls: PlayedCall[] = [];
  const made: MadeStep[] = [];
  let next = nextStep(pinned, made, { ...seen, steps: {} });
  while (next.do === 'call' && calls.length < MOST_CALLS) {
    const { step } = next;
    const call = { tool: next.call.name, arguments: next.call.arguments ?? {} };
    if (ruleAgainst(call) !== null) break;
    const text = told.get(effectKey(call));
    const isKnown = text !== undefined;
    calls.push({ ...call, step, isKnown });
    const content = isKnown ? (readJson(anyJson, text) ?? null) : null;
    made.push({ step, ok: isKnown, code: isKnown ? null : 'not_recorded', content });
    next = nextStep(pinned, made, { ...seen, steps: contentsOf(made) });
  }
  const judged = example.results.map((call) => ({ call, rule: ruleAgainst(call) }));
  const isDone = next.do === 'answer';
  return {
    calls,
    denied: judged.flatMap(({ call, rule }) => (rule === null ? [] : [{ call, rule }])),
    // Where all steps are made, a model has only the answer to write.
    left: isDone ? [] : judged.flatMap(({ call, rule }) => (rule === null ? [call] : [])),
    answer: isDone ? textIn(fillText(playbook.answer, { ...seen, steps: contentsOf(made) })) : null,
  };
}

const contentsOf = (made: readonly MadeStep[]): Readonly<Record<string, Json>> =>
  Object.fromEntries(made.map(({ step, content }) => [step, content]));

const textIn = (filled: Json | null): string | null =>
  typeof filled === 'string' && filled.trim() !== '' ? filled : null;
