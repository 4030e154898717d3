import type { Scope } from '#contract';
import type { AnswerConfig, TaskAnswer } from '../../config/types.ts';
import { type Language, languageOf } from '../../languages/language.ts';
import { RISKS } from '../../lib/risks.ts';
import type { ToolFacts } from '../../policy/surface.ts';
import { asPoint, type Declared, pointIn, pointsIn } from '../../record/declared.ts';
import type { Contract, RunFrame } from '../../record/settings.ts';
import type { Evidence } from './evidence.ts';

export const NO_CONTRACT: Contract = { claims: 'optional', effects: [], contract: [] };

/** The word of the task, or of the kind of mail, counts before the persona's, key by key. */
export function contractFrom(persona: Contract & Partial<Pick<AnswerConfig, 'points'>>, own: TaskAnswer): Contract {
  const points = own?.points ?? persona.points ?? pointsIn(persona.contract);
  const brought = (own?.contract ?? persona.contract).filter((kind) => pointIn(kind) === null);
  return {
    claims: own?.claims ?? persona.claims,
    effects: own?.effects ?? persona.effects,
    contract: [...brought, ...points.map(asPoint)],
  };
}

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
export interface ContractOutcome {
  readonly ok: boolean;
  readonly scope: Scope | null;
  readonly changes: boolean;
  readonly tool?: string;
  /** The vendor's id of the call. */
  readonly id?: string | null;
}

function effectState(effect: string, outcomes: readonly ContractOutcome[]): EffectState {
  const tried = outcomes.filter(({ scope, changes }) => changes && scope === effect);
  if (tried.some(({ ok }) => ok)) return 'done';
  return tried.length > 0 ? 'not_done' : 'missing';
}

/** What a note may be kept in: to whoever asked for one it is the same. */
const NOTES: ReadonlySet<string> = new Set(['files:create', 'files:write', 'memory:create']);
/** What each of its tools does is known by its scope. */
const PLAIN_SCOPE = /^(?:mail|files|memory|schedule):/;

/** Whether a call may have done it: a command, or a tool of somebody else's, may have done anything. */
const mayHaveDone = (effect: string, { changes, scope }: ContractOutcome): boolean =>
  changes &&
  (scope === null || scope === effect || !PLAIN_SCOPE.test(scope) || (NOTES.has(scope) && NOTES.has(effect)));

/** What an answer has to do with effects: those that were asked for, and those that it says it had. */
interface Effects {
  readonly wanted: readonly string[];
  readonly declared: Declared | null;
  /** Calls that ended or wait. */
  readonly outcomes: readonly ContractOutcome[];
  scopeOf(tool: string): Scope | null;
}

/** An effect that nothing on record of the run had. */
export interface Undone {
  /** Its scope; null where that is not known, and the run changed nothing at all. */
  readonly effect: string | null;
  /** By which words the answer claims it; null: it was wanted. */
  readonly said: string | null;
}

/**
 * What was asked for, or what the answer declares as done, and no call of the run did: by the record alone, whatever the
 * text says. An answer that only asks, or that names it as not done, has said so itself. Pure.
 */
export function undoneIn({ wanted, declared, outcomes, scopeOf }: Effects): readonly Undone[] {
  if (declared?.question) return [];
  const isOpen = (effect: string) => !outcomes.some((outcome) => mayHaveDone(effect, outcome));
  const isOwned = (effect: string) =>
    (declared?.not_done ?? []).some((name) => name === effect || scopeOf(name) === effect || isWordOf(name, effect));
  const asked = wanted.filter((effect) => isOpen(effect) && !isOwned(effect));
  // What failed was tried, as far as it was asked for; who says that it was done says what is not so.
  const done = outcomes.filter(({ ok }) => ok);
  const claimed = (declared?.did ?? []).flatMap((said): Undone[] => {
    if (done.some((outcome) => isNamed(said, outcome))) return [];
    const failed = outcomes.find((outcome) => isNamed(said, outcome));
    // That a reading brought nothing is told with what rests on it.
    if (failed && !failed.changes) return [];
    const effect = failed?.scope ?? (/^[a-z_]+:[a-z_]+$/.test(said) ? said : scopeOf(said));
    const isDone = effect !== null && done.some((outcome) => mayHaveDone(effect, outcome));
    if (effect !== null) return !isDone && !asked.includes(effect) ? [{ effect, said }] : [];
    // Words of its own may mean any call that changed something.
    return done.some(({ changes }) => changes) ? [] : [{ effect: null, said }];
  });
  const known = claimed.some(({ effect }) => effect !== null) || asked.length > 0;
  return [
    ...asked.map((effect): Undone => ({ effect, said: null })),
    ...claimed.filter(({ effect }) => effect !== null || !known),
  ];
}

