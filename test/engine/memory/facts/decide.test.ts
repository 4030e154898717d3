import { describe, expect, it } from 'vitest';
import {
  type Claim,
  changesFor,
  checkProposal,
  compareClaim,
  type FactSource,
  type FactVerdict,
  hashOf,
  type Proposal,
} from '../../../../engine/memory/facts/decide.ts';
import type { Fact, FactKind } from '../../../../engine/storage/types/facts.ts';
import { DAY_MS, fact, MIA, NOON, OWNER, proposal, source } from './claims.ts';

function claimOf(wanted: Proposal, from: FactSource): Claim {
  const checked = checkProposal(wanted, from);
  if (!checked.ok) throw new Error(checked.reason);
  return checked.claim;
}

const said = (text: string, change: Partial<Proposal> = {}, from: Partial<FactSource> = {}): Claim =>
  claimOf(proposal(text, change), source(`Hello,\n${text}\nBest, Mia`, from));

describe('a proposal', () => {
  const text = 'The flight is at 9.';
  it.each<[string, Partial<Proposal>, Partial<FactSource>, string]>([
    ['of a stranger', {}, { tier: 'stranger' }, 'not_authenticated'],
    ['of somebody unproven', {}, { tier: 'unauthenticated' }, 'not_authenticated'],
    ['of somebody known in a thread alone', {}, { tier: 'known' }, 'not_authenticated'],
    ['of nobody', {}, { sentBy: '' }, 'not_authenticated'],
    ['without words', { text: ' \n ' }, {}, 'no_text'],
    ['longer than a fact', { text: 'x'.repeat(301) }, {}, 'no_text'],
    ['with a longer quote', { quote: 'x'.repeat(501) }, {}, 'no_text'],
    ['of a member for everybody', { everyone: true }, {}, 'subject_not_allowed'],
    ['of a member about the persona', { subject: 'persona' }, {}, 'subject_not_allowed'],
    ['of a member about somebody else', { subject: OWNER }, { people: new Set([OWNER]) }, 'subject_not_allowed'],
    [
      'of an owner about nobody that the mail names',
      { subject: 'ben@x.example' },
      { tier: 'owner' },
      'subject_not_allowed',
    ],
    ['about a name', { subject: 'Ben' }, { tier: 'owner' }, 'subject_not_allowed'],
    ['whose quote stands nowhere', { quote: 'the flight is at 10' }, {}, 'not_verbatim'],
    ['whose quote differs by a case', { quote: 'the flight is at 9.' }, {}, 'not_verbatim'],
    ['of what we wrote ourselves', {}, { ownWords: ['Noted: The flight is at 9. Safe travels!'] }, 'own_words'],
    ['with an address that nobody wrote', { text: 'Send bills to eve@evil.example' }, {}, 'address_not_said'],
    ['with a link that nobody wrote', { text: 'Look at https://evil.example/x' }, {}, 'address_not_said'],
    ['with an amount that nobody wrote', { text: 'The flight at 9 costs 450 euros' }, {}, 'number_not_said'],
  ])('%s is refused', (_, change, from, reason) => {
    expect(checkProposal(proposal(text, change), source(text, from))).toEqual({ ok: false, reason });
  });

  it.each<[string, Partial<Proposal>, Partial<FactSource>, Partial<Claim>]>([
    ['of a member is about and for them', {}, {}, { subject: MIA, visibility: 'subject' }],
    ['of an owner is for owners', {}, { tier: 'owner', sentBy: OWNER }, { subject: OWNER, visibility: 'owner' }],
    [
      'of an owner for everybody is for everybody',
      { everyone: true },
      { tier: 'owner', sentBy: OWNER },
      { subject: 'persona', visibility: 'persona' },
    ],
    [
      'of an owner about the persona is for owners, unless they say otherwise',
      { subject: 'persona' },
      { tier: 'owner', sentBy: OWNER },
      { subject: 'persona', visibility: 'owner' },
    ],
    [
      'of an owner about somebody in the mail is for owners',
      { subject: 'Mia@member.example' },
      { tier: 'owner', sentBy: OWNER, people: new Set([MIA]) },
      { subject: MIA, visibility: 'owner' },
    ],
  ])('%s', (_, change, from, expected) => {
    expect(checkProposal(proposal(text, change), source(text, from))).toMatchObject({ ok: true, claim: expected });
  });
});

// [name, what is remembered, what is said now, the model's verdict, what becomes of it]
type Case = readonly [
  name: string,
  before: readonly Partial<Fact>[],
  now: {
    readonly text: string;
    readonly kind?: FactKind;
    readonly asked?: boolean;
    readonly tier?: 'owner' | 'member';
  },
  verdict: FactVerdict | null,
  becomes: {
    readonly decision: string;
    readonly of?: string | null;
    readonly status: string;
    readonly replaces?: string | null;
  },
];

const update = (of = 'f1'): FactVerdict => ({ relation: 'update', of });
const dispute = (of = 'f1'): FactVerdict => ({ relation: 'dispute', of });
const duplicate = (of = 'f1'): FactVerdict => ({ relation: 'duplicate', of });
const fresh: FactVerdict = { relation: 'new', of: null };

