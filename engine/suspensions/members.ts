import { z } from 'zod';
import type { JsonObject, Risk } from '#contract';
import { anyJson, canonicalJson, jsonObject, parseJson, readJson } from '../lib/json.ts';
import { RISKS } from '../lib/risks.ts';
import { type Approval, isChanged, RUN_CANCELLED } from '../storage/types/approvals.ts';

// A plan that the gateway itself has put together from calls of one turn: which call each of its steps is.

/** One call, as the basis of its plan keeps it. */
export type MemberBasis = readonly [fingerprint: string, basis: string | null, callId: string, risk: Risk];

const memberBases = z.array(z.tuple([z.string(), z.string().nullable(), z.string(), z.enum(RISKS)]));

/** One call of a turn as it was frozen within a plan. */
export interface Member {
  readonly callId: string;
  readonly tool: string;
  readonly argumentsJson: string;
  readonly fingerprint: string;
  readonly basis: string | null;
  readonly risk: Risk;
}

/** The calls of the model's turn that were put before the owners as this plan; empty for any other approval. */
export function membersOf({
  kind,
  basis,
  arguments_json,
}: Pick<Approval, 'kind' | 'basis' | 'arguments_json'>): readonly Member[] {
  if (kind !== 'plan' || basis === null) return [];
  const bases = readJson(memberBases, basis);
  if (bases === undefined) return [];
  const steps = stepsIn(parseJson(anyJson, arguments_json));
  return bases.flatMap(([fingerprint, own, callId, risk], index) => {
    const step = steps[index];
    if (!step) return [];
    return [{ callId, tool: step.tool, argumentsJson: canonicalJson(step.arguments), fingerprint, basis: own, risk }];
  });
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
  isChanged({ state, reason }) || (state === 'stale' && reason === 'split');

/** Nobody is asked any more, since somebody has cancelled the run that asked. */
export const isWithdrawn = ({ state, reason }: Pick<Approval, 'state' | 'reason'>): boolean =>
  state === 'stale' && reason === RUN_CANCELLED;

/** Arguments of this call as the owners were shown them, alone or among others. */
export const argumentsAsked = (approval: Pick<Approval, 'kind' | 'basis' | 'arguments_json'>, callId: string): string =>
  membersOf(approval).find((member) => member.callId === callId)?.argumentsJson ?? approval.arguments_json;

/** One call of a plan. */
interface PlanStep {
  readonly tool: string;
  readonly arguments: JsonObject;
}

const planned = z.object({ steps: z.array(z.object({ tool: z.string(), arguments: jsonObject })) });

/** The steps in the arguments of a plan, in order; none where they are no plan's. */
export const stepsIn = (args: unknown): readonly PlanStep[] => planned.safeParse(args).data?.steps ?? [];
