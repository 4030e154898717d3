import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import { securitySchema } from '../../../engine/config/schemas.ts';
import type { SecurityConfig } from '../../../engine/config/types.ts';
import type { RegisteredTool } from '../../../engine/extensions/types.ts';
import { govern } from '../../../engine/policy/governor.ts';
import { RIGHTS_OF, type RightsOf, toolRights } from '../../../engine/queries/rights.ts';

type Policy = SecurityConfig['tool_policy'];
type Rule = Policy['rules'][number];

const FACTS = { name: 'save', risk: 'write', scope: 'files:write' } as const;
const TOOL = {
  name: FACTS.name,
  source: { id: 'bundled', isForeign: false, isBundled: true },
  manifest: { secrets: {}, capabilities: [] },
  definition: FACTS,
  ready: () => null,
} as unknown as RegisteredTool;
const policyOf = (rules: readonly object[]): Policy => securitySchema.parse({ tool_policy: { rules } }).tool_policy;
const rightsBy = (policy: Policy) =>
  toolRights(TOOL, policy, { persona: { owners: [] }, canAsk: true, rules: [], refusal: () => null });

/** What becomes of one call, by all rules. */
function verdictOf(policy: Policy, args: Json, tier: RightsOf) {
  const { verdict, by } = govern({ tool: FACTS, surface: null, risk: FACTS.risk, args, tier, policy, canAsk: true });
  return { verdict, by };
}

describe('what the page of a persona says of a rule with a condition', () => {
  it('is that another rule denies the call, or decides before it', () => {
    const of = (rules: readonly object[]) => rightsBy(policyOf(rules)).rules.map(({ of: all }) => all.owner.verdict);
    const mine = { tool: 'save', when: { path: 'mine/*' } };
    expect(of([{ ...mine, decision: 'allow' }])).toEqual(['allow']);
    expect(
      of([
        { ...mine, decision: 'allow' },
        { tool: 'save', decision: 'deny' },
      ]),
    ).toEqual(['deny']);
    expect(
      of([
        { tool: 'save', decision: 'allow' },
        { ...mine, decision: 'approve' },
      ]),
    ).toEqual(['allow']);
    expect(
      of([
        { ...mine, decision: 'approve' },
        { tool: 'save', decision: 'allow' },
      ]),
    ).toEqual(['approve']);
    const both = ['allow', 'approve'].map((decision) => ({ ...mine, decision }));
    expect(of(both)).toEqual(['allow', 'allow']);
    expect(
      of([
        { tool: 'other', decision: 'deny' },
        { ...mine, decision: 'allow' },
      ]),
    ).toEqual(['allow']);
  });

  const pattern = fc.constantFrom('a', 'a*', '*', 'b', 'files/a', './files/a');
  const rule = fc.record({
    tool: fc.constantFrom('save', 'save', 'other'),
    when: fc.oneof(fc.constant({}), fc.record({ path: pattern, title: pattern }, { requiredKeys: [] })),
    decision: fc.constantFrom('allow', 'approve', 'deny'),
  });
  const value = fc.constantFrom('a', 'ab', 'b', 'files/a');

  it('is what becomes of a call for which it holds, and no other that might not', () => {
    const seen = { compared: 0 };
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 5 }), value, value, (rules, path, title) => {
        const policy = policyOf(rules);
        const args = { path, title };
        const isAsked = ({ tool, when }: Rule) => tool === 'save' && Object.keys(when).length > 0;
        const shown = rightsBy(policy).rules;
        for (const [at, asked] of policy.rules.filter(isAsked).entries()) {
          // Alone it is known to hold by what it decides, which the risk would not.
          const alone = verdictOf({ ...policy, rules: [asked] }, args, 'owner');
          if (alone.by !== 'rule') continue;
          const sameOrNone = ({ when }: Rule) =>
            Object.entries(when).every(([name, given]) => asked.when[name] === given && !given.includes('files'));
          const others = policy.rules.filter(
            (other) =>
              other !== asked &&
              other.tool === 'save' &&
              !sameOrNone(other) &&
              verdictOf({ ...policy, rules: [other] }, args, 'owner').by === 'rule',
          );
          if (others.length > 0) continue;
          seen.compared += 1;
          for (const tier of RIGHTS_OF) expect(shown[at]?.of[tier]).toEqual(verdictOf(policy, args, tier));
        }
      }),
      { numRuns: 2000 },
    );
    expect(seen.compared).toBeGreaterThan(150);
  });
});