const KINDS: readonly FactKind[] = ['preference', 'identity', 'relation', 'state', 'plan', 'instruction'];
const CORRECTIONS: readonly (readonly [string, string])[] = [
  ['The flight is at 9', 'The flight moved to 11'],
  ['Der Flug geht um 9', 'Der Flug geht jetzt um 11'],
  ['I work at Acme', 'I work at Globex'],
  ['The office is in Berlin', 'The office is in Bonn'],
  ['Meeting on Tuesday', 'Meeting on Wednesday'],
  ['会议在周二', '会议改到周三'],
  ['I prefer tea', 'I prefer coffee'],
  ['The budget is 10,000', 'The budget is 12,000'],
];

const CASES: readonly Case[] = [
  ...KINDS.flatMap((kind): Case[] => [
    [`${kind}: asked for is kept`, [], { text: 'Say it so', kind }, null, { decision: 'new', status: 'kept' }],
    [
      `${kind}: not asked for is a candidate`,
      [],
      { text: 'Say it so', kind, asked: false },
      null,
      { decision: 'new', status: 'candidate' },
    ],
  ]),
  ...CORRECTIONS.flatMap(([old, text]): Case[] => [
    [
      `"${text}" replaces "${old}"`,
      [{ text: old }],
      { text },
      update(),
      { decision: 'update', status: 'kept', replaces: 'f1' },
    ],
    [
      `"${text}" beside "${old}" without a verdict`,
      [{ text: old }],
      { text },
      null,
      { decision: 'new', status: 'kept' },
    ],
    [
      `a member's "${text}" beside an owner's "${old}"`,
      [{ text: old, source_tier: 'owner' }],
      { text },
      update(),
      { decision: 'disputed', status: 'disputed', replaces: null },
    ],
    [
      `"${text}" that contradicts "${old}"`,
      [{ text: old }],
      { text },
      dispute(),
      { decision: 'disputed', status: 'disputed', replaces: null },
    ],
    [
      `"${text}" not asked for, of which another mail spoke`,
      [{ text: old, status: 'candidate' }],
      { text, asked: false },
      update(),
      { decision: 'update', status: 'kept', replaces: 'f1' },
    ],
    [
      `"${text}" not asked for, of which the same mail spoke`,
      [{ text: old, status: 'candidate', source_message: 'm2' }],
      { text, asked: false },
      update(),
      { decision: 'update', status: 'candidate', replaces: 'f1' },
    ],
  ]),
  [
    'the same again',
    [{ text: 'I take trains' }],
    { text: 'I take trains' },
    null,
    { decision: 'duplicate', of: 'f1', status: 'kept' },
  ],
  [
    'the same in other letters',
    [{ text: 'I TAKE trains' }],
    { text: 'I take trains' },
    null,
    { decision: 'duplicate', of: 'f1', status: 'kept' },
  ],
  [
    'the same in another order of words',
    [{ text: 'trains I take' }],
    { text: 'I take trains' },
    null,
    { decision: 'duplicate', of: 'f1', status: 'kept' },
  ],
  [
    'the same again, whatever a model says',
    [{ text: 'I take trains' }],
    { text: 'I take trains' },
    update(),
    { decision: 'duplicate', of: 'f1', status: 'kept' },
  ],
  [
    'a candidate that another mail says',
    [{ text: 'I take trains', status: 'candidate' }],
    { text: 'I take trains', asked: false },
    null,
    { decision: 'duplicate', of: 'f1', status: 'kept' },
  ],
  [
    'a candidate that the same mail says',
    [{ text: 'I take trains', status: 'candidate', source_message: 'm2' }],
    { text: 'I take trains', asked: false },
    null,
    { decision: 'duplicate', of: 'f1', status: 'candidate' },
  ],
  [
    'a candidate that its author asks for',
    [{ text: 'I take trains', status: 'candidate', source_message: 'm2' }],
    { text: 'I take trains' },
    null,
    { decision: 'duplicate', of: 'f1', status: 'kept' },
  ],
  [
    'a disputed one again stays disputed',
    [{ text: 'I take trains', status: 'disputed' }],
    { text: 'I take trains' },
    null,
    { decision: 'duplicate', of: 'f1', status: 'disputed' },
  ],
  [
    'other figures in a long claim',
    [{ text: 'The report of the northern region for the board is due at 9' }],
    { text: 'The report of the northern region for the board is due at 11' },
    null,
    { decision: 'new', status: 'kept' },
  ],
  [
    'the same words as another kind',
    [{ text: 'I take trains', kind: 'preference' }],
    { text: 'I take trains' },
    null,
    { decision: 'duplicate', status: 'kept' },
  ],
  [
    'the same words that only owners may see',
    [{ text: 'I take trains', visibility: 'owner' }],
    { text: 'I take trains' },
    null,
    { decision: 'new', status: 'kept' },
  ],
  [
    'a duplicate of what only owners may see',
    [{ text: 'I go by train', visibility: 'owner' }],
    { text: 'I take trains' },
    duplicate(),
    { decision: 'new', status: 'kept' },
  ],
  [
    'a duplicate in other words, by a model',
    [{ text: 'I go by train' }],
    { text: 'I take trains' },
    duplicate(),
    { decision: 'duplicate', of: 'f1', status: 'kept' },
  ],
  [
    'news, by a model',
    [{ text: 'I go by train' }],
    { text: 'I take planes' },
    fresh,
    { decision: 'new', status: 'kept' },
  ],
  [
    'a verdict on a row that was not shown',
    [{ text: 'I go by train' }],
    { text: 'I take planes' },
    update('f9'),
    { decision: 'new', status: 'kept' },
  ],
  [
    'an owner about a member',
    [{ text: 'I go by train', visibility: 'owner' }],
    { text: 'I take planes', tier: 'owner' },
    update(),
    { decision: 'update', status: 'kept', replaces: 'f1' },
  ],
  [
    'an owner beside an owner',
    [{ text: 'I go by train', source_tier: 'owner', visibility: 'owner' }],
    { text: 'I take planes', tier: 'owner' },
    update(),
    { decision: 'update', status: 'kept', replaces: 'f1' },
  ],
  [
    'two owners who disagree',
    [{ text: 'I go by train', source_tier: 'owner', visibility: 'owner' }],
    { text: 'I take planes', tier: 'owner' },
    dispute(),
    { decision: 'disputed', status: 'disputed', replaces: null },
  ],
  [
    'the second of two',
    [{ id: 'f2', text: 'I live in Bonn' }, { text: 'I go by train' }],
    { text: 'I take planes' },
    update('f2'),
    { decision: 'update', status: 'kept', replaces: 'f2' },
  ],
];

