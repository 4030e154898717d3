import type { ModelMessage, ToolCall, ToolResult } from '#contract';
import { canonicalJson } from '../lib/json.ts';
import { fenceGoneOnWith } from '../lib/text/open-end.ts';
import type { BudgetLimit } from '../storage/types/budget.ts';
import { goneOnWith, isWhole } from './codec/run-events.ts';
import { ANSWER, answerIn } from './declared.ts';
import type { EventType, Observation, PayloadOf } from './events.ts';
import { OWN_WORDS } from './own-words.ts';
import type { RunLog } from './run-log.ts';
import type { Target } from './settings.ts';
import { type LoopState, type MadeCall, type PendingTurn, WAITING } from './state.ts';

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

/** A state that is still being folded. Nobody outside of this room is given one. */
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
