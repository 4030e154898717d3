import type { WantedRule } from '#contract';
import { endOfDay } from '../../lib/schedule/zone.ts';
import { DAY_MS } from '../../lib/time.ts';
import { addressKey } from '../../mail/mime/address.ts';
import type { AddressBook } from '../../policy/own-words/address-book.ts';
import { contradicts } from '../../policy/standing-rules.ts';
import { TELLS_BACK } from '../../policy/told-back.ts';
import { standsIn } from '../../policy/values/provenance.ts';
import { valuesInText } from '../../policy/values/values.ts';
import { MOST_RULES, type Rule } from '../../storage/types/rules.ts';
import type { FactSource } from '../facts/decide.ts';
import { isTakenFrom, stretchOf } from '../facts/verbatim.ts';

// What becomes of something that a model says is to hold from now on. Pure: a model proposes, and nothing that it says is
// believed but the place where it stands in the mail.

/** Nobody means a day that is farther away. */
const MOST_DAYS = 5 * 366;
const MIN_WORDS = 4;
const MAX_WORDS = 500;
/** Tools and addresses of one rule. */
const MAX_NAMED = 8;

/** The mail that begins the run, and what is around it. */
export interface RuleSource extends Pick<FactSource, 'sentBy' | 'newText' | 'threadId' | 'ownWords' | 'othersWords'> {
  readonly tier: 'owner' | 'member';
  readonly message: string;
  readonly messageId: string;
  /** Some of it may be somebody else's. */
  readonly isDoubtful: boolean;
  /** The run has read words of others, which may be what wants it kept. */
  readonly isExposed: boolean;
  readonly book: AddressBook;
  readonly timezone: string;
  readonly now: number;
  isTool(name: string): boolean;
}

export type RefusedRule =
  | 'not_verbatim'
  | 'too_long'
  | 'own_words'
  | 'others_words'
  | 'nothing_denied'
  | 'nothing_allowed'
  | 'nobody_copied'
  | 'no_tool'
  | 'not_named'
  | 'not_a_day'
  | 'not_there'
  | 'not_theirs'
  | 'only_owners'
  | 'full';

/** What would be done, and why an owner is asked first; empty: it holds at once. */
export interface PlannedRule {
  /** Null: a rule is ended, and none takes its place. */
  readonly rule: Omit<Rule, 'id' | 'made_at' | 'ended_at' | 'ended_by'> | null;
  /** The very same holds already. */
  readonly same: Rule | null;
  readonly ends: readonly Rule[];
  readonly asks: readonly ('widens' | 'contradicts' | 'many' | 'doubtful')[];
}

export type CheckedRule =
  | { readonly ok: true; readonly planned: PlannedRule }
  | { readonly ok: false; readonly reason: RefusedRule };

const refuse = (reason: RefusedRule): CheckedRule => ({ ok: false, reason });

/** Whether the mail says it, and whoever wrote it may. `inForce`: all rules that hold now. */
export function checkRule(wanted: WantedRule, source: RuleSource, inForce: readonly Rule[]): CheckedRule {
  const text = stretchOf(source.newText, wanted.quote);
  const foreign = wordsOfOthers(text, source);
  if (text === null || foreign !== null) return refuse(foreign ?? 'not_verbatim');
  const replaced = replacedBy(wanted, source, inForce);
  if (!replaced.ok) return refuse(replaced.reason);
  const { named } = replaced;
  const asks = [...(source.isDoubtful ? (['doubtful'] as const) : []), ...freedBy(named)];
  if (wanted.effect === 'end')
    return { ok: true, planned: { rule: null, same: null, ends: named === null ? [] : [named], asks } };
  const effect = effectOf({ ...wanted, effect: wanted.effect }, source);
  if (typeof effect === 'string') return refuse(effect);
  const rule = {
    ...effect,
    text: text.replace(/\s+/g, ' ').trim(),
    said_by: source.sentBy.toLowerCase(),
    said_tier: source.tier,
    source_message: source.message,
    source_message_id: source.messageId,
    origin: 'mail',
    taught_json: null,
    in_answers: 1,
  } as const;
  const alike = inForce.filter((one) => isSame(one, rule));
  const same = alike.find((one) => rule.effect !== 'cc' || one.in_answers === 1) ?? null;
  if (same !== null) return { ok: true, planned: { rule, same, ends: [], asks: [] } };
  const against = inForce.filter((one) => one.said_tier === rule.said_tier && contradicts(one, rule));
  // A copy that was agreed to for mail alone, and is wanted anew, is that of answers, too.
  const ends = [...new Set([...(named === null ? [] : [named]), ...against, ...alike])];
  const many = isFull(inForce, ends, source) ? (['many'] as const) : [];
  if (many.length > 0 && source.tier === 'member') return refuse('full');
  const contradicting = against.length > 0 ? (['contradicts'] as const) : [];
  return {
    ok: true,
    planned: { rule, same, ends, asks: [...asks, ...widenedBy(effect, source), ...contradicting, ...many] },
  };
}