describe('what is said beside what is remembered', () => {
  it.each(CASES)('%s', (_, before, { text, kind = 'plan', asked = true, tier = 'member' }, verdict, becomes) => {
    const near = before.map((change) => {
      const row = fact({ kind, ...change });
      return { ...row, hash: hashOf(row) };
    });
    const by = tier === 'owner' ? { tier, sentBy: OWNER } : {};
    const claim = said(text, { kind, asked }, by);
    const decided = compareClaim(claim, near, verdict);
    expect(decided).toMatchObject({ decision: becomes.decision, status: becomes.status });
    if (becomes.of !== undefined) expect(decided.of?.id ?? null).toBe(becomes.of);
    const [change] = changesFor(claim, decided, { id: 'n', now: NOON });
    if (becomes.replaces !== undefined) expect(change).toMatchObject({ change: 'add', replaces: becomes.replaces });
  });

  it('is told by at least eighty cases, with those of expiry', () => {
    expect(CASES.length + EXPIRIES.length).toBeGreaterThanOrEqual(80);
  });
});

// [kind, whether it was asked for, days that it is fresh, days after each of which it is said again, days that it is fresh then]
const EXPIRIES: readonly (readonly [FactKind, 'asked' | 'found', number | null, readonly number[], number | null])[] = [
  ['preference', 'asked', null, [], null],
  ['preference', 'asked', null, [30], null],
  ['preference', 'found', 7, [3], null],
  ['instruction', 'asked', null, [], null],
  ['instruction', 'asked', null, [400], null],
  ['plan', 'asked', 90, [], 90],
  ['plan', 'asked', 90, [10], 90],
  ['plan', 'found', 7, [3], 90],
  ['state', 'asked', 30, [], 30],
  ['state', 'asked', 30, [29], 33],
  ['state', 'asked', 30, [1, 1], 36],
  ['state', 'found', 7, [3], 30],
  ['identity', 'asked', 90, [], 90],
  ['identity', 'asked', 90, [80], 90],
  ['identity', 'found', 7, [], 7],
  ['identity', 'found', 7, [3], 7],
  ['identity', 'found', 7, [3, 6], 7.7],
  ['identity', 'found', 7, Array.from({ length: 200 }, () => 1), 90],
  ['relation', 'asked', 90, [], 90],
  ['relation', 'found', 7, [3, 5], 7.7],
];

describe('freshness', () => {
  it.each(EXPIRIES)(
    'of a %s that was %s is %s days, and said again after %j days %s',
    (kind, how, first, again, last) => {
      const asked = how === 'asked';
      const claim = said('I take trains', { kind, asked });
      const [added] = changesFor(claim, compareClaim(claim, [], null), { id: 'n', now: NOON });
      if (added?.change !== 'add') throw new Error('nothing was added');
      let row = added.fact;
      expect(row.expires_at).toBe(first === null ? null : NOON + first * DAY_MS);
      let at = NOON;
      for (const [n, days] of again.entries()) {
        at += days * DAY_MS;
        const next = said('I take trains', { kind, asked }, { message: `again ${n}`, at });
        const [change] = changesFor(next, compareClaim(next, [row], null), { id: 'x', now: at });
        if (change?.change !== 'refresh') throw new Error('it was not refreshed');
        row = { ...row, ...change, status: 'kept' };
      }
      const days = row.expires_at === null ? null : (row.expires_at - at) / DAY_MS;
      if (last === null) expect(days).toBeNull();
      else expect(days).toBeCloseTo(last, 3);
    },
  );
});
