import type { Persona, SecurityConfig } from '../../config/types.ts';
import type { RegisteredHook, RegisteredTool, Registry } from '../../extensions/types.ts';
import { addressKey, isSendable, matchesPattern } from '../../mail/mime/address.ts';
import { govern } from '../../policy/governor.ts';
import { judgedByHooks } from '../../policy/hook-restrictions.ts';
import { type Copied, copiesBy, ruleReaderOf, standingOn } from '../../policy/standing-rules.ts';
import { factsOf, narrowingFor, refusalOf } from '../../policy/surface.ts';
import { TELLS_BACK } from '../../policy/told-back.ts';
import type { PayloadOf } from '../../record/events.ts';
import type { LoadedRun } from '../../storage/ports/runs.ts';
import type { Store } from '../../storage/ports/store.ts';
import { isMadePrivate } from '../../storage/types/mail.ts';
import type { Rule } from '../../storage/types/rules.ts';
import type { ReplyRecipients } from './recipients.ts';

/** Whom owners' rules name for Cc of an answer, and what stood in the way of it. */
export type Copies = NonNullable<PayloadOf<'reply_committed'>['copies']>;

/** What is asked about an answer before somebody gets a copy of it. */
export interface Copying {
  readonly store: Pick<Store, 'rulesFor' | 'getThread'>;
  /** What held when the prompt was put together; null: that was before the run waited or was taken over, or it failed. */
  readonly beganWith: readonly Rule[] | null;
  readonly policy: SecurityConfig['tool_policy'];
  readonly tools: Pick<Registry<RegisteredTool>, 'get'>;
  readonly hooks: Pick<Registry<RegisteredHook>, 'all'>;
  readonly signal: AbortSignal;
}

interface Answered {
  readonly loaded: Pick<LoadedRun, 'run'>;
  readonly persona: Persona;
  readonly now: number;
  isOwnAddress(address: string): boolean;
}

interface Words {
  readonly subject: string;
  readonly body: string;
}

/**
 * Who gets a copy of an answer by owners' rules, as they hold when it is committed. It is written for those whom it answers, and
 * is no other mail for the copy. None of a private thread; and whoever a rule copies is answered alone, or two of them that
 * answer by themselves would never come to an end.
 */
export async function copiesOf(
  copying: Copying | undefined,
  { loaded, persona, now, isOwnAddress }: Answered,
  { to, cc }: ReplyRecipients,
  words: Words,
): Promise<Copies> {
  if (copying === undefined || to.length === 0) return [];
  // What is said meanwhile holds from the next mail on, and most personas have no such rule.
  if (copying.beganWith?.every(({ effect }) => effect !== 'cc')) return [];
  const rules = await copying.store.rulesFor(ruleReaderOf(loaded.run, now));
  const isOwner = (address: string) => persona.owners.some((owner) => matchesPattern(address, owner));
  const isCopied = (address: string) =>
    rules.some(({ effect, whom }) => effect === 'cc' && whom.some((one) => addressKey(one) === addressKey(address)));
  if (to.some(isCopied)) return [];
  // A rule of before was agreed to for mail alone.
  const agreed = rules.filter(({ in_answers: isAgreed }) => isAgreed === 1);
  const wanted = copiesBy(agreed, [...to, ...cc], isOwner).filter(
    ({ address }) => isSendable(address) && !isOwnAddress(address),
  );
  const thread = wanted.length === 0 ? undefined : await copying.store.getThread(loaded.run.thread_id);
  if (thread === undefined || isMadePrivate(thread)) return [];
  const found: Copies[number][] = [];
  for (const copied of wanted) {
    const held = await heldBy({ ...copying, run: loaded.run, persona, isOwner, rules }, copied, words);
    found.push({ address: copied.address, rule: copied.rule.id, ...(held === null ? {} : { held }) });
  }
  return found;
}

/** The answer with those in Cc whom nothing keeps from it. */
export const withCopiesOf = ({ to, cc }: ReplyRecipients, copies: Copies): ReplyRecipients => ({
  to,
  cc: [...cc, ...copies.flatMap(({ address, held }) => (held === undefined ? [address] : []))],
});

/**
 * What keeps a copy from somebody: whatever would keep a mail from them that the persona sends for an owner, or have an owner
 * asked about each. That such mail is asked about by its risk alone was answered by the yes to the rule. Null: nothing.
 */
async function heldBy(
  asking: Copying & {
    readonly run: LoadedRun['run'];
    readonly persona: Persona;
    readonly rules: readonly Rule[];
    isOwner(address: string): boolean;
  },
  { address, rule }: Copied,
  { subject, body }: Words,
): Promise<string | null> {
  const { policy, persona, rules, isOwner, hooks, run, signal } = asking;
  const tool = asking.tools.get(TELLS_BACK);
  if (!tool) return 'no tool';
  const facts = factsOf(tool);
  const { risk } = facts;
  const args = { to: [address], subject, body };
  const recipients = [address];
  const standing = standingOn({ tool: facts, args, risk, recipients, isOwner }, rules);
  const asked = {
    tool: facts,
    surface: refusalOf(facts, narrowingFor(persona, policy, { tier: 'owner', tellsBack: false })),
    risk,
    args,
    tier: 'owner' as const,
    policy,
    mail: { recipients, isOwner, isAsker: () => false, isKnown: () => true },
    standing: standing.deny ? standing : { allow: rule.id },
  };
  const judged = govern(asked);
  if (judged.verdict !== 'allow') return judged.by;
  const { sender, tier } = run;
  const restrictions = await judgedByHooks(
    hooks,
    { tool: facts, risk, args, tainted: false },
    { run: { persona: persona.id, sender, tier }, signal },
  );
  const restricted = govern({ ...asked, restrictions });
  return restricted.verdict === 'allow' ? null : restricted.by;
}
