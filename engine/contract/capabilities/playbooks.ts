import type { JsonObject } from '../json.ts';
import type { Preview } from '../preview.ts';

/** Ways of working that an owner asks for in their own words. */
export interface PlaybooksCapability {
  /** What would be kept, in words for an owner. Throws `invalid_arguments` that says what stands in the way. */
  preview(proposal: PlaybookProposal): Promise<Preview>;
  /** Keeps it as the newest version of its kind; a second time it changes nothing. */
  apply(proposal: PlaybookProposal): Promise<KeptPlaybook>;
  /** Lets the version before hold again. */
  takeBack(kept: KeptPlaybook): Promise<void>;
}

/** What comes to the playbook of a kind; none of its words are others than those of the owner who writes. */
export interface PlaybookProposal {
  readonly kind: string;
  /** The sentence of the mail that asks for it, word for word. */
  readonly words: string;
  /** Calls that are made by themselves, as a playbook has them. */
  readonly steps: readonly JsonObject[];
  /** Tools that are not called, as a playbook has them. */
  readonly deny: readonly JsonObject[];
}

export interface KeptPlaybook {
  readonly kind: string;
  readonly version: number;
  /** The number of the version before. */
  readonly before: number;
}
