import { z } from 'zod';
import type { Json, Risk } from '#contract';
import { anyJson, canonicalJson, parseJson, readJson } from '../../lib/json.ts';
import { RISKS } from '../../lib/risks.ts';
import type { MemberBasis } from '../../suspensions/members.ts';
import { type Approved, type CallError, type Executable, isExecutable, type Prepared } from '../call.ts';
import type { Permission } from '../permission.ts';
import { AFTER_FAILURE, skipped } from '../refusal.ts';
import { afterAny, failedOf, type IsAfterFailure, type MissedCall, plain } from './after-failure.ts';
import { frozenArguments } from './approval.ts';
import { fingerprintBefore, fingerprintOf } from './fingerprint.ts';

type PlannedCalls =
  | {
      readonly kind: 'plan';
      readonly steps: readonly Executable[];
      readonly args: Json;
      readonly risk: Risk;
      readonly preview: NonNullable<Executable['preview']>;
    }
  | { readonly kind: 'act_directly'; readonly error: CallError }
  /** One step is refused; `permission` is the governor's decision on it, where it was asked. */
  | { readonly kind: 'refused'; readonly error: CallError; readonly permission: Permission | null };

/** One step: the fingerprint of its tool, and the basis of its preview. */
type StepBasis = readonly [fingerprint: string, basis: string | null];

const stepBases = z.array(z.tuple([z.string(), z.string().nullable()]));

/** What was approved of the step with this index; of a plan whose record cannot be read, nothing was. */
export function approvedStep(basis: string | null, index: number): Approved {
  return { basis: readJson(stepBases, basis ?? '')?.[index]?.[1] ?? null };
}

/**
 * What becomes of a plan whose steps were all asked about like calls: one with a step that may not be done is refused
 * as a whole. Over one thing alone a plan only stands between a person and the work.
 */
export function planOf(steps: readonly Prepared[]): PlannedCalls {
  const ready: Executable[] = [];
  for (const [index, step] of steps.entries()) {
    const where = `step ${index + 1} (${step.call.name})`;
    if (!('tool' in step)) {
      const error = { ...step.error, message: `${where}: ${step.error.message}` };
      return { kind: 'refused', error, permission: step.permission };
    }
    if (step.tool.definition.asks !== undefined) {
      const error = { code: 'invalid_arguments', message: `${where} cannot be part of a plan` };
      return { kind: 'refused', error, permission: null };
    }
    ready.push(step);
  }
  const targets = new Set(ready.flatMap((step) => step.targets));
  if (targets.size < 2) {
    const message =
      'no plan is needed here: act directly, by the calls themselves; the owner is asked where it must be';
    return { kind: 'act_directly', error: { code: 'skipped', message } };
  }
  const args = ready.map((step) => ({ tool: step.call.name, arguments: parseJson(anyJson, frozenArguments(step)) }));
  const bases = ready.map((step) => stepBasis(step, fingerprintOf));
  return {
    kind: 'plan',
    steps: ready,
    args: { steps: args },
    risk: riskiest(ready),
    preview: planPreview(ready, bases),
  };
}

const stepBasis = ({ tool, preview }: Executable, print: (tool: Executable['tool']) => string): StepBasis => [
  print(tool),
  preview?.basis ?? null,
];

/** Whether that which a call would change is still what it was when it was asked about. */
export function isSameBasis({ preview, steps }: Executable, basis: string | null): boolean {
  if ((preview?.basis ?? null) === basis) return true;
  // A plan that the build before asked about names its tools by the fingerprints of that build.
  return steps !== undefined && canonicalJson(steps.map((step) => stepBasis(step, fingerprintBefore))) === basis;
}

const riskiest = (steps: readonly Executable[]): Risk =>
  RISKS[Math.max(...steps.map(({ risk }) => RISKS.indexOf(risk)))] ?? 'destructive';

/** What all of it would change, step by step, and what has to be the same when it is done. */
function planPreview(
  steps: readonly Executable[],
  bases: readonly (readonly unknown[])[],
): NonNullable<Executable['preview']> {
  const attachments = steps.flatMap(({ preview }, index) =>
    (preview?.attachments ?? []).map((file) => ({ ...file, name: `step ${index + 1} ${file.name}` })),
  );
  const text = steps
    .flatMap((step, index) => (step.preview === null ? [] : [`${index + 1}. ${step.preview.text}`]))
    .join('\n\n');
  return { text, basis: canonicalJson(bases), attachments };
}

/** The name under which a batch stands among the approvals; no tool can have it, for a hyphen is no letter of theirs. */
const BATCH = 'plan';

/**
 * What owners are asked about at the end of a turn. Two or more calls that destroy, on two things or more, are one plan
 * together with what stands between them: one question, one freeze, one decision. Beside another call each is an item of the one
 * mail about all of them: a request is one mail, and what is to be sent can be changed in it.
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
  if (held.some((one) => isCall(one.tool) && !members.includes(one))) return held;
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

/**
 * Which calls of a turn wait. What policy lets run does so also beside a call that an owner is asked about, unless it
 * would change what that call changes: then it comes after it, as the model had it. What builds on a refused one is not
 * asked for.
 */
export function holdInOrder(prepared: readonly Prepared[], isAfter: IsAfterFailure = afterAny): readonly Prepared[] {
  const held: Executable[] = [];
  const failed: MissedCall[] = [];
  let asking = false;
  return prepared.map((next) => {
    if (!isExecutable(next)) {
      failed.push(failedOf(next));
      return next;
    }
    if (next.risk === 'read' || !(next.verdict === 'needs_approval' || dependsOn(next, held))) return next;
    if (isAfter(next, failed)) return skipped(next.call, AFTER_FAILURE);
    const asks = next.tool.definition.asks !== undefined;
    if (asking && !asks) return skipped(next.call, 'wait for the owner’s answer first, then ask again for this one');
    asking ||= asks;
    const waiting = { ...next, verdict: 'needs_approval' as const };
    held.push(waiting);
    return waiting;
  });
}

/**
 * Whether a call would change something that a call before it is to change. What names no target may change anything, unless
 * its tool says that it stands apart.
 */
export function dependsOn(
  { targets, apart }: Pick<Executable, 'targets' | 'apart'>,
  held: Iterable<Pick<Executable, 'targets'>>,
) {
  if (apart === true) return false;
  const own = thingsOf(targets);
  for (const earlier of held) {
    const others = thingsOf(earlier.targets);
    if (own === null || others === null || [...own].some((one) => others.has(one))) return true;
  }
  return false;
}

/** Null where nobody knows: no target at all, or a whole folder. */
function thingsOf(targets: readonly string[]): ReadonlySet<string> | null {
  if (targets.length === 0 || targets.some((target) => /(?:^|\/)$/.test(target.trim()))) return null;
  return new Set(targets.map(plain));
}

/** How many different things calls name. */
export const thingsIn = (calls: readonly Pick<Executable, 'targets'>[]): number =>
  new Set(calls.flatMap(({ targets }) => targets.map(plain))).size;
