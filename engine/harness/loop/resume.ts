import type { ToolCall } from '#contract';
import { sha256 } from '../../lib/ids.ts';
import type { ApprovalRow } from '../../storage/tables.ts';
import { fingerprintOf } from '../policy/approval.ts';
import { type CallError, type Executable, isExecutable, prepareCall } from '../tools/prepare.ts';
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
  const again: Executable[] = [];
  for (const call of open) {
    const approval = run.approvals.findLast((row) => row.call_id === call.id && row.reason !== 'edited');
    if (approval) await resumeApproved(run, call, approval);
    else if (run.crashes >= MAX_CRASHES) refuse(run, call, UNKNOWN_EFFECT);
    else await resumeUnasked(run, call, again);
  }
  return runCalls(run, again);
}

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
      const executable = isExecutable(prepared) ? prepared : null;
      if (executable && isRepeatable(executable) && run.crashes < MAX_CRASHES)
        return finish(run, call, approval, executable);
      run.recorder.approval({ id: approval.id, from: 'executing', to: 'side_effect_unknown' });
      return refuse(run, call, UNKNOWN_EFFECT);
    }
    default:
      return refuse(run, call, notApproved(approval));
  }
}

/** Runs exactly what was frozen, once: the claim is committed before anything is done. */
async function executeApproved(run: LoopRun, call: ToolCall, approval: ApprovalRow): Promise<void> {
  const prepared = await prepareCall(frozen(call, approval), run.prepare);
  const executable = isExecutable(prepared) ? prepared : null;
  const isSame =
    executable !== null &&
    sha256(approval.arguments_json) === approval.arguments_hash &&
    fingerprintOf(executable.tool) === approval.fingerprint;
  if (!isSame) {
    run.recorder.approval({
      id: approval.id,
      from: 'approved',
      to: 'stale',
      reason: 'the tool, or the right to use it, has changed',
    });
    return refuse(run, call, notApproved({ ...approval, state: 'stale' }));
  }
  // A failed item stops the ones after it; a denied one was the owner's choice and does not.
  if (run.state.approvedFailed) {
    run.recorder.approval({ id: approval.id, from: 'approved', to: 'failed', reason: 'skipped' });
    return refuse(run, call, skipped(call, 'an earlier approved call failed').error);
  }
  run.recorder.approval({ id: approval.id, from: 'approved', to: 'executing' });
  intend(run, executable);
  await run.recorder.commit();
  run.pass('run.step_intended');
  return finish(run, call, approval, executable);
}

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
