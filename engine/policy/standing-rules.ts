import type { Json, Risk } from '#contract';
import { addressKey } from '../mail/mime/address.ts';
import { putsInCc } from '../mail/told-of-answer.ts';
import type { Tier } from '../storage/types/mail.ts';
import { type Rule, type RuleReader, type TaughtCalls, taughtIn } from '../storage/types/rules.ts';
import type { ToolFacts } from './surface.ts';
import { TELLS_BACK } from './told-back.ts';
import { valuesOfArguments } from './values/argument-values.ts';
import { hostKey, valuesInText } from './values/values.ts';

/** Before the id of a rule that an owner has said. */
export const BY_STANDING = 'standing rule ';

/** With whose rules a run is worked: those of whoever wrote its mail, of its thread, and of the persona. */
export const ruleReaderOf = (
  { sender, thread_id }: { readonly sender: string | null; readonly thread_id: string },
  now: number,
): RuleReader => ({ sender: (sender ?? '').toLowerCase(), threadId: thread_id, now });

/** What rules that owners have said have to do with one call. Stored with the governor's answer. */
export interface Standing {
  /** The one that denies it; in the words of an owner. */
  readonly deny?: { readonly id: string; readonly text: string };
  /** The one by which it needs no question. */
  readonly allow?: string;
}

interface Call {
  readonly tool: Pick<ToolFacts, 'name' | 'leaves' | 'scope'>;
  readonly args: Json;
  readonly risk: Risk;
  /** Null: the tool does not say whom it writes to. */
  readonly recipients: readonly string[] | null;
  isOwner(address: string): boolean;
  /** What a rule that yeses have taught is held against; absent: none of these lets the call go. */
  readonly alike?: Alike;
}

/** How a call is like those that an owner was asked about. */
export interface Alike {
  /** The key of its likeness; null: it is like none. */
  readonly likeness: string | null;
  readonly tier: Tier;
  /** Whether the tool is the one of that fingerprint. */
  isTool(fingerprint: string): boolean;
  /** There is nothing in it that is asked about each time. */
  readonly isPlain: boolean;
}

/** By rows alone: which rule denies a call, and else which one lets it go without a question. Pure. */
export function standingOn(call: Call, rules: readonly Rule[]): Standing {
  const denied = rules.find((rule) => rule.effect === 'deny' && denies(rule, call));
  if (denied) return { deny: { id: denied.id, text: denied.text } };
  const allowed = rules.find((rule) => rule.effect === 'allow' && allows(rule, call));
  return allowed ? { allow: allowed.id } : {};
}

/** One of many recipients is enough: none of them gets a mail that another one may have. */
function denies({ tools, whom }: Rule, call: Call): boolean {
  if (tools.length > 0 && !tools.includes(call.tool.name)) return false;
  return whom.length === 0 ? tools.length > 0 : reachedBy(call).some((one) => whom.some((named) => isOf(one, named)));
}

/** Everybody who would get it has to be named, and nothing that destroys something goes without a question. */
function allows(rule: Rule, call: Call): boolean {
  const { tools, whom } = rule;
  const { tool, risk, recipients, isOwner } = call;
  if (!tools.includes(tool.name) || risk === 'destructive') return false;
  const taught = taughtIn(rule);
  if (taught !== null) return call.isOwner(rule.said_by) && isLike(taught, call.alike);
  const others = (recipients ?? []).filter((address) => !isOwner(address));
  return whom.length === 0
    ? recipients === null || recipients.length === 0
    : others.length > 0 && others.every((one) => whom.some((named) => isOf(one, named)));
}

/** The very same is meant, asked for by nobody else, of the tool as it was, and nothing in it is asked about each time. */
const isLike = ({ likeness, tier, fingerprint }: TaughtCalls, alike: Alike | undefined): boolean =>
  alike?.isPlain === true && alike.likeness === likeness && alike.tier === tier && alike.isTool(fingerprint);

/**
 * Of a tool that does not say whom it writes to and that gets out of the gateway: the addresses and hosts of its arguments. What
 * stays inside, or is only planned, may name somebody without reaching them; a task's own calls are looked at when they come.
 */
function reachedBy({ tool, args, recipients }: Call): readonly string[] {
  if (recipients !== null) return recipients;
  if (tool.leaves !== true || tool.scope.startsWith('schedule:')) return [];
  return valuesOfArguments(args, { changes: true, connects: true }).flatMap(({ kind, keys }) => {
    if (kind === 'address' || kind === 'host') return keys;
    return kind === 'url' ? keys.flatMap((key) => hostKey(key) ?? []) : [];
  });
}

