import { describe, expect, it } from 'vitest';
import { type AnsweredMail, hadCopy, isOnlyCopied, isToldOfAnswer } from '../../../engine/mail/told-of-answer.ts';

const BOB = 'bob@member.example';
const CAROL = 'carol@elsewhere.example';

interface Given {
  readonly asker?: Partial<AnsweredMail['asker']>;
  readonly answer?: Partial<AnsweredMail['answer']>;
  readonly deny?: string[];
  readonly allow?: string[];
}

function isTold({ asker, answer, deny = [], allow = ['*@member.example'] }: Given): boolean {
  const answered: AnsweredMail = {
    asker: { sender: BOB, tier: 'member', ...asker },
    sent: { to: [CAROL], cc: [] },
    answer: { from_address: CAROL, tier: 'known', to: ['ada@example.com'], cc: [], ...answer },
  };
  const access = { allow, deny: [], known: { tools: [] }, lists: [] };
  const gateway = { default_decision: 'deny' as const, allow: [], deny };
  return isToldOfAnswer(answered, { owners: ['olga@example.com'], access }, gateway);
}

describe('who asked for a mail', () => {
  it.each([
    ['a member', {}],
    ['an owner', { asker: { sender: 'Olga@example.com', tier: 'owner' } }],
    [
      'somebody, by whoever got it, whatever the case of the address',
      { answer: { from_address: 'Carol@Elsewhere.example' } },
    ],
  ] satisfies [string, Given][])('is told of the answer: %s', (_, given) => {
    expect(isTold(given)).toBe(true);
  });

  it.each([
    ['was only known on a thread', { asker: { tier: 'known' } }],
    ['was not proven', { asker: { tier: 'unauthenticated' } }],
    ['is named by no rule any more', { allow: [] }],
    ['is denied now', { deny: [BOB] }],
    ['got the answer', { answer: { cc: [`Bob@member.example`] } }],
    ['wrote it', { answer: { from_address: BOB, tier: 'member' } }],
    ['would be told what nobody proved', { answer: { tier: 'unauthenticated' } }],
    ['would be told what somebody wrote to whom the mail did not go', { answer: { from_address: 'olga@example.com' } }],
  ] satisfies [string, Given][])('is not told who %s', (_, given) => {
    expect(isTold(given)).toBe(false);
  });
});

describe('somebody in Cc', () => {
  const DAVE = 'dave@member.example';
  const rule = { effect: 'cc', scope: 'persona', scope_of: null, whom: [DAVE] };
  const answered = (from: string, sent: AnsweredMail['sent']) => ({
    sent,
    answer: { from_address: from, tier: 'member', to: ['ada@example.com'], cc: [] },
  });

  it('had a copy where the mail was not to them as well', () => {
    expect(hadCopy(answered('Dave@Member.example', { to: [CAROL], cc: [DAVE] }))).toBe(true);
    expect(hadCopy(answered(CAROL, { to: [CAROL], cc: [DAVE] }))).toBe(false);
    expect(hadCopy(answered(DAVE, { to: [CAROL, DAVE], cc: [DAVE] }))).toBe(false);
  });

  it('is only copied where a rule puts them there', () => {
    const mail = answered(DAVE, { to: [CAROL], cc: [DAVE] });
    expect(isOnlyCopied(mail, [rule])).toBe(true);
    expect(isOnlyCopied(mail, [])).toBe(false);
    expect(isOnlyCopied(mail, [{ ...rule, whom: [BOB] }])).toBe(false);
    expect(isOnlyCopied(mail, [{ ...rule, effect: 'deny' }])).toBe(false);
    expect(isOnlyCopied(mail, [{ ...rule, scope: 'person', scope_of: CAROL }])).toBe(true);
    expect(isOnlyCopied(mail, [{ ...rule, scope: 'person', scope_of: BOB }])).toBe(false);
    expect(isOnlyCopied(answered(CAROL, { to: [CAROL], cc: [DAVE] }), [rule])).toBe(false);
  });
});
