import type { ModelMessage, ProviderCode, ToolCall, ToolResult } from '#contract';
import { canonicalJson } from '../lib/json.ts';
import { fenceGoneOnWith } from '../lib/text/open-end.ts';
import type { BudgetLimit } from '../storage/types/budget.ts';
import { WAITING } from '../storage/types/runs.ts';
import { goneOnWith, isWhole } from './codec/run-events.ts';
import type { GapKind, PartialCode, Snapshot } from './decisions.ts';
import { ANSWER, answerIn, type Declared } from './declared.ts';
import type { EventType, Observation, PayloadOf } from './events.ts';
import { OWN_WORDS } from './own-words.ts';
import type { ResultFacts } from './result-facts.ts';
import type { RunLog } from './run-log.ts';
import type { Target } from './settings.ts';

/** The loop's memory of a run: folded from its events by what stands below, which alone changes it. */
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

// The only code that changes a run's state. Resuming and replaying apply the events on record; the live loop applies
// each event as it puts it on record (`recorder.ts`).

type Changeable<Part> =
  Part extends ReadonlyMap<infer Key, infer Value>
    ? Map<Key, Value>
    : Part extends ReadonlySet<infer Value>
      ? Set<Value>
      : Part extends readonly (infer Item)[]
        ? Item[]
        : Part;
type Turn = { readonly [Name in keyof PendingTurn]: Changeable<PendingTurn[Name]> };
type Growing = 'messages' | 'gapsNamed' | 'outcomes' | 'facts' | 'playbookSteps' | 'waits';

/** A state that is still being folded. The recorder alone holds one besides. */
type Folding = { -readonly [Name in Exclude<keyof LoopState, Growing | 'pending'>]: LoopState[Name] } & {
  readonly [Name in Growing]: Changeable<LoopState[Name]>;
} & { pending: Turn | null };

const NO_RESULTS = { succeeded: false, failed: false } as const;