type Asks = PlannedRule['asks'];

/** What a denial has kept back would be let through; nothing else that ends lets anything through. */
const freedBy = (named: Rule | null): Asks =>
  named !== null && named.effect === 'deny' && named.said_tier === 'owner' ? ['widens'] : [];

const widenedBy = ({ effect, tools }: Effect, { isExposed }: RuleSource): Asks =>
  effect === 'allow' || effect === 'cc' || (effect === 'words' && tools.length > 0 && isExposed) ? ['widens'] : [];

const isFull = (inForce: readonly Rule[], ends: readonly Rule[], source: RuleSource): boolean =>
  inForce.filter((one) => isOfSame(one, source)).length - ends.length >= MOST_RULES;

/** Null where they are the sender's own. */
function wordsOfOthers(text: string | null, { ownWords, othersWords }: RuleSource): RefusedRule | null {
  if (text === null || text.length < MIN_WORDS) return 'not_verbatim';
  if (text.length > MAX_WORDS) return 'too_long';
  if (ownWords.some((own) => isTakenFrom(own, text))) return 'own_words';
  return othersWords.some((other) => isTakenFrom(other, text)) ? 'others_words' : null;
}

/** Of all owners, or of this member. */
const isOfSame = ({ said_by: by, said_tier: of }: Rule, { tier, sentBy }: RuleSource): boolean =>
  of === tier && (of === 'owner' || by === sentBy.toLowerCase());

/** The rule that is to hold no more; null: none is named. */
function replacedBy(
  { effect, replaces }: WantedRule,
  source: RuleSource,
  inForce: readonly Rule[],
): { readonly ok: true; readonly named: Rule | null } | { readonly ok: false; readonly reason: RefusedRule } {
  if (replaces === null) return effect === 'end' ? { ok: false, reason: 'not_there' } : { ok: true, named: null };
  const named = inForce.find(({ id }) => id === replaces);
  if (named === undefined) return { ok: false, reason: 'not_there' };
  return source.tier === 'owner' || isOfSame(named, source) ? { ok: true, named } : { ok: false, reason: 'not_theirs' };
}

type Effect = Pick<Rule, 'effect' | 'tools' | 'whom' | 'scope' | 'scope_of' | 'until'>;

/** What code is to do, for whom and until when; or what is wrong with it. */
function effectOf(wanted: WantedRule & Pick<Rule, 'effect'>, source: RuleSource): Effect | RefusedRule {
  const { effect } = wanted;
  if (source.tier === 'member' && (effect === 'allow' || effect === 'cc')) return 'only_owners';
  const order = effect === 'words' ? orderOf(wanted, source) : null;
  const tools = effect === 'deny' || effect === 'allow' ? [...new Set(wanted.tools)] : (order?.tools ?? []);
  if (tools.some((tool) => !source.isTool(tool))) return 'no_tool';
  if (tools.length > MAX_NAMED || wanted.whom.length > MAX_NAMED) return 'too_long';
  const whom = effect === 'words' ? (order?.whom ?? []) : wholeNames(wanted.whom);
  const scope = scopeOf(wanted.for, source);
  if (whom === null || scope === null || !areNamed([...whom, ...scope.names], source)) return 'not_named';
  const missing = missingIn({ effect, tools, whom });
  if (missing !== null) return missing;
  const until = untilOf(wanted, source);
  if (until === undefined) return 'not_a_day';
  return { effect, tools, whom, scope: scope.scope, scope_of: scope.of, until };
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The end of that day; undefined: there is no such day, it is over, or it is too far away. */
function untilOf({ until: day }: WantedRule, { timezone, now }: RuleSource): number | null | undefined {
  if (day === null) return null;
  // 30 February would be read as a day in March.
  const read = DAY.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(read) || new Date(read).toISOString().slice(0, 10) !== day) return undefined;
  const until = endOfDay(timezone, day);
  return until <= now || until > now + MOST_DAYS * DAY_MS ? undefined : until;
}

