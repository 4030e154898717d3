import { describe, expect, it } from 'vitest';
import { writeConversations } from '../../../../scripts/lib/soak/letters.ts';
import { seededRandom } from '../../../../scripts/lib/soak/random.ts';

describe('a seed', () => {
  const mails = (seed: number) => writeConversations(50, seededRandom(seed)).flat();

  it('always gives the same mails, so that a run that broke something can be made again', () => {
    expect(mails(7)).toEqual(mails(7));
    expect(mails(7)).not.toEqual(mails(8));
  });

  it('gives as many mails as were asked for, each with a Message-ID of its own', () => {
    expect(new Set(mails(7).map(({ messageId }) => messageId)).size).toBe(50);
  });
});