/** A domain names all of it: its addresses, its hosts, and what is below it. */
export function isOf(reached: string, named: string): boolean {
  if (named.includes('@')) return addressKey(reached) === addressKey(named);
  const host = reached.slice(reached.lastIndexOf('@') + 1).toLowerCase();
  return host === named || host.endsWith(`.${named}`);
}

/** What a rule orders: which mail, in its tools, and to whom, in full addresses. */
export type Order = Pick<Rule, 'text' | 'tools' | 'whom'>;

/** Whether an owner's rule is an order to write to somebody: its rows name the act and the addresses. */
export const isOrder = ({
  effect,
  said_tier: tier,
  tools,
  whom,
}: Pick<Rule, 'effect' | 'said_tier' | 'tools' | 'whom'>): boolean =>
  effect === 'words' && tier === 'owner' && tools.length > 0 && whom.length > 0;

/** Whether this address stands in an owner's words that hold now, whatever they say of it: nobody has made it up, and nothing more. */
export const isGivenBy = (address: string, rules: readonly Rule[]): boolean =>
  rules.some(
    ({ effect, said_tier: tier, text }) =>
      effect !== 'deny' && tier === 'owner' && valuesInText(text).addresses.has(addressKey(address) ?? ''),
  );

/** Somebody whom a rule puts into Cc. */
export interface Copied {
  readonly address: string;
  readonly rule: Rule;
}

/**
 * Those whom rules put into Cc of a mail to these people: of all mail, of what goes to their person, or of their thread. What
 * goes to owners alone stays with them. Pure.
 */
export function copiesBy(
  rules: readonly Rule[],
  there: readonly string[],
  isOwner: (address: string) => boolean,
): readonly Copied[] {
  if (there.every(isOwner)) return [];
  const got = new Set(there.map(addressKey));
  const all = rules
    .filter((rule) => putsInCc(rule, got))
    .flatMap((rule) => rule.whom.map((address) => ({ address, rule })));
  return all.filter(
    ({ address }, at) => !got.has(addressKey(address)) && all.findIndex((one) => one.address === address) === at,
  );
}

/** A mail with those in Cc whom rules put there. */
export function withCopies(
  tool: string,
  args: Json,
  { rules, isOwner }: { readonly rules: readonly Rule[]; isOwner(address: string): boolean },
): Json {
  const given = objectOf(args);
  if (tool !== TELLS_BACK || given === null) return args;
  const { to, cc } = given;
  const listed = (list: Json | undefined) =>
    (Array.isArray(list) ? list : []).filter((one): one is string => typeof one === 'string');
  const added = copiesBy(rules, [...listed(to), ...listed(cc)], isOwner).map(({ address }) => address);
  return added.length === 0 ? args : { ...given, cc: [...listed(cc), ...added] };
}

/** The arguments of a mail but for those in Cc. */
export function withoutCopies(args: Json, isCopied: (address: string) => boolean): Json {
  const given = objectOf(args);
  const cc = given?.cc;
  if (given === null || !Array.isArray(cc)) return args;
  return { ...given, cc: (cc as readonly Json[]).filter((one) => typeof one !== 'string' || !isCopied(one)) };
}

const objectOf = (args: Json): Readonly<Record<string, Json>> | null =>
  typeof args !== 'object' || args === null || Array.isArray(args) ? null : (args as Readonly<Record<string, Json>>);

/** Two that cannot both hold: what one of them denies the other lets go, or sends. */
export function contradicts(one: Scoped, other: Scoped): boolean {
  const [denial, grant] = one.effect === 'deny' ? [one, other] : [other, one];
  if (denial.effect !== 'deny' || (grant.effect !== 'allow' && grant.effect !== 'cc')) return false;
  const granted = grant.effect === 'cc' ? [TELLS_BACK] : grant.tools;
  const isSameTool = denial.tools.length === 0 || granted.some((tool) => denial.tools.includes(tool));
  const isSameReach =
    denial.whom.length === 0 ||
    grant.whom.length === 0 ||
    grant.whom.some((given) => denial.whom.some((named) => isOf(given, named) || isOf(named, given)));
  const isSameScope =
    denial.scope === 'persona' ||
    grant.scope === 'persona' ||
    denial.scope !== grant.scope ||
    denial.scope_of === grant.scope_of;
  return isSameTool && isSameReach && isSameScope;
}

type Scoped = Pick<Rule, 'effect' | 'tools' | 'whom' | 'scope' | 'scope_of'>;
