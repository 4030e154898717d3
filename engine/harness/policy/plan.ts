import { z } from 'zod';
import type { Json, Risk } from '#contract';
import { canonicalJson } from '../loop/state.ts';
import type { Approved } from '../tools/approved.ts';
import type { CallError, Executable, Prepared } from '../tools/prepare.ts';
import { fingerprintOf, frozenArguments } from './approval.ts';
import type { Permission } from './governor.ts';

/** What decides, beside the plan itself, whether one is wanted. */
export interface PlanFacts {
  /** The mail asks for something to be gone. */
  readonly intended: boolean;
  /** Tools on the surface that destroy. */
  readonly destructiveTools: number;
}

export type PlannedCalls =
  | {
      readonly kind: 'plan';
      readonly steps: readonly Executable[];
      readonly args: Json;
      readonly risk: Risk;
      readonly preview: NonNullable<Executable['preview']>;
    }
  | { readonly kind: 'act_directly'; readonly error: CallError }
  /** With what the governor said of the step that stands in the way, where it was asked. */
  | { readonly kind: 'refused'; readonly error: CallError; readonly permission: Permission | null };

/** Of one step: its tool, and what its preview stood for. */
type StepBasis = readonly [fingerprint: string, basis: string | null];

const stepBases = z.array(z.tuple([z.string(), z.string().nullable()]));

/** What was approved of the step with this index; of a plan whose record cannot be read, nothing was. */
export function approvedStep(basis: string | null, index: number): Approved {
  try {
    return { basis: stepBases.parse(JSON.parse(basis ?? ''))[index]?.[1] ?? null };
  } catch {
    return { basis: null };
  }
}

const RISKS: readonly Risk[] = ['read', 'create', 'write', 'destructive'];

/**
 * What becomes of a plan whose steps were all asked about like calls: one with a step that may not be done is refused
 * as a whole. A plan is wanted only where all hold: the mail asks for something to be gone, two tools or more could do
 * that, and two things or more are concerned; otherwise a plan only stands between a person and the work.
 */
export function planOf(steps: readonly Prepared[], facts: PlanFacts): PlannedCalls {
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
  if (!facts.intended || facts.destructiveTools < 2 || targets.size < 2) {
    const message =
      'no plan is needed here: act directly, by the calls themselves; the owner is asked where it must be';
    return { kind: 'act_directly', error: { code: 'skipped', message } };
  }
  const args = ready.map((step) => ({ tool: step.call.name, arguments: JSON.parse(frozenArguments(step)) as Json }));
  const bases = ready.map((step): StepBasis => [fingerprintOf(step.tool), step.preview?.basis ?? null]);
  const attachments = ready.flatMap(({ preview }, index) =>
    (preview?.attachments ?? []).map((file) => ({ ...file, name: `step ${index + 1} ${file.name}` })),
  );
  const text = ready
    .flatMap((step, index) => (step.preview === null ? [] : [`Step ${index + 1}: ${step.preview.text}`]))
    .join('\n\n');
  return {
    kind: 'plan',
    steps: ready,
    args: { steps: args },
    risk: RISKS[Math.max(...ready.map(({ risk }) => RISKS.indexOf(risk)))] ?? 'destructive',
    preview: { text, basis: canonicalJson(bases), attachments },
  };
}
