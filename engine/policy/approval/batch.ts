import { anyJson, parseJson } from '../../lib/json.ts';
import type { MemberBasis } from '../../suspensions/members.ts';
import type { Executable } from '../call.ts';
import { frozenArguments } from './approval.ts';
import { fingerprintOf } from './fingerprint.ts';
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

const basisOf = (member: Executable): MemberBasis => [
  fingerprintOf(member.tool),
  member.preview?.basis ?? null,
  member.call.id,
  member.risk,
];
