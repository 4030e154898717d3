import { describe, expect, it } from 'vitest';
import type { Json, Risk } from '#contract';
import { contradicts, standingOn, withCopies, withoutCopies } from '../../../engine/policy/standing-rules.ts';
import type { Rule } from '../../../engine/storage/types/rules.ts';

const BOB = 'bob@shop.example';
const CAROL = 'carol@house.example';

const rule = (more: Partial<Rule>): Rule => ({
  id: 'r1',
  text: 'From now on.',
  effect: 'deny',
  tools: [],
  whom: [],
  scope: 'persona',
  scope_of: null,
  until: null,
  said_by: 'olga@house.example',
  said_tier: 'owner',
  source_message: null,
  source_message_id: null,
  origin: 'mail',
  made_at: 0,
  ended_at: null,
  ended_by: null,
  taught_json: null,
  in_answers: 1,
  ...more,
});

const call = (
  name: string,
  more: { recipients?: string[]; args?: Json; risk?: Risk; leaves?: boolean; scope?: string } = {},
) => ({
  tool: { name, leaves: more.leaves ?? true, scope: (more.scope ?? 'mail:write') as 'mail:write' },
  args: more.args ?? {},
  risk: more.risk ?? ('write' as const),
  recipients: more.recipients ?? null,
  isOwner: (address: string) => address === 'olga@house.example',
});

describe('a rule that denies', () => {
  it.each<[string, Partial<Rule>, ReturnType<typeof call>, boolean]>([
    ['its tool', { tools: ['write_file'] }, call('write_file'), true],
    ['another tool', { tools: ['write_file'] }, call('delete_file'), false],
    ['whom it names', { whom: [BOB] }, call('send_email', { recipients: [BOB] }), true],
    ['one of several', { whom: [BOB] }, call('send_email', { recipients: [CAROL, BOB] }), true],
    ['somebody else', { whom: [BOB] }, call('send_email', { recipients: [CAROL] }), false],
    ['a domain', { whom: ['shop.example'] }, call('send_email', { recipients: [BOB] }), true],
    [
      'what is below a domain',
      { whom: ['shop.example'] },
      call('send_email', { recipients: ['a@eu.shop.example'] }),
      true,
    ],
    [
      'what only ends like it',
      { whom: ['shop.example'] },
      call('send_email', { recipients: ['a@notshop.example'] }),
      false,
    ],
    [
      'a page of the domain',
      { whom: ['shop.example'] },
      call('web_fetch', { args: { url: 'https://www.shop.example/a' } }),
      true,
    ],
    ['its tool for others', { tools: ['send_email'], whom: [BOB] }, call('send_email', { recipients: [CAROL] }), false],
    ['a note that names them', { whom: [BOB] }, call('write_file', { args: { content: BOB }, leaves: false }), false],
    [
      'a task that names them',
      { whom: [BOB] },
      call('schedule_task', { args: { prompt: BOB }, scope: 'schedule:write' }),
      false,
    ],
  ])('%s', (_, more, asked, isDenied) => {
    expect(standingOn(asked, [rule(more)]).deny !== undefined).toBe(isDenied);
  });
});

describe('a rule that lets go', () => {
  const allow = { effect: 'allow', tools: ['send_email'], whom: [BOB] } as const;
  it.each<[string, Partial<Rule>, ReturnType<typeof call>, boolean]>([
    ['whom it names', allow, call('send_email', { recipients: [BOB] }), true],
    ['them and an owner', allow, call('send_email', { recipients: [BOB, 'olga@house.example'] }), true],
    ['them and somebody else', allow, call('send_email', { recipients: [BOB, CAROL] }), false],
    ['another tool', allow, call('invite', { recipients: [BOB] }), false],
    [
      'what destroys something',
      { effect: 'allow', tools: ['delete_file'] },
      call('delete_file', { risk: 'destructive' }),
      false,
    ],
    ['a tool that writes to nobody', { effect: 'allow', tools: ['write_file'] }, call('write_file'), true],
    [
      'mail to people whom it does not name',
      { effect: 'allow', tools: ['write_file'] },
      call('write_file', { recipients: [BOB] }),
      false,
    ],
  ])('%s', (_, more, asked, isAllowed) => {
    expect(standingOn(asked, [rule(more)]).allow !== undefined).toBe(isAllowed);
  });

  it('is nothing where another one denies', () => {
    const standing = standingOn(call('send_email', { recipients: [BOB] }), [
      rule({ ...allow, id: 'a' }),
      rule({ id: 'd', whom: [BOB] }),
    ]);
    expect(standing).toEqual({ deny: { id: 'd', text: 'From now on.' } });
  });
});