const emptyState = (): Folding => ({
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

/** Rebuilds the loop's state from what was committed, and from nothing else. */
export function foldEvents(log: RunLog): Folding {
  const state = emptyState();
  // Payloads of other types are not read.
  for (const { type, data } of log.select((type) => type in CHANGES)) apply(state, type, data);
  return state;
}

/** The state after one more event. */
export function apply<Type extends EventType>(state: Folding, type: Type, data: PayloadOf<Type>): void {
  CHANGES[type]?.(state, data);
}

/** What rows and settings say of a run beside its events. It is found out anew in each life, so it is not on record. */
export type Finding =
  | { readonly kind: 'budget_spent'; readonly limit: BudgetLimit }
  | { readonly kind: 'approved_call_failed' }
  | { readonly kind: 'models_replaced'; readonly targets: readonly Target[] | null };

export function applyFinding(state: Folding, finding: Finding): void {
  switch (finding.kind) {
    case 'budget_spent':
      state.budgetSpent = finding.limit;
      break;
    case 'approved_call_failed':
      state.approvedFailed = true;
      break;
    case 'models_replaced':
      state.targets = finding.targets;
      break;
  }
}

type Changes = { readonly [Type in EventType]?: (state: Folding, data: PayloadOf<Type>) => void };

const CHANGES: Changes = {
  model_call_started(state, { surface, tools, targets, capped }) {
    state.targets = targets ?? null;
    state.exposed = { fingerprint: surface ?? null, names: tools ?? null };
    state.cappedBy = capped ?? null;
  },

  model_call_ended(state, ended) {
    if (ended.ok && ended.response) {
      const { text, toolCalls, providerParts, finish, usage, usageSaid } = ended.response;
      if (usageSaid) {
        const { provider, model } = ended;
        const [said, own] = [usageSaid.input + usageSaid.output, usage.input + usage.output];
        state.usageDiffers = { provider, model, said, own };
      }
      // It broke off because the budget has no more for it.
      if (finish === 'length') state.budgetSpent = state.cappedBy;
      const turn = { role: 'assistant', text, toolCalls, ...(providerParts ? { providerParts } : {}) } as const;
      if (finish === 'refusal' || isWhole(ended.response)) addModelTurn(state, turn);
      else addCutTurn(state, turn);
      return;
    }
    state.lastProviderCode = ended.code ?? null;
    state.providerFailures += 1;
    if (ended.next === 'next_target') {
      state.target = (ended.at ?? state.target) + 1;
      state.providerFailures = 0;
      state.plain = 0;
    }
    if (ended.next === 'compact') state.compacted = true;
    if (ended.next === 'plainer') state.plain = ended.plain ?? 0;
  },

  playbook_step(state, { step, call }) {
    state.playbookSteps.push({ step, callId: call.id });
    addCalls(state, { role: 'assistant', text: '', toolCalls: [call] });
  },

  playbook_left(state) {
    state.playbookIsOver = true;
  },

  playbook_answer(state, { text }) {
    state.playbookIsOver = true;
    state.messages.push({ role: 'assistant', text, toolCalls: [] });
    state.lastText = text;
  },

  decision(state, { decision, reason, lastCall, about, gap }) {
    if (decision !== 'CONTINUE_MODEL_LOOP') return;
    if (lastCall) state.lastCall = lastCall;
    if (reason === 'repair') {
      state.repairs += 1;
      // It is asked to answer anew, and not to go on.
      state.begunText = '';
      state.begunOpen = false;
    }
    if (reason === 'continue' || reason === 'open_end') state.continued += 1;
    if (reason === 'open_end') {
      state.begunText = state.lastText;
      state.begunOpen = true;
    }
    state.gapsNamed.push(...(about ?? []));
    // If the answer was a call, its result says so.
    if (gap !== undefined && state.pending === null)
      state.messages.push({ role: 'user', content: [{ type: 'text', text: gap }] });
  },

  mail_taken_in(state, { mails, text, words }) {
    state.furtherMails += mails.length;
    state.furtherWords += `\n\n${words}`;
    state.messages.push({ role: 'user', content: [{ type: 'text', text }] });
  },

  permission({ pending }, { verdict, call_id, by, asked }) {
    if (verdict === 'deny') pending?.denied.set(call_id, by);
    if (verdict === 'allow' && by === OWN_WORDS && asked?.ownWords?.verdict === 'counts')
      pending?.ownWords.add(call_id);
  },

  tool_call_intended(state, { call_id: id, tool, risk, targets = [], step_of, arguments: args }) {
    const { pending } = state;
    if (!pending) return;
    pending.targets.set(id, targets);
    if (step_of !== undefined) {
      pending.begun.set(id, { call: { id, name: tool, arguments: args }, plan: step_of, risk });
      return;
    }
    if (pending.intended.size === 0) state.toolSteps += 1;
    pending.intended.set(id, risk);
  },

  observation(state, seen) {
    if (seen.step_of === undefined) addResult(state, seen);
    else addStep(state, seen);
  },

  approval_requested({ pending }, { items }) {
    for (const { call_id, approval_id, calls = [call_id] } of items) {
      for (const id of calls) {
        pending?.asked.add(id);
        pending?.questions.set(id, approval_id);
      }
    }
  },

  answered_so_far(state) {
    state.saidSoFar = true;
  },

  call_waits({ pending }, { call_id, targets }) {
    pending?.targets.set(call_id, targets);
  },

  calls_taken_up(state, { calls, approval_id }) {
    state.waits.length = 0;
    addCalls(state, { role: 'assistant', text: '', toolCalls: calls });
    for (const { id } of approval_id === undefined ? [] : calls) {
      state.pending?.asked.add(id);
      state.pending?.questions.set(id, approval_id ?? '');
    }
  },

  suspended({ pending }, { call_id, suspension_id: id, kind }) {
    pending?.suspended.set(call_id, { id, kind });
  },

  /** The first of its models is asked again, and in full: what it was made shorter for may have been something else. */
  deferred(state, { code }) {
    if (code !== 'provider_unavailable' && code !== 'provider_setup' && code !== 'request_failed') return;
    state.compacted &&= code === 'request_failed';
    if (code !== 'request_failed') state.plain = 0;
    state.target = 0;
    state.providerFailures = 0;
    state.lastProviderCode = null;
    state.isWaiting = true;
  },
};

function addModelTurn(state: Folding, turn: Extract<ModelMessage, { role: 'assistant' }>): void {
  state.modelCalls += 1;
  state.providerFailures = 0;
  state.lastProviderCode = null;
  state.declared = answerIn(turn.toolCalls);
  state.isWaiting = false;
  const silent = turn.text.trim() === '' && turn.toolCalls.length === 0;
  // Sent back, an answer of nothing would stand last in the next request, which vendors refuse as a prefill.
  if (silent) return;
  if (turn.text.trim() !== '') state.lastText = turn.toolCalls.length === 0 ? goneOn(state, turn.text) : turn.text;
  state.begunText = '';
  state.begunOpen = false;
  if (turn.toolCalls.length === 0) state.messages.push(turn);
  else addCalls(state, turn);
}

const goneOn = ({ begunText, begunOpen }: Folding, next: string): string =>
  (begunOpen ? fenceGoneOnWith(begunText, next) : null) ?? goneOnWith(begunText, next);

/** What broke off: its text counts as far as it goes, and its calls were never asked for, so none can be made. */
function addCutTurn(state: Folding, { text, toolCalls }: Extract<ModelMessage, { role: 'assistant' }>): void {
  const before = state.begunText;
  const said = answerIn(toolCalls)?.text ?? (toolCalls.length === 0 ? text : '');
  addModelTurn(state, { role: 'assistant', text: said, toolCalls: [] });
  state.begunText = goneOnWith(before, said);
  if (state.begunText !== '') state.lastText = state.begunText;
}

function addCalls(state: Folding, turn: Extract<ModelMessage, { role: 'assistant' }>): void {
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

/** A step of an approved plan has its result; the plan's own result is that of the model's call. */
function addStep({ pending, outcomes, toolTurns }: Folding, seen: Observation): void {
  pending?.steps.set(seen.call_id, seen);
  const { tool, ok, code, content } = seen;
  const begun = pending?.begun.get(seen.call_id);
  const made = begun && pending ? { made: madeCall(pending, { ...begun, content, turn: toolTurns }) } : {};
  outcomes.push({ tool, ok, code, ...made });
}

/** A call's result; the last one of its turn goes back to the model with the others. */
function addResult(state: Folding, seen: Observation): void {
  const { pending } = state;
  if (!pending) return;
  if (seen.facts) state.facts.set(seen.call_id, seen.facts);
  pending.results.set(seen.call_id, resultOf(seen));
  // What was executed once counts once, however often it was asked for.
  if (seen.same_as === undefined) countResult(state, pending, seen);
  if (pending.results.size < pending.calls.length) return;
  const { succeeded, failed } = state.turn;
  if (succeeded || failed) state.failedTurns = succeeded ? 0 : state.failedTurns + 1;
  const results = pending.calls.flatMap((call) => pending.results.get(call.id) ?? []);
  state.messages.push({ role: 'tool', results });
  state.pending = null;
}

const resultOf = ({ call_id, tool, content, ok }: Observation): ToolResult => ({
  callId: call_id,
  name: tool,
  content,
  isError: !ok,
});

function countResult(state: Folding, pending: Turn, { call_id, tool, ok, code, content }: Observation) {
  // An answer is no work that was done.
  if (tool === ANSWER) return;
  const call = pending.calls.find(({ id }) => id === call_id);
  const known = { content, risk: pending.intended.get(call_id) ?? null, turn: state.toolTurns };
  const made = call ? { made: madeCall(pending, { call, ...known }) } : {};
  // Nothing is done yet, and nothing has failed.
  if (code === WAITING) {
    if (call) state.waits.push({ call, targets: pending.targets.get(call_id) ?? [] });
    state.outcomes.push({ tool, ok: false, code, ...made });
    state.toolCalls += 1;
    return;
  }
  state.outcomes.push({ tool, ok, code, ...made });
  if (code === 'skipped') return;
  state.toolCalls += 1;
  // An owner's no is an answer, not a failure: the model still gets to say what it means for the sender.
  const isNo = code === 'policy_denied' && pending.asked.has(call_id);
  if (!isNo) state.consecutiveFailures = ok ? 0 : state.consecutiveFailures + 1;
  if (!isNo) state.turn = { succeeded: state.turn.succeeded || ok, failed: state.turn.failed || !ok };
  if (ok) state.anySucceeded = true;
}

const madeCall = (pending: Turn, begun: Pick<MadeCall, 'call' | 'content' | 'risk' | 'turn'>): MadeCall => ({
  ...begun,
  targets: pending.targets.get(begun.call.id) ?? [],
  approval: pending.questions.get(begun.call.id) ?? null,
  deniedBy: pending.denied.get(begun.call.id) ?? null,
  ...(pending.ownWords.has(begun.call.id) ? { ownWords: true } : {}),
  waited: pending.suspended.has(begun.call.id),
});
