import type { Preview } from '../preview.ts';

/** What the persona remembers of people, as far as the sender of the current mail may see and change it. */
export interface MemoryCapability {
  /**
   * Keeps something that the current mail says, with the tool's result or not at all. `quote`: the words of the mail that
   * say it, word for word. In a run that has read others' words, what is kept is the quote itself. Throws
   * `invalid_arguments` that says what is wrong: the quote stands nowhere, or its sender may not say so.
   */
  remember(wanted: WantedFact): Promise<KeptFact>;
  /**
   * Whether an owner is to look at it first: it is for everybody, and its quote does not stand in one piece of what its
   * sender wrote, or somebody else may have written part of that mail.
   */
  waits(wanted: Pick<WantedFact, 'quote' | 'everyone' | 'kind'>): Promise<boolean>;
  /** What would be forgotten. Throws `not_found`, also for what the sender may not see. */
  preview(id: string): Promise<Preview>;
  /** Erases it, and what it took the place of. Throws `not_found`. */
  forget(id: string): Promise<{ readonly id: string }>;
}

export interface WantedFact {
  readonly text: string;
  readonly quote: string;
  /** An `instruction` is kept as a rule, which has a tool of its own. */
  readonly kind: 'preference' | 'identity' | 'relation' | 'state' | 'plan' | 'instruction';
  /** For whoever writes, which an owner alone can say. */
  readonly everyone: boolean;
  /** The id of what is not so any more. */
  readonly replaces: string | null;
}

export interface KeptFact {
  readonly id: string;
  /** As it is kept. */
  readonly text: string;
  /** `disputed`: it contradicts what somebody of more weight has said, who is asked. */
  readonly result: 'new' | 'update' | 'duplicate' | 'disputed';
  /** Where it took the place of something: who else got an answer that was made with that; for owners alone. */
  readonly wrongly_told?: readonly string[];
  /** Why another text is kept than was wanted, and how to have less of it. */
  readonly note?: string;
}
