import type { Effects, Json, PolicyCode, Risk } from '#contract';
import type { SecurityConfig } from '../../config/types.ts';
import type { Tier } from '../../storage/tables.ts';
import { type SurfaceRefusal, type ToolFacts, tierAllows } from './surface.ts';

export type Permission =
  | { readonly verdict: 'allow'; readonly risk: Risk; readonly by: string }
  | { readonly verdict: 'approve'; readonly risk: Risk; readonly by: string }
  | { readonly verdict: 'deny'; readonly code: PolicyCode; readonly risk: Risk; readonly by: string };

const RISK_ORDER: readonly Risk[] = ['read', 'create', 'write', 'destructive'];

/** The declared risk, raised by what these arguments would touch; effects never lower it. */
export function effectiveRisk(declared: Risk, effects: Effects | undefined): Risk {
  const raised = effects?.risk ?? declared;
  return RISK_ORDER.indexOf(raised) > RISK_ORDER.indexOf(declared) ? raised : declared;
}

/**
 * Whether one call with these arguments may run. `deny` in any layer beats all; otherwise the most specific
 * wins: a rule over the arguments, then the tool by name, then its risk.
 */
export function govern(call: {
  tool: ToolFacts;
  surface: SurfaceRefusal | null;
  risk: Risk;
  args: Json;
  tier: Tier;
  policy: SecurityConfig['tool_policy'];
  /** Addresses that the call would write to, and what is known of them. */
  mail?: {
    readonly recipients: readonly string[];
    isOwner(address: string): boolean;
    isKnown(address: string): boolean;
  };
  /** The run has read what somebody else wrote: a web page, a file, other mail. */
  tainted?: boolean;
}): Permission {
  const { tool, surface, risk, args, tier, policy, mail, tainted } = call;
  if (surface) return { verdict: 'deny', code: surface.code, risk, by: surface.by };
  if (!tierAllows(tier, risk)) return { verdict: 'deny', code: 'policy_denied', risk, by: `tier ${tier}` };
  const rules = policy.rules.filter((rule) => rule.tool === tool.name && matches(rule.when, args));
  const layers = [
    ...rules.map(({ decision }) => ({ decision, by: 'rule' })),
    { decision: policy.tools[tool.name], by: 'tool' },
    { decision: policy.risk[risk], by: `risk ${risk}` },
  ];
  const denied = layers.find(({ decision }) => decision === 'deny');
  if (denied) return { verdict: 'deny', code: 'policy_denied', risk, by: denied.by };
  if (mail && mail.recipients.length > 0 && mail.recipients.every(mail.isOwner))
    return { verdict: 'allow', risk, by: 'owner' };
  const chosen = layers.find(({ decision }) => decision !== undefined);
  const by = chosen?.by ?? 'default';
  if (chosen?.decision !== 'allow') return { verdict: 'approve', risk, by };
  // Text from elsewhere may be what asks for this mail; a person looks before it reaches somebody new.
  const isNew = mail?.recipients.some((address) => !mail.isOwner(address) && !mail.isKnown(address)) ?? false;
  return tainted && isNew ? { verdict: 'approve', risk, by: 'taint' } : { verdict: 'allow', risk, by };
}

/** Every named argument matches its pattern; of a list, every entry (one stranger among friends is a stranger). */
function matches(when: Readonly<Record<string, string>>, args: Json): boolean {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return false;
  return Object.entries(when).every(([name, pattern]) => {
    const given = args as { readonly [key: string]: Json };
    // A rule about whom a mail goes to is about all of them: a copy reaches its reader as the mail does.
    const values = [given[name], ...(name === 'to' ? [given.cc ?? []] : [])].flat();
    return values.length > 0 && values.every((entry) => typeof entry === 'string' && glob(pattern, entry));
  });
}

/** `*` stands for any run of characters; case does not matter. Linear: no backtracking over the text. */
function glob(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.toLowerCase().split('*');
  const subject = text.toLowerCase();
  if (rest.length === 0) return subject === first;
  if (!subject.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = subject.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return subject.length - last.length >= at && subject.endsWith(last);
}
