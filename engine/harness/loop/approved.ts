import type { ToolCall, ToolResult } from '#contract';
import { sha256 } from '../../lib/ids.ts';
import { jsonObject, parseJson } from '../../lib/json.ts';
import { isFingerprintOf } from '../../policy/approval/fingerprint.ts';
import { approvedStep } from '../../policy/approval/plan.ts';
import { type CallError, type Executable, isExecutable } from '../../policy/call.ts';
import { skipped } from '../../policy/refusal.ts';
import type { Observation } from '../../record/codec/fields.ts';
import { shownIn } from '../../record/codec/run-events.ts';
import type { Approval } from '../../storage/types/approvals.ts';
import { type Member, membersOf } from '../../suspensions/members.ts';
import type { Executed } from '../../tools/observe/executed.ts';
import { observe } from '../../tools/observe/observe.ts';
import { MAX_CRASHES } from './decide.ts';
import type { LoopRun } from './loop-run.ts';
import {
  execute,
  holdAgain,
  intend,
  isRepeatable,
  type Observing,
  overQuota,
  record,
  recordPermission,
  resultRow,
  targetsOnRecord,
  tellsData,
  UNKNOWN_EFFECT,
} from './run-calls.ts';

/**
 * Does the steps of an approved plan: exactly what is stored, in order, each on record before and after, and no
 * further than the first that fails. Steps that have a result already, from before a crash, are not done again.
 */
export async function runPlan(
  run: LoopRun,
  call: ToolCall,
  approval: Approval,
  steps: readonly Executable[],
  isRepeatable: (step: Executable) => boolean,
): Promise<void> {
  const seen: Observation[] = [];
  const isGivenUp = run.crashes >= MAX_CRASHES;
  for (const [index, step] of steps.entries()) {
    const one = run.state.pending?.steps.get(step.call.id) ?? null;
    const isBegun = one === null && (run.state.pending?.begun.has(step.call.id) ?? false);
    if (isBegun && (isGivenUp || !isRepeatable(step))) {
      closeSteps(run);
      return end(run, call, approval, steps, seen, 'side_effect_unknown');
    }
    if (one === null && isGivenUp) return end(run, call, approval, steps, seen, 'failed');
    const approved = approvedStep(approval.basis, index);
    const result = one ?? (await runStep(run, call, { ...step, approved }));
    seen.push(result);
    if (!result.ok) return end(run, call, approval, steps, seen, 'failed');
  }
  return end(run, call, approval, steps, seen, 'executed');
}

async function runStep(run: LoopRun, { id: plan }: ToolCall, step: Executable): Promise<Observation> {
  const { call, risk } = step;
  // Said once: a second time would pass for progress, and a step that kills the process would be made for ever.
  if (!run.state.pending?.begun.has(call.id)) {
    run.recorder.toolCall(call);
    const refusal = await overQuota(run, step, true);
    recordPermission(run, refusal ?? step, plan);
    const touched = targetsOnRecord(risk, step.targets);
    const intent = { call_id: call.id, tool: call.name, step_of: plan, risk, arguments: call.arguments, ...touched };
    run.recorder.event('tool_call_intended', intent);
    if (refusal) {
      const seen = recordStep(run, { call, plan }, { ok: false, error: refusal.error, ms: 0 });
      await run.recorder.commit();
      return seen;
    }
    await run.recorder.commit();
    run.pass('run.step_intended');
  }
  const seen = recordStep(run, { call, plan }, await execute(run, step));
  await run.recorder.commit();
  run.pass('run.tool_executed');
  return seen;
}

function recordStep(
  run: Observing,
  { call, plan }: { readonly call: ToolCall; readonly plan: string },
  outcome: Executed,
): Observation {
  const seen = {
    ...observe(call, outcome, run.artifacts, outcome.at ?? run.clock.now(), tellsData(run)),
    step_of: plan,
  };
  const { call_id, tool, ok, code } = seen;
  const sensed = outcome.sensed ? { sensed: outcome.sensed } : {};
  run.recorder.event('tool_call_ended', { call_id, tool, step_of: plan, ok, code, ms: outcome.ms, ...sensed });
  run.recorder.event('observation', seen);
  run.recorder.toolResult(call, resultRow(outcome, seen));
  return seen;
}

