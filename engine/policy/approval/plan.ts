import { z } from 'zod';
import type { Json, Risk } from '#contract';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { anyJson, parseJson, readJson } from '../../lib/json.ts';
import type { CallError, Executable, Prepared } from '../call.ts';
import type { Permission } from '../permission.ts';
import { frozenArguments } from './approval.ts';
import type { Approved } from './approved.ts';
import { fingerprintBefore, fingerprintOf } from './fingerprint.ts';

export type PlannedCalls =
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

const RISKS: readonly Risk[] = ['read', 'create', 'write', 'destructive'];

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

export const riskiest = (steps: readonly Executable[]): Risk =>
  RISKS[Math.max(...steps.map(({ risk }) => RISKS.indexOf(risk)))] ?? 'destructive';

/** What all of it would change, step by step, and what has to be the same when it is done. */
export function planPreview(
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
