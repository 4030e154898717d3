import { describe, expect, it } from 'vitest';
import { type AnsweredMail, isToldOfAnswer } from '../../../engine/mail/told-of-answer.ts';

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
