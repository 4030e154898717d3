import { describe, expect, it } from 'vitest';
import type { SeenThread } from '../../../../engine/storage/types/thread-overview.ts';
import { waitsFor } from '../../../../engine/tools/capabilities/threads.ts';

const CARL = { name: 'Carl', address: 'carl@example.org', isProven: true };
const BEGUN: SeenThread = {
  ...{ thread_id: 't', subject: 'Buoys', mails: 1, people: [], last_direction: 'out', last_from: 'ada@example.com' },
  ...{ last_name: 'Ada', last_tier: null, last_to: ['carl@example.org'], last_at: 0, taken_by: null, begun_by_us: 1 },
  first: {
    ...{ direction: 'out', tier: null, from_address: 'ada@example.com', subject: 'Buoys', in_reply_to: null },
    ...{ references: [], forwarded_text: '' },
  },
  ...{ status: 'done', outcome: 'sent', deferred_code: null, asked: 0, asked_in_words: 0, drafts: 0 },
};

describe('a conversation that the persona began', () => {
  it('may wait for an answer until there is one: whether it asked for any nobody has said', () => {
    expect(waitsFor(BEGUN)).toBe('an answer of carl@example.org, if your mail asked for one');
  });

  it('waits for nobody where somebody has answered and the last word asked nothing', () => {
    expect(waitsFor({ ...BEGUN, mails: 3, people: [CARL] })).toBeNull();
  });

  it('waits for an answer where the last word was a question', () => {
    expect(waitsFor({ ...BEGUN, mails: 3, people: [CARL], outcome: 'clarification' })).toBe(
      'an answer of carl@example.org',
    );
  });
});

it('tells a question in words from a call that waits for a yes', () => {
  expect(waitsFor({ ...BEGUN, asked: 1 })).toBe("an owner's approval");
  expect(waitsFor({ ...BEGUN, asked: 1, asked_in_words: 1 })).toBe("an owner's answer to your question");
  expect(waitsFor({ ...BEGUN, asked: 2, asked_in_words: 1 })).toBe("an owner's approval (2 questions)");
});
