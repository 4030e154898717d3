import { z } from 'zod';
import { parseJson } from '../../lib/json.ts';
import type { Added } from '../schema/persona.ts';

// What owners have said is to hold from now on, a row for each sentence. Times are Unix ms. What a rule says is never
// changed: another one takes its place, and the first one is on record as ended.

/**
 * What code does for it, beside showing it to the model. `words`: nothing. `deny`: such calls are not made. `allow`: they are
 * not asked about. `cc`: these addresses are put into Cc of mail and of answers of the persona.
 */
export const RULE_EFFECTS = ['words', 'deny', 'allow', 'cc'] as const;
export type RuleEffect = (typeof RULE_EFFECTS)[number];

/** `persona`: all mail. `person`: what is begun by mail of one person, or for `cc` what is sent to them. `thread`: one thread. */
export type RuleScope = 'persona' | 'person' | 'thread';

/** Of an owner: whoever wants more is asked. Of a member: no more are kept. */
export const MOST_RULES = 30;

export interface Rule extends Added<'rules'> {
  readonly id: string;
  /** Word for word as it stands in the mail. */
  readonly text: string;
  readonly effect: RuleEffect;
  /** Names of tools; of `deny`, none: whichever would reach those below. */
  readonly tools: readonly string[];
  /** Addresses in lower case, and domains. */
  readonly whom: readonly string[];
  readonly scope: RuleScope;
  /** An address in lower case, or the id of a thread. */
  readonly scope_of: string | null;
  /** Until when it holds; null: until somebody ends it. */
  readonly until: number | null;
  /** An address, or `command`. */
  readonly said_by: string;
  /** A member's hold for mail of that member alone. */
  readonly said_tier: 'owner' | 'member';
  /** The row of that mail; null where no mail said it. */
  readonly source_message: string | null;
  readonly source_message_id: string | null;
  /** `fact` and `playbook`: an earlier build kept it there. `approvals`: an owner has said yes to it often. */
  readonly origin: 'mail' | 'command' | 'fact' | 'playbook' | 'approvals';
  readonly made_at: number;
  readonly ended_at: number | null;
  /** An address, `command`, or the id of the rule that took its place. */
  readonly ended_by: string | null;
}

const TaughtCalls = z.strictObject({
  /** Of the calls that it lets go: the key of `storage/types/approvals.ts`. */
  likeness: z.string(),
  tier: z.enum(['owner', 'member', 'known', 'stranger', 'unauthenticated']),
  /** Of the tool, as it was when it was asked about. */
  fingerprint: z.string(),
  /** The question that was answered with it. */
  question: z.string(),
});
export type TaughtCalls = Readonly<z.infer<typeof TaughtCalls>>;

/** Which calls a rule lets go that an owner's yeses have taught; null: another rule. */
export const taughtIn = ({ taught_json: json }: Pick<Rule, 'taught_json'>): TaughtCalls | null =>
  json === null ? null : parseJson(TaughtCalls, json);

/** For whom a run works, as far as rules are concerned. */
export interface RuleReader {
  /** In lower case; empty: nobody, as of a task. */
  readonly sender: string;
  readonly threadId: string | null;
  readonly now: number;
}

/** One change; all of a batch or none. */
export type RuleChange =
  | { readonly change: 'add'; readonly rule: Rule; readonly replaces: readonly string[] }
  | { readonly change: 'end'; readonly id: string; readonly by: string; readonly at: number }
  /** It holds again. */
  | { readonly change: 'revive'; readonly id: string };

export interface RuleListing {
  /** Also those that hold no more. */
  readonly all: boolean;
  readonly after?: string | undefined;
  readonly limit: number;
  readonly now: number;
}
