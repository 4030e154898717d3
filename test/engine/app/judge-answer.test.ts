import { describe, expect, it } from 'vitest';
import { judgeAnswer } from '../../../engine/app/refused/answer-job.ts';
import type { Persona } from '../../../engine/config/types.ts';
import type { SenderQuestion, SenderVerdict } from '../../../engine/storage/types/gateway.ts';

const BOSS = 'boss@owner.test';
const question: SenderQuestion = {
  notice_id: 'n',
  number: 1,
  persona_id: 'ada',
  sender: 'bob@out.test',
  code: 'sender_not_allowed',
  mails: 1,
  subject: 'Offer',
  asked_at: 0,
  until: 20,
  verdict: null,
  decided_by: null,
  decided_at: null,
  answer_id: null,
};
const entryOf = (access: { allow?: readonly string[]; deny?: readonly string[] }) => ({
  state: 'ready' as const,
  id: 'ada',
  // Nothing else of a persona is looked at.
  persona: { id: 'ada', owners: [BOSS], access: { allow: [], deny: [], lists: [], ...access } } as unknown as Persona,
});

const judge = (
  verdict: SenderVerdict,
  change: Partial<SenderQuestion> = {},
  { by = BOSS, at = 10, access = {} }: { by?: string; at?: number; access?: object } = {},
) => {
  const given = { answerId: 'a', by, answeredAt: at, entry: entryOf(access), access: { allow: [], deny: [] } };
  const judged = judgeAnswer({ ...question, ...change }, verdict, given);
  return judged.do === 'nothing' ? judged.why : judged;
};
const decidedBy = (answerId: string) =>
  ({ verdict: 'allow', decided_by: BOSS, decided_at: 9, answer_id: answerId }) as const;

describe('what an owner’s answer does about a sender', () => {
  it('is what it says, where nothing stands against it', () => {
    expect(judge('allow')).toEqual({ do: 'allow', writes: true });
    expect(judge('once')).toEqual({ do: 'once' });
    expect(judge('block')).toEqual({ do: 'block', writes: true });
    // Done halfway: gone on with, also after its time.
    expect(judge('allow', decidedBy('a'), { at: 30, access: { allow: ['bob@out.test'] } })).toEqual({
      do: 'allow',
      writes: false,
    });
  });

  it('may follow once, which wrote no rule: letting in or blocking, in time', () => {
    const once = { ...decidedBy('b'), verdict: 'once' } as const;
    expect(judge('allow', once)).toEqual({ do: 'allow', writes: true });
    expect(judge('block', once)).toEqual({ do: 'block', writes: true });
    expect([judge('once', once), judge('allow', once, { at: 20 })]).toEqual(['settled', 'expired']);
    expect(judge('once', decidedBy('b'))).toBe('settled');
  });

  it.each([
    ['notYours', judge('allow', {}, { by: 'anna@owner.test' })],
    // An owner of another persona only, to whom this mail was handed on.
    ['notYours', judge('block', {}, { by: 'bob@out.test' })],
    ['settled', judge('block', decidedBy('b'))],
    ['expired', judge('allow', {}, { at: 20 })],
    ['isPattern', judge('allow', { sender: '*@out.test' })],
    ['isPattern', judge('block', { sender: 'b*b@out.test' })],
    ['isOwner', judge('block', { sender: BOSS, code: 'auth_failed' })],
    ['needsProof', judge('allow', { code: 'auth_failed' })],
    ['needsProof', judge('once', { code: 'auth_failed' })],
    ['denied', judge('allow', {}, { access: { deny: ['*@out.test'] } })],
    ['denied', judge('once', {}, { access: { deny: ['*@out.test'] } })],
  ])('is nothing: %s', (why, judged) => expect(judged).toBe(why));

  it('is nothing where the persona is gone', () => {
    const given = { answerId: 'a', by: BOSS, answeredAt: 10, entry: undefined, access: { allow: [], deny: [] } };
    expect(judgeAnswer(question, 'allow', given)).toEqual({ do: 'nothing', why: 'notYours' });
  });
});
