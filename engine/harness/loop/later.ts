import type { ToolCall } from '#contract';
import { jsonObject, parseJson } from '../../lib/json.ts';
import { inPlan } from '../../policy/approval/plan.ts';
import { type Executable, isExecutable, type Prepared } from '../../policy/call.ts';
import type { Observation } from '../../record/codec/fields.ts';
import type { LoopDecision, LoopEvent } from '../../record/decisions.ts';
import { WAITING_ROW } from '../../record/fold.ts';
import type { WaitingCall } from '../../record/state.ts';
import { type Approval, argumentsOf } from '../../storage/types/approvals.ts';
import { type DecidedQuestion, questionsIn, WAITING } from '../../storage/types/runs.ts';
import { membersOf } from '../../suspensions/members.ts';
import type { LoopRun } from './loop-run.ts';
import { record } from './run-calls.ts';

// Calls that owners are asked about and that do not hold the answer: the model goes on at once, the run ends with its
// answer, and what was decided is carried out by a run that asks no model.

/**
 * Whether the model goes on without the calls of this turn that owners have to be asked about. All of them, or the run waits
 * for all: what would change the same thing stays in its order.
 */
function goesOnWithout({ settings, state, held, decided }: LoopRun): boolean {
  const { later } = settings;
  if (later === undefined || decided !== undefined) return false;
  if (state.lastCall !== null || (state.saidSoFar && later.follows !== true)) return false;
  return [...held.values()].every(
    ({ call, tool, steps }) =>
      later.tools.includes(call.name) &&
      tool.definition.asks === undefined &&
      steps === undefined &&
      // Owners were asked about it as it was before.
      !(state.pending?.asked.has(call.id) ?? false) &&
      // A vendor may give the id of a call again in a later turn, and one question can be about both.
      !state.waits.some((waiting) => waiting.call.id === call.id),
  );
}

/**
 * The event as it came, unless owners are asked about calls of this turn and all of them may wait: each of those then gets a
 * result that says whose word it waits for, and the turn counts as observed.
 */
export function goOnWithout(run: LoopRun, event: LoopEvent): LoopEvent {
  if ((event.type === 'calls' && event.verdicts.includes('run')) || !goesOnWithout(run)) return event;
  for (const next of run.held.values()) {
    const { call, targets } = next;
    run.recorder.event('call_waits', { call_id: call.id, tool: call.name, targets });
    settle(run, call);
  }
  run.held.clear();
  return { type: 'observed' };
}

function settle({ recorder, state, settings }: LoopRun, call: ToolCall): void {
  const content = JSON.stringify({ ok: true, state: WAITING, of: settings.later?.of ?? 'an owner' });
  const { pending } = state;
  const same = (pending?.calls ?? []).filter(({ id }) => pending?.duplicates.get(id) === call.id);
  for (const { id, name } of [call, ...same]) {
    const seen: Observation = { call_id: id, tool: name, ok: true, code: WAITING, content, artifact: null, ref: null };
    const same_as = id === call.id ? {} : { same_as: call.id };
    recorder.event('tool_call_ended', { call_id: id, tool: name, ok: false, code: WAITING, ms: 0 });
    recorder.event('observation', { ...seen, ...same_as });
    recorder.toolResult({ id, name, arguments: call.arguments }, { ...WAITING_ROW, artifact: null, ...same_as });
  }
}

/** What owners are asked about now that the run has answered: deletions of all its turns together, as those of one are. */
export const askedLater = async (run: LoopRun, { decision }: LoopDecision): Promise<readonly Executable[]> =>
  // Whoever got no answer is told of nothing that waits.
  decision === 'FAIL'
    ? []
    : inPlan((await readyAgain(run, run.state.waits)).flatMap((next) => (isExecutable(next) ? [next] : [])));

/**
 * The model waits after all. Its calls are a turn of their own, under ids that no vendor has seen, and owners are asked
 * about them: their results are what it goes on with.
 */
export async function waitForThem(run: LoopRun): Promise<readonly Executable[]> {
  const renamed = run.state.waits.map(({ call, targets }) => ({ call: { ...call, id: `${call.id}_later` }, targets }));
  run.recorder.event('calls_taken_up', { calls: renamed.map(({ call }) => asTaken(call)) });
  for (const { call } of renamed) run.recorder.toolCall(call);
  const held: Executable[] = [];
  for (const next of await readyAgain(run, renamed)) {
    if (isExecutable(next)) held.push(next);
    else record(run, next.call, { ok: false, error: next.error, ms: 0 });
  }
  return inPlan(held);
}

/** As they stand by the rules and the things of now: what was to be changed may be gone, and nobody is asked about that. */
async function readyAgain(run: LoopRun, waits: readonly WaitingCall[]): Promise<readonly Prepared[]> {
  const ready: Prepared[] = [];
  for (const { call, targets } of waits) {
    const next = await run.prepareCall(call, 'always');
    if (isExecutable(next)) ready.push({ ...next, verdict: 'needs_approval', targets });
    else {
      run.recorder.event('call_waits', { call_id: call.id, tool: call.name, targets, refused: next.error.code });
      ready.push(next);
    }
  }
  return ready;
}

const asTaken = ({ id, name, arguments: args = null }: ToolCall) => ({ id, name, arguments: args });

/** The calls that were decided about, as owners were shown them. */
export function takeUpDecided({ state, recorder, approvals }: LoopRun, decided: DecidedQuestion): void {
  if (state.pending !== null || state.outcomes.length > 0) return;
  const asked = questionsIn(decided).flatMap((id) => approvals.find((row) => row.id === id) ?? []);
  const [first, ...others] = asked.map((approval) => ({ id: approval.id, calls: callsOf(approval) }));
  if (!first) return;
  const calls = [first, ...others].flatMap((one) => one.calls);
  const also = others.flatMap(({ id, calls: own }) => own.map((call) => ({ call_id: call.id, approval_id: id })));
  const more = also.length === 0 ? {} : { also };
  recorder.event('calls_taken_up', { calls: calls.map(asTaken), approval_id: first.id, ...more });
  for (const call of calls) recorder.toolCall(call);
}

function callsOf(approval: Approval): readonly ToolCall[] {
  const members = membersOf(approval).map(
    ({ callId: id, tool: name, argumentsJson }): ToolCall => ({
      id,
      name,
      arguments: parseJson(jsonObject, argumentsJson),
    }),
  );
  return members.length > 0
    ? members
    : [{ id: approval.call_id, name: approval.tool, arguments: argumentsOf(approval) }];
}
