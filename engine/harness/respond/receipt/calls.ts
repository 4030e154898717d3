import type { Json, ToolCall } from '#contract';
import type { Under } from '../../../languages/say.ts';
import { anyJson, canonicalJson, parseJson } from '../../../lib/json.ts';
import { shownIn } from '../../../record/codec/tool-events.ts';
import { type CallOutcome, type LoopState, type MadeCall, WAITING } from '../../../record/state.ts';
import type { Approval } from '../../../storage/types/approvals.ts';
import { askedKind } from '../../../suspensions/kinds.ts';
import { argumentsAsked, isAbout, isReplaced, membersOf } from '../../../suspensions/members.ts';

/** Why something was not done, in the reader's words and not in the gateway's codes. */
type Why = Under<'receipt.why'>;

/** How a call is named. */
export interface Described {
  readonly act: Act;
  readonly targets: readonly string[];
  readonly title: string | null;
  readonly when: string | null;
  /** Twice the same leaves what once did. */
  readonly once: boolean;
}

/** One call that was made, or step of a plan, with what became of it. */
export interface Attempt {
  /** Its place in the run's record: `3`, or `3.1` for the first step of a plan. */
  readonly key: string;
  readonly call_id: string;
  readonly tool: string;
  /** As it was done, or as owners were last asked about it. */
  readonly args: unknown;
  readonly risk: string | null;
  /** Of a tool that cannot say it itself. */
  readonly targets: readonly string[];
  readonly state: 'done' | 'not_done' | 'waiting' | 'unclear';
  readonly why: Why | null;
  /** What it waited for gave no result: `timeout`, its time was over before; `failed`, there is to be none. */
  readonly missing: 'timeout' | 'failed' | null;
  /** In whose words: an owner's no, or what a tool failed with. */
  readonly said: string | null;
  readonly code: string | null;
  readonly result: Json;
  /** Which of the model's turns with calls it was made in. */
  readonly turn: number;
  /** The owner's own mail was the yes to it. */
  readonly ownWords?: true;
}

/** What the record does not hold about calls; a replay takes it from the receipt that was made then. */
export interface CallFacts {
  /** Null for a call that changes nothing, or that nobody knows. */
  describe(attempt: Attempt): Described | null;
  isTakenBack(attempt: Attempt): boolean;
  /** Whether owners are asked about a call that the answer does not wait for. */
  isAsked?(callId: string): boolean;
  isPlan(outcome: { readonly key: string; readonly tool: string }): boolean;
}

export interface ReceiptLine
  extends Pick<Attempt, 'key' | 'call_id' | 'tool' | 'state' | 'why' | 'said' | 'risk'>,
    Described {
  /** How often it was done. */
  readonly times: number;
  readonly taken_back: boolean;
  /** It was done because its owner's mail asked for it. */
  readonly own_words?: true;
}

/** One line for each thing that was done, was to be done and was not, or is open. Pure. */
export function receiptLines(
  { outcomes, pending, toolTurns }: Pick<LoopState, 'outcomes' | 'pending' | 'toolTurns'>,
  approvals: readonly Approval[],
  facts: CallFacts,
): ReceiptLine[] {
  const open = openCalls(pending, approvals, { from: outcomes.length, turn: toolTurns });
  const attempts = [...attemptsOf(outcomes, approvals, facts), ...open];
  const lines = attempts.flatMap((attempt): Entry[] => {
    const described = facts.describe(attempt);
    if (described === null) return [];
    return [{ attempt, described, same: sameThing(attempt, described) }];
  });
  const again = madeAnew(lines);
  return lines
    .filter((line, at) => !again.has(line) && isLastWord(line, lines.slice(at + 1), lines.slice(0, at)))
    .map(lineOf(lines, facts));
}

interface Entry {
  readonly attempt: Attempt;
  readonly described: Described;
  readonly same: string;
}

const FILE_ACTS: ReadonlySet<Act> = new Set<Act>(['saved', 'changed']);

