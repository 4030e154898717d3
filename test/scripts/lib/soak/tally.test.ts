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

const count = (left: readonly Left[], mail: Sent = sent) => {
  const problems: string[] = [];
  return { ...countAnswers([mail], left, (problem) => void problems.push(problem)), broken: problems.length };
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

  it('asks nothing for a mail that was never acknowledged', () => {
    expect(count([], { ...sent, acknowledged: 0 })).toMatchObject({ accepted: 0, lost: 0, broken: 0 });
  });
});
