import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, Risk } from '#contract';
import { personaSchema } from '../../../engine/config/persona-schema.ts';
import { securitySchema } from '../../../engine/config/schemas.ts';
import type { Persona, SecurityConfig } from '../../../engine/config/types.ts';
import { effectiveRisk, govern } from '../../../engine/policy/governor.ts';
import { narrowingFor, refusalOf, type ToolFacts } from '../../../engine/policy/surface.ts';
import type { Tier } from '../../../engine/storage/types/mail.ts';
import { computedMs } from '../../computed.ts';

const policyOf = (tool_policy: object = {}): SecurityConfig['tool_policy'] =>
  securitySchema.parse({ tool_policy }).tool_policy;
const personaWith = (tools: object, access: object = {}): Persona => ({
  ...personaSchema.parse({ name: 'Ada', address: 'ada@agents.localhost', tools, access }),
  id: 'ada',
  owners: [],
});
const mailTool: ToolFacts = { name: 'send_email', risk: 'write', scope: 'mail:create' };
const RISKS: readonly Risk[] = ['read', 'create', 'write', 'destructive'];
const TIERS: readonly Tier[] = ['owner', 'member', 'known', 'unauthenticated', 'stranger'];

function verdict(options: { policy?: object; args?: Json; risk?: Risk; tier?: Tier }): string {
  const { policy, args = {}, risk = 'write', tier = 'member' } = options;
  const permission = govern({ tool: mailTool, surface: null, risk, args, tier, policy: policyOf(policy) });
  return `${permission.verdict === 'deny' ? permission.code : permission.verdict} by ${permission.by}`;
}

it('keeps the shell denied in a workspace that sets other tools by name', () => {
  expect(policyOf({ tools: { web_fetch: 'deny' } }).tools).toEqual({ shell: 'deny', web_fetch: 'deny' });
  expect(policyOf({ tools: { shell: 'approve' } }).tools).toEqual({ shell: 'approve' });
  expect(policyOf().tools).toEqual({ shell: 'deny' });
});

const toFriends = { tool: 'send_email', when: { to: '*@friend.example' }, decision: 'allow' };

describe('a call that an owner has said needs no question', () => {
  const said = (policy: object, risk: Risk = 'write') => {
    const standing = { allow: 'r1' };
    const of = { tool: mailTool, surface: null, risk, args: {}, tier: 'owner' as const, policy: policyOf(policy) };
    const { verdict: what, by } = govern({ ...of, standing });
    return `${what} by ${by}`;
  };
  it('goes, and what the configuration says by name stands above that', () => {
    expect(said({})).toBe('allow by standing rule r1');
    expect(said({ tools: { send_email: 'approve' } })).toBe('approve by tool');
    expect(said({ tools: { send_email: 'deny' } })).toBe('deny by tool');
    expect(said({ rules: [{ tool: 'send_email', decision: 'approve' }] })).toBe('approve by rule');
    expect(said({ risk: { write: 'deny' } })).toBe('deny by risk write');
    expect(said({}, 'create')).toBe('allow by risk create');
  });
});

