import { describe, expect, it } from 'vitest';
import { personaSchema } from '../../../engine/config/persona-schema.ts';
import { securitySchema } from '../../../engine/config/schemas.ts';
import { admit } from '../../../engine/intake/rules/admit.ts';
import type { FromHeader, Identity } from '../../../engine/mail/mime/types.ts';

interface Given {
  readonly from?: string;
  readonly authenticated?: boolean;
  readonly mode?: 'enforce' | 'monitor';
  readonly owners?: string[];
  readonly allow?: string[];
  readonly deny?: string[];
  readonly gatewayAllow?: string[];
  readonly gatewayDeny?: string[];
  readonly byDefault?: 'allow' | 'deny';
}

const MIA = 'mia@example.com';

function admission(given: Given, header?: FromHeader) {
  const address = given.from ?? MIA;
  const { authenticated = true } = given;
  const identity: Identity = {
    address,
    authenticated,
    method: 'dmarc',
    detail: '',
    covers: null,
    signatures: [],
    temporary: false,
  };
  const file = personaSchema.parse({
    name: 'Ada',
    address: 'ada@agents.localhost',
    access: { allow: given.allow ?? [], deny: given.deny ?? [] },
  });
  return admit({
    from: header ?? { kind: 'one', mailbox: { address, name: '' } },
    identity: header ? { ...identity, address: null, authenticated: false } : identity,
    persona: { ...file, id: 'ada', owners: given.owners ?? [] },
    security: securitySchema.parse({
      gateway_auth: { mode: given.mode ?? 'enforce' },
      gateway_access: {
        default_decision: given.byDefault ?? 'deny',
        allow: given.gatewayAllow ?? [],
        deny: given.gatewayDeny ?? [],
      },
    }),
  });
}

const as = (tier: string) => ({ verdict: 'admit', tier });
const refused = (code: string) => ({ verdict: 'refuse', code });
const unlisted = (byDefault: 'allow' | 'deny') => ({ verdict: 'unlisted', byDefault });
const EVERYBODY = { owners: [MIA], allow: [MIA], gatewayAllow: [MIA], byDefault: 'allow' } as const satisfies Given;

describe('who may write, in the order of the rules', () => {
  it.each<[string, Given, object]>([
    [
      'the gateway denies',
      { ...EVERYBODY, owners: [MIA], allow: [MIA], gatewayDeny: ['*@example.com'] },
      refused('sender_denied'),
    ],
    ['the persona denies', { ...EVERYBODY, deny: [MIA] }, refused('sender_denied')],
    ['an owner', { ...EVERYBODY }, as('owner')],
    ['the persona allows', { allow: ['*@example.com'], gatewayAllow: [MIA], byDefault: 'allow' }, as('member')],
    ['the gateway allows', { gatewayAllow: ['*@example.com'], byDefault: 'allow' }, as('member')],
    ['the default allows', { byDefault: 'allow' }, unlisted('allow')],
    ['nobody says anything', {}, unlisted('deny')],
    ['others are allowed', { allow: ['*@other.example'], gatewayAllow: ['x@example.com'] }, unlisted('deny')],
  ])('%s', (_rule, given, expected) => {
    expect(admission(given)).toEqual(expected);
  });
});

describe('a sender who is not proven', () => {
  it.each<[string, Given, object]>([
    ['is refused as an owner', { owners: [MIA] }, refused('auth_failed')],
    ['is refused as a member', { allow: [MIA] }, refused('auth_failed')],
    ['is refused where everybody is allowed', { byDefault: 'allow' }, refused('auth_failed')],
    ['is denied by name first', { owners: [MIA], gatewayDeny: [MIA] }, refused('sender_denied')],
    ['is let in by monitor, with no authority at all', { owners: [MIA], mode: 'monitor' }, as('unauthenticated')],
    ['is let in by monitor whoever he is', { mode: 'monitor' }, as('unauthenticated')],
    ['is denied by name under monitor', { mode: 'monitor', deny: [MIA] }, refused('sender_denied')],
  ])('%s', (_rule, given, expected) => {
    expect(admission({ ...given, authenticated: false })).toEqual(expected);
  });

  it.each<[string, FromHeader, string]>([
    ['missing', { kind: 'missing' }, 'from_missing'],
    ['ambiguous', { kind: 'ambiguous' }, 'from_ambiguous'],
  ])('is nobody when From is %s, under monitor too', (_what, header, code) => {
    expect(admission({ ...EVERYBODY }, header)).toEqual(refused(code));
    expect(admission({ ...EVERYBODY, mode: 'monitor' }, header)).toEqual(refused(code));
  });
});

describe('an address and a pattern', () => {
  it.each<[string, string, boolean]>([
    ['mia@example.com', 'MIA@Example.COM', true],
    ['MIA@EXAMPLE.COM', 'mia@example.com', true],
    ['mia@sub.example.com', '*@example.com', false],
    ['mia@example.com.evil.test', '*@example.com', false],
    ['mia@notexample.com', '*@example.com', false],
    ['mia+tag@example.com', 'mia@example.com', false],
    ['mia+tag@example.com', 'mia+*@example.com', true],
    ['mia@xn--bcher-kva.example', '*@bücher.example', true],
    ['mia@xn--bcher-kva.example', '*@BÜCHER.example', true],
    ['mia@bucher.example', '*@bücher.example', false],
    ['"x@example.com"@evil.test', '*@example.com', false],
    ['evil@example.com', 'mia@*', false],
  ])('%s by %s: %s', (from, pattern, fits) => {
    const { verdict } = admission({ from, allow: [pattern] });
    expect(verdict === 'admit').toBe(fits);
    expect(admission({ from, gatewayDeny: [pattern], byDefault: 'allow' }).verdict === 'refuse').toBe(fits);
  });

  it('that is wider than one address does not make owners', () => {
    expect(() => securitySchema.parse({ owners: ['*'] })).toThrow();
    expect(admission({ from: 'evil@example.com', owners: ['mia@example.com'] })).toEqual(unlisted('deny'));
  });
});
