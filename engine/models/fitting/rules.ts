import type { ManifestOf } from '../../config/types.ts';

/** What a vendor takes, as the manifest of its provider says; a manifest that says nothing means what all vendors take. */
export type FitRules = ManifestOf<'provider'>['fits'];

/**
 * How far a request is cut down to what nobody refuses. 0: to the vendor's rules. 1: tools of others are described by the
 * names and kinds of their arguments alone, there are no pictures, ids are ours. 2: tools of others are left out, too.
 */
export type Plainness = 0 | 1 | 2;

/** What a model was not given, and why, in words for it and for its owner. */
export interface LeftOut {
  readonly kind: 'tool' | 'picture';
  readonly name: string;
  readonly why: string;
}

/** The rule that a vendor did not write down. */
export const REFUSED_WITH_IT = 'the model service refused the request with it';
