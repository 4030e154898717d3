import type { Executable } from '../../policy/call.ts';
import type { LoopDecision } from '../../record/decisions.ts';
import type { Gated } from '../evidence/gate.ts';
import type { Deferral } from './failed-call.ts';
export type EndDecision = Extract<LoopDecision, { decision: 'FINAL' | 'FINAL_PARTIAL' | 'FAIL' }>;

export type LoopEnd =
  /** `asks`: what owners are asked about beside its answer. */
  | {
      readonly kind: 'ended';
      readonly decision: EndDecision;
      readonly gated: Gated | null;
      readonly asks: readonly Executable[];
    }
  | { readonly kind: 'wait'; readonly until: number }
  /** Its sender has written again: that mail becomes part of the run, which goes on from there. */
  | { readonly kind: 'further' }
  /** Until a model answers, or there is money for it. */
  | Deferral
  /** Owners have to decide these calls first; empty when they were asked before. */
  | { readonly kind: 'held'; readonly calls: readonly Executable[] };
