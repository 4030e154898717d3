import type { AuditRecord } from '../types/approvals.ts';
import type { Rule, RuleChange, RuleListing, RuleReader } from '../types/rules.ts';

/** What owners have said is to hold from now on. */
export interface RuleStore {
  /** All that hold now for a run, the oldest first: those of the persona, of its sender, and of its thread. */
  rulesFor(reader: RuleReader): Promise<readonly Rule[]>;
  /** All that hold now, the oldest first. */
  rulesInForce(now: number): Promise<readonly Rule[]>;
  rulesByIds(ids: readonly string[]): Promise<readonly Rule[]>;
  /** Newest first. */
  listRules(listing: RuleListing): Promise<readonly Rule[]>;
  /** With what the audit log tells of it. */
  changeRules(changes: readonly RuleChange[], audit: readonly AuditRecord[]): Promise<void>;
  /**
   * Erases what these mails have said, or somebody: their words are gone from the file. How many that were.
   * `told`: what is on record of it; pure, since the transaction may run again.
   */
  forgetRules(
    of: { readonly messages: readonly string[] } | { readonly person: string },
    told?: (gone: number) => readonly AuditRecord[],
  ): Promise<number>;
}
