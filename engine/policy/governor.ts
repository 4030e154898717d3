import type { Effects, Json, Risk } from '#contract';
import type { SecurityConfig } from '../config/types.ts';
import { matchesGlob } from '../lib/glob.ts';
import { RISKS } from '../lib/risks.ts';
import type { OwnWords } from '../record/own-words.ts';
import type { ForeignValue } from '../storage/types/approvals.ts';
import type { Tier } from '../storage/types/mail.ts';
import { judge } from './judges.ts';
import type { FromHook, Layer, Permission, PermissionQuestion } from './permission.ts';
import { BY_STANDING, type Standing } from './standing-rules.ts';
import type { SurfaceRefusal, ToolFacts } from './surface.ts';
import { hostKey } from './values/values.ts';

/** The declared risk, raised by what these arguments would touch; effects never lower it. */
export function effectiveRisk(declared: Risk, effects: Effects | undefined): Risk {
  const raised = effects?.risk ?? declared;
  return RISKS.indexOf(raised) > RISKS.indexOf(declared) ? raised : declared;
}

/** Whether one call with these arguments may run. */
export function govern(call: {
  tool: ToolFacts;
  surface: SurfaceRefusal | null;
  risk: Risk;
  args: Json;
  tier: Tier;
  policy: SecurityConfig['tool_policy'];
  /** Addresses that the call would write to, and what is known of them. */
  mail?: Mail;
  tainted?: boolean;
  values?: readonly ForeignValue[];
  canAsk?: boolean;
  tellsBack?: boolean;
  forgetsOwn?: boolean;
  restrictions?: readonly FromHook[];
  ownWords?: OwnWords;
  standing?: Standing;
  widens?: boolean;
}): Permission {
  const { tool, surface, risk, args, tier, policy, mail, tainted = false, canAsk = true, restrictions = [] } = call;
  const rules = rulesFor(policy, tool.name, args);
  const named = policy.tools[tool.name];
  const isNamedByPolicy = tool.asks || rules.length > 0 || named !== undefined;
  const stands = isNamedByPolicy || policy.risk[risk] !== 'approve' ? undefined : call.standing?.allow;
  const layers: readonly Layer[] = [
    // Such a call is never run: all that can become of it is a question.
    ...(tool.asks ? [{ decision: 'approve' as const, by: 'question' }] : []),
    ...rules.map(({ decision, when }) => ({ decision, by: 'rule', when })),
    ...(named === undefined ? [] : [{ decision: named, by: 'tool' }]),
    // What the configuration says by name stands above what an owner has said by mail.
    ...(stands === undefined ? [] : [{ decision: 'allow' as const, by: `${BY_STANDING}${stands}` }]),
    { decision: policy.risk[risk], by: `risk ${risk}` },
  ];
  const more = {
    ...(restrictions.length === 0 ? {} : { restrictions }),
    ...(call.ownWords === undefined ? {} : { ownWords: call.ownWords }),
    ...(call.standing?.deny || stands !== undefined ? { standing: call.standing as Standing } : {}),
    ...(call.widens ? ({ widens: true } as const) : {}),
    ...(call.tellsBack ? ({ tellsBack: true } as const) : {}),
    ...(call.forgetsOwn ? ({ forgetsOwn: true } as const) : {}),
    ...(tool.secrets ? ({ secrets: true } as const) : {}),
    ...(tool.foreign === undefined ? {} : { source: tool.foreign }),
  };
  const left = (call.values ?? []).filter(({ at }) => !isNamed(rules[0], at));
  const values = left.length === 0 ? {} : { values: left };
  return judge({ surface, risk, tier, layers, mail: mailOf(mail), tainted, ...values, ...more, canAsk });
}

type Rule = SecurityConfig['tool_policy']['rules'][number];

const rulesFor = (policy: SecurityConfig['tool_policy'], tool: string, args: Json): readonly Rule[] =>
  policy.rules.filter((rule) => rule.tool === tool && matches(rule.when, args, rule.decision));

/** Whether a rule lets an argument's values go by naming them: what stands in the configuration is an owner's word. */
function isNamed(rule: Rule | undefined, at: string): boolean {
  if (rule?.decision !== 'allow') return false;
  const named = Object.keys(rule.when);
  return named.includes(at) || (at === 'cc' && named.includes('to')) || (at === 'url' && named.includes('host'));
}

/** Whether a rule lets this tool go to a URL by its name, or by that of its host. */
export const isNamedUrl = (policy: SecurityConfig['tool_policy'], tool: string, url: string): boolean =>
  isNamed(rulesFor(policy, tool, { url })[0], 'url');

interface Mail {
  readonly recipients: readonly string[];
  isOwner(address: string): boolean;
  /** Whoever asked for the mail of ours that the run answers, where the run may tell them. */
  isAsker(address: string): boolean;
  isKnown(address: string): boolean;
}

function mailOf(mail: Mail | undefined): PermissionQuestion['mail'] {
  if (!mail || mail.recipients.length === 0) return 'none';
  if (mail.recipients.every(mail.isOwner)) return 'owners';
  const { recipients, isOwner, isAsker, isKnown } = mail;
  if (recipients.every((address) => isOwner(address) || isAsker(address))) return 'asker';
  return recipients.every((address) => isOwner(address) || isKnown(address)) ? 'known' : 'new';
}

/** Pure. Whether `other` surely holds for every call for which `rule` does: it names nothing else, and that in the same way. */
export const holdsWith = (rule: Rule, other: Rule): boolean =>
  Object.entries(other.when).every(
    ([name, pattern]) =>
      rule.when[name] === pattern &&
      (other.decision !== 'allow' || rule.decision === 'allow' || fromRootOf(pattern).named === undefined),
  );

/** Every named argument matches its pattern; of a list, every entry (one stranger among friends is a stranger). */
function matches(when: Rule['when'], args: Json, decision: Rule['decision']): boolean {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return false;
  return Object.entries(when).every(([name, pattern]) => {
    const given = args as { readonly [key: string]: Json };
    // A rule about whom a mail goes to is about all of them: a copy reaches its reader as the mail does.
    const values = [argument(given, name), ...(name === 'to' ? [given.cc ?? []] : [])].flat();
    return (
      values.length > 0 &&
      values.every((entry) => typeof entry === 'string' && matchesPath(entry.toLowerCase(), pattern, decision))
    );
  });
}

/**
 * Files are named from the root of the persona's folder on, and whoever writes a rule may begin there: `./secret/*`. By the
 * name of the root nothing is let through, since a folder in it may be called so.
 */
function matchesPath(value: string, pattern: string, decision: Rule['decision']): boolean {
  const { fromRoot, named } = fromRootOf(pattern);
  const wanted = [pattern, fromRoot, ...(named === undefined || decision === 'allow' ? [] : [named])];
  return wanted.some((each) => matchesGlob(value, each.toLowerCase()));
}

/** `named`: what is left of it behind the name of the root; undefined: it does not begin with that. */
function fromRootOf(pattern: string): { readonly fromRoot: string; readonly named: string | undefined } {
  const fromRoot = pattern.replace(/^(?:\.\/+)+/, '');
  const root = /^files\/+/i.exec(fromRoot)?.[0];
  return { fromRoot, named: root === undefined ? undefined : fromRoot.slice(root.length) };
}

/** `host` is that of the argument `url`, as it would be connected to, where the tool has no argument of that name. */
function argument(given: { readonly [key: string]: Json }, name: string): Json | undefined {
  if (name !== 'host' || Object.hasOwn(given, name) || typeof given.url !== 'string') return given[name];
  return hostKey(given.url) ?? undefined;
}
