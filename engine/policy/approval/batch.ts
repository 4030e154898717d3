import { z } from 'zod';
import type { Risk } from '#contract';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { anyJson, parseJson, readJson } from '../../lib/json.ts';
import type { Approval } from '../../storage/types/approvals.ts';
import type { Executable } from '../call.ts';
import { fingerprintOf, frozenArguments } from './approval.ts';
import { thingsIn } from './hold-order.ts';
import { planPreview, riskiest } from './plan.ts';

/** The name under which a batch stands among the approvals; no tool can have it, for a hyphen is no letter of theirs. */
export const BATCH = 'plan';

/**
 * What owners are asked about at the end of a turn. Two or more calls that destroy, on two things or more, are one plan
 * together with what stands between them: one question, one freeze, one decision.
 */
export function inPlan(held: readonly Executable[]): readonly Executable[] {
  const destroying = held.filter(({ risk, tool, joined }) => risk === 'destructive' && isCall(tool) && !joined);
  const [first] = destroying;
  const last = destroying.at(-1);
  if (!first || !last || destroying.length < 2 || thingsIn(destroying) < 2) return held;
  const from = held.indexOf(first);
  const range = held.slice(from, held.indexOf(last) + 1);
  const members = range.filter(({ tool }) => isCall(tool));
  const others = range.filter(({ tool }) => !isCall(tool));
  return [...held.slice(0, from), planOfCalls(first, members), ...others, ...held.slice(from + range.length)];
}

const isCall = ({ definition }: Executable['tool']): boolean => definition.asks === undefined;

function planOfCalls(first: Executable, members: readonly Executable[]): Executable {
  const steps = members.map((step) => ({
    tool: step.call.name,
    arguments: parseJson(anyJson, frozenArguments(step)),
  }));
  const args = { steps };
  return {
    ...first,
    call: { id: first.call.id, name: BATCH, arguments: args },
    args,
    risk: riskiest(members),
    preview: planPreview(members, members.map(basisOf)),
    targets: members.flatMap(({ targets }) => targets),
    steps: members,
    joined: true,
  };
}

type MemberBasis = readonly [fingerprint: string, basis: string | null, callId: string, risk: Risk];

const basisOf = (member: Executable): MemberBasis => [
  fingerprintOf(member.tool),
  member.preview?.basis ?? null,
  member.call.id,
  member.risk,
];

const memberBases = z.array(
  z.tuple([z.string(), z.string().nullable(), z.string(), z.enum(['read', 'create', 'write', 'destructive'])]),
);
const planned = z.object({
  steps: z.array(z.object({ tool: z.string(), arguments: z.record(z.string(), z.json()) })),
});

/** One call of a batch as it was frozen. */
export interface Member {
  readonly callId: string;
  readonly tool: string;
  readonly argumentsJson: string;
  readonly fingerprint: string;
  readonly basis: string | null;
  readonly risk: Risk;
}

/** The same with other fingerprints of its calls; any other approval as it is. */
export function withFingerprints(approval: Approval, fingerprintFor: (tool: string) => string): Approval {
  const members = membersOf(approval);
  if (members.length === 0) return approval;
  const bases = members.map(
    ({ tool, basis, callId, risk }): MemberBasis => [fingerprintFor(tool), basis, callId, risk],
  );
  return { ...approval, basis: canonicalJson(bases) };
}

/** Whether owners were asked about this call by that approval, alone or among others. */
export const isAbout = (approval: Pick<Approval, 'kind' | 'basis' | 'arguments_json' | 'call_id'>, callId: string) => {
  const members = membersOf(approval);
  return members.length === 0 ? approval.call_id === callId : members.some((member) => member.callId === callId);
};

/** Owners were asked anew: about what one of them had changed, or about each call of a plan by itself. */
export const isReplaced = ({ state, reason }: Pick<Approval, 'state' | 'reason'>): boolean =>
  state === 'stale' && (reason === 'edited' || reason === 'split');

/** As owners were asked about this call, alone or among others. */
export const argumentsAsked = (approval: Pick<Approval, 'kind' | 'basis' | 'arguments_json'>, callId: string): string =>
  membersOf(approval).find((member) => member.callId === callId)?.argumentsJson ?? approval.arguments_json;

/** The calls of the model's turn that were put before the owners as this plan; empty for any other approval. */
export function membersOf({
  kind,
  basis,
  arguments_json,
}: Pick<Approval, 'kind' | 'basis' | 'arguments_json'>): readonly Member[] {
  if (kind !== 'plan' || basis === null) return [];
  const bases = readJson(memberBases, basis);
  const plan = readJson(planned, arguments_json);
  if (bases === undefined || plan === undefined) return [];
  return bases.flatMap(([fingerprint, own, callId, risk], index) => {
    const step = plan.steps[index];
    if (!step) return [];
    return [{ callId, tool: step.tool, argumentsJson: canonicalJson(step.arguments), fingerprint, basis: own, risk }];
  });
}
