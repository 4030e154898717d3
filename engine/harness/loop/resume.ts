import type { ToolCall } from '#contract';
import { sha256 } from '../../lib/ids.ts';
import type { ApprovalRow, ApprovalState } from '../../storage/tables.ts';
import { fingerprintOf } from '../policy/approval.ts';
import { type CallError, type Executable, isExecutable, type Prepared, prepareCall } from '../tools/prepare.ts';
import { type LoopEvent, MAX_CRASHES } from './decide.ts';
import type { LoopRun } from './loop-run.ts';
import { execute, holdAgain, intend, prepareOffered, record, runCalls, skipped } from './run-calls.ts';

/**
 * Goes on with a turn whose calls do not all have results: after a crash, or after owners have decided. Reads are
 * made again; what may have changed something is never repeated silently, unless a repeat is harmless.
 */
export async function resumeTurn(run: LoopRun): Promise<LoopEvent> {
  const { pending } = run.state;
  const open = (pending?.calls ?? []).filter((call) => !pending?.results.has(call.id));
  const asked = (call: ToolCall) => (pending?.asked.has(call.id) ? approvalOf(run, call) : undefined);
  // Read from the rows: the process may have died between an item's failure and the next item.
  run.state.approvedFailed ||= (pending?.calls ?? []).some((call) => FAILED.has(asked(call)?.state ?? 'pending'));
  const again: Executable[] = [];
  for (const call of open) {
    const approval = asked(call);
    if (approval) await resumeApproved(run, call, approval);
    else if (run.crashes >= MAX_CRASHES) refuse(run, call, UNKNOWN_EFFECT);
    else await resumeUnasked(run, call, again);
  }
  const unknown = open.some((call) => pending?.results.get(call.id)?.isError && !asked(call));
  return runCalls(run, again, unknown);
}

/** Ends of an approved call that stop the ones after it. What an owner denied, or let expire, does not. */
const FAILED: ReadonlySet<ApprovalState> = new Set<ApprovalState>(['failed', 'side_effect_unknown', 'stale']);

/** What was asked about a call, in its newest form: an edit leaves the earlier one behind as stale. */
const approvalOf = ({ approvals }: LoopRun, { id }: ToolCall): ApprovalRow | undefined =>
  approvals.findLast(({ call_id, state, reason }) => call_id === id && !(state === 'stale' && reason === 'edited'));

/** A call that nobody was asked about: it was running when the process stopped, or was about to be held. */
async function resumeUnasked(run: LoopRun, call: ToolCall, again: Executable[]): Promise<void> {
  const intended = run.state.pending?.intended.has(call.id) ?? false;
  const prepared = await prepareOffered(run, call);
  if (!isExecutable(prepared)) refuse(run, call, prepared.error);
  else if (!intended && (prepared.verdict === 'needs_approval' || run.held.size > 0)) holdAgain(run, prepared);
  else if (!intended || isRepeatable(prepared)) again.push(prepared);
  else refuse(run, call, UNKNOWN_EFFECT);
}

/** Reads, and what a second time leaves as the first time did. `keyed`: its effect is in the result's transaction. */
const isRepeatable = ({ risk, tool }: Executable): boolean =>
  risk === 'read' || ['none', 'idempotent', 'keyed'].includes(tool.definition.effect ?? 'unknown');

async function resumeApproved(run: LoopRun, call: ToolCall, approval: ApprovalRow): Promise<void> {
  switch (approval.state) {
    case 'pending':
      return;
    case 'approved':
      return executeApproved(run, call, approval);
    case 'executing': {
      const prepared = await prepareCall(frozen(call, approval), run.prepare);
      if (isAsApproved(prepared, approval) && isRepeatable(prepared) && run.crashes < MAX_CRASHES)
        return finish(run, call, approval, prepared);
      run.recorder.approval({ id: approval.id, from: 'executing', to: 'side_effect_unknown' });
      run.state.approvedFailed = true;
      return refuse(run, call, UNKNOWN_EFFECT);
    }
    default:
      return refuse(run, call, notApproved(approval));
  }
}

/** Runs exactly what was frozen, once: the claim is committed before anything is done. */
async function executeApproved(run: LoopRun, call: ToolCall, approval: ApprovalRow): Promise<void> {
  const prepared = await prepareCall(frozen(call, approval), run.prepare);
  if (!isAsApproved(prepared, approval) || run.crashes >= MAX_CRASHES) {
    const reason = isAsApproved(prepared, approval)
      ? 'the gateway itself failed before it could be done'
      : 'the tool, or the right to use it, has changed';
    run.recorder.approval({ id: approval.id, from: 'approved', to: 'stale', reason });
    run.state.approvedFailed = true;
    return refuse(run, call, notApproved({ state: 'stale', reason: null }));
  }
  // A failed item stops the ones after it; a denied one was the owner's choice and does not.
  if (run.state.approvedFailed) {
    run.recorder.approval({ id: approval.id, from: 'approved', to: 'failed', reason: 'skipped' });
    return refuse(run, call, skipped(call, 'an earlier approved call failed').error);
  }
  run.recorder.approval({ id: approval.id, from: 'approved', to: 'executing' });
  intend(run, prepared);
  await run.recorder.commit();
  run.pass('run.step_intended');
  return finish(run, call, approval, prepared);
}

/** The very call that an owner was shown: same tool, same arguments, and still allowed. */
const isAsApproved = (prepared: Prepared, approval: ApprovalRow): prepared is Executable =>
  isExecutable(prepared) &&
  sha256(approval.arguments_json) === approval.arguments_hash &&
  fingerprintOf(prepared.tool) === approval.fingerprint;

async function finish(run: LoopRun, call: ToolCall, approval: ApprovalRow, executable: Executable): Promise<void> {
  const outcome = await execute(run, executable);
  run.state.approvedFailed ||= !outcome.ok;
  run.recorder.approval({ id: approval.id, from: 'executing', to: outcome.ok ? 'executed' : 'failed' });
  record(run, call, outcome);
  // An effect of its own is worth a transaction of its own: the next item must not take this one's record with it.
  await run.recorder.commit();
  run.pass('run.tool_executed');
}

/** The call with the arguments that were approved, which an owner may have edited. */
const frozen = (call: ToolCall, approval: ApprovalRow): ToolCall => ({
  id: call.id,
  name: call.name,
  arguments: JSON.parse(approval.arguments_json),
});

function notApproved({ state, reason }: Pick<ApprovalRow, 'state' | 'reason'>): CallError {
  const because = reason === null ? '' : `: ${reason}`;
  const messages: Partial<Record<ApprovalRow['state'], string>> = {
    rejected: `the owner said no${because}`,
    expired: 'nobody answered in time, so it was not done',
    stale: 'the call could not be done as it was approved, so it was not done',
  };
  return { code: 'policy_denied', message: messages[state] ?? `it was not done (${state})` };
}

function refuse(run: LoopRun, call: ToolCall, error: CallError): void {
  record(run, call, { ok: false, error, ms: 0 });
}

const UNKNOWN_EFFECT: CallError = {
  code: 'side_effect_unknown',
  message:
    'the process stopped during this call; it may or may not have taken effect. Say so, or look before trying again',
};
