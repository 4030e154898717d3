import type { Risk, Scope } from '#contract';
import type { Persona, SecurityConfig } from '../../config/types.ts';
import type { Tier } from '../../storage/tables.ts';

/** A registered tool as far as policy looks at it. */
export interface ToolFacts {
  readonly name: string;
  readonly risk: Risk;
  readonly scope: Scope;
  /** It puts something before the owners in place of doing it. */
  readonly asks?: boolean;
  /** It is given keys or passwords. */
  readonly secrets?: boolean;
}

/** One step of narrowing: why the tool is not offered, or null when this step lets it through. */
export type Narrow = (tool: ToolFacts) => SurfaceRefusal | null;
export type SurfaceRefusal = { readonly code: 'policy_denied' | 'policy_scope_missing'; readonly by: string };

const RISKS_BY_TIER: Record<Tier, readonly Risk[]> = {
  owner: ['read', 'create', 'write', 'destructive'],
  member: ['read', 'create', 'write', 'destructive'],
  known: ['read', 'create'],
  unauthenticated: ['read'],
  stranger: [],
};

/** The persona's grants, the gateway's ceiling and the sender's tier, in that order. */
export function narrowingFor(persona: Persona, policy: SecurityConfig['tool_policy'], tier: Tier): readonly Narrow[] {
  const { allow, deny } = persona.tools;
  return [
    (tool) => {
      if (deny.includes(tool.scope)) return { code: 'policy_scope_missing', by: 'persona.tools.deny' };
      if (deny.includes(tool.name) || deny.includes('*')) return { code: 'policy_denied', by: 'persona.tools.deny' };
      const granted = allow.includes('*') || allow.includes(tool.name) || allow.includes(tool.scope);
      return granted ? null : { code: 'policy_scope_missing', by: 'persona.tools.allow' };
    },
    (tool) => {
      const denied = policy.tools[tool.name] === 'deny' || policy.risk[tool.risk] === 'deny';
      return denied ? { code: 'policy_denied', by: 'security.tool_policy' } : null;
    },
    (tool) => (RISKS_BY_TIER[tier].includes(tool.risk) ? null : { code: 'policy_denied', by: `tier ${tier}` }),
  ];
}

/**
 * A sender who forbids every change is taken at the word, at dispatch: the prompt's prefix must not depend on a mail.
 * A question to the owner changes nothing.
 */
export const frameRefusal = (
  frame: { readonly certain: boolean } | undefined,
  tool: ToolFacts,
): SurfaceRefusal | null =>
  frame?.certain && tool.risk !== 'read' && tool.name !== 'ask_owner'
    ? { code: 'policy_denied', by: 'frame read_only' }
    : null;

/** Whether a tool that turned out riskier for its arguments is still within what the tier may use. */
export const tierAllows = (tier: Tier, risk: Risk): boolean => RISKS_BY_TIER[tier].includes(risk);

/** The first step that stands in the way. Exposure to the model and dispatch of a call both ask this. */
export function refusalOf(tool: ToolFacts, narrowing: readonly Narrow[]): SurfaceRefusal | null {
  for (const narrow of narrowing) {
    const refusal = narrow(tool);
    if (refusal) return refusal;
  }
  return null;
}
