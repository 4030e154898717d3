import type { Preview } from '../preview.ts';

/** What the sender of the current mail says is to hold from now on. */
export interface RulesCapability {
  /**
   * Whether an owner is to be asked first: it would let later calls go without a question, it contradicts a rule that holds,
   * there are many rules already, or somebody else may have written part of the mail. Throws `invalid_arguments` that says
   * what is wrong, such as words that do not stand in what the sender wrote.
   */
  asks(wanted: WantedRule): Promise<boolean>;
  /** What would hold, in words for an owner. */
  preview(wanted: WantedRule): Promise<Preview>;
  /** Keeps or ends it, in force from the next call on. A second time it changes nothing. */
  keep(wanted: WantedRule): Promise<KeptRule>;
  /** Has what was kept hold no more, and what it took the place of hold again. */
  takeBack(kept: Pick<KeptRule, 'id' | 'result' | 'ended'>): Promise<void>;
}

export interface WantedRule {
  /** `end`: the rule `replaces` is to hold no more. */
  readonly effect: 'words' | 'deny' | 'allow' | 'cc' | 'end';
  /** The words of the mail that say it, word for word. */
  readonly quote: string;
  /** `everybody`, `me`, `thread`, or an address. */
  readonly for: string;
  readonly tools: readonly string[];
  /** Addresses and domains. */
  readonly whom: readonly string[];
  /** The last day on which it holds, `2026-12-04`; null: until somebody ends it. */
  readonly until: string | null;
  /** The id of a rule that is to hold no more. */
  readonly replaces: string | null;
}

export interface KeptRule {
  readonly id: string;
  /** As it is kept. */
  readonly text: string;
  /** `again`: it held already. */
  readonly result: 'kept' | 'again' | 'ended';
  /** Rules that hold no more for it. */
  readonly ended: readonly string[];
  /** What it does not do yet, for the model. */
  readonly note?: string;
  /** To whom mail that it orders goes without a question. */
  readonly whom?: readonly string[];
}