const isNamed = (name: string, { id, tool, scope, changes }: ContractOutcome): boolean =>
  id === name || tool === name || (changes && scope === name);

/** `mail` of `mail:create`. */
const isWordOf = (name: string, effect: string): boolean => {
  const [kind = ''] = effect.split(':');
  return name.toLowerCase().replace(/s$/, '') === kind.replace(/s$/, '');
};

/** What the model is told of it, once. */
export const undoneGapOf = ({ effect, said }: Undone): string => {
  const what = said === null ? `The mail may ask for something (${effect})` : `Your answer says that it did ${said},`;
  return `${what} that no call of this run did. Do it now. Or give your answer with the tool answer: with not_done where it is not done, was done before or was not asked for, with question where you only ask.`;
};

/** Pure: what the contract asks for against what the run has. */
export function judgeContract(
  contract: Contract,
  has: {
    readonly text: string;
    readonly declared: Declared | null;
    readonly evidence: readonly (Pick<Evidence, 'tool' | 'ok'> & { readonly scope: Scope | null })[];
    readonly outcomes: readonly ContractOutcome[];
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
    const point = pointIn(kind);
    if (point !== null) return isMade(point, declared);
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

/** A point is made by a claim that rests on something, or says what limits it; or the answer owns up to it. */
const isMade = (point: string, declared: Declared | null): boolean =>
  declared !== null &&
  (declared.question ||
    declared.not_done.includes(point) ||
    declared.claims.some(
      (claim) => claim.point === point && (claim.evidence.length > 0 || claim.limitations.length > 0),
    ));

/** What the model is told of each thing that is missing. */
export function gapOf(missing: string): string {
  const point = pointIn(missing);
  if (point !== null)
    return `Here an answer says "${point}": as one of claims, with that point and the results that it rests on or what limits it; or name it in not_done.`;
  if (missing === 'claims')
    return 'Here an answer says what it rests on: give it with the tool answer, its statements in claims, each with the results that it rests on.';
  if (missing === 'figures')
    return 'Here an answer gives its figures with the tool answer, each in figures with its source and cells.';
  if (missing === 'answer') return 'It was empty.';
  return `${missing} is expected here, and no call of this run did it. Do it, or say plainly that it is not done.`;
}

const expectedPoints = (points: readonly string[]): readonly string[] =>
  points.length === 0
    ? []
    : [
        `Expected here: an answer that says ${points.map((point) => `"${point}"`).join(', ')}. Give it with the tool answer: each as one of claims, with that point and the results that it rests on or what limits it; what you cannot say in not_done.`,
      ];

/** The same before it has answered, so that it need not be told afterwards. */
export const expectedOf = ({ claims, effects, contract }: Contract): readonly string[] => [
  ...expectedPoints(pointsIn(contract)),
  ...(claims === 'required' ? [gapOf('claims')] : []),
  ...effects.map((effect) => `Expected here: ${effect}. Do it, or say plainly that it is not done.`),
  ...contract
    .filter((kind) => pointIn(kind) === null)
    .map((kind) =>
      kind === 'claims' || kind === 'figures' ? gapOf(kind) : `Expected here: a result of ${kind}, before you answer.`,
    ),
];

/** The same for what the mail was taken to ask for, which may be wrong. */
export const wantedGapOf = (effect: string): string =>
  `The mail may ask for something (${effect}) that no call of this run did. If it does, do it or say plainly that it is not done; if it does not, answer as you did.`;

/**
 * Whether a run whose only answer is its receipt is over: every effect is there, also those that its mail was taken to want, and
 * nothing else is asked for.
 */
export const isMetByState = (
  contract: Contract,
  outcomes: readonly ContractOutcome[],
  wanted: readonly string[] = [],
): boolean =>
  contract.claims === 'off' &&
  contract.effects.length > 0 &&
  contract.contract.length === 0 &&
  [...contract.effects, ...wanted].every((effect) => effectState(effect, outcomes) === 'done') &&
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
  const own = run.offered.filter(({ asks }) => !asks);
  const changing = own.filter(({ risk }) => risk !== 'read').map(({ scope }) => scope);
  return {
    trigger: run.trigger,
    profile: run.profile,
    subject: run.subject.slice(0, MAX_SUBJECT).toWellFormed(),
    can_change: [...new Set(changing)].sort(),
    highest_risk: RISKS.findLast((risk) => own.some((tool) => tool.risk === risk)) ?? 'read',
    language: languageOf([run.text], run.language),
    contract: run.contract,
  };
}
