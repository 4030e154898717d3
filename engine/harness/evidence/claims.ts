/** One statement of an answer that code can check, and what the check found. */
export interface Claim {
  readonly kind: 'action' | 'citation' | 'quantity' | 'scope' | 'freshness';
  /** The sentence as the model wrote it. */
  readonly claim: string;
  readonly verdict: 'supported' | 'unsupported' | 'contradicted' | 'overstated' | 'drifted';
  /** Call ids, refs. */
  readonly evidence_ids: readonly string[];
  /** For the model: what is wrong, in one sentence. */
  readonly why?: string;
}

/** A claim and what the mail says in its place, or adds. */
export interface Judged {
  readonly claim: Claim;
  readonly change?: Change;
}

export type Change =
  /** What stands between the places becomes `by`. */
  | { readonly at: 'place'; readonly start: number; readonly end: number; readonly by: string }
  /** A paragraph below the answer. */
  | { readonly at: 'end'; readonly by: string };

/** Short enough for a trace, long enough to be recognised. */
export const quoted = (sentence: string): string =>
  sentence.length > 300 ? `${sentence.slice(0, 299).toWellFormed()}…` : sentence;
