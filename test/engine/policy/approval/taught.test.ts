import { describe, expect, it } from 'vitest';
import type { Json } from '#contract';
import {
  isForRiskAlone,
  isPlain,
  likenessOf,
  mayOffer,
  YESES_BEFORE_OFFER,
} from '../../../../engine/policy/approval/taught.ts';
import type { PermissionQuestion } from '../../../../engine/policy/permission.ts';
import type { LikeQuestion } from '../../../../engine/storage/types/approvals.ts';
import { likenessKey } from '../../../../engine/storage/types/approvals.ts';
import type { Rule } from '../../../../engine/storage/types/rules.ts';

const [NOW, OWNER, BOB, CAROL] = [1_790_000_000_000, 'olga@house.example', 'bob@shop.example', 'carol@house.example'];
const MAIL = { name: 'send_email', scope: 'mail:create' } as const;
const FILE = { name: 'edit_file', scope: 'files:write' } as const;

const like = (more: Partial<Parameters<typeof likenessOf>[0]> = {}) =>
  likenessOf({ tool: MAIL, kind: 'mail', recipients: [BOB], targets: [BOB], ...more });

describe('by what a call is like others', () => {
  it('is the tool, everybody whom it goes to, and what began its run', () => {
    expect(like()).toEqual({ tool: 'send_email', kind: 'mail', whom: [BOB], target: null });
    expect(like({ recipients: [CAROL, BOB.toUpperCase(), BOB] })?.whom).toEqual([BOB, CAROL]);
    const keys = [
      like(),
      like({ recipients: [BOB, CAROL] }),
      like({ kind: 'task:monday' }),
      like({ tool: { ...MAIL, name: 'invite' } }),
    ];
    expect(new Set(keys.map((one) => one && likenessKey(one))).size).toBe(4);
  });

  it('is what it changes, where that is one thing with a name', () => {
    const changes = (targets: string[], tool: Parameters<typeof likenessOf>[0]['tool'] = FILE) =>
      like({ tool, recipients: null, targets });
    expect(changes(['plan.txt'])).toMatchObject({ whom: [], target: 'plan.txt' });
    expect(changes(['plan.txt', 'other.txt'])).toBeNull();
    expect(changes([])).toBeNull();
    expect(changes(['ls'], { name: 'shell', scope: 'shell:write' })).toBeNull();
  });

  it('is nothing of a child run, of a question in words, of a task, and where an address is none', () => {
    expect(like({ kind: null })).toBeNull();
    expect(like({ tool: { ...MAIL, asks: true } })).toBeNull();
    expect(like({ tool: { name: 'schedule_task', scope: 'schedule:create' } })).toBeNull();
    expect(like({ recipients: [BOB, 'nobody'] })).toBeNull();
  });
});

describe('a call in which nothing is asked about each time', () => {
  const plain = (args: Json, more: object = {}) => isPlain({ risk: 'write', args, hasFiles: false, ...more });
  it.each<[string, boolean, boolean]>([
    ['words alone', plain({ to: [BOB], body: 'We meet at three on 4 May.' }), true],
    ['a file beside it', plain({ to: [BOB], body: 'Here.' }, { hasFiles: true }), false],
    ['a sum in its text', plain({ body: 'That makes 400 EUR.' }), false],
    ['a sum by the name of its argument', plain({ amount: 12 }), false],
    ['an account', plain({ body: 'To DE89 3704 0044 0532 0130 00, please.' }), false],
    ['the number of a card', plain({ body: 'It is 4111 1111 1111 1111.' }), false],
    ['what destroys something', plain({ path: 'a.txt' }, { risk: 'destructive' }), false],
    ['more than is looked at', plain({ body: Array.from({ length: 6000 }, () => 'x') }), false],
  ])('%s', (_, is, expected) => {
    expect(is).toBe(expected);
  });
});

describe('what a rule could let go', () => {
  const question = (more: Partial<PermissionQuestion> = {}): PermissionQuestion => ({
    surface: null,
    risk: 'write',
    tier: 'owner',
    layers: [{ decision: 'approve', by: 'risk write' }],
    mail: 'new',
    tainted: false,
    canAsk: true,
    ...more,
  });
  it.each<[string, Partial<PermissionQuestion>, boolean]>([
    ['its risk alone', {}, true],
    ['a tool that is named by the configuration', { layers: [{ decision: 'approve', by: 'tool' }] }, false],
    ['somebody new, after others’ words', { tainted: true }, false],
    ['a key in hand, after others’ words', { tainted: true, mail: 'known', secrets: true }, false],
    ['a value of others', { values: [{ kind: 'url', value: 'https://x.example', at: 'body', origin: null }] }, false],
    ['a hook', { restrictions: [{ by: 'hook quiet', verdict: 'ask', reason: '' }] }, false],
    ['what lets more go from now on', { widens: true }, false],
    ['a denial', { standing: { deny: { id: 'r1', text: 'Never.' } } }, false],
  ])('%s', (_, more, expected) => {
    expect(isForRiskAlone(question(more))).toBe(expected);
  });

  it('is nothing where the record does not tell what was asked', () => {
    expect(isForRiskAlone(undefined)).toBe(false);
  });
});