function missingIn({ effect, tools, whom }: Pick<Rule, 'effect' | 'tools' | 'whom'>): RefusedRule | null {
  if (effect === 'deny' && tools.length + whom.length === 0) return 'nothing_denied';
  const isOpen = tools.length === 0 || (tools.some(sendsMail) && whom.length === 0);
  if (effect === 'allow' && isOpen) return 'nothing_allowed';
  const isNobody = whom.length === 0 || whom.some((one) => !one.includes('@'));
  return effect === 'cc' && isNobody ? 'nobody_copied' : null;
}

/**
 * Of an owner's words that order mail: the addresses that stand in full in the very sentence. Null: it is no order, and then
 * these are words that code does nothing for.
 */
function orderOf(
  { quote, tools, whom }: Pick<WantedRule, 'quote' | 'tools' | 'whom'>,
  { tier, isDoubtful }: Pick<RuleSource, 'tier' | 'isDoubtful'>,
): Pick<Rule, 'tools' | 'whom'> | null {
  const named = wholeNames(whom);
  const { addresses } = valuesInText(quote);
  const isNamed = named !== null && named.length > 0 && named.every((one) => addresses.has(one));
  const isMail = tools.length > 0 && tools.every((tool) => tool === TELLS_BACK);
  return tier === 'owner' && !isDoubtful && isNamed && isMail ? { tools: [TELLS_BACK], whom: named } : null;
}

const sendsMail = (tool: string): boolean => tool === 'send_email' || tool === 'invite';

const isSame = (one: Rule, other: NonNullable<PlannedRule['rule']>): boolean =>
  one.text === other.text &&
  one.effect === other.effect &&
  one.scope === other.scope &&
  one.scope_of === other.scope_of &&
  one.until === other.until &&
  String(one.tools) === String(other.tools) &&
  String(one.whom) === String(other.whom);

const DOMAIN = /^(?:[\p{L}\p{N}-]{1,63}\.){1,8}[\p{L}\p{N}-]{2,63}$/u;

/** As they are compared; null: one of them is neither an address nor a domain. */
function wholeNames(whom: readonly string[]): readonly string[] | null {
  const read = whom.map((one) => {
    const plain = one
      .trim()
      .toLowerCase()
      .replace(/^(?:@|\*\.|\*@)/, '');
    return plain.includes('@') ? addressKey(plain) : DOMAIN.test(plain) ? plain : null;
  });
  return read.includes(null) ? null : [...new Set(read.filter((one) => one !== null))];
}

/** A member's holds for their own mail, whatever they say; `names`: what the mail has to name for it. */
function scopeOf(
  wanted: string,
  { tier, sentBy, threadId }: RuleSource,
): { readonly scope: Rule['scope']; readonly of: string | null; readonly names: readonly string[] } | null {
  const author = sentBy.toLowerCase();
  const said = wanted.trim().toLowerCase();
  if (tier === 'member' || said === 'me' || said === author) return { scope: 'person', of: author, names: [] };
  if (said === 'everybody') return { scope: 'persona', of: null, names: [] };
  if (said === 'thread') return { scope: 'thread', of: threadId, names: [] };
  const address = addressKey(said);
  return address === null ? null : { scope: 'person', of: address, names: [address] };
}

/** By address, by the one name of somebody in the address book, or by the name of the host. The author names themselves. */
function areNamed(names: readonly string[], { newText, book, sentBy }: RuleSource): boolean {
  const { addresses } = valuesInText(newText);
  return names.every((name) => {
    if (!name.includes('@')) return standsIn(newText, name);
    return name === addressKey(sentBy) || addresses.has(name) || book.nameIn(newText, name) !== null;
  });
}
