import type { ModelMessage, ProviderCode, ToolCall, ToolResult } from '#contract';
import { canonicalJson } from '../lib/json.ts';
import type { BudgetLimit } from '../storage/types/budget.ts';
import type { Observation } from './codec/fields.ts';
import type { GapKind, PartialCode } from './decisions.ts';
import type { Declared } from './declared.ts';
import type { ResultFacts } from './result-facts.ts';
import type { Target } from './settings.ts';

/** The loop's memory of a run: folded from its events; what is found beside them is put into it by `applyFinding`. */
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
  /** That were the words of the newest turn. */
  readonly saidBeside: boolean;
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
  readonly made?: CallOnRecord;
}

/** For the receipt: the call itself, and how far it came. */
export interface CallOnRecord {
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

type Changeable<Part> =
  Part extends ReadonlyMap<infer Key, infer Value>
    ? Map<Key, Value>
    : Part extends ReadonlySet<infer Value>
      ? Set<Value>
      : Part extends readonly (infer Item)[]
        ? Item[]
        : Part;
/** A pending turn that is still being folded. */
export type FoldingTurn = { readonly [Name in keyof PendingTurn]: Changeable<PendingTurn[Name]> };
type Growing = 'messages' | 'gapsNamed' | 'outcomes' | 'facts' | 'playbookSteps' | 'waits';

/** A state that is still being folded. The recorder, the events and what folds them hold one. */
export type Folding = { -readonly [Name in Exclude<keyof LoopState, Growing | 'pending'>]: LoopState[Name] } & {
  readonly [Name in Growing]: Changeable<LoopState[Name]>;
} & { pending: FoldingTurn | null };

const NO_RESULTS = { succeeded: false, failed: false } as const;

export const emptyState = (): Folding => ({
  messages: [],
  pending: null,
  modelCalls: 0,
  toolCalls: 0,
  toolTurns: 0,
  toolSteps: 0,
  consecutiveFailures: 0,
  failedTurns: 0,
  turn: NO_RESULTS,
  streaks: new Map(),
  anySucceeded: false,
  repairs: 0,
  continued: 0,
  begunText: '',
  begunOpen: false,
  gapsNamed: [],
  lastCall: null,
  budgetSpent: null,
  cappedBy: null,
  approvedFailed: false,
  targets: null,
  target: 0,
  providerFailures: 0,
  lastProviderCode: null,
  isWaiting: false,
  exposed: null,
  compacted: false,
  plain: 0,
  lastText: '',
  saidSoFar: false,
  saidBeside: false,
  furtherMails: 0,
  furtherWords: '',
  usageDiffers: null,
  declared: null,
  outcomes: [],
  waits: [],
  playbookSteps: [],
  playbookIsOver: false,
  facts: new Map(),
});

/** A turn with calls: from here on it waits for their results. */
export function addCalls(state: Folding, turn: Extract<ModelMessage, { role: 'assistant' }>): void {
  state.messages.push(turn);
  if (state.declared === null) state.toolTurns += 1;
  else state.lastText = state.declared.text;
  state.approvedFailed = false;
  state.pending = {
    calls: [...turn.toolCalls],
    results: new Map(),
    intended: new Map(),
    duplicates: duplicatesAmong(turn.toolCalls),
    denied: new Map(),
    ownWords: new Set(),
    questions: new Map(),
    targets: new Map(),
    asked: new Set(),
    suspended: new Map(),
    begun: new Map(),
    steps: new Map(),
  };
  if (state.declared !== null) return;
  state.turn = NO_RESULTS;
  const keys = new Set(turn.toolCalls.map(callKey));
  state.streaks = new Map([...keys].map((key) => [key, (state.streaks.get(key) ?? 0) + 1]));
}

function duplicatesAmong(calls: readonly ToolCall[]): Map<string, string> {
  const first = new Map<string, string>();
  const duplicates = new Map<string, string>();
  for (const call of calls) {
    const key = callKey(call);
    const earlier = first.get(key);
    if (earlier === undefined) first.set(key, call.id);
    else duplicates.set(call.id, earlier);
  }
  return duplicates;
}

/** Calls are the same when name and arguments are, whatever the order of the keys. */
const callKey = (call: ToolCall): string =>
  `${call.name} ${canonicalJson(call.arguments ?? call.rawArguments ?? null)}`;
