import { describe, expect, it } from 'vitest';
import { type LikeQuestion, likenessKey } from '../../../engine/storage/types/approvals.ts';
import type { Rule } from '../../../engine/storage/types/rules.ts';
import { mayOffer, YESES_BEFORE_OFFER } from '../../../engine/suspensions/offered.ts';

const [NOW, OWNER, BOB] = [1_790_000_000_000, 'olga@house.example', 'bob@shop.example'];

describe('the offer of a rule', () => {
  const key = likenessKey({ tool: 'send_email', kind: 'mail', whom: [BOB], target: null });
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
    in_answers: 0,
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