/** By what two calls are about the same thing: a file that could not be changed and was then written anew, for one. */
function sameThing({ tool, args }: Attempt, { act, targets, title }: Described): string {
  if (act === 'remembered') return canonicalJson([act, fieldOf(args, 'text') ?? targets]);
  if (
    act === 'other' ||
    act === 'question' ||
    act === 'part' ||
    act === 'forgotten' ||
    act === 'ruled' ||
    act === 'unruled'
  )
    return canonicalJson([act, tool, args]);
  const what = [...targets].map((target) => target.toLowerCase()).sort();
  return canonicalJson([FILE_ACTS.has(act) ? 'file' : act, what, act === 'mail' ? title : null]);
}

const DECIDED: ReadonlySet<Why | null> = new Set<Why | null>(['denied', 'expired']);

/** Whether nothing that came later, or that it only repeats, says more of the same thing. */
function isLastWord({ attempt, described, same }: Entry, later: readonly Entry[], earlier: readonly Entry[]): boolean {
  const after = later.filter((other) => other.same === same);
  if (attempt.state === 'done') return !earlier.some((other) => other.same === same && isDone(other));
  if (attempt.state === 'unclear')
    return !after.some((other) => other.attempt.state === 'unclear' || (described.once && isDone(other)));
  if (attempt.state !== 'not_done') return true;
  // What a person decided stands until the very same was done after all.
  const undone = (other: Entry) => !DECIDED.has(attempt.why) || other.described.act === described.act;
  if (after.some((other) => (isDone(other) && undone(other)) || other.attempt.state === 'not_done')) return false;
  // Not made because it had been made.
  return !(attempt.code === 'skipped' && earlier.some((other) => other.same === same && isDone(other)));
}

const isDone = ({ attempt }: Entry): boolean => attempt.state === 'done';

const lineOf =
  (all: readonly Entry[], facts: CallFacts) =>
  ({ attempt, described, same }: Entry): ReceiptLine => {
    const { key, call_id, tool, state, why, said, risk } = attempt;
    return {
      key,
      call_id,
      tool,
      risk,
      ...described,
      state,
      why,
      said,
      // A file that was made and then changed was made.
      act: FILE_ACTS.has(described.act) && state === 'done' ? firstAct(all, same) : described.act,
      times:
        state === 'done' && !described.once ? all.filter((other) => other.same === same && isDone(other)).length : 1,
      taken_back: state === 'done' && facts.isTakenBack(attempt),
      ...(state === 'done' && attempt.ownWords ? { own_words: true as const } : {}),
    };
  };

const firstAct = (all: readonly Entry[], same: string): Act => {
  const done = all.filter((other) => other.same === same && isDone(other));
  return done.some(({ described }) => described.act === 'saved') ? 'saved' : 'changed';
};

function* attemptsOf(
  outcomes: readonly CallOutcome[],
  approvals: readonly Approval[],
  facts: CallFacts,
): Generator<Attempt> {
  const asked = new Set(outcomes.flatMap(({ made }) => made?.approval ?? []));
  for (const [index, outcome] of outcomes.entries()) {
    const { made } = outcome;
    if (!made) continue;
    const question = questionOf(made, approvals, asked);
    const attempt = attemptOf(`${index}`, outcome, made, {
      question,
      isAsked: facts.isAsked?.(made.call.id) ?? false,
    });
    const isOwnPlan = question !== undefined && askedKind(question).bySteps && membersOf(question).length === 0;
    if (!isOwnPlan && !facts.isPlan(attempt)) yield attempt;
    else yield* stepsLeft(attempt, outcomes);
  }
}

/** Of a plan: what it did not come to. The steps that were begun have outcomes of their own. */
function* stepsLeft(plan: Attempt, outcomes: readonly CallOutcome[]): Generator<Attempt> {
  if (plan.state === 'done' || (plan.code === 'skipped' && plan.why === 'not_reached')) return;
  const begun = new Set(outcomes.flatMap(({ made }) => made?.call.id ?? []));
  const isRefusal = plan.code?.startsWith('policy_') ?? false;
  for (const [at, step] of stepsIn(plan.args).entries()) {
    const call_id = `${plan.call_id}.${at + 1}`;
    if (begun.has(call_id)) continue;
    const reason = isRefusal
      ? { why: plan.why, said: plan.said, code: plan.code }
      : { why: 'not_reached' as const, said: null, code: 'skipped' };
    yield {
      key: `${plan.key}.${at + 1}`,
      call_id,
      tool: step.tool,
      args: step.arguments,
      risk: null,
      targets: [],
      state: plan.state === 'waiting' ? plan.state : ('not_done' as const),
      result: null,
      ...reason,
      missing: null,
      turn: plan.turn,
    };
  }
}

