import { EngineError } from '#contract';
import type { Persona, SecurityConfig } from '../config/types.ts';
import type { RegisteredTool } from '../extensions/types.ts';
import { govern, holdsWith } from '../policy/governor.ts';
import { standingOn } from '../policy/standing-rules.ts';
import { factsOf, type SurfaceRefusal, type ToolFacts } from '../policy/surface.ts';
import { TELLS_BACK } from '../policy/told-back.ts';
import type { Rule } from '../storage/types/rules.ts';
import { surfaceFor } from '../tools/run-surface.ts';
import { personaNamed } from './find-across.ts';
import type { QueryPorts } from './ports.ts';

/** For whom a run works. */
export const RIGHTS_OF = ['owner', 'member', 'known', 'stranger'] as const;
export type RightsOf = (typeof RIGHTS_OF)[number];

/** What becomes of a call: it is made, an owner is asked first, or it is not made; and by what. */
export interface Verdict {
  readonly verdict: 'allow' | 'approve' | 'deny';
  /** As the record of a call names it. */
  readonly by: string;
}

export interface ToolRights extends Pick<ToolFacts, 'name' | 'risk' | 'scope'> {
  /** Why nobody can use it now, whatever they may; null: it can be used. */
  readonly unready: string | null;
  /** Of a call about which no condition of a rule holds. */
  readonly plain: Readonly<Record<RightsOf, Verdict>>;
  /** Of a tool that sends mail: of one that goes to owners alone. */
  readonly toOwners: Readonly<Record<RightsOf, Verdict>> | null;
  /** What becomes of it where the condition of a rule holds, and of no other rule that may hold without it. */
  readonly rules: readonly {
    readonly when: Readonly<Record<string, string>>;
    readonly of: Readonly<Record<RightsOf, Verdict>>;
  }[];
}

type Policy = SecurityConfig['tool_policy'];
type PolicyRule = Policy['rules'][number];

/**
 * What a persona may as it resolves now, tool by tool, by the code that governs its calls. What hangs on a single call is not
 * in it: what its run has read, whose values it passes, an owner's own words, limits of calls. Throws `not_found` also for a
 * persona whose files are wrong.
 */
export async function rightsOf(ports: QueryPorts, id: string): Promise<readonly ToolRights[]> {
  const entry = personaNamed(ports, id);
  if (entry.state !== 'ready') throw new EngineError('not_found', `the files of ${id} are wrong`);
  const { tools, hooks } = await ports.extensions();
  const configs = ports.live.current();
  const rules = ports.stores.exists(id)
    ? await ports.stores.use(id, (store) => store.rulesInForce(ports.clock.now()))
    : [];
  const surfaces = Object.fromEntries(
    RIGHTS_OF.map((tier) => {
      const run = { tier, sender: null };
      return [tier, surfaceFor({ tools, hooks }, { persona: entry.persona, configs, run, toldBack: null })] as const;
    }),
  );
  const { persona } = entry;
  const canAsk = persona.owners.length > 0 || configs.system.admin_contact !== null;
  return tools.all().map((tool) => {
    const asked = {
      persona,
      canAsk,
      rules,
      refusal: (tier: RightsOf) => surfaces[tier]?.refusal(factsOf(tool)) ?? null,
    };
    return toolRights(tool, configs.security.tool_policy, asked);
  });
}

interface Asked {
  readonly persona: Pick<Persona, 'owners'>;
  readonly canAsk: boolean;
  readonly rules: readonly Rule[];
  refusal(tier: RightsOf): SurfaceRefusal | null;
}

/** Of one tool, by what is known of the persona. Pure. */
export function toolRights(tool: RegisteredTool, policy: Policy, asked: Asked): ToolRights {
  const facts = factsOf(tool);
  const of = (under: Policy, recipients: readonly string[] | null) =>
    Object.fromEntries(
      RIGHTS_OF.map((tier) => [tier, verdictFor({ facts, policy: under, recipients, tier }, asked)]),
    ) as Record<RightsOf, Verdict>;
  const [owner] = asked.persona.owners;
  const sends = facts.name === TELLS_BACK && owner !== undefined;
  return {
    name: facts.name,
    risk: facts.risk,
    scope: facts.scope,
    unready: tool.ready(),
    plain: of({ ...policy, rules: unconditional(policy.rules) }, null),
    toOwners: sends ? of({ ...policy, rules: unconditional(policy.rules) }, [owner]) : null,
    rules: policy.rules
      .filter((rule) => rule.tool === facts.name && Object.keys(rule.when).length > 0)
      .map((rule) => ({ when: rule.when, of: of({ ...policy, rules: wherever(rule, policy.rules) }, null) })),
  };
}

/** The rules that hold wherever this one does, in their places: of several that fit, `govern` goes by all of them. */
const wherever = (rule: PolicyRule, rules: Policy['rules']): Policy['rules'] =>
  rules.filter((other) => other === rule || holdsWith(rule, other)).map((one) => ({ ...one, when: {} }));

const unconditional = (rules: Policy['rules']): Policy['rules'] =>
  rules.filter(({ when }) => Object.keys(when).length === 0);

function verdictFor(
  call: {
    readonly facts: ToolFacts;
    readonly policy: Policy;
    readonly recipients: readonly string[] | null;
    readonly tier: RightsOf;
  },
  { persona, canAsk, rules, refusal }: Asked,
): Verdict {
  const { facts: tool, policy, recipients, tier } = call;
  const isOwner = (address: string) => persona.owners.some((one) => one.toLowerCase() === address.toLowerCase());
  // What is said of one person or one thread holds there alone.
  const everywhere = rules.filter(({ scope }) => scope === 'persona');
  const standing = standingOn({ tool, args: {}, risk: tool.risk, recipients, isOwner }, everywhere);
  const nobody = () => false;
  const { verdict, by } = govern({
    tool,
    surface: refusal(tier),
    risk: tool.risk,
    args: {},
    tier,
    policy,
    canAsk,
    standing,
    ...(recipients === null ? {} : { mail: { recipients, isOwner, isAsker: nobody, isKnown: nobody } }),
  });
  return { verdict, by };
}
