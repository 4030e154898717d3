import type { ModelMessage, ProviderCode, ToolCall, ToolResult } from '#contract';
import type { BudgetLimit } from '../storage/types/budget.ts';
import type { GapKind, PartialCode, Snapshot } from './decisions.ts';
import type { Declared } from './declared.ts';
import type { Observation } from './events.ts';
import type { ResultFacts } from './result-facts.ts';
import type { Target } from './settings.ts';

/** The loop's memory of a run: folded from its events (`fold.ts`), which alone changes it. */
export interface LoopState {
  /** This run's own turns, after the mail. */
  readonly messages: readonly ModelMessage[];
  /** The newest model turn while some of its calls have no result yet. */
  readonly pending: PendingTurn | null;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly toolTurns: number;
  /** Turns in which at least one call was executed. */
  readonly toolSteps: number;
  /** Failed calls in a row: the measure of runs of older versions. */
  readonly consecutiveFailures: number;
  /** Turns in a row in which calls failed and none succeeded. */
  readonly failedTurns: number;
  /** What has come of the newest turn so far. */
  readonly turn: { readonly succeeded: boolean; readonly failed: boolean };
  /** By call of the newest turn: in how many turns in a row it was made. */
  readonly streaks: ReadonlyMap<string, number>;
  readonly anySucceeded: boolean;
  readonly repairs: number;
  /** How often it was asked to go on with an answer that broke off, and what that answer says so far. */
  readonly continued: number;
  readonly begunText: string;
  /** Its vendor called that answer whole, and it ended within an open fence or row. */
  readonly begunOpen: boolean;
  /** What the model was told that its answer lacks. */
  readonly gapsNamed: readonly GapKind[];
  readonly lastCall: PartialCode | null;
  /** The limit that stands in the way of the next model call. */
  readonly budgetSpent: BudgetLimit | null;
  /** The limit that granted the model call under way fewer tokens than it could use. */
  readonly cappedBy: BudgetLimit | null;
  /** An approved call of the turn under way has failed. */
  readonly approvedFailed: boolean;
  /** The models that took the place of the pinned ones, which did not answer; null: they are as pinned. */
  readonly targets: readonly Target[] | null;
  /** Which of the targets is in use, and how often it failed since it last answered. */
  readonly target: number;
  readonly providerFailures: number;
  readonly lastProviderCode: ProviderCode | null;
  /** It was put back because no model answered, and none has since. */
  readonly isWaiting: boolean;
  /** What the newest model call was shown; null while none was made. */
  readonly exposed: Exposed | null;
  /** One compaction per run. */
  readonly compacted: boolean;
  /** How far requests are cut down to what nobody refuses, since one was refused without a reason. */
  readonly plain: 0 | 1 | 2;
  readonly lastText: string;
  /** What it could say already was mailed; its answer is the rest. */
  readonly saidSoFar: boolean;
  /** Later mails of its sender that it answers as well. */
  readonly furtherMails: number;
  /** What stands in them, below one another. */
  readonly furtherWords: string;
  /** A model whose vendor counts far otherwise than we do, and the two counts of tokens; null: none. */
  readonly usageDiffers: (Target & { readonly said: number; readonly own: number }) | null;
  /** What the newest turn says of its answer; null where it is none, or a plain text. */
  readonly declared: Declared | null;
  readonly outcomes: readonly CallOutcome[];
  /** Calls that owners are asked about once the run has answered. */
  readonly waits: readonly WaitingCall[];
  /** Calls that the run's playbook has made in the place of the model, in order. */
  readonly playbookSteps: readonly { readonly step: number; readonly callId: string }[];
  /** The playbook does nothing any more: the model works, or all is done. */
  readonly playbookIsOver: boolean;
  /** What tools declared of their results, by call. */
  readonly facts: ReadonlyMap<string, ResultFacts>;
}