function stepsIn(args: unknown): readonly { readonly tool: string; readonly arguments: unknown }[] {
  const steps: unknown = fieldOf(args, 'steps');
  if (!Array.isArray(steps)) return [];
  return steps.flatMap((step: unknown) => {
    const tool = fieldOf(step, 'tool');
    return typeof tool === 'string' ? [{ tool, arguments: fieldOf(step, 'arguments') }] : [];
  });
}

/** Calls that owners were asked about and have not decided. */
function openCalls(
  pending: LoopState['pending'],
  approvals: readonly Approval[],
  { from, turn }: { readonly from: number; readonly turn: number },
): Attempt[] {
  return (pending?.calls ?? [])
    .filter(({ id }) => pending?.asked.has(id) && !pending.results.has(id))
    .map((call, index): Attempt => {
      const row = approvals.findLast((asked) => isAbout(asked, call.id) && asked.state === 'pending');
      return {
        key: `${from + index}`,
        call_id: call.id,
        tool: call.name,
        args: argumentsOf(call, row),
        risk: null,
        targets: [],
        state: 'waiting',
        why: null,
        said: null,
        code: null,
        result: null,
        missing: null,
        turn,
      };
    });
}

function attemptOf(
  key: string,
  outcome: CallOutcome,
  made: MadeCall,
  { question, isAsked }: { readonly question: Approval | undefined; readonly isAsked: boolean },
): Attempt {
  const { tool, ok, code } = outcome;
  const { call, risk, targets, content, waited, turn } = made;
  const told = shownIn(content);
  const why = ok ? null : fieldOf(told.error, 'too_many') === true ? 'too_many' : whyNot(code, made, question);
  const { result } = told;
  return {
    key,
    call_id: call.id,
    tool,
    args: argumentsOf(call, question),
    risk,
    targets,
    code,
    why,
    state: ok ? 'done' : isUnclear(code, risk) ? 'unclear' : 'not_done',
    said: why === 'denied' ? (question?.reason ?? null) : inItsWords(told.error, why),
    result: (result ?? null) as Json,
    turn,
    missing: !waited || ok ? null : code === 'tool_timeout' ? 'timeout' : 'failed',
    ...(made.ownWords ? { ownWords: true } : {}),
    ...(code === WAITING ? waitingOr(isAsked) : {}),
  };
}

/** Nobody was asked about it where the run had no answer. */
const waitingOr = (isAsked: boolean): Pick<Attempt, 'state' | 'why' | 'said'> =>
  isAsked ? { state: 'waiting', why: null, said: null } : { state: 'not_done', why: 'not_reached', said: null };

/** What a tool says that failed tells more than the kind of its failure. */
const SAYS_WHY: ReadonlySet<Why | null> = new Set<Why | null>(['failed', 'invalid', 'not_found']);

/** What a schema has against arguments is for the model that wrote them: its names tell a reader of mail nothing. */
function inItsWords(error: unknown, why: Why | null): string | null {
  const words = fieldOf(error, 'message');
  const isOfSchema = why === 'invalid' && fieldOf(error, 'required') !== undefined;
  return SAYS_WHY.has(why) && typeof words === 'string' && !isOfSchema ? words : null;
}

/** It was begun, and its result is not one that anybody could go by. */
const isUnclear = (code: string | null, risk: string | null): boolean =>
  code === 'side_effect_unknown' || (code === 'invalid_result' && risk !== null);

const argumentsOf = (call: ToolCall, question: Approval | undefined): unknown =>
  question ? parseJson(anyJson, argumentsAsked(question, call.id)) : (call.arguments ?? call.rawArguments ?? null);