/** Of a step that was begun and will not be made again nobody knows whether it was done, and its call ends with that. */
export function closeSteps(run: Observing): void {
  const { pending } = run.state;
  for (const [id, step] of pending?.begun ?? []) {
    if (pending?.steps.has(id)) continue;
    const error = step.risk === 'read' ? skipped(step.call, 'it was not made again').error : UNKNOWN_EFFECT;
    recordStep(run, step, { ok: false, error, ms: 0 });
  }
}

/** The plan's own result says what became of each step; the approval keeps it in one line. */
async function end(
  run: LoopRun,
  call: ToolCall,
  { id }: Approval,
  steps: readonly Executable[],
  seen: readonly Observation[],
  to: 'executed' | 'failed' | 'side_effect_unknown',
): Promise<void> {
  const told = steps.map((step, index) => {
    const one = seen[index];
    const name = `step ${index + 1} (${step.call.name})`;
    if (one) return `${name}: ${one.ok ? 'done' : `failed, ${one.code}`}`;
    return `${name}: ${to === 'side_effect_unknown' && index === seen.length ? 'nobody knows whether it was done' : 'not done'}`;
  });
  const reason = told.join('; ');
  run.recorder.approval({ id, from: 'executing', to, reason });
  if (to === 'executed') {
    const results = seen.map(({ tool, content }, index) => ({ step: index + 1, tool, ...shownIn(content) }));
    // It is as old as its last step, whenever that was put on record.
    const { observed_at } = shownIn(seen.at(-1)?.content ?? '');
    const at = Date.parse(String(observed_at));
    record(run, call, { ok: true, result: { steps: results }, ms: 0, at });
  } else {
    run.recorder.found({ kind: 'approved_call_failed' });
    const code = to === 'failed' ? (seen.at(-1)?.code ?? 'tool_failed') : to;
    record(run, call, { ok: false, error: { code, message: `${reason}. To go on, propose a new plan` }, ms: 0 });
  }
  await run.recorder.commit();
}

/** A member of an approved batch as it stands now. */
interface Ready {
  readonly member: Member;
  readonly executable: Executable;
}

type Rechecked =
  | { readonly kind: 'unchanged'; readonly ready: readonly Ready[] }
  | { readonly kind: 'changed'; readonly ready: readonly Ready[] }
  | { readonly kind: 'impossible' };

/** Why nothing came of what was approved. */
export const GATEWAY_FAILED = 'the gateway itself failed before it could be done';
export const CHANGED_SINCE = 'what it would change has changed since';
const CHANGED = 'a tool, or the right to use it, has changed';

/**
 * Goes on with calls of a turn that owners decided about as one plan. They are made as they were frozen, in order, each
 * on record before and after, and no further than the first that fails.
 */
export async function resumeBatch(
  run: LoopRun,
  open: readonly ToolCall[],
  approval: Approval,
  notApproved: (approval: Pick<Approval, 'state' | 'reason'>) => CallError,
): Promise<void> {
  const refuseAll = (error: CallError) => {
    for (const call of open) record(run, call, { ok: false, error, ms: 0 });
  };
  const goStale = (reason: string) => {
    run.recorder.approval({ id: approval.id, from: 'approved', to: 'stale', reason });
    run.recorder.found({ kind: 'approved_call_failed' });
    refuseAll(notApproved({ state: 'stale', reason: null }));
  };
  if (approval.state === 'pending') return;
  if (approval.state === 'executing') return runBatch(run, approval, await readyNow(run, approval, 'never'));
  if (approval.state !== 'approved') return refuseAll(notApproved(approval));
  // Its turn comes when what goes before it is decided anew.
  if (run.held.size > 0 && !isByItself(run)) return;
  if (run.crashes >= MAX_CRASHES) return goStale(GATEWAY_FAILED);
  if (run.state.approvedFailed && !isByItself(run)) {
    run.recorder.approval({ id: approval.id, from: 'approved', to: 'failed', reason: 'skipped' });
    for (const call of open) record(run, call, { ok: false, error: afterFailure(call), ms: 0 });
    return;
  }
  const now = await recheckBatch(run, approval);
  if (now.kind === 'impossible') return goStale(CHANGED);
  if (now.kind === 'changed') {
    const reason = CHANGED_SINCE;
    run.recorder.approval({ id: approval.id, from: 'approved', to: 'stale', reason });
    for (const { executable } of now.ready) holdAgain(run, executable);
    return;
  }
  run.recorder.approval({ id: approval.id, from: 'approved', to: 'executing' });
  return runBatch(run, approval, now.ready);
}

/** The answer has left without them, and each was asked about by itself: none of them waits for another, or ends with it. */
export const isByItself = ({ decided }: Pick<LoopRun, 'decided'>): boolean => decided !== undefined;