export interface PendingTurn {
  readonly calls: readonly ToolCall[];
  readonly results: ReadonlyMap<string, ToolResult>;
  /** Risk by call whose intent was committed: after a crash a mutating one of these may or may not have happened. */
  readonly intended: ReadonlyMap<string, string>;
  /** By call that says the same as an earlier one of its turn: that one. Only the earlier is executed. */
  readonly duplicates: ReadonlyMap<string, string>;
  /** What stood in the way of calls that policy refused, by call. */
  readonly denied: ReadonlyMap<string, string>;
  /** Calls to which the owner's own mail was the yes. */
  readonly ownWords: ReadonlySet<string>;
  /** The newest question to owners about a call, by call. */
  readonly questions: ReadonlyMap<string, string>;
  /** What the calls that were begun touch, by call. */
  readonly targets: ReadonlyMap<string, readonly string[]>;
  /** Calls that owners were asked about. Ids may be the same in another turn, so approvals of others do not count. */
  readonly asked: ReadonlySet<string>;
  /** Calls that were made and have no result yet, by call: what brings it. */
  readonly suspended: ReadonlyMap<string, { readonly id: string; readonly kind: string }>;
  /** Steps of an approved plan that were begun, and what became of them. */
  readonly begun: ReadonlyMap<string, BegunStep>;
  readonly steps: ReadonlyMap<string, Observation>;
}

/** The code on record of a call that an owner is asked about once the run has answered. */
export const WAITING = 'waiting';

/** Its row in the trace: nobody who reads there may take it for done. */
export const WAITING_ROW = { ok: false, error: { code: WAITING, message: 'an owner is asked about it' } } as const;

/** A call that the model went on without, and what it is to touch. */
export interface WaitingCall {
  readonly call: ToolCall;
  readonly targets: readonly string[];
}

/** What the newest model call was shown, from the record. */
export interface Exposed {
  /** Null in records of older versions. */
  readonly fingerprint: string | null;
  /** Null: all that was pinned. */
  readonly names: readonly string[] | null;
}

interface BegunStep {
  readonly call: ToolCall;
  /** The call of the model's turn that it is a step of. */
  readonly plan: string;
  readonly risk: string;
}

/** What became of one call; what was called more than once in a turn with the same words counts once. */
export interface CallOutcome {
  readonly tool: string;
  readonly ok: boolean;
  readonly code: string | null;
  readonly made?: MadeCall;
}

/** For the receipt: the call itself, and how far it came. */
export interface MadeCall {
  readonly call: ToolCall;
  /** Risk under which the call was begun; null where it never was. */
  readonly risk: string | null;
  readonly targets: readonly string[];
  /** The result as the model got it. */
  readonly content: string;
  /** The newest question to owners about it. */
  readonly approval: string | null;
  /** The rule of the policy that refused it. */
  readonly deniedBy: string | null;
  /** The owner's own mail was the yes to it. */
  readonly ownWords?: true;
  /** Its result was to come later. */
  readonly waited: boolean;
  /** Which of the model's turns with calls it was made in. */
  readonly turn: number;
}

/** A task's answer that there is nothing to tell: empty, or this one word, whatever marks stand around it. */
export const saysNothing = (text: string): boolean =>
  text.trim() === '' || (text.length < 40 && text.replace(/[\p{P}\s]/gu, '') === 'NOTHING');

/** By the one word alone, as models are told; an empty answer may be a failure. */
export const isWordForNothing = (text: string): boolean => text.trim() !== '' && saysNothing(text);

/** Calls of the turn under way that wait for a word or a result from elsewhere. */
export function waitsFor(pending: PendingTurn | null): readonly string[] {
  if (pending === null || pending.asked.size + pending.suspended.size === 0) return [];
  const waiting = new Set([...pending.asked, ...pending.suspended.keys()]);
  return [...waiting].filter((id) => !pending.results.has(id));
}

export function snapshotOf(
  state: LoopState,
  run: Pick<Snapshot, 'cancelled' | 'crashes' | 'activeMs' | 'held' | 'metByState' | 'isDecided'>,
  limits: Snapshot['limits'],
): Snapshot {
  const { toolTurns, toolSteps, toolCalls, anySucceeded, repairs, gapsNamed, pending } = state;
  return {
    ...run,
    toolTurns,
    toolSteps,
    toolCalls,
    consecutiveFailures: limits.byTurns ? state.failedTurns : state.consecutiveFailures,
    sameCallStreak: state.streaks.size === 0 ? 0 : Math.min(...state.streaks.values()),
    anySucceeded,
    repairs,
    continued: state.continued,
    gapsNamed,
    lastCall: state.lastCall,
    budgetSpent: state.budgetSpent !== null,
    unresolved: waitsFor(pending).length,
    waits: state.waits.length,
    limits,
  };
}