describe('copies', () => {
  const all = rule({ effect: 'cc', whom: [CAROL] });
  const ofBob = rule({ effect: 'cc', whom: [CAROL], scope: 'person', scope_of: BOB });
  const isOwner = (address: string) => address === 'olga@house.example';
  const copied = (tool: string, args: Json, rules: readonly Rule[]) => withCopies(tool, args, { rules, isOwner });

  it('are put in once, where the mail goes to their person, and into mail alone', () => {
    expect(copied('send_email', { to: [BOB] }, [all])).toEqual({ to: [BOB], cc: [CAROL] });
    expect(copied('send_email', { to: [BOB] }, [all, ofBob])).toEqual({ to: [BOB], cc: [CAROL] });
    expect(copied('send_email', { to: [BOB], cc: [CAROL] }, [all, ofBob])).toEqual({ to: [BOB], cc: [CAROL] });
    expect(copied('send_email', { to: ['eve@other.example'] }, [ofBob])).toEqual({ to: ['eve@other.example'] });
    expect(copied('send_email', { to: ['eve@other.example'], cc: [BOB] }, [ofBob])).toEqual({
      to: ['eve@other.example'],
      cc: [BOB, CAROL],
    });
    expect(copied('invite', { to: [BOB] }, [all])).toEqual({ to: [BOB] });
    expect(withoutCopies({ to: [BOB], cc: [CAROL, BOB] }, (one) => one === CAROL)).toEqual({ to: [BOB], cc: [BOB] });
  });

  it('are of no mail that goes to owners alone', () => {
    expect(copied('send_email', { to: ['olga@house.example'] }, [all])).toEqual({ to: ['olga@house.example'] });
    expect(copied('send_email', { to: ['olga@house.example'], cc: [BOB] }, [all])).toEqual({
      to: ['olga@house.example'],
      cc: [BOB, CAROL],
    });
  });
});

describe('two rules contradict each other', () => {
  const deny = rule({ whom: ['shop.example'] });
  it.each<[string, Rule, Rule, boolean]>([
    [
      'where one lets go whom the other denies',
      deny,
      rule({ effect: 'allow', tools: ['send_email'], whom: [BOB] }),
      true,
    ],
    ['where one copies whom the other denies', deny, rule({ effect: 'cc', whom: [BOB] }), true],
    ['not where they name others', deny, rule({ effect: 'cc', whom: [CAROL] }), false],
    ['not where the tools are others', rule({ tools: ['write_file'] }), rule({ effect: 'cc', whom: [BOB] }), false],
    ['not where both deny', deny, rule({ whom: [BOB] }), false],
    ['not where one is words', deny, rule({ effect: 'words' }), false],
    [
      'not where they are for the mail of two people',
      rule({ tools: ['send_email'], scope: 'person', scope_of: BOB }),
      rule({ effect: 'allow', tools: ['send_email'], whom: [CAROL], scope: 'person', scope_of: CAROL }),
      false,
    ],
  ])('%s', (_, one, other, isSo) => {
    expect(contradicts(one, other)).toBe(isSo);
    expect(contradicts(other, one)).toBe(isSo);
  });
});

describe('a rule that yeses have taught', () => {
  const KEY = 'a likeness';
  const taught = (more: object = {}, change: Partial<Rule> = {}) =>
    rule({
      effect: 'allow',
      tools: ['send_email'],
      whom: [BOB],
      origin: 'approvals',
      taught_json: JSON.stringify({ likeness: KEY, tier: 'owner', fingerprint: 'f', question: 'a1', ...more }),
      ...change,
    });
  const alike = { likeness: KEY, tier: 'owner', isTool: (one: string) => one === 'f', isPlain: true } as const;
  const lets = (more: object, change: object = {}, of: Rule = taught()) =>
    standingOn({ ...call('send_email', { recipients: [BOB] }), ...change, alike: { ...alike, ...more } }, [of]).allow;

  it('lets the very same go, and nothing else', () => {
    expect(lets({})).toBe('r1');
    expect(lets({ likeness: 'another' })).toBeUndefined();
    expect(lets({ likeness: null })).toBeUndefined();
    expect(lets({ tier: 'member' })).toBeUndefined();
    expect(lets({ isTool: () => false })).toBeUndefined();
    expect(lets({ isPlain: false })).toBeUndefined();
    expect(lets({}, { risk: 'destructive' })).toBeUndefined();
  });

  it('lets nothing go of which nobody has said what it is like', () => {
    expect(standingOn(call('send_email', { recipients: [BOB] }), [taught()])).toEqual({});
  });

  it('lets nothing go once whoever said it is no owner, and where another rule denies', () => {
    expect(lets({}, {}, taught({}, { said_by: 'gone@house.example' }))).toBeUndefined();
    const denial = rule({ id: 'r2', effect: 'deny', whom: [BOB] });
    expect(standingOn({ ...call('send_email', { recipients: [BOB] }), alike }, [taught(), denial])).toEqual({
      deny: { id: 'r2', text: denial.text },
    });
  });
});
