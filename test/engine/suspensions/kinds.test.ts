import { describe, expect, it } from 'vitest';
import type { Approval, ApprovalKind } from '../../../engine/storage/types/approvals.ts';
import type { Doubt } from '../../../engine/suspensions/answers/read-answer.ts';
import { ASKED, askedKind, declaredAs, kindOfTool } from '../../../engine/suspensions/kinds.ts';
import type { MemberBasis } from '../../../engine/suspensions/members.ts';
import { membersOf } from '../../../engine/suspensions/members.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const BY = 'owner@example.com';

const asked = (kind: ApprovalKind, args: object, change: Partial<Approval> = {}): Approval => ({
  id: 'a1',
  run_id: 'r1',
  thread_id: 't1',
  call_id: 'c1',
  kind,
  tool: 'some_tool',
  arguments_json: JSON.stringify(args),
  arguments_hash: '',
  fingerprint: '',
  risk: 'write',
  preview: null,
  basis: null,
  attached: [],
  origins: [],
  likeness: null,
  teaches: null,
  offered_at: null,
  state: 'pending',
  number: 1,
  notice_id: 'n1',
  expires_at: NOW + 1000,
  decided_by: null,
  decided_at: null,
  reason: null,
  created_at: 0,
  updated_at: 0,
  ...change,
});
const read = (item: Approval, typed: string, doubt: Doubt | null = null) =>
  askedKind(item).read({ items: [item], said: { typed, language: null, doubt }, by: BY, now: NOW });

const STEPS = { steps: ['a.md', 'b.md'].map((path) => ({ tool: 'delete_file', arguments: { path } })) };
const BASES: readonly MemberBasis[] = [
  ['f', null, 'c1', 'destructive'],
  ['f', null, 'c2', 'destructive'],
];

describe('an owner’s words below a notice', () => {
  it('are a yes or a no to a call, and to a plan as a whole', () => {
    for (const item of [asked('call', { path: 'a.md' }), asked('plan', STEPS)]) {
      const verdict = (state: string) => ({ kind: 'decide', verdicts: [{ id: 'a1', state, by: BY }] });
      expect(read(item, 'yes')?.action).toMatchObject(verdict('approved'));
      expect(read(item, 'no')?.action).toMatchObject(verdict('rejected'));
      expect(read(item, 'Blue.')?.action).toMatchObject({ kind: 'unclear' });
    }
  });

  it('are the answer to a question, whatever they are, and come back to the model as they stand', () => {
    for (const words of ['no', 'Blue.']) {
      const item = asked('answer', { question: 'Which colour?' });
      const verdict = { id: 'a1', state: 'approved', by: BY, reason: words };
      expect(read(item, words)?.action).toMatchObject({ kind: 'decide', verdicts: [verdict] });
      const decided = asked('answer', {}, { state: 'approved', reason: words, decided_by: BY });
      expect(askedKind(decided).result(decided)).toMatchObject({ answer: words, answered_by: BY });
    }
  });

  it('choose among the calls of a plan only where the plan was put together from calls', () => {
    const joined = asked('plan', STEPS, { basis: JSON.stringify(BASES) });
    expect(membersOf(joined).map(({ callId }) => callId)).toEqual(['c1', 'c2']);
    expect(read(joined, 'approve 1')?.action).toMatchObject({ kind: 'split', chosen: { approve: [1], deny: [2] } });
    expect(read(asked('plan', STEPS), 'approve 1')?.action).toMatchObject({ kind: 'unclear', why: 'plan_parts' });
  });

  it('let nothing be done while something beside them may change them, and deny all the same', () => {
    const beside = { why: 'beside', detail: 'No wait' } as const;
    const asks = { kind: 'unclear', why: 'beside', detail: 'No wait' };
    expect(read(asked('call', { to: ['a@b.test'] }), 'yes', beside)?.action).toMatchObject(asks);
    expect(read(asked('call', { subject: 'x' }), 'edit\nsubject: y', beside)?.action).toMatchObject(asks);
    expect(read(asked('plan', STEPS), 'yes', beside)?.action).toMatchObject(asks);
    expect(read(asked('plan', STEPS, { basis: JSON.stringify(BASES) }), 'approve 1', beside)?.action).toMatchObject(
      asks,
    );
    expect(read(asked('answer', { question: 'Which?' }), 'Blue.', beside)?.action).toMatchObject(asks);
    expect(read(asked('call', {}), 'no', beside)?.action).toMatchObject({ verdicts: [{ state: 'rejected' }] });
  });

  it('are mail like any other once all is settled and they are neither', () => {
    expect(read(asked('call', {}, { state: 'executed' }), 'And another thing.')).toBeNull();
    expect(read(asked('answer', {}, { state: 'executed', reason: 'Blue.' }), 'And another thing.')).toBeNull();
  });
});

it('what a tool declares and what is asked about its calls are the same, back and forth', () => {
  const kinds = Object.keys(ASKED).filter((kind): kind is ApprovalKind => kind in ASKED);
  expect(kinds.map((kind) => kindOfTool(declaredAs(kind)))).toEqual(kinds);
});

describe('a question that offers a rule', () => {
  const offering = asked('call', { to: ['bob@shop.example'] }, { offered_at: NOW - 1000, likeness: 'k', teaches: 1 });
  const WORDS = 'yes, and from now on without asking';
  const actionOf = (item: Approval, typed: string, doubt: Doubt | null = null) => read(item, typed, doubt)?.action;

  it('is a yes with a rule where its words are said, and a yes alone where they are not', () => {
    expect(actionOf(offering, WORDS)).toMatchObject({
      kind: 'decide',
      fromNowOn: true,
      verdicts: [{ id: 'a1', state: 'approved' }],
    });
    const plain = actionOf(offering, 'yes');
    expect(plain).toMatchObject({ kind: 'decide', verdicts: [{ state: 'approved' }] });
    expect(plain).not.toHaveProperty('fromNowOn');
  });

  it('is asked back where there is any doubt, and where it offers nothing', () => {
    const unclear = { kind: 'unclear' };
    expect(actionOf(asked('call', { to: ['bob@shop.example'] }), WORDS)).toMatchObject(unclear);
    expect(actionOf(offering, `${WORDS}, and remind me on Friday`)).toMatchObject(unclear);
    expect(actionOf(offering, `${WORDS} unless it rains`)).toMatchObject(unclear);
    expect(actionOf(offering, 'from now on without asking')).toMatchObject(unclear);
    expect(actionOf(offering, WORDS, { why: 'beside', detail: 'Mallory wrote' })).toMatchObject(unclear);
  });

  it('takes a no for a no, whatever stands behind it', () => {
    expect(actionOf(offering, 'no, never from now on without asking')).toMatchObject({
      kind: 'decide',
      verdicts: [{ state: 'rejected' }],
    });
  });

  it('is over once it is decided', () => {
    expect(actionOf({ ...offering, state: 'executed' }, WORDS)).not.toMatchObject({ kind: 'decide' });
  });
});
