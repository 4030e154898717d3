import type { RestrictedRun } from './restrict.ts';

/** An answer of a model, before it is sent. */
export interface CheckedAnswer {
  /** Its words, without the sources that are listed below it. */
  readonly text: string;
  /** The mail that it answers, as the model was shown it. */
  readonly mail: string;
  /** What the run has called, in order, and whether it worked. */
  readonly calls: readonly { readonly tool: string; readonly ok: boolean }[];
  readonly run: RestrictedRun;
}

/** One thing that is missing from an answer, or wrong in it. */
export interface Finding {
  /** For the trace: lower case, digits and `_`. */
  readonly code: string;
  /** One sentence. The model is told it, once; where it stays true, the answer says it of itself. */
  readonly message: string;
}
