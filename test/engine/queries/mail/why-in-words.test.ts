import { describe, expect, it } from 'vitest';
import type { Fate, TrafficRow } from '../../../../engine/queries/mail/traffic.ts';
import { whyInWords } from '../../../../engine/queries/mail/why-in-words.ts';

const mail = (fate: Fate, code: string | null = null) => ({ fate, code, who: 'bob@x.test' }) as TrafficRow;
const said = (fate: Fate, code: string | null = null) => whyInWords({ mail: mail(fate, code), run: null }, 'Ada');

describe('why, as one person would tell another', () => {
  it('names the reason of a refusal, and that nothing came of it', () => {
    expect(said('refused', 'sender_not_allowed')).toBe(
      'It is proven to come from bob@x.test, but no rule lets that address write to Ada, so it was refused. No work was begun and nobody was answered.',
    );
    expect(said('refused', 'auth_failed')).toContain('nothing proves that');
    expect(said('refused', 'hop_limit')).toBe('It was refused: went between personas too often.');
    expect(said('refused')).toBe('It was refused.');
  });

  it('has a sentence for each end, without a name of a code in it', () => {
    const fates: readonly Fate[] = [
      'answered',
      'read',
      'at_work',
      'asks',
      'waits',
      'not_answered',
      'unreadable',
      'again',
      'sent',
      'not_sent',
      'uncertain',
    ];
    for (const fate of fates) {
      const sentence = said(fate, 'some_code');
      expect(sentence).toMatch(/\.$/);
      expect(sentence).not.toContain('_');
    }
    expect(new Set(fates.map((fate) => said(fate))).size).toBe(fates.length);
    expect(said('waits', 'budget')).toBe('It waits: the budget is used up.');
  });

  it('says that somebody ended the work', () => {
    const run = { status: 'cancelled' } as NonNullable<Parameters<typeof whyInWords>[0]['run']>;
    expect(whyInWords({ mail: mail('not_answered'), run }, 'Ada')).toContain('ended early');
  });
});
