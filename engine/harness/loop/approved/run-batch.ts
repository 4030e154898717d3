import type { ToolCall, ToolResult } from '#contract';
import { sha256 } from '../../../lib/ids.ts';
import { jsonObject, parseJson } from '../../../lib/json.ts';
import { isFingerprintOf } from '../../../policy/approval/fingerprint.ts';
import { type CallError, type Executable, isExecutable } from '../../../policy/call.ts';
import { skipped } from '../../../policy/skipped.ts';
import type { Approval } from '../../../storage/types/approvals.ts';
import { type Member, membersOf } from '../../../suspensions/members.ts';

import { MAX_CRASHES } from '../decide.ts';
import type { LoopRun } from '../loop-run.ts';
import { overQuota } from '../quota.ts';
import { execute, holdAgain, intend, isRepeatable, record, recordPermission, UNKNOWN_EFFECT } from '../run-calls.ts';

/** A member of an approved batch as it stands now. */
interface Ready {
  readonly member: Member;
  readonly executable: Executable;
}

type Rechecked =
  | { readonly kind: 'unchanged'; readonly ready: readonly Ready[] }
  | { readonly kind: 'changed'; readonly ready: readonly Ready[] }
  | { readonly kind: 'impossible' };

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
  if (run.held.size > 0) return;
  if (run.crashes >= MAX_CRASHES) return goStale('the gateway itself failed before it could be done');
  if (run.state.approvedFailed) {
    run.recorder.approval({ id: approval.id, from: 'approved', to: 'failed', reason: 'skipped' });
    for (const call of open) record(run, call, { ok: false, error: afterFailure(call), ms: 0 });
    return;
  }
  const now = await recheckBatch(run, approval);
  if (now.kind === 'impossible') return goStale(CHANGED);
  if (now.kind === 'changed') {
    const reason = 'what it would change has changed since';
    run.recorder.approval({ id: approval.id, from: 'approved', to: 'stale', reason });
    for (const { executable } of now.ready) holdAgain(run, executable);
    return;
  }
  run.recorder.approval({ id: approval.id, from: 'approved', to: 'executing' });
  return runBatch(run, approval, now.ready);
}

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