describe('the offer of a rule', () => {
  const key = likenessKey(like() as NonNullable<ReturnType<typeof like>>);
  const asked = {
    state: 'pending',
    kind: 'call',
    likeness: key,
    teaches: 1,
    fingerprint: 'f',
    tier: 'owner',
  } as const;
  const yes = (more: Partial<LikeQuestion> = {}): LikeQuestion => ({
    id: 'a',
    state: 'executed',
    teaches: 1,
    fingerprint: 'f',
    decided_by: OWNER,
    created_at: NOW - 1000,
    tier: 'owner',
    isUndone: false,
    ...more,
  });
  const rule = (more: Partial<Rule> = {}): Rule => ({
    id: 'r1',
    text: 'From now on.',
    effect: 'allow',
    tools: ['send_email'],
    whom: [BOB],
    scope: 'persona',
    scope_of: null,
    until: null,
    said_by: OWNER,
    said_tier: 'owner',
    source_message: null,
    source_message_id: null,
    origin: 'approvals',
    made_at: 0,
    ended_at: null,
    ended_by: null,
    taught_json: JSON.stringify({ likeness: key, tier: 'owner', fingerprint: 'f', question: 'a' }),
    ...more,
  });
  const ten = (...newest: readonly LikeQuestion[]): readonly LikeQuestion[] =>
    [...newest, ...Array.from({ length: YESES_BEFORE_OFFER }, () => yes())].slice(0, YESES_BEFORE_OFFER);
  const offered = (before: readonly LikeQuestion[], rules: readonly Rule[] = [], more: object = {}) =>
    mayOffer({ ...asked, ...more }, { before, rules, isOwner: (one) => one === OWNER, now: NOW });

  it('is made behind ten yeses in a row, and not behind nine', () => {
    expect(offered(ten())).toBe(true);
    expect(offered(ten().slice(1))).toBe(false);
  });

  it.each<[string, Partial<LikeQuestion>]>([
    ['a no', { state: 'rejected' }],
    ['one that nobody answered in time', { state: 'expired' }],
    ['one that was changed or taken back', { state: 'stale' }],
    ['one that was undone', { isUndone: true }],
    ['one with money, a file, a value of others, or of a build before', { teaches: null }],
    ['one in which something was asked about each time', { teaches: 0 }],
    ['one that a member asked for', { tier: 'member' }],
    ['one of the tool as it was', { fingerprint: 'g' }],
    ['one that the command decided', { decided_by: 'cli' }],
    ['one that nobody is known to have decided', { decided_by: null }],
  ])('is none where among the newest ten is %s', (_, more) => {
    expect(offered(ten(yes(more)))).toBe(false);
    expect(offered([...ten().slice(1), yes(more)])).toBe(false);
  });

  it('is none for a call of another kind, and for one that nobody has looked at', () => {
    expect(offered(ten(), [], { teaches: 0 })).toBe(false);
    expect(offered(ten(), [], { likeness: null })).toBe(false);
    expect(offered(ten(), [], { kind: 'plan' })).toBe(false);
    expect(offered(ten(), [], { state: 'approved' })).toBe(false);
  });

  it('is none by yeses from before such a rule was taken back, and is one again once its time is over', () => {
    expect(offered(ten(), [rule({ ended_at: NOW - 500 })])).toBe(false);
    expect(offered(ten(), [rule({ ended_at: NOW - 5000 })])).toBe(true);
    expect(offered(ten(), [rule({ until: NOW - 500 })])).toBe(true);
    expect(offered(ten(), [rule({ ended_at: NOW - 500, taught_json: null })])).toBe(true);
  });

  it('is none where thirty rules of owners hold', () => {
    const rules = Array.from({ length: 30 }, () => rule({ taught_json: null }));
    expect(offered(ten(), rules)).toBe(false);
    expect(offered(ten(), rules.slice(1))).toBe(true);
    expect(offered(ten(), [...rules.slice(1), rule({ said_tier: 'member', taught_json: null })])).toBe(true);
  });
});
