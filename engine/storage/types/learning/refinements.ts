import type { Added } from '../../schema/persona.ts';

/** An attempt to make a better version of a playbook, and what became of it. Times are Unix ms. */
export interface Refinement extends Added<'playbook_refinements'> {
  readonly id: string;
  readonly kind: string;
  /** Of the run that it followed, or the newest of the kind where an owner asked for it. */
  readonly run_id: string;
  readonly asked_by: 'runs' | 'owner';
  readonly accepted: number;
  /** Why not; null where it was accepted. */
  readonly reason: string | null;
  /** In words, never those of a mail. */
  readonly detail: string | null;
  /** Numbers of versions: the one that was to be better, null where there was none, and the one that was made. */
  readonly from_version: number | null;
  readonly to_version: number | null;
  /** By the same examples; null where none were played. */
  readonly from_score: number | null;
  readonly to_score: number | null;
  readonly examples: number;
  readonly at: number;
}

/** The name under which a change of a playbook stands among what can be taken back; no tool can have it. */
export const LEARNED = 'playbook version';