describe('permission for a call', () => {
  it.each<[Risk, string]>([
    ['read', 'allow by risk read'],
    ['create', 'allow by risk create'],
    ['write', 'approve by risk write'],
    ['destructive', 'approve by risk destructive'],
  ])('goes by the risk %s where nothing else is said', (risk, expected) => {
    expect(verdict({ risk })).toBe(expected);
  });

  it.each<[string, object, Json, string]>([
    ['the tool beats the risk', { tools: { send_email: 'allow' } }, {}, 'allow by tool'],
    [
      'a rule beats the tool',
      { tools: { send_email: 'approve' }, rules: [toFriends] },
      { to: ['a@friend.example'] },
      'allow by rule',
    ],
    [
      'a rule for another tool says nothing',
      { rules: [{ ...toFriends, tool: 'shell' }] },
      { to: ['a@friend.example'] },
      'approve by risk write',
    ],
    [
      'deny in the rule beats an allowed tool',
      { tools: { send_email: 'allow' }, rules: [{ ...toFriends, decision: 'deny' }] },
      { to: 'a@friend.example' },
      'policy_denied by rule',
    ],
    [
      'deny of the tool beats an allowing rule',
      { tools: { send_email: 'deny' }, rules: [toFriends] },
      { to: ['a@friend.example'] },
      'policy_denied by tool',
    ],
    [
      'deny of the risk beats them all',
      { risk: { write: 'deny' }, tools: { send_email: 'allow' } },
      {},
      'policy_denied by risk write',
    ],
    [
      'the first of two rules decides',
      { rules: [toFriends, { tool: 'send_email', decision: 'approve' }] },
      { to: ['a@friend.example'] },
      'allow by rule',
    ],
  ])('%s', (_what, policy, args, expected) => {
    expect(verdict({ policy, args })).toBe(expected);
  });

  it.each<[string, Json]>([
    ['one stranger among friends', { to: ['a@friend.example', 'eve@evil.example'] }],
    ['nobody', { to: [] }],
    ['no such argument', { cc: ['a@friend.example'] }],
    ['a number', { to: 5 }],
    ['an object', { to: { toString: 'a@friend.example' } }],
    ['a nested list', { to: [['a@friend.example']] }],
    ['arguments that are a list', ['a@friend.example']],
    ['no arguments', null],
    ['a name that only ends in the pattern', { to: 'a@friend.example.evil.example' }],
    ['an inherited name', { __proto__: 'x' }],
  ])('is not given by a rule to %s', (_what, args) => {
    expect(verdict({ policy: { rules: [toFriends] }, args })).toBe('approve by risk write');
  });

  it.each([
    ['A@FRIEND.example', '*@friend.example', true],
    ['friend', 'friend', true],
    ['friends', 'friend', false],
    ['a-b-c', 'a*b*c', true],
    ['a-c-b', 'a*b*c', false],
    ['ab', 'ab*b', false],
    ['abb', 'ab*b', true],
    ['', '*', true],
    ['a.c', 'a?c', false],
  ])('matches %o against %o: %o', (value, pattern, expected) => {
    const policy = { rules: [{ tool: 'send_email', when: { to: pattern }, decision: 'allow' }] };
    expect(verdict({ policy, args: { to: value } }).startsWith('allow')).toBe(expected);
  });

  it('takes no longer for a pattern and a text that would send a backtracking search round in circles', () => {
    const policy = { rules: [{ tool: 'send_email', when: { to: `${'*a'.repeat(50)}b` }, decision: 'allow' }] };
    const before = computedMs();
    verdict({ policy, args: { to: 'a'.repeat(100_000) } });
    expect(computedMs() - before).toBeLessThan(5000);
  });

  it.each<[string, object, boolean, boolean, string]>([
    ['has read nothing of others', {}, false, true, 'allow by risk read'],
    ['is tainted', {}, true, true, 'approve by taint'],
    ['is tainted, and the tool has no secret', {}, true, false, 'allow by risk read'],
    ['is tainted, and an owner has let that tool go', { tools: { vault: 'allow' } }, true, true, 'allow by tool'],
  ])('to use what holds a secret, in a run that %s', (_what, policy, tainted, secrets, expected) => {
    const tool: ToolFacts = { name: 'vault', risk: 'read', scope: 'web:read', secrets };
    const asked = {
      tool,
      surface: null,
      risk: 'read',
      args: {},
      tier: 'member',
      policy: policyOf(policy),
      tainted,
    } as const;
    const { verdict: given, by } = govern(asked);
    expect(`${given} by ${by}`).toBe(expected);
  });

  const values = [
    { kind: 'url', value: 'https://x.example/a', at: 'url', origin: null },
    { kind: 'address', value: 'eve@evil.example', at: 'cc', origin: 'a page' },
  ] as const;
  const over = (when: object, decision = 'allow') => ({ rules: [{ tool: 'post', when, decision }] });

  it.each<[string, object, readonly (typeof values)[number][], Json, Tier, string]>([
    ['none', {}, [], {}, 'member', 'allow by risk create'],
    ['one', {}, values.slice(0, 1), {}, 'member', 'approve by values'],
    ['one, of an allowed tool', { tools: { post: 'allow' } }, values.slice(0, 1), {}, 'owner', 'approve by values'],
    [
      'one in an argument that a rule names',
      over({ url: '*x.example*' }),
      values.slice(0, 1),
      { url: 'https://x.example/a' },
      'member',
      'allow by rule',
    ],
    [
      'one at a host that a rule names',
      over({ host: 'X.example' }),
      values.slice(0, 1),
      { url: 'https://x.example./a' },
      'member',
      'allow by rule',
    ],
    [
      'one at a host that only begins so',
      over({ host: 'x.example' }),
      values.slice(0, 1),
      { url: 'https://x.example.evil.example/' },
      'member',
      'approve by values',
    ],
    [
      'one at a host behind another’s name',
      over({ host: 'x.example' }),
      values.slice(0, 1),
      { url: 'https://x.example@evil.example/' },
      'member',
      'approve by values',
    ],
    [
      'one where a rule names another argument',
      over({ to: '*' }),
      values.slice(0, 1),
      { to: 'a@x.example' },
      'member',
      'approve by values',
    ],
    [
      'one in a copy, where a rule names the recipients',
      over({ to: '*.example' }),
      values.slice(1),
      { to: 'a@x.example', cc: ['eve@evil.example'] },
      'member',
      'allow by rule',
    ],
    [
      'one where a rule names nothing',
      over({}),
      values.slice(0, 1),
      { url: 'https://x.example/a' },
      'member',
      'approve by values',
    ],
  ])('L10: with values that nobody trusted has named: %s', (_what, policy, given, args, tier, expected) => {
    const tool: ToolFacts = { name: 'post', risk: 'create', scope: 'web:create' };
    const asked = { tool, surface: null, risk: 'create', args, tier, policy: policyOf(policy), values: given } as const;
    const permission = govern(asked);
    const { verdict: said, by } = permission;
    expect(`${permission.verdict === 'deny' ? permission.code : said} by ${by}`).toBe(expected);
  });

  it('M10: with such a value, asked by nobody knows whom, is refused and put before nobody', () => {
    const tool: ToolFacts = { name: 'post', risk: 'read', scope: 'files:read' };
    const asked = {
      tool,
      surface: null,
      risk: 'read',
      args: {},
      policy: policyOf(),
      values: values.slice(0, 1),
    } as const;
    expect(govern({ ...asked, tier: 'unauthenticated' })).toMatchObject({ verdict: 'deny', by: 'values' });
    expect(govern({ ...asked, tier: 'known' })).toMatchObject({ verdict: 'approve', by: 'values' });
  });

  it('that the arguments made riskier than the tier may is refused', () => {
    expect(verdict({ tier: 'known', risk: 'write', policy: { risk: { write: 'allow' } } })).toBe(
      'policy_denied by tier known',
    );
    expect(verdict({ tier: 'member', risk: 'write', policy: { risk: { write: 'allow' } } })).toBe(
      'allow by risk write',
    );
  });
});

