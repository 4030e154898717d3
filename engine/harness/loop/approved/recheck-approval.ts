import type { ToolCall } from '#contract';
import { canonicalJson } from '../../../lib/canonical-json.ts';
import { sha256 } from '../../../lib/ids.ts';
import { isFingerprintOf } from '../../../policy/approval/fingerprint.ts';
import { isSameBasis } from '../../../policy/approval/plan.ts';
import { type Executable, isExecutable, type Prepared } from '../../../policy/call.ts';
import type { Approval } from '../../../storage/types/approvals.ts';
import { argumentsOf } from '../../../storage/types/approvals.ts';

import type { LoopRun } from '../loop-run.ts';

/** What has become of a call between an owner's yes and its being done. */
export type Rechecked =
  | { readonly kind: 'unchanged'; readonly executable: Executable }
  /** Something else than what was approved: the yes is worth nothing, and the owner is asked about `instead`. */
  | { readonly kind: 'changed'; readonly instead: Executable; readonly reason: string }
  /** It cannot be done any more, and not be asked about either. */
  | { readonly kind: 'impossible'; readonly reason: string };

/** The call with the arguments that were approved, which an owner may have edited. */
export const frozen = (call: ToolCall, approval: Approval): ToolCall => ({
  id: call.id,
  name: call.name,
  arguments: argumentsOf(approval),
});

const CHANGED_TOOL = 'the tool, or the right to use it, has changed';

/** Holds the call against what the owner was shown: its arguments, its tool, and what it would change. */
export async function recheckApproval(run: LoopRun, call: ToolCall, approval: Approval): Promise<Rechecked> {
  if (sha256(approval.arguments_json) !== approval.arguments_hash) {
    const own = await run.prepareCall(call, 'always');
    if (!isExecutable(own)) return { kind: 'impossible', reason: 'its arguments are not those that were approved' };
    const fields = differingKeys(argumentsOf(approval), own.args).join(', ');
    return { kind: 'changed', instead: own, reason: `its arguments are not those that were approved: ${fields}` };
  }
  // Also where policy would let it run by now: the yes was to what the owner saw.
  const executable = await run.prepareCall(frozen(call, approval), 'always');
  if (!isAsApproved(executable, approval)) {
    const isImpossible = executable.verdict === 'invalid' && approval.basis !== null;
    const reason = isImpossible ? 'what it would change is not there any more' : CHANGED_TOOL;
    return { kind: 'impossible', reason };
  }
  if (!isSameBasis(executable, approval.basis)) {
    return { kind: 'changed', instead: executable, reason: 'what it would change has changed since' };
  }
  return { kind: 'unchanged', executable };
}

/** The very call that an owner was shown: same tool, same arguments, and still allowed. */
export const isAsApproved = (prepared: Prepared, approval: Approval): prepared is Executable =>
  isExecutable(prepared) &&
  sha256(approval.arguments_json) === approval.arguments_hash &&
  isFingerprintOf(prepared.tool, approval.fingerprint);

export function differingKeys(found: unknown, own: unknown): string[] {
  const keys = new Set([...Object.keys(found ?? {}), ...Object.keys(own ?? {})]);
  const partOf = (args: unknown, key: string) =>
    canonicalJson(Object.entries(args ?? {}).find(([name]) => name === key));
  return [...keys].filter((key) => partOf(found, key) !== partOf(own, key)).sort();
}
