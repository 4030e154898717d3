import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JUDGES, judge } from '../../../engine/policy/judges.ts';
import type { PermissionQuestion } from '../../../engine/policy/permission.ts';
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
    mail: fc.constantFrom('none', 'owners', 'asker', 'known', 'new'),
    tellsBack: fc.constant(true),
    forgetsOwn: fc.constant(true),
    tainted: fc.boolean(),
    canAsk: fc.boolean(),
    secrets: fc.constant(true),
    values: fc.constant([{ kind: 'url', value: 'https://x.example', at: 'url', origin: null }]),
  },
  { requiredKeys: ['surface', 'risk', 'tier', 'layers', 'mail', 'tainted', 'canAsk'] },
) as fc.Arbitrary<PermissionQuestion>;

const restrictions = fc.array(
  fc.record({ by: fc.constant('hook quiet'), verdict: fc.constantFrom('ask', 'deny'), reason: fc.string() }),
  { minLength: 1 },
) as fc.Arbitrary<NonNullable<PermissionQuestion['restrictions']>>;

const WRITE = { decision: 'approve', by: 'risk write' } as const;
const TOOL = { decision: 'approve', by: 'tool' } as const;
const HOOK = { by: 'hook quiet', verdict: 'ask', reason: '' } as const;

const SPENT: NonNullable<PermissionQuestion['quota']> = {
  code: 'policy_quota_exceeded',
  limit: 'max_per_run',
  most: 2,
  retry_at: null,
  retry_after_ms: null,
};

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

  it.each([
    ['the owners', { mail: 'owners' }, 'allow by owner'],
    ['the one who asked', { mail: 'asker' }, 'allow by asker'],
    ['somebody else of the thread', { mail: 'known' }, 'deny by tier known'],
    ['somebody new', { mail: 'new' }, 'deny by tier known'],
    ['nobody', { mail: 'none' }, 'deny by tier known'],
    [
      'the one who asked, where policy forbids it',
      { mail: 'asker', layers: [{ decision: 'deny', by: 'tool' }] },
      'deny by tool',
    ],
    ['the one who asked, too often', { mail: 'asker', quota: SPENT }, 'deny by quota max_per_run'],
  ] satisfies [string, Partial<PermissionQuestion>, string][])(
    'let a correspondent who answers what was sent for somebody have mail written to %s: %s',
    (_whom, more, said) => {
      const call: PermissionQuestion = {
        ...{ surface: null, risk: 'write', tier: 'known', tainted: true, canAsk: true, tellsBack: true, mail: 'none' },
        layers: [{ decision: 'approve', by: 'risk write' }],
        ...more,
      };
      const { verdict, by } = judge(call);
      expect(`${verdict} by ${by}`).toBe(said);
      const { tellsBack: _, ...another } = call;
      expect(judge(another).verdict).toBe('deny');
    },
  );

  it.each([
    ['what is theirs', {}, 'allow by own facts'],
    ['that, once others’ words were read', { tainted: true }, 'approve by risk write'],
    ['that, where an owner wants to be asked', { layers: [TOOL, WRITE] }, 'approve by tool'],
    ['that, where a hook asks', { restrictions: [HOOK] }, 'approve by hook quiet'],
    ['that, too often', { quota: SPENT }, 'deny by quota max_per_run'],
  ] satisfies [string, Partial<PermissionQuestion>, string][])(
    'let somebody have forgotten %s: %s',
    (_what, more, said) => {
      const call: PermissionQuestion = {
        ...{ surface: null, risk: 'write', tier: 'member', tainted: false, canAsk: true, mail: 'none' },
        ...{ layers: [WRITE], forgetsOwn: true, ...more },
      };
      const { verdict, by } = judge(call);
      expect(`${verdict} by ${by}`).toBe(said);
      const { forgetsOwn: _, ...anothers } = call;
      expect(judge(anothers).verdict).not.toBe('allow');
    },
  );

  it('say which hook it was, the one that denies before the one that asks', () => {
    const call: PermissionQuestion = {
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

  it('hear an owner’s own words behind all that denies and a hook that asks, and for no layer but the risk', () => {
    const call: PermissionQuestion = {
      ...{ surface: null, risk: 'write', tier: 'owner', mail: 'new', tainted: false, canAsk: true },
      layers: [{ decision: 'approve', by: 'risk write' }],
      ownWords: { verdict: 'counts', kind: 'mail', words: ['tim@elsewhere.example'] },
    };
    const said = (more: Partial<PermissionQuestion>) => {
      const { verdict, by } = judge({ ...call, ...more });
      return `${verdict} by ${by}`;
    };
    const { ownWords: _, ...asBefore } = call;
    expect(said({})).toBe('allow by own words');
    expect(judge(asBefore)).toMatchObject({ verdict: 'approve', by: 'risk write' });
    expect(said({ ownWords: { verdict: 'asks', why: 'recipient' } })).toBe('approve by risk write');
    expect(said({ layers: [{ decision: 'approve', by: 'rule' }, ...call.layers] })).toBe('approve by rule');
    expect(said({ layers: [{ decision: 'approve', by: 'tool' }, ...call.layers] })).toBe('approve by tool');
    expect(said({ layers: [...call.layers, { decision: 'deny', by: 'risk write' }] })).toBe('deny by risk write');
    expect(said({ surface: { code: 'policy_denied', by: 'persona.tools.deny' } })).toBe('deny by persona.tools.deny');
    expect(said({ tier: 'known' })).toBe('deny by tier known');
    expect(said({ quota: SPENT })).toBe('deny by quota max_per_run');
    const ask = { by: 'hook one', verdict: 'ask', reason: 'look first' } as const;
    expect(said({ restrictions: [ask] })).toBe('approve by hook one');
  });

  it.each([
    ['what the configuration lets go', { layers: [{ decision: 'allow', by: 'rule' }, WRITE] }],
    ['what an owner’s own mail asks for', { ownWords: { verdict: 'counts', kind: 'mail', words: [] } }],
    ['mail to owners', { mail: 'owners' }],
    ['what is theirs to forget', { forgetsOwn: true }],
    ['what would be asked about', {}],
  ] satisfies [string, Partial<PermissionQuestion>][])(
    'hear a denial that an owner has said above %s',
    (_what, more) => {
      const call: PermissionQuestion = {
        ...{ surface: null, risk: 'write', tier: 'owner', mail: 'new', tainted: false, canAsk: true },
        ...{ layers: [WRITE], standing: { deny: { id: 'r1', text: 'Never.' } }, ...more },
      };
      expect(judge(call)).toMatchObject({ verdict: 'deny', by: 'standing rule r1' });
      const { standing: _, ...without } = call;
      expect(judge(without).verdict).not.toBe('deny');
    },
  );

  it.each([
    ['a rule of the configuration', { layers: [{ decision: 'allow', by: 'rule' }, WRITE] }],
    ['the tool’s entry', { layers: [{ decision: 'allow', by: 'tool' }, WRITE] }],
    ['its risk', { layers: [{ decision: 'allow', by: 'risk write' }] }],
    ['a standing rule', { layers: [{ decision: 'allow', by: 'standing rule r1' }, WRITE] }],
    ['the owner’s own mail', { ownWords: { verdict: 'counts', kind: 'stays', words: [] } }],
  ] satisfies [string, Partial<PermissionQuestion>][])(
    'ask about what widens, whatever lets it go: %s',
    (_what, more) => {
      const call: PermissionQuestion = {
        ...{ surface: null, risk: 'write', tier: 'owner', mail: 'none', tainted: false, canAsk: true },
        ...{ layers: [WRITE], widens: true, ...more },
      };
      expect(judge(call)).toMatchObject({ verdict: 'approve', by: 'widening' });
      expect(judge({ ...call, canAsk: false }).verdict).toBe('deny');
    },
  );
});
