import type { Scope } from '#contract';
import type { TaskAnswer } from '../../config/types.ts';
import { type Language, languageOf } from '../../languages/language.ts';
import type { ToolFacts } from '../../policy/surface.ts';
import type { Declared } from '../../record/declared.ts';
import type { Contract, RunFrame } from '../../record/settings.ts';
import type { Evidence } from './evidence.ts';

export const NO_CONTRACT: Contract = { claims: 'optional', effects: [], contract: [] };

/** The task's word counts before the persona's, key by key. */
export const contractFrom = (persona: Contract, task: TaskAnswer): Contract => ({
  claims: task?.claims ?? persona.claims,
  effects: task?.effects ?? persona.effects,
  contract: task?.contract ?? persona.contract,
});

/** `done` by a call that succeeded; `not_done` by one that was refused or failed, which the receipt says; else nobody tried. */
type EffectState = 'done' | 'not_done' | 'missing';

export interface ContractVerdict {
  readonly required: readonly string[];
  /** Not there, and not owned up to: the model can still do something about it. */
  readonly missing: readonly string[];
  /** Tried, and refused or failed. */
  readonly not_done: readonly string[];
  /** What the mail was taken to ask for, and nobody tried; the answer has to tell of it, and is whole without it. */
  readonly wanted?: readonly string[];
}

/** A call of the run that ended, and what its tool is for. */
export interface Outcome {
  readonly ok: boolean;
  readonly scope: Scope | null;
  readonly changes: boolean;
}

function effectState(effect: string, outcomes: readonly Outcome[]): EffectState {
  const tried = outcomes.filter(({ scope, changes }) => changes && scope === effect);
  if (tried.some(({ ok }) => ok)) return 'done';
  return tried.length > 0 ? 'not_done' : 'missing';
}

/** Pure: what the contract asks for against what the run has. */
export function judgeContract(
  contract: Contract,
  has: {
    readonly text: string;
    readonly declared: Declared | null;
    readonly evidence: readonly (Pick<Evidence, 'tool' | 'ok'> & { readonly scope: Scope | null })[];
    readonly outcomes: readonly Outcome[];
    /** Effects that the mail was taken to ask for. */
    readonly wanted?: readonly string[];
  },
): ContractVerdict {
  const { text, declared, evidence, outcomes, wanted = [] } = has;
  const isUntried = (effect: string) =>
    !contract.effects.includes(effect) && !declared?.question && effectState(effect, outcomes) === 'missing';
  const effects = contract.effects.map((effect) => ({ effect, state: effectState(effect, outcomes) }));
  const kinds = [...new Set([...(contract.claims === 'required' ? ['claims'] : []), ...contract.contract])];
  const isThere = (kind: string): boolean => {
    if (kind === 'claims')
      return declared !== null && (declared.claims.length > 0 || declared.figures.length > 0 || declared.question);
    if (kind === 'figures') return declared !== null && (declared.figures.length > 0 || declared.question);
    return evidence.some(({ ok, tool, scope }) => ok && (tool === kind || scope === kind));
  };
  return {
    required: ['answer', ...contract.effects, ...kinds],
    missing: [
      ...(text.trim() === '' ? ['answer'] : []),
      ...effects.flatMap(({ effect, state }) => (state === 'missing' && !declared?.question ? [effect] : [])),
      ...kinds.filter((kind) => !isThere(kind)),
    ],
    not_done: effects.flatMap(({ effect, state }) => (state === 'not_done' ? [effect] : [])),
    ...(wanted.length === 0 ? {} : { wanted: wanted.filter(isUntried) }),
  };
}

/** What the model is told of each thing that is missing. */
export function gapOf(missing: string): string {
  if (missing === 'claims')
    return 'Here an answer says what it rests on: give it with the tool answer, its statements in claims, each with the results that it rests on.';
  if (missing === 'figures')
    return 'Here an answer gives its figures with the tool answer, each in figures with its source and cells.';
  if (missing === 'answer') return 'It was empty.';
  return `${missing} is expected here, and no call of this run did it. Do it, or say plainly that it is not done.`;
}

/** The same for what the mail was taken to ask for, which may be wrong. */
export const wantedGapOf = (effect: string): string =>
  `The mail may ask for something (${effect}) that no call of this run did. If it does, do it or say plainly that it is not done; if it does not, answer as you did.`;

/** Whether a run whose only answer is its receipt is over: every effect is there, and the task asks for nothing else. */
export const isMetByState = (contract: Contract, outcomes: readonly Outcome[]): boolean =>
  contract.claims === 'off' &&
  contract.effects.length > 0 &&
  contract.contract.length === 0 &&
  contract.effects.every((effect) => effectState(effect, outcomes) === 'done') &&
  outcomes.every(({ ok, changes }) => ok || !changes);

const MAX_SUBJECT = 160;

/** Pure: the same mail, settings and surface always give the same frame. */
export function frameOf(run: {
  readonly trigger: RunFrame['trigger'];
  readonly profile: RunFrame['profile'];
  readonly subject: string;
  readonly text: string;
  readonly language: Language;
  readonly contract: Contract;
  readonly offered: readonly Pick<ToolFacts, 'risk' | 'scope' | 'asks'>[];
}): RunFrame {
  const changing = run.offered.filter(({ risk, asks }) => risk !== 'read' && !asks).map(({ scope }) => scope);
  return {
    trigger: run.trigger,
    profile: run.profile,
    subject: run.subject.slice(0, MAX_SUBJECT).toWellFormed(),
    can_change: [...new Set(changing)].sort(),
    language: languageOf([run.text], run.language),
    contract: run.contract,
  };
}