describe('the risk of a call', () => {
  it('is raised by its effects and never lowered', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...RISKS),
        fc.option(fc.constantFrom(...RISKS), { nil: undefined }),
        (declared, raised) => {
          const risk = effectiveRisk(declared, raised === undefined ? undefined : { risk: raised });
          expect(RISKS.indexOf(risk)).toBe(Math.max(RISKS.indexOf(declared), RISKS.indexOf(raised ?? 'read')));
        },
      ),
    );
  });
});

describe('the surface', () => {
  const shown = (tool: ToolFacts, tools: object, tier: Tier = 'member', policy: object = {}) => {
    const refusal = refusalOf(
      tool,
      narrowingFor(personaWith(tools), policyOf(policy), { tier: tier, tellsBack: false }),
    );
    return refusal?.code ?? 'shown';
  };

  it.each<[string, object, string]>([
    ['all', { allow: ['*'] }, 'shown'],
    ['its name', { allow: ['send_email'] }, 'shown'],
    ['its scope', { allow: ['mail:create'] }, 'shown'],
    ['another scope', { allow: ['mail:read'] }, 'policy_scope_missing'],
    ['nothing', { allow: [] }, 'policy_scope_missing'],
    ['all but its name', { allow: ['*'], deny: ['send_email'] }, 'policy_denied'],
    ['all but its scope', { allow: ['send_email'], deny: ['mail:create'] }, 'policy_scope_missing'],
    ['all and nothing', { allow: ['*'], deny: ['*'] }, 'policy_denied'],
  ])('of a persona that is granted %s', (_what, tools, expected) => {
    expect(shown(mailTool, tools)).toBe(expected);
  });

  it.each<[Tier, string]>([
    ['owner', 'read create write destructive'],
    ['member', 'read create write destructive'],
    ['known', 'read create'],
    ['unauthenticated', 'read'],
    ['stranger', ''],
  ])('for %s has the risks: %s', (tier, expected) => {
    // One that a persona may let everybody use: of files, and given to those who are only known.
    const tool: ToolFacts = { name: 'list_files', scope: 'files:read', risk: 'read' };
    const persona = personaWith({ allow: ['*'] }, { known: { tools: ['*'] } });
    const narrowing = narrowingFor(persona, policyOf(), { tier: tier, tellsBack: false });
    const risks = RISKS.filter((risk) => refusalOf({ ...tool, risk }, narrowing) === null);
    expect(risks.join(' ')).toBe(expected);
  });

  const reading: readonly ToolFacts[] = [
    { name: 'read_file', scope: 'files:read', risk: 'read' },
    { name: 'search_mail', scope: 'mail:read', risk: 'read' },
    { name: 'web_fetch', scope: 'web:read', risk: 'read', leaves: true },
    { name: 'write_file', scope: 'files:create', risk: 'create' },
    { name: 'read_attachment', scope: 'mail:read', risk: 'read' },
    { name: 'query_table', scope: 'mail:read', risk: 'read' },
    { name: 'resolve_ref', scope: 'mail:read', risk: 'read' },
    { name: 'ask_owner', scope: 'mail:create', risk: 'create', asks: true },
    { name: 'send_email', scope: 'mail:create', risk: 'write', leaves: true },
  ];
  const OF_THE_THREAD = ['read_attachment', 'query_table', 'resolve_ref', 'ask_owner'];

  it.each<[string, object, string[]]>([
    ['nothing', {}, []],
    ['a tool', { known: { tools: ['read_file'] } }, ['read_file']],
    ['a scope', { known: { tools: ['mail:read'] } }, ['search_mail']],
    ['all', { known: { tools: ['*'] } }, ['read_file', 'search_mail', 'web_fetch', 'write_file']],
    ['more than it may', { known: { tools: ['send_email', 'mail:create'] } }, []],
  ])(
    'M11: for somebody known, where access.known names %s, is that and the thread itself',
    (_what, access, expected) => {
      const narrowing = narrowingFor(personaWith({ allow: ['*'] }, access), policyOf(), {
        tier: 'known',
        tellsBack: false,
      });
      const offered = reading.filter((tool) => refusalOf(tool, narrowing) === null).map(({ name }) => name);
      expect(offered.toSorted()).toEqual([...OF_THE_THREAD, ...expected].toSorted());
      const granted = narrowingFor(personaWith({ allow: ['files:read'] }, access), policyOf(), {
        tier: 'known',
        tellsBack: false,
      });
      expect(reading.filter((tool) => refusalOf(tool, granted) === null).length).toBeLessThanOrEqual(1);
    },
  );

  it('M10: for somebody unproven has no mail, no web and nothing that carries an address outside', () => {
    const narrowing = narrowingFor(personaWith({ allow: ['*'] }), policyOf(), {
      tier: 'unauthenticated',
      tellsBack: false,
    });
    const more: ToolFacts = { name: 'lookup', scope: 'files:read', risk: 'read', leaves: true };
    const offered = [...reading, more].filter((tool) => refusalOf(tool, narrowing) === null);
    expect(offered.map(({ name }) => name)).toEqual(['read_file']);
  });

  it('has no tool that the gateway denies by name or risk', () => {
    expect(shown(mailTool, {}, 'owner', { tools: { send_email: 'deny' } })).toBe('policy_denied');
    expect(shown(mailTool, {}, 'owner', { risk: { write: 'deny' } })).toBe('policy_denied');
  });

  it('never grows when a grant is taken away or a tier is lower', () => {
    const grant = fc.constantFrom('*', 'send_email', 'mail:create', 'mail:read', 'shell');
    const grants = fc.record({ allow: fc.array(grant), deny: fc.array(grant) });
    fc.assert(
      fc.property(grants, grant, fc.constantFrom(...RISKS), fc.nat({ max: 3 }), (tools, more, risk, tier) => {
        const tool = { ...mailTool, risk };
        if (shown(tool, tools, TIERS[tier]) === 'shown') return;
        expect(shown(tool, { ...tools, deny: [...tools.deny, more] }, TIERS[tier])).not.toBe('shown');
        expect(shown(tool, tools, TIERS[tier + 1])).not.toBe('shown');
      }),
    );
  });
});