const callOf = ({ callId, tool, argumentsJson }: Member): ToolCall => ({
  id: callId,
  name: tool,
  arguments: parseJson(jsonObject, argumentsJson),
});

async function recheckBatch(run: LoopRun, approval: Approval): Promise<Rechecked> {
  const members = membersOf(approval);
  if (sha256(approval.arguments_json) !== approval.arguments_hash) return { kind: 'impossible' };
  const ready = await readyNow(run, approval, 'always');
  if (ready.length < members.length) return { kind: 'impossible' };
  const isSame = ready.every(({ member, executable }) => (executable.preview?.basis ?? null) === member.basis);
  return { kind: isSame ? 'unchanged' : 'changed', ready };
}

/** Those of the members that may still be made, by the tools that were shown. */
async function readyNow(run: LoopRun, approval: Approval, previewing: 'always' | 'never'): Promise<Ready[]> {
  const ready: Ready[] = [];
  for (const member of membersOf(approval)) {
    const executable = await run.prepareCall(callOf(member), previewing);
    if (isExecutable(executable) && isFingerprintOf(executable.tool, member.fingerprint))
      ready.push({ member, executable });
  }
  return ready;
}

async function runBatch(run: LoopRun, approval: Approval, ready: readonly Ready[]): Promise<void> {
  const { pending } = run.state;
  if (!pending) return;
  const members = membersOf(approval);
  /** The code of a failure, or null for what was done, of each as far as the plan has come. */
  const ends: (string | null)[] = [];
  for (const member of members) {
    const before = pending.results.get(member.callId);
    const isBegun = pending.intended.has(member.callId);
    const code = before ? failureOf(before) : await make(run, isBegun, member, ready);
    ends.push(code);
    if (code !== null) break;
    // What the last one leaves is committed with the end of the plan.
    if (ends.length < members.length) await run.recorder.commit();
    run.pass('run.tool_executed');
  }
  // Nothing of a plan that has failed may be made in a later life, so all of it is told at once.
  for (const member of members.slice(ends.length)) {
    const call = callOf(member);
    record(run, call, { ok: false, error: afterFailure(call), ms: 0 });
  }
  const last = ends.at(-1) ?? null;
  const to = last === null ? 'executed' : last === 'side_effect_unknown' ? last : 'failed';
  run.recorder.approval({ id: approval.id, from: 'executing', to, reason: told(members, ends) });
  if (last !== null) run.recorder.found({ kind: 'approved_call_failed' });
  await run.recorder.commit();
}

const failureOf = ({ isError }: ToolResult): string | null => (isError ? 'tool_failed' : null);

function told(members: readonly Member[], ends: readonly (string | null)[]): string {
  const said = members.map(({ tool }, index) => {
    const end = ends[index];
    const name = `step ${index + 1} (${tool})`;
    if (end === undefined) return `${name}: not done`;
    if (end === null) return `${name}: done`;
    return `${name}: ${end === 'side_effect_unknown' ? 'nobody knows whether it was done' : `failed, ${end}`}`;
  });
  return said.join('; ');
}

const afterFailure = (call: ToolCall): CallError => skipped(call, 'an earlier approved call failed').error;

/** Makes one member and puts its result on record, uncommitted; the code of its failure, null when it was done. */
async function make(run: LoopRun, isBegun: boolean, member: Member, ready: readonly Ready[]): Promise<string | null> {
  const call = callOf(member);
  const step = ready.find((each) => each.member.callId === member.callId);
  const refuse = (error: CallError): string => {
    record(run, call, { ok: false, error, ms: 0 });
    return error.code;
  };
  const isGivenUp = run.crashes >= MAX_CRASHES;
  if (isBegun && (isGivenUp || !step || !isRepeatable(step.executable))) return refuse(UNKNOWN_EFFECT);
  if (isGivenUp || !step) return refuse({ code: 'policy_denied', message: 'it could not be done any more' });
  const { executable } = step;
  if (!isBegun) {
    const refusal = await overQuota(run, executable, true);
    if (refusal) {
      recordPermission(run, refusal);
      return refuse(refusal.error);
    }
    intend(run, executable);
    await run.recorder.commit();
    run.pass('run.step_intended');
  }
  const outcome = await execute(run, { ...executable, approved: { basis: member.basis } });
  record(run, call, outcome);
  return outcome.ok ? null : outcome.error.code;
}