/** The newest form of what owners were asked about a call; an edit leaves the earlier one behind. */
function questionOf(
  { approval, call }: MadeCall,
  approvals: readonly Approval[],
  asked: ReadonlySet<string>,
): Approval | undefined {
  const first = approvals.find(({ id }) => id === approval);
  if (!first) return undefined;
  // A vendor may give the id of a call again in a later turn, which is then asked about by itself.
  const next = approvals.find(
    (row) => isAbout(row, call.id) && row.id !== first.id && asked.has(row.id) && row.created_at > first.created_at,
  );
  const rows = approvals.filter(
    (row) =>
      isAbout(row, call.id) &&
      row.created_at >= first.created_at &&
      (next === undefined || row.created_at < next.created_at),
  );
  return rows.findLast((row) => !isReplaced(row)) ?? first;
}

const BY_CODE: Readonly<Record<string, Why>> = {
  policy_scope_missing: 'rule',
  policy_requires_approval: 'no_owner',
  policy_rate_limited: 'limit',
  policy_quota_exceeded: 'limit',
  skipped: 'not_reached',
  cancelled: 'stopped',
  tool_timeout: 'timeout',
  not_found: 'not_found',
  invalid_arguments: 'invalid',
  tool_not_found: 'unavailable',
  tool_unknown: 'unavailable',
  unsupported_runtime_action: 'unavailable',
  outbound_transport_not_configured: 'unavailable',
};

const BY_STATE: Readonly<Partial<Record<Approval['state'], Why>>> = {
  rejected: 'denied',
  expired: 'expired',
  stale: 'stale',
};

function whyNot(code: string | null, { deniedBy }: MadeCall, question: Approval | undefined): Why {
  const decided = question && code === 'policy_denied' ? BY_STATE[question.state] : undefined;
  if (decided) return decided;
  // An owner agreed, and it is refused all the same: what was asked about had changed, or was gone.
  if (question?.state === 'approved' && code === 'policy_denied') return 'stale';
  // Nobody had decided when somebody ended the run.
  if (question?.state === 'pending') return 'stopped';
  if (code === 'policy_denied') return isAboutSender(deniedBy) ? 'sender' : 'rule';
  return BY_CODE[code ?? ''] ?? 'failed';
}

/** Whose mail it is stood in the way, not what was to be done. */
const isAboutSender = (by: string | null): boolean =>
  by !== null && (by.startsWith('tier ') || by === 'persona.access.known');

/** The kinds of effect that a receipt has words for. */
type Act = Under<'receipt.acts', '.some'>;

interface Try {
  readonly attempt: {
    readonly tool: string;
    readonly args: unknown;
    readonly code: string | null;
    readonly state: 'done' | 'not_done' | 'waiting' | 'unclear';
    /** Which of the model's turns with calls it was made in. */
    readonly turn: number;
  };
  readonly described: { readonly act: Act };
}

/**
 * Calls in a form that the tool does not take, which the model made again in a later turn: what became of the later one
 * is what there is to tell. Each later call stands for one such try, and only where the longest of what the try gave
 * stands in it too: that somebody else was written to does not tell what became of the first mail.
 */
function madeAnew<One extends Try>(tries: readonly One[]): ReadonlySet<One> {
  const again = new Set<One>();
  for (const [at, { attempt }] of tries.entries()) {
    const earlier = tries
      .slice(0, at)
      .find((one) => isMalformed(one) && !again.has(one) && one.attempt.turn < attempt.turn && isRepeat(one, attempt));
    if (earlier) again.add(earlier);
  }
  return again;
}

/** Of all others the entry says what they are about. */
const isMalformed = ({ attempt, described }: Try): boolean =>
  attempt.state === 'not_done' &&
  attempt.code === 'invalid_arguments' &&
  (described.act === 'other' || described.act === 'remembered');

function isRepeat({ attempt }: Try, later: Try['attempt']): boolean {
  if (attempt.tool !== later.tool) return false;
  const longest = leavesOf(attempt.args).reduce((most, leaf) => (leaf.length > most.length ? leaf : most), '');
  const given = leavesOf(later.args);
  // What a model wrote that is no JSON holds what it meant.
  if (typeof attempt.args === 'string') return given.some((leaf) => leaf.length > 2 && longest.includes(leaf));
  return longest === '' || given.includes(longest);
}

function leavesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
