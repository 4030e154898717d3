import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JUDGES, judge } from '../../../engine/policy/judges.ts';
import type { Asked } from '../../../engine/policy/permission.ts';
import { readPage, tableUnder } from '../../docs/markdown.ts';

const STRICT = ['allow', 'approve', 'deny'];
const risk = fc.constantFrom('read', 'create', 'write', 'destructive');
const decision = fc.constantFrom('allow', 'approve', 'deny');

const asked = fc.record(
  {
    surface: fc.option(fc.constant({ code: 'policy_denied', by: 'persona.tools.deny' } as const)),
    risk,
    tier: fc.constantFrom('owner', 'member', 'known', 'unauthenticated', 'stranger'),
    layers: fc.array(fc.record({ decision, by: fc.constant('rule') }), { maxLength: 3 }),
    mail: fc.constantFrom('none', 'owners', 'known', 'new'),
    tainted: fc.boolean(),
    canAsk: fc.boolean(),
    secrets: fc.constant(true),
    values: fc.constant([{ kind: 'url', value: 'https://x.example', at: 'url', origin: null }]),
  },
  { requiredKeys: ['surface', 'risk', 'tier', 'layers', 'mail', 'tainted', 'canAsk'] },
) as fc.Arbitrary<Asked>;

const restrictions = fc.array(
  fc.record({ by: fc.constant('hook quiet'), verdict: fc.constantFrom('ask', 'deny'), reason: fc.string() }),
  { minLength: 1 },
) as fc.Arbitrary<NonNullable<Asked['restrictions']>>;

describe('the judges of a call', () => {
  it('are those of docs/decisions.md, in the same order', () => {
    const written = tableUnder(readPage('docs/decisions.md'), 'Who judges a call').map(([name]) => name);
    expect(JUDGES.map(({ name }) => name)).toEqual(written);
  });

  it('are never made to allow more by a hook', () => {
    fc.assert(
      fc.property(asked, restrictions, (call, from) => {
        const alone = judge(call);
        const restricted = judge({ ...call, restrictions: from });
        expect(STRICT.indexOf(restricted.verdict)).toBeGreaterThanOrEqual(STRICT.indexOf(alone.verdict));
        expect(restricted.verdict).not.toBe('allow');
      }),
    );
  });

  it('say which hook it was, the one that denies before the one that asks', () => {
    const call: Asked = {
      ...{ surface: null, risk: 'read', tier: 'owner', mail: 'owners', tainted: false, canAsk: true },
      layers: [{ decision: 'allow', by: 'risk read' }],
    };
    const ask = { by: 'hook one', verdict: 'ask', reason: 'look first' } as const;
    const deny = { by: 'hook two', verdict: 'deny', reason: 'not now' } as const;
    expect(judge(call)).toMatchObject({ verdict: 'allow', by: 'owner' });
    expect(judge({ ...call, restrictions: [ask] })).toMatchObject({ verdict: 'approve', by: 'hook one' });
    expect(judge({ ...call, restrictions: [ask, deny] })).toMatchObject({ verdict: 'deny', by: 'hook two' });
    expect(judge({ ...call, canAsk: false, restrictions: [ask] })).toMatchObject({
      ...{ verdict: 'deny', code: 'policy_requires_approval', by: 'hook one' },
    });
  });
});
