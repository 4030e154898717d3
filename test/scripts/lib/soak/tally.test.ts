import { describe, expect, it } from 'vitest';
import { addressOf, oneLetter } from '../../../../scripts/lib/soak/letters.ts';
import type { Sent } from '../../../../scripts/lib/soak/sender.ts';
import { countAnswers, type Left } from '../../../../scripts/lib/soak/tally.ts';

const letter = oneLetter('Hello');
const sent: Sent = { letter, acknowledged: 1, tries: 1, refusal: null };
const answer = (change: Partial<Left> = {}): Left => ({
  from: addressOf('ada'),
  messageId: '<a@agents.localhost>',
  inReplyTo: letter.messageId,
  bytes: 'an answer',
  ...change,
});

const count = (left: readonly Left[], mail: Sent = sent, other: string | null = null) => {
  const problems: string[] = [];
  const counts = countAnswers(
    [mail],
    left,
    (problem) => void problems.push(problem),
    () => other,
  );
  return { ...counts, broken: problems.length };
};

describe('counting what became of a mail that was acknowledged', () => {
  it('is content with its one answer', () => {
    expect(count([answer()])).toMatchObject({ accepted: 1, answered: 1, lost: 0, doubled: 0, copies: 0, broken: 0 });
  });

  it('calls it lost without an answer, and when only another persona answered', () => {
    expect(count([])).toMatchObject({ answered: 0, lost: 1, broken: 1 });
    expect(count([answer({ from: addressOf('ben') })])).toMatchObject({ answered: 0, lost: 1, broken: 1 });
  });

  it('calls two Message-IDs two answers', () => {
    const two = [answer(), answer({ messageId: '<b@agents.localhost>', bytes: 'another' })];
    expect(count(two)).toMatchObject({ doubled: 1, copies: 0, broken: 1 });
  });

  it('counts copies under one Message-ID, and wants the same bytes in each', () => {
    expect(count([answer(), answer()])).toMatchObject({ doubled: 0, copies: 1, broken: 0 });
    expect(count([answer(), answer({ bytes: 'changed' })])).toMatchObject({ copies: 1, broken: 1 });
  });

  it('is content with the one answer to the mail that it is answered with, and with no second beside it', () => {
    const together = answer({ inReplyTo: '<first@member.example>' });
    expect(count([together], sent, '<first@member.example>')).toMatchObject({ answered: 1, lost: 0, broken: 0 });
    expect(count([], sent, '<first@member.example>')).toMatchObject({ lost: 1, broken: 1 });
    const own = answer({ messageId: '<b@agents.localhost>' });
    expect(count([together, own], sent, '<first@member.example>')).toMatchObject({ doubled: 1, broken: 1 });
  });

  it('asks nothing for a mail that was never acknowledged', () => {
    expect(count([], { ...sent, acknowledged: 0 })).toMatchObject({ accepted: 0, lost: 0, broken: 0 });
  });
});
